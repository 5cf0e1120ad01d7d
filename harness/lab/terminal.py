"""A talk typed into the CLI in a terminal: its own tmux server, with a socket in the lab's folder.

What is sent too early is sent while the model or a tool is held, so that nothing depends on how fast anything is.
"""

import json
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from harness.lab.model import ScriptedModel
from harness.lab.namespace import LabFault
from harness.lab.script import BEGUN, GO, Turn
from harness.lab.session import Place

DEADLINE_SECONDS = 25
QUEUE_SECONDS = 10.0
"""How long a version may take to log what was queued; the oldest never log it."""
SETTLED_SECONDS = 1.5
AGAIN_SECONDS = 1.5
"""After this long without an effect Enter is pressed once more."""
PAUSE_SECONDS = 0.3
"""An Enter that follows a text sooner counts as pasted with it, and makes a line break."""
READY = re.compile(r"^[\s│]*[❯>]\s", re.MULTILINE)

T = TypeVar("T")


def typed(
    place: Place, environment: dict[str, str], command: Sequence[str], talk: Sequence[Turn], model: ScriptedModel
) -> str:
    """Type the talk into a new session and leave it; the session's id. Raises `LabFault` at a deadline."""
    terminal = Terminal(place, model)
    try:
        terminal.start(environment, command)
        for turn in talk:
            terminal.take(turn)
        return terminal.leave()
    finally:
        terminal.tmux("kill-server")


class Terminal:
    """The one pane of a tmux server of its own. What waits raises `LabFault` at a deadline, with the screen."""

    def __init__(self, place: Place, model: ScriptedModel) -> None:
        self.place = place
        self.model = model
        self.server = ("tmux", "-S", str(place.tmp / "tmux.sock"), "-f", "/dev/null")

    def tmux(self, *words: str) -> str:
        """Run a command of tmux on this server; its output."""
        return subprocess.run([*self.server, *words], capture_output=True, text=True, timeout=10).stdout

    def start(self, environment: dict[str, str], command: Sequence[str]) -> None:
        """Start a program in the pane, and wait for its prompt."""
        given = [f"{name}={value}" for name, value in environment.items()]
        line = f"exec {shlex.join(['env', '-i', *given, *command])}"
        self.tmux("new-session", "-d", "-s", "lab", "-x", "140", "-y", "45", "-c", str(self.place.work), line)
        self.tmux("set-option", "-g", "remain-on-exit", "on")
        self.wait_for_prompt()

    def take(self, turn: Turn) -> None:
        """One turn, to the end of its last reply and of what the Stop hook does then."""
        stops = self.stops()
        self.send(turn.says)
        self.eventually(lambda: self.is_asked(turn.says), f"a request with {turn.says!r}", self.enter)
        if turn.early:
            begun = self.place.work / BEGUN
            self.eventually(begun.exists if turn.in_tool else self.model.holding.is_set, "the moment to type early")
            self.send(turn.early)
            self.wait_for_queue(turn.early)
            if turn.in_tool:
                (self.place.work / GO).touch()
            else:
                self.model.release()
        last = turn.replies[-1].blocks[-1]["text"]
        self.eventually(lambda: self.is_written(last), f"{last!r} in the transcript")
        self.eventually(lambda: self.stops() > stops, "the Stop hook")

    def wait_for_prompt(self) -> None:
        """Until the program can be typed to."""
        self.eventually(lambda: READY.search(self.screen()), "the prompt")
        self.settle()

    def leave(self) -> str:
        """End the program by its own command; the session's id."""
        self.tmux("send-keys", "-t", "lab", "-l", "/exit")
        self.eventually(lambda: "/exit" in self.screen(), "/exit on the screen")
        self.enter()
        self.eventually(self.is_over, "an end", self.enter)
        return self.transcripts()[0].stem

    def send(self, text: str) -> None:
        """Type a text and press Enter."""
        self.tmux("send-keys", "-t", "lab", "-l", text)
        self.eventually(lambda: text in self.screen(), f"{text!r} on the screen")
        time.sleep(PAUSE_SECONDS)
        self.enter()

    def enter(self) -> None:
        """Press Enter."""
        self.tmux("send-keys", "-t", "lab", "Enter")

    def screen(self) -> str:
        """What the pane shows."""
        return self.tmux("capture-pane", "-p", "-J", "-t", "lab")

    def wait_for_queue(self, text: str) -> None:
        """Until the transcript says that it was queued; a version that never says so has had the time to do it."""
        for _ in range(2):
            end = time.monotonic() + QUEUE_SECONDS / 2
            while time.monotonic() < end:
                if self.is_written(text):
                    return
                time.sleep(0.05)
            self.enter()

    def settle(self) -> None:
        """Until the screen stays as it is: older versions show their prompt before Enter sends anything."""
        screen, since = self.screen(), time.monotonic()
        end = since + DEADLINE_SECONDS
        while time.monotonic() < min(since + SETTLED_SECONDS, end):
            time.sleep(0.05)
            if (now := self.screen()) != screen:
                screen, since = now, time.monotonic()

    def is_over(self) -> bool:
        """Whether the program has ended."""
        return self.tmux("display-message", "-p", "-t", "lab", "#{pane_dead}").strip() != "0"

    def stops(self) -> int:
        """How often the Stop hook has run."""
        return self.place.hook_input.read_bytes().count(b"}\n") if self.place.hook_input.exists() else 0

    def is_asked(self, text: str) -> bool:
        """Whether a text stands in a main request."""
        return any(json.dumps(text)[1:-1] in json.dumps(each.body["messages"]) for each in self.model.main)

    def is_written(self, text: str) -> bool:
        """Whether a text stands in a transcript of the project."""
        return any(text in path.read_text(encoding="utf-8", errors="replace") for path in self.transcripts())

    def transcripts(self) -> list[Path]:
        """Those of the project, but for sub-agents'."""
        return [path for path in self.place.project.glob("*.jsonl") if not path.name.startswith("agent-")]

    def eventually(
        self,
        look: Callable[[], T | None],
        what: str,
        meanwhile: Callable[[], None] | None = None,
        seconds: float = DEADLINE_SECONDS,
    ) -> T:
        """What `look` gives as soon as that is something; now and then does what `meanwhile` says."""
        end, again = time.monotonic() + seconds, time.monotonic() + AGAIN_SECONDS
        while not (seen := look()):
            if time.monotonic() > end:
                shown = " / ".join(line.strip() for line in self.screen().splitlines() if re.search(r"\w", line))
                raise LabFault(f"not within {seconds:g} s: {what}; the screen shows: {shown[-400:]}")
            if meanwhile and time.monotonic() > again:
                meanwhile()
                again = time.monotonic() + AGAIN_SECONDS
            time.sleep(0.05)
        return seen
