"""The server as a process of its own, asked by the SDK's real client over stdio: old handshake and new.

Its household is a folder of its own, with a target and a tmux socket that cannot exist; nothing but the server is
started, and it has ended when the client has.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent

from harness.world.talk import Talk
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import State
from threadrebuild.operation.store import Store
from threadrebuild.project_folder import folder_name
from threadrebuild.system import SystemFiles, SystemLocks

pytestmark = pytest.mark.stdio

LIMIT_SECONDS = 60.0
ROOT = Path(__file__).parents[2]
READING = {"thread_rebuild_doctor", "thread_rebuild_dirty", "thread_rebuild_plan", "thread_rebuild_status"}
WRITING = {"thread_rebuild_request", "thread_rebuild_cancel", "thread_rebuild_rollback_request"}
Handshake = Literal["legacy", "auto"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A household that nobody lives in: a project folder with one transcript, and its configuration."""
    workdir = tmp_path / "work"
    project = tmp_path / "projects" / folder_name(str(workdir))
    workdir.mkdir()
    project.mkdir(parents=True)
    talk = Talk()
    talk.user("可以换窗了")
    talk.assistant("好，说完这句就换。")
    (project / "aaaaaaaa-0000-4000-8000-000000000001.jsonl").write_bytes(talk.bytes())
    (tmp_path / "household.toml").write_text(
        f"""
project_dir = {json.dumps(str(project))}
claude_workdir = {json.dumps(str(workdir))}
state_dir = {json.dumps(str(tmp_path / "state"))}
tmux_target = "DO-NOT-CREATE:0.0"
tmux_socket = "threadrebuild-test-{os.getpid()}-none"
resume_command = ["/bin/false", "--resume", "{{session_id}}"]
""",
        encoding="utf-8",
    )
    return tmp_path


def ask(home: Path, questions: Callable[[Client], Awaitable[None]], handshake: Handshake = "auto") -> None:
    """Start the server for a household, put questions to it, and see it end."""
    config = home / "household.toml"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "threadrebuild.cli", "mcp", "--config", str(config)],
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=home,
    )

    async def talk() -> None:
        async with asyncio.timeout(LIMIT_SECONDS), Client(server, mode=handshake) as client:
            assert servers_of(config), "the server is a process of its own"
            await questions(client)

    asyncio.run(talk())
    assert servers_of(config) == [], "the server has ended with its client"


