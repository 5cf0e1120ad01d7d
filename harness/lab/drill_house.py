"""The throwaway household of a drill: a home, a tmux server and the real CLI, whose model answers what it is told to.

It lives in the lab's namespace. What it writes, types and is asked lies in one folder, and it ends with its server.
"""

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.lab.inside import environment_of, settle
from harness.lab.model import Reply, ScriptedModel
from harness.lab.session import Place
from harness.lab.terminal import Terminal
from threadrebuild.actions import ALLOWED_WITHOUT_ASKING
from threadrebuild.init import SERVER
from threadrebuild.opening import household
from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation

MARK = "THREADREBUILD_DRILL"
"""The variable by which every process of a drill is known; its value is the drill's folder."""
SOCKET = "drill"
TARGET = "lab:0.0"
COMPANION = "companion"
REPLY_TOOL = f"mcp__{COMPANION}__reply"
ASKS_FOR_CONSENT = "Do you want to proceed?"
COMMAND_SECONDS = 30
NONE_LEFT = Reply(({"type": "text", "text": "nobody expected this request"},))


class NotSeen(Exception):
    """A stage of the drill did not see what it has to see, with what was there instead."""


def text(words: str) -> dict[str, Any]:
    """A block of a reply that says something."""
    return {"type": "text", "text": words}


