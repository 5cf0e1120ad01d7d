"""The far ends of a reviewed chat: the user's phone, the official side's mailbox, and the model's tools.

What is handed over again under its id is shown, or recorded, once. What happens at a far end is told as a line.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.world.kernel import World
from harness.world.review_setting import Lines
from threadrebuild.ports import Outcome
from threadrebuild.review.tools import MAILBOX_TOOLS


@dataclass
class Phone:
    """`ports.Outbox`, and the screen. `shown` is everything the user could read, in order: (message id, text)."""

    world: World
    lines: Lines
    shown: list[tuple[str, str]] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def send(self, message_id: str, text: str) -> Outcome:
        fault = self.world.take_step("outbox", "send", message=message_id)
        if fault == "no":
            return Outcome(False, "no line")
        if message_id not in self._known:
            self._known.add(message_id)
            self.shown.append((message_id, text))
            self.lines.add("phone", "shows", text, message_id)
        return Outcome(False, "no answer in time") if fault == "late" else Outcome(True)


@dataclass
class Upstream:
    """`ports.Mailbox`: what it holds, by the id of each entry: (tool, text)."""

    world: World
    lines: Lines
    holds: dict[str, tuple[str, str]] = field(default_factory=dict)

    def commit(self, entry_id: str, tool: str, text: str) -> Outcome:
        fault = self.world.take_step("mailbox", "commit", entry=entry_id, tool=tool)
        if fault == "no":
            return Outcome(False, "no line")
        if entry_id not in self.holds:
            self.record(entry_id, tool, text)
        return Outcome(False, "no answer in time") if fault == "late" else Outcome(True)

    def record(self, entry_id: str, tool: str, text: str) -> None:
        """A text stands there from now on."""
        self.holds[entry_id] = (tool, text)
        self.lines.add("mailbox", "records", text, tool)


@dataclass
class ToolBox:
    """`ports.Tools`: whatever it is asked for, it does; a mailbox tool that runs by itself writes upstream at once."""

    world: World
    lines: Lines
    upstream: Upstream
    at_work: Callable[[], str]
    """The message that the model is at work on."""
    ran: list[str] = field(default_factory=list)

    def run(self, tool: str, arguments: str) -> str:
        self.world.take_step("tools", "run", tool=tool)
        self.ran.append(tool)
        self.lines.add("tool", "runs", tool, self.at_work())
        if tool in MAILBOX_TOOLS:
            self.upstream.record(f"by itself {len(self.ran)}", tool, arguments)
        return f"{tool}: {arguments}"