def servers_of(config: Path) -> list[int]:
    """The processes that serve a configuration."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = each.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"mcp" in command and str(config).encode() in command:
            found.append(int(each.parent.name))
    return found


def text_of(answer: CallToolResult) -> str:
    """What a model reads."""
    return "\n".join(part.text for part in answer.content if isinstance(part, TextContent))


def on_disk(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file and folder below a folder, with its time of change and its bytes."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("handshake", ["legacy", "auto"])
def test_it_offers_exactly_seven_tools(home: Path, handshake: Handshake) -> None:
    async def questions(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert sorted(tool.name for tool in tools) == sorted(READING | WRITING)
        for tool in tools:
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint == (tool.name in READING)
            assert tool.input_schema["additionalProperties"] is False
            assert ("confirmation" in tool.input_schema.get("required", [])) == (tool.name in WRITING)

    ask(home, questions, handshake)


@pytest.mark.parametrize("handshake", ["legacy", "auto"])
def test_reading_leaves_no_file_and_no_state(home: Path, handshake: Handshake) -> None:
    async def questions(client: Client) -> None:
        before = on_disk(home)
        doctor = await client.call_tool("thread_rebuild_doctor", {})
        assert not doctor.is_error, text_of(doctor)
        said = json.loads(text_of(doctor))
        assert said["ok"] is False and said["tmux_target_alive"] is False, "nobody lives there, and it says so"
        assert said["transcript_count"] == 1 and said["workdir_matches_project"] is True
        assert json.loads(text_of(await client.call_tool("thread_rebuild_dirty", {})))["conversation_turns"] == 1
        plan = json.loads(text_of(await client.call_tool("thread_rebuild_plan", {})))
        assert (plan["ok"], plan["selected_turns"], plan["source_turns"]) == (True, 1, 1)
        assert json.loads(text_of(await client.call_tool("thread_rebuild_status", {})))["operation"] is None
        assert on_disk(home) == before
        assert not (home / "state").exists()

    ask(home, questions, handshake)


def test_a_wrong_word_and_bad_arguments_are_errors_and_store_nothing(home: Path) -> None:
    async def questions(client: Client) -> None:
        before = on_disk(home)
        for name, word in (
            ("thread_rebuild_request", "CANCEL"),
            ("thread_rebuild_cancel", "ROLLBACK"),
            ("thread_rebuild_rollback_request", "REBUILD"),
        ):
            arguments = {"confirmation": word} | ({"reason": "r"} if name == "thread_rebuild_request" else {})
            refused = await client.call_tool(name, arguments)
            assert refused.is_error and "wrong-word" in text_of(refused), text_of(refused)
            for bad in ({}, {"confirmation": 7}, arguments | {"force": True}):
                assert (await client.call_tool(name, bad)).is_error, (name, bad)
        assert on_disk(home) == before

    ask(home, questions)


def test_where_nobody_can_be_told_to_live_nobody_is_asked(home: Path) -> None:
    async def questions(client: Client) -> None:
        asked = await client.call_tool("thread_rebuild_request", {"reason": "夜里换窗", "confirmation": "REBUILD"})
        assert asked.is_error and "no-identity" in text_of(asked)
        assert not list(home.glob("state/operations/*.json"))

    ask(home, questions)


def test_a_request_waits_for_the_end_of_the_turn_and_can_be_taken_back(home: Path) -> None:
    config = home / "household.toml"
    (home / "session").write_text("aaaaaaaa-0000-4000-8000-000000000001\n")
    tmux = re.compile(r"^tmux_\w+ = .*\n", re.MULTILINE)
    pointer = f'activation = "pointer"\nresume_pointer_path = {json.dumps(str(home / "session"))}\n'
    config.write_text(pointer + tmux.sub("", config.read_text(encoding="utf-8")), encoding="utf-8")

    async def questions(client: Client) -> None:
        asked = await client.call_tool("thread_rebuild_request", {"reason": "夜里换窗", "confirmation": "REBUILD"})
        answer = json.loads(text_of(asked))
        assert answer["state"] == "pending" and "when this turn has ended" in answer["next_step"]
        file = home / "state" / "operations" / f"{answer['operation']}.json"
        assert json.loads(file.read_bytes())["reasons"] == ["夜里换窗"]
        status = json.loads(text_of(await client.call_tool("thread_rebuild_status", {})))
        assert (status["operation"]["id"], status["operation"]["state"]) == (answer["operation"], "pending")
        back = await client.call_tool("thread_rebuild_rollback_request", {"confirmation": "ROLLBACK"})
        assert back.is_error and "not-now" in text_of(back), "nothing was switched, so nothing can be switched back"
        cancelled = await client.call_tool("thread_rebuild_cancel", {"confirmation": "CANCEL"})
        assert json.loads(text_of(cancelled))["state"] == "cancelled"
        assert json.loads(file.read_bytes())["state"] == "cancelled"

    ask(home, questions)


def test_the_old_session_can_be_asked_for(home: Path) -> None:
    at = "2026-08-14T14:00:00.000000+00:00"
    switched = Operation(id="abc", state=State.ACTIVATED, created_at=at, updated_at=at, door="tmux")
    store = Store(home / "state", SystemFiles(), SystemLocks())
    store.save(switched)

    async def questions(client: Client) -> None:
        asked = await client.call_tool("thread_rebuild_rollback_request", {"confirmation": "ROLLBACK"})
        answer = json.loads(text_of(asked))
        assert (answer["operation"], answer["state"]) == ("abc", "rollback_pending")
        assert "when this turn has ended" in answer["next_step"]
        assert [each.state for each in store.all()] == [State.ROLLBACK_PENDING]

    ask(home, questions)


def test_no_other_command_pays_for_the_server() -> None:
    said = subprocess.run(
        [sys.executable, "-c", "import sys, threadrebuild.cli; print('mcp' in sys.modules, 'asyncio' in sys.modules)"],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=True,
    )
    assert said.stdout.split() == ["False", "False"]
