"""What the gate writes to, at the far end: the user's phone and the official side's mailbox. Both outlive any host.

A message that is handed over again under its id is shown once; so is an entry of the mailbox.
"""

from dataclasses import dataclass, field

from harness.world.kernel import World
from threadrebuild.ports import Outcome


@dataclass
class Phone:
    """`ports.Outbox`, and the screen. `shown` is everything the user could read, in order: (message id, text)."""

    world: World
    shown: list[tuple[str, str]] = field(default_factory=list)
    handed: list[str] = field(default_factory=list)
    """The message id of each handing over, repeated ones too."""
    _known: set[str] = field(default_factory=set)

    def send(self, message_id: str, text: str) -> Outcome:
        fault = self.world.take_step("outbox", "send", message=message_id)
        if fault == "no":
            return Outcome(False, "no line")
        self.handed.append(message_id)
        if message_id not in self._known:
            self._known.add(message_id)
            self.shown.append((message_id, text))
        return Outcome(False, "no answer in time") if fault == "late" else Outcome(True)

    def typing(self, message_id: str, text: str) -> None:
        """A piece of an answer that is being written appears."""
        self.shown.append((message_id, text))


@dataclass
class Upstream:
    """`ports.Mailbox`: what it holds, by the id of each entry: (tool, text)."""

    world: World
    holds: dict[str, tuple[str, str]] = field(default_factory=dict)

    def commit(self, entry_id: str, tool: str, text: str) -> Outcome:
        fault = self.world.take_step("mailbox", "commit", entry=entry_id, tool=tool)
        if fault == "no":
            return Outcome(False, "no line")
        self.holds.setdefault(entry_id, (tool, text))
        return Outcome(False, "no answer in time") if fault == "late" else Outcome(True)

    def written_by_tool(self, tool: str, text: str) -> None:
        """A mailbox tool has run by itself: what it says stands there at once."""
        self.holds[f"by itself {len(self.holds)}"] = (tool, text)
