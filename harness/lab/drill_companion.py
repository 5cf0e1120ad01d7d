"""The way out of the stand-in channel: an MCP server with one tool, whose messages land in a file.

Called as `python -m harness.lab.drill_companion OUTBOX CONNECTED`; the host starts it and ends it.
"""

import json
import sys
from pathlib import Path

from mcp.server import MCPServer
from mcp_types import Tool

from harness.lab.drill_house import COMPANION


class Companion(MCPServer):
    """A server that notes in the file `connected`, a line each time, that a host has asked for its tools."""

    def __init__(self, connected: Path) -> None:
        super().__init__(COMPANION, log_level="WARNING")
        self._connected = connected

    async def list_tools(self) -> list[Tool]:
        """The tools; from here on the host can call them."""
        with self._connected.open("a", encoding="utf-8") as file:
            file.write("asked for the tools\n")
        return await super().list_tools()


def server(outbox: Path, connected: Path) -> MCPServer:
    """A server whose `reply` appends {"chat_id", "text"} to `outbox`, one object a line."""
    offered = Companion(connected)

    @offered.tool()
    def reply(chat_id: str, text: str) -> str:
        """Send a message to the user."""
        with outbox.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"chat_id": chat_id, "text": text}) + "\n")
        return "sent"

    return offered


if __name__ == "__main__":
    server(*map(Path, sys.argv[1:])).run("stdio")
