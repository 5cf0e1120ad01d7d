"""The way out of the stand-in channel: an MCP server with one tool, whose messages land in a file.

Called as `python -m harness.lab.drill_companion OUTBOX`; the host starts it and ends it.
"""

import json
import sys
from pathlib import Path

from mcp.server import MCPServer

from harness.lab.drill_house import COMPANION


def server(outbox: Path) -> MCPServer:
    """A server whose `reply` appends {"chat_id", "text"} to `outbox`, one object a line."""
    offered = MCPServer(COMPANION, log_level="WARNING")

    @offered.tool()
    def reply(chat_id: str, text: str) -> str:
        """Send a message to the user."""
        with outbox.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"chat_id": chat_id, "text": text}) + "\n")
        return "sent"

    return offered


if __name__ == "__main__":
    server(Path(sys.argv[1])).run("stdio")
