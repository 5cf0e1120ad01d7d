"""A night being played: the household, what was asked and answered so far, and the door as it was really used.

What somebody asks runs in the process of whoever asks; what people and strangers do happens outside of every process.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from harness.world.channel import Chat
from harness.world.kernel import Process
from harness.world.night import OLD_SESSION, Night
from threadrebuild.doors.door import Door, Health, Holder, Identity
from threadrebuild.operation.household import Refused
from threadrebuild.operation.record import Operation
from threadrebuild.ports import Outcome

OTHER_SESSION = "bbbbbbbb-0000-4000-8000-000000000002"
ANSWER_SECONDS = 200_000.0
"""How long the story waits for an answer: longer than any process hangs."""


@dataclass(frozen=True, slots=True)
class Switch:
    """One use of the door: which session, for which recorded identity, and what was on record at that moment."""

    session: str
    identity: Identity | None
    operation: Operation | None


class WatchedDoor:
    """The household's door, with a record of its uses."""

    def __init__(self, door: Door, latest: Callable[[], Operation | None]) -> None:
        self._door = door
        self._latest = latest
        self.switches: list[Switch] = []

    @property
    def cannot_prove(self) -> tuple[str, ...]:
        return self._door.cannot_prove

    @property
    def leaves_service(self) -> bool:
        return self._door.leaves_service

    def identity(self, target: str | None = None) -> Identity | None:
        return self._door.identity(target)

    def is_turn_of(self, identity: Identity, session_id: str) -> bool:
        return self._door.is_turn_of(identity, session_id)

    def holder(self, recorded: Identity, wanted_session: str) -> Holder:
        return self._door.holder(recorded, wanted_session)

    def switch(self, recorded: Identity, session_id: str, instead_of: str | None = None) -> Outcome:
        self.switches.append(Switch(session_id, recorded, self._latest()))
        done = self._door.switch(recorded, session_id, instead_of)
        if done.changed:
            self.switches.pop()
        return done

    def healthy(self, recorded: Identity, session_id: str) -> Health:
        return self._door.healthy(recorded, session_id)

    def undo(self, recorded: Identity, session_id: str) -> Outcome:
        return self._door.undo(recorded, session_id)

    def command(self, session_id: str) -> list[str]:
        return self._door.command(session_id)


@dataclass
class Play:
    """One night under way. `answers` holds what each call or command came to: a state, or why it was refused."""

    night: Night
    chat: Chat | None = None
    """The channel over which the user speaks; None for a household without one."""
    answers: list[str] = field(default_factory=list)
    hooks: list[str] = field(default_factory=list)
    """What each Stop hook came to: "started", "nothing", or why it was refused."""
    missed: list[int] = field(default_factory=list)
    """Entries of the story whose moment never came."""
    told: list[tuple[datetime, Any, list[str]]] = field(default_factory=list)
    """What happened of the story, when, and what it was answered."""
    words: list[str] = field(default_factory=list)
    """What people and the assistant said in the story."""
    asked_at: list[int] = field(default_factory=list)
    """After which steps somebody began to ask for a rebuild, and was not refused."""
    meddled: set[str] = field(default_factory=set)
    """What the story itself has damaged, so that nobody else can be blamed for it."""

    _read: tuple[int, list[Operation]] | None = None

    def __post_init__(self) -> None:
        night = self.night
        self.door = WatchedDoor(night.house.door, night.house.store.latest)
        night.house = replace(night.house, door=self.door)
        night.host.on_stop = self._stop

    def operations(self) -> list[Operation]:
        """All operations as they lie on the disk, read once for each change there; nobody may change them."""
        changes = self.night.files.changes
        if self._read is None or self._read[0] != changes:
            self._read = changes, self.night.house.store.all()
        return self._read[1]

    def latest(self) -> Operation | None:
        """The operation that was requested last."""
        return next(reversed(self.operations()), None)

    def ask(self, who: Process, action: Callable[[], Any], rebuild: bool = False) -> None:
        """Let a process ask something, for a rebuild it may be, and wait for the answer, or for its end."""
        answered: list[str] = []
        begun: list[int] = []

        def asked() -> None:
            # Who takes the door before its first look is who it asks for.
            begun.append(self.night.world.step + 1)
            try:
                answered.append(answer_of(action()))
            except Refused as refused:
                answered.append(refused.reason)
            except OSError:
                # The command reports it and ends with its code; the assistant is told.
                answered.append("error")

        self.night.world.start(who, asked)
        self.night.world.wait_until(lambda: bool(answered) or not who.alive, ANSWER_SECONDS)
        self.answers.append(answered[0] if answered else "no answer")
        if rebuild and self.answers[-1] in ("pending", "no answer"):
            self.asked_at += begun

    def new_session(self) -> str | None:
        """The session that the latest operation means to bring in."""
        latest = self.latest()
        return latest.new_session_id if latest else None

    def behind(self) -> str:
        """Who is behind the door, in words."""
        live = self.night.live_session()
        if live is None:
            return "somebody else" if self._is_up() else "nobody"
        known = {OLD_SESSION: "old session"}
        known |= {each.new_session_id: "new session" for each in self.operations() if each.new_session_id}
        return known.get(live, "somebody else")

    def place(self, name: str) -> Path | None:
        """The file that a place of the story names; None while there is none."""
        latest = self.latest()
        state = Path(self.night.settings.state_dir)
        if name == "old transcript":
            return self.night.host.transcript(OLD_SESSION)
        if name == "worker log":
            return state / "worker.log"
        if latest is None:
            return None
        if name == "operation file":
            return state / "operations" / f"{latest.id}.json"
        if name == "backup":
            return state / "artifacts" / latest.id / f"{OLD_SESSION}.jsonl"
        if latest.new_session_id is None:
            return None
        if name == "candidate":
            return state / "artifacts" / latest.id / f"{latest.new_session_id}.jsonl"
        return self.night.host.transcript(latest.new_session_id)

    def _is_up(self) -> bool:
        return self.night.settings.activation != "pointer" and self.night.resident().alive

    def _stop(self, session: str, transcript: Path) -> None:
        from threadrebuild.operation import coordinator

        try:
            done = coordinator.stop_hook(self.night.house, str(transcript))
        except (Refused, OSError) as error:
            self.hooks.append(error.reason if isinstance(error, Refused) else "error")
            return
        self.hooks.append("started" if done["scheduled"] else "nothing")


def answer_of(answer: Any) -> str:
    """What an answer comes to, in one word."""
    if isinstance(answer, Operation):
        return str(answer.state)
    if isinstance(answer, list):
        return ", ".join(str(each.state) for each in answer) or "nothing"
    found = answer.get("operation") if isinstance(answer, dict) else None
    return str(found.state) if isinstance(found, Operation) else "nothing"
