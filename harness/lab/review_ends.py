"""The far ends of a reviewed chat, over the files of one folder, and what the CLI calls in the course of it.

Hooks and tools are processes of their own. All of them open the same gate, whose memory is its store.

Called by the CLI as `python -m harness.lab.review_ends hook FOLDER`, and `tools` for the official side's server.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.lab.review import MESSAGES, OFFICIAL, SAY
from threadrebuild.database import open_database
from threadrebuild.ports import Outcome
from threadrebuild.review.gate import Doors, Gate, open_gate
from threadrebuild.review.history import PastTalk
from threadrebuild.review.paths import app_hook
from threadrebuild.review.rollout import PATHS, PROMPT_SHA256, Rollout
from threadrebuild.review.states import AT_WORK
from threadrebuild.review.store import Turn, TurnStore
from threadrebuild.review.tools import Dispatcher
from threadrebuild.system import SystemClock

if TYPE_CHECKING:
    from mcp.server import MCPServer

BLOCKED = 2
"""The exit code by which a hook refuses a tool."""


def main(words: Sequence[str]) -> None:
    """Answer a hook of the CLI, or serve the official side's tools."""
    match words:
        case ["hook", folder]:
            sys.exit(_hook(Ends(Path(folder)), json.load(sys.stdin)))
        case ["tools", folder]:
            _tools(Ends(Path(folder))).run("stdio")


@dataclass(frozen=True)
class Ends:
    """Phone, mailbox, reviewer, history and tools of a chat, over the files of one folder."""

    folder: Path

    def add(self, who: str, did: str, text: str, where: str) -> None:
        """Tell one line."""
        with self._lines.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"who": who, "did": did, "text": text, "where": where}) + "\n")

    @property
    def lines(self) -> list[dict[str, str]]:
        """All that was told."""
        return [json.loads(line) for line in self._lines.read_text(encoding="utf-8").splitlines()]

    @property
    def _lines(self) -> Path:
        return self.folder / "lines.jsonl"

    def gate(self) -> Gate:
        """The gate over this folder's store."""
        store = TurnStore(open_database(self.folder / "review.db", "threadrebuild.review"))
        rollout = Rollout(
            review_prompt_sha256=PROMPT_SHA256, review_model="scripted", tested=dict.fromkeys(PATHS, PROMPT_SHA256)
        )
        return open_gate(store, Doors(self, _History(PastTalk(store.database)), self, self, SystemClock()), rollout)

    def pinned_prompt(self) -> str:
        """`ports.Models`."""
        return PROMPT_SHA256

    def review(self, request: bytes) -> bytes:
        """`ports.Models`: what the script finds wrong with the draft."""
        asked = json.loads(request)
        message = next(each for each in MESSAGES if each.id == asked["message_id"])
        self.add("reviewer", "is asked", asked["draft"], message.id)
        problem = {"kind": "other", "about": "", "say": message.say}
        return json.dumps({"problems": [problem], "notes": [], "look_up": []}).encode()

    def send(self, message_id: str, text: str) -> Outcome:
        """`ports.Outbox`."""
        self.add("phone", "shows", text, message_id)
        return Outcome(True)

    def commit(self, entry_id: str, tool: str, text: str) -> Outcome:
        """`ports.Mailbox`."""
        self.add("mailbox", "records", text, tool)
        return Outcome(True)

    def run(self, tool: str, arguments: str) -> str:
        """`ports.Tools`: the CLI runs it, once its hook lets it."""
        return ""


@dataclass(frozen=True)
class _History:
    past: PastTalk

    def names(self) -> dict[str, str]:
        return self.past.names()

    def search(self, name: str, limit_ms: int) -> list[str]:
        return self.past.search(name)


def _hook(ends: Ends, given: dict[str, Any]) -> int:
    """A hook of the CLI: a tool that is about to run, or the end of a turn."""
    gate = ends.gate()
    turn = _at_work(gate)
    if given["hook_event_name"] == "PreToolUse":
        return _before_tool(ends, gate, turn, given)
    if turn is not None and turn.path == "app hook":
        answer = app_hook(gate, {"message_id": turn.message_id, "text": _last_text(given)})
        if answer:
            ends.add("gate", "advises", answer["reason"], turn.message_id)
            print(json.dumps(answer))
    return 0


def _before_tool(ends: Ends, gate: Gate, turn: Turn | None, given: dict[str, Any]) -> int:
    tool = given["tool_name"]
    if tool.startswith(f"mcp__{OFFICIAL}__"):
        return 0  # its server asks the gate by itself
    outcome = "over"
    if turn is not None:
        permit = 0 if gate.store.is_sealed(turn.id) else gate.store.permit(turn.id, tool)
        arguments = json.dumps(given["tool_input"])
        outcome = Dispatcher(gate.store, ends).call(turn.id, tool, arguments, permit, given.get("tool_use_id")).outcome
    ends.add("tool", "is called", outcome, tool)
    if outcome == "ran":
        return 0
    print(f"{tool}: {outcome}", file=sys.stderr)
    return BLOCKED


def _tools(ends: Ends) -> "MCPServer":
    """The official side's tool: what it would record is kept until it is known what was sent."""
    from mcp.server import MCPServer  # a hook does without it, and is called often

    server = MCPServer(OFFICIAL, log_level="WARNING")

    @server.tool(name=SAY)
    def say(text: str) -> str:
        """Record what was said."""
        gate = ends.gate()
        turn = _at_work(gate)
        outcome = "over" if turn is None else Dispatcher(gate.store, ends).call(turn.id, SAY, text).outcome
        if outcome == "kept":
            ends.add("mailbox", "keeps", text, SAY)
        return outcome

    return server


def _at_work(gate: Gate) -> Turn | None:
    return next(iter(gate.store.every(*AT_WORK)), None)


def _last_text(given: dict[str, Any]) -> str:
    """What the assistant said last; versions that do not tell it have written it down."""
    if "last_assistant_message" in given:
        return str(given["last_assistant_message"])
    texts = [""]
    for line in Path(given["transcript_path"]).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("type") == "assistant":
            texts += [block["text"] for block in row["message"]["content"] if block["type"] == "text"]
    return str(texts[-1])


if __name__ == "__main__":
    main(sys.argv[1:])