class Throwaway:
    """The household, from its first process to `end`. It changes this process's environment into its own."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.config = place.folder / "config.toml"
        self.outbox = place.folder / "outbox.jsonl"
        """What the assistant sent over the stand-in channel, one object a line."""
        self.connected = place.folder / "connected"
        """A line for each time that a host asked the stand-in channel for its tools."""
        self.programs = place.folder / "bin"
        for folder in (place.home, place.work, place.tmp, self.programs):
            folder.mkdir(parents=True, exist_ok=True)
        settle(place)
        (self.programs / "claude").symlink_to(place.program[-1])
        self.model = ScriptedModel(self._scripted())
        self._replies: deque[Reply] = deque()
        self._calls = 0
        os.environ |= environment_of(place, self.model.port) | {
            "PATH": os.pathsep.join([str(self.programs), os.environ["PATH"]]),
            "TMUX_TMPDIR": str(place.tmp),
            MARK: str(place.folder),
        }
        self.terminal = Terminal(place, self.model)
        self.terminal.server = ("tmux", "-L", SOCKET, "-f", "/dev/null")

    @property
    def start_command(self) -> list[str]:
        """How the host is started: what may be called without asking is what the rules let go so, and the channel."""
        allowed = [*(f"mcp__{SERVER}__{name}" for name in ALLOWED_WITHOUT_ASKING), REPLY_TOOL]
        return ["claude", "--allowedTools", ",".join(allowed), "--permission-mode", "default"]

    @property
    def connections(self) -> int:
        """How often a host has connected to the stand-in channel."""
        return self.connected.read_bytes().count(b"\n") if self.connected.exists() else 0

    @property
    def house(self) -> Household:
        """The household as its configuration describes it now."""
        return household(self.config)

    @property
    def operation(self) -> Operation:
        """The operation that was requested last, as it lies on the disk. Raises `NotSeen`."""
        found = self.house.store.latest()
        if found is None:
            raise NotSeen("no operation is on record")
        return found

    def start(self) -> None:
        """Start the tmux server with the host in its only pane, and wait for the prompt."""
        size = ("-x", "180", "-y", "50", "-c", str(self.place.work))
        self.terminal.tmux("new-session", "-d", "-s", TARGET.partition(":")[0], *size, *self.start_command)
        self.terminal.tmux("set-option", "-g", "remain-on-exit", "on")
        self.terminal.wait_for_prompt()

    def start_again(self) -> str:
        """Leave the host by its own command and resume its session, so that it loads what was installed; its id."""
        session, before = self.terminal.leave(), self.connections
        program, *words = self.start_command
        resumed = [program, "--resume", session, *words]
        self.terminal.tmux("respawn-pane", "-k", "-t", TARGET, "-c", str(self.place.work), *resumed)
        self.wait_for_tools(before)
        return session

    def wait_for_tools(self, before: int) -> None:
        """Until the host in the pane can be typed to, and has connected since there were `before` connections."""
        self.terminal.eventually(lambda: self.connections > before, "a connection to the stand-in channel")
        self.terminal.wait_for_prompt()

    def turn(self, says: str, *replies: Reply, agrees: bool = False) -> None:
        """Type a prompt, say yes where the host asks for consent, and wait for the end of the turn."""
        self.answer_with(*replies)
        stops = self.terminal.stops()
        self.terminal.send(says)
        self.see_answered(says, stops, replies[-1], agrees)

    def answer_with(self, *replies: Reply) -> None:
        """What the model answers next."""
        self._replies.extend(replies)

    def see_answered(self, says: str, stops: int, last: Reply, agrees: bool = False) -> None:
        """Wait until a prompt has been sent to the model, its last reply written down, and the Stop hook run."""
        terminal = self.terminal
        terminal.eventually(lambda: terminal.is_asked(says), f"a request with {says!r}", terminal.enter)
        if agrees:
            terminal.eventually(lambda: ASKS_FOR_CONSENT in terminal.screen(), "a question for consent")
            terminal.enter()
            # Newer versions take no key in the first moment of a question.
            terminal.eventually(lambda: ASKS_FOR_CONSENT not in terminal.screen(), "consent taken", terminal.enter)
        words = last.blocks[-1]["text"]
        terminal.eventually(lambda: terminal.is_written(words), f"{words!r} in the transcript")
        terminal.eventually(lambda: terminal.stops() > stops, "the Stop hook")

    def call(self, tool: str, **arguments: str) -> dict[str, Any]:
        """A block of a reply that calls a tool."""
        self._calls += 1
        return {"type": "tool_use", "id": f"toolu_drill{self._calls:04}", "name": tool, "input": arguments}

    def result_of(self, call: dict[str, Any]) -> str:
        """What a tool call came to, as the model was told. Raises `NotSeen` where it failed or was never answered."""
        for request in reversed(self.model.main):
            for block in _blocks(request.body["messages"]):
                if block.get("type") == "tool_result" and block.get("tool_use_id") == call["id"]:
                    shown = json.dumps(block["content"], ensure_ascii=False)
                    if block.get("is_error"):
                        raise NotSeen(f"{call['name']} failed: {shown}")
                    return shown
        raise NotSeen(f"{call['name']} was called, and no result went back to the model")

    def ask(self, *words: str) -> dict[str, Any]:
        """What a command of the cores answers with `--json`. Raises `NotSeen` where it answers nothing."""
        code, said, complained = self.run(*self.core(*words, "--json"))
        try:
            answer: dict[str, Any] = json.loads(said)
        except (ValueError, RecursionError):
            raise NotSeen(f"{words[0]}: exit code {code}: {(complained or said).strip()[-300:]}") from None
        return answer

    def core(self, *words: str) -> list[str]:
        """The command line of the cores, for this household."""
        return [sys.executable, "-m", "threadrebuild.cli", *words, "--config", str(self.config)]

    def run(self, *command: str) -> tuple[int, str, str]:
        """Run a program in the working directory: its exit code, and what it said and complained of."""
        done = subprocess.run(
            command, cwd=self.place.work, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def end(self) -> None:
        """Kill the tmux server with the host in it, as somebody who closes everything does, and the model."""
        self.terminal.tmux("kill-server")
        self.model.close()

    def transcript(self, session: str) -> Path:
        """Where a session's transcript lies."""
        return self.place.project / f"{session}.jsonl"

    def _scripted(self) -> Iterator[Reply]:
        while True:
            yield self._replies.popleft() if self._replies else NONE_LEFT


def _blocks(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        if isinstance(message["content"], list):
            yield from message["content"]
