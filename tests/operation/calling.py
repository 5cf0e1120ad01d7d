"""Calling commands and tools of a simulated household, the way a person, a hook and a model do."""

import asyncio
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner, Result
from mcp import Client
from mcp_types import CallToolResult, Tool

from harness.world.night import OLD_SESSION, Night
from threadrebuild.cli import main
from threadrebuild.mcp import server
from threadrebuild.operation.household import Household

LIMIT_SECONDS = 30.0


def call(night: Night, *arguments: str, given: str | None = None) -> Result:
    """Run a command on a night's household, with `given` on standard input."""
    with patch("threadrebuild.commands.household", lambda config: night.house):
        return CliRunner().invoke(main, [*arguments, "--config", "simulated.toml"], input=given)


def use(house: Household, name: str, **arguments: object) -> CallToolResult:
    """Let a model use a tool, through the SDK's client in this process."""

    async def ask() -> CallToolResult:
        async with Client(server(house)) as client, asyncio.timeout(LIMIT_SECONDS):
            return await client.call_tool(name, arguments)

    return asyncio.run(ask())


def tools_of(house: Household) -> list[Tool]:
    """The tools that a model is offered."""

    async def ask() -> list[Tool]:
        async with Client(server(house)) as client, asyncio.timeout(LIMIT_SECONDS):
            return (await client.list_tools()).tools

    return asyncio.run(ask())


def on_disk(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file and folder below a folder, with its time of change and its bytes."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in folder.rglob("*")
    }


def activated(folder: Path) -> Night:
    """A night whose switch has happened."""
    night = Night(folder)
    night.talk(lambda talk: talk.user("可以换窗了"))
    night.talk(lambda talk: talk.assistant("好，说完这句就换。"))
    night.ask_for_rebuild("夜里换窗")
    night.end_turn()
    night.world.run()
    assert night.latest().state == "activated", night.latest().error
    return night


def hook_input(night: Night, session: str = OLD_SESSION) -> str:
    """What the host gives its Stop hook."""
    transcript = str(night.host.transcript(session))
    return f'{{"session_id": "{session}", "transcript_path": "{transcript}", "hook_event_name": "Stop"}}'
