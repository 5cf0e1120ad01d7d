"""What the stages of the drill share: the household, the line, and all that was said, so that it can be looked up."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from harness.lab.drill_house import COMPANION, REPLY_TOOL, SOCKET, TARGET, NotSeen, Throwaway, text
from harness.lab.drill_line import CHAT, Line
from harness.lab.model import Reply
from harness.lab.namespace import LabFault
from harness.lab.terminal import READY
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import ENDS, State
from threadrebuild.ports import Outcome, Pane
from threadrebuild.system import Tmux

Said = list[tuple[str, str]]
"""(role, text) of what was said, in order."""


@dataclass
class Drill:
    """What the stages hand on to each other."""

    house: Throwaway
    line: Line
    before: Said = field(default_factory=list)
    """What was said before the switch."""
    between: Said = field(default_factory=list)
    """What was said between the switch and the rollback."""
    session: str = ""
    """The old session's id."""
    old: Pane | None = None
    """The pane as it was when the rebuild was asked for."""
    new: Pane | None = None
    """The pane after the switch."""
    switched: Operation | None = None
    """The operation as it was right after the switch."""
    arrived: str = ""
    """The message that came in during the switch, in its envelope."""
    requests: int = 0
    """How many requests the model had had when the switch began."""
    connections: int = 0
    """How often a host had connected to the stand-in channel by then."""
    wire: dict[str, Any] | None = None
    """The wire of the new session's first request: `version`, `rows`, `did` of a run log."""

    def turn(self, said: Said, says: str, *replies: Reply, agrees: bool = False) -> None:
        """Type a prompt and wait for the end of the turn; put on the list what was said."""
        self.house.turn(says, *replies, agrees=agrees)
        said += [("user", says), *spoken(replies)]

    def answers(self, words: str) -> tuple[Reply, Reply]:
        """An answer over the line, as the model gives it: some words, the call of the reply tool, and some more."""
        call = self.house.call(REPLY_TOOL, chat_id=CHAT, text=words)
        return Reply((text(f"Over the line I say: {words}"), call)), Reply((text(f"Said over the line: {words}"),))

    def pane(self) -> Pane:
        """The host's pane as it is now. Raises `NotSeen`."""
        pane = Tmux(SOCKET).find(TARGET)
        if pane is None or pane.dead:
            raise NotSeen(f"pane {TARGET} is gone or dead")
        return pane

    def ended(self, but: State | None = None) -> Operation | None:
        """The operation once it is at an end; `but` is one that does not count."""
        operation = self.house.operation
        waits = {State.ROLLBACK_PENDING, State.ROLLBACK_SCHEDULED, but}
        return operation if operation.state in ENDS and operation.state not in waits else None


def prepared(house: Throwaway) -> Drill:
    """A drill over a throwaway household that has not been started."""
    folder = house.place.folder / "channel"
    folder.mkdir()
    return Drill(house, Line(folder, COMPANION, lambda words: _type_in(house, words)))


def spoken(replies: Iterable[Reply]) -> Said:
    """What some replies say, also by the reply tool, in order."""
    found: Said = []
    for block in (block for reply in replies for block in reply.blocks):
        if block["type"] == "text":
            found.append(("assistant", block["text"]))
        elif block["name"] == REPLY_TOOL:
            found.append(("assistant", block["input"]["text"]))
    return found


def _type_in(house: Throwaway, words: str) -> Outcome:
    if not READY.search(house.terminal.screen()):
        return Outcome(False, "the host shows no prompt")
    try:
        house.terminal.send(words)
    except LabFault as fault:
        return Outcome(False, str(fault))
    return Outcome(True)
