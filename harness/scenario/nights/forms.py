"""What an expectation of a night may demand, looked at on the disk, behind the door, and in what was answered.

Each names its rule, and each can fail: what stands nowhere has to have been said, what never happened has a name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from harness.scenario.forms import Count, Demand, Met, Text, figures_met
from harness.scenario.nights.play import Play
from harness.scenario.seen import ScenarioFault, quoted, times
from harness.world.night import OLD_SESSION
from threadrebuild import actions
from threadrebuild.doctor import doctor
from threadrebuild.operation import coordinator
from threadrebuild.operation.record import Operation

Place = Literal["old transcript", "candidate", "new session", "backup", "operation file", "worker log"]


@dataclass(frozen=True, slots=True)
class Night:
    """A night that is over, as expectations look at it."""

    play: Play

    @property
    def latest(self) -> Operation:
        """The latest operation. Raises `ScenarioFault` where there is none."""
        found = self.play.night.house.store.latest()
        if found is None:
            raise ScenarioFault("there is no operation")
        return found

    def session(self, session: str) -> str:
        """Which session an id is, in a word."""
        if session == OLD_SESSION:
            return "old"
        known = {each.new_session_id for each in self.play.night.house.store.all()}
        return "new" if session in known else "another"


class NightForm(Demand, frozen=True, kw_only=True):
    """One demand. Its second field is the key that names it."""

    def met(self, night: Night) -> Met:
        """Look. Raises `ScenarioFault` where the demand makes no sense of this night."""
        raise NotImplementedError


class In(NightForm, frozen=True, kw_only=True):
    """A file: the text stands in it so many times, or it is as the host left it, or it is there at all."""

    place: Place = msgspec.field(name="in")
    text: Text | None = None
    times: Annotated[int, Meta(ge=0)] = 1
    unchanged: Literal[True] | None = None
    exists: bool | None = None

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.text, self.unchanged, self.exists)) != 1:
            raise ValueError("`in` demands one of text, unchanged, exists")
        if self.unchanged is not None and self.place not in ("old transcript", "new session"):
            raise ValueError("`unchanged` is asked of a transcript")

    def met(self, night: Night) -> Met:
        path = night.play.place(self.place)
        there = path is not None and path.exists()
        if self.exists is not None:
            return Met(there == self.exists, f"{self.place} {_there(self.exists)}", _there(there))
        data = path.read_bytes() if path is not None and there else b""
        if self.unchanged:
            assert path is not None
            wrote = night.play.night.host.wrote(path.stem)
            wanted = f"{self.place}: the {len(wrote)} bytes that the host wrote"
            return Met(data == wrote, wanted, "the same" if data == wrote else f"{len(data)} other bytes")
        assert self.text is not None
        count = data.count(self.text.encode())
        said = "\n".join(night.play.words)
        if not self.times and self.text not in said and self.text.encode() not in _old(night):
            raise ScenarioFault(f"{quoted(self.text)} was said nowhere: its absence would prove nothing")
        return Met(count == self.times, f"{quoted(self.text)} {times(self.times)} in {self.place}", times(count))


class State(NightForm, frozen=True, kw_only=True):
    """The latest operation's state, whether a third party is the reason, and words of its error."""

    state: str
    conflict: bool | None = None
    says: str = ""

    def met(self, night: Night) -> Met:
        latest = night.latest
        ok = latest.state == self.state and self.conflict in (None, latest.session_conflict)
        ok = ok and self.says in (latest.error or "")
        conflict = {None: "", True: " by a conflict", False: " without a conflict"}
        says = f": “{self.says}”" if self.says else ""
        seen = f"{latest.state}{conflict[latest.session_conflict]}: {latest.error}"
        return Met(ok, f"{self.state}{conflict[self.conflict]}{says}", seen)


class History(NightForm, frozen=True, kw_only=True):
    """The states that the latest operation went through, in order."""

    history: Annotated[list[str], Meta(min_length=1)]

    def met(self, night: Night) -> Met:
        seen = [str(step.state) for step in night.latest.steps]
        return Met(seen == self.history, " → ".join(self.history), " → ".join(seen))


class Reached(NightForm, frozen=True, kw_only=True):
    """A state that the latest operation went through."""

    reached: str

    def met(self, night: Night) -> Met:
        seen = [str(step.state) for step in night.latest.steps]
        return Met(self.reached in seen, f"it reached {self.reached}", " → ".join(seen))


class NotBecause(NightForm, frozen=True, kw_only=True):
    """The latest operation did not end for this reason."""

    not_because: Text

    def met(self, night: Night) -> Met:
        error = night.latest.error or ""
        return Met(self.not_because not in error, f"it did not end because “{self.not_because}”", error or "no error")


class Answers(NightForm, frozen=True, kw_only=True):
    """What the calls and commands of the story came to, in order: a state, or why it was refused."""

    answers: Annotated[list[str], Meta(min_length=1)]

    def met(self, night: Night) -> Met:
        seen = night.play.answers
        return Met(seen == self.answers, ", ".join(self.answers), ", ".join(seen))


class Hooks(NightForm, frozen=True, kw_only=True):
    """What the Stop hooks came to, in order: `started`, `nothing`, or why it was refused."""

    hooks: Annotated[list[str], Meta(min_length=1)]

    def met(self, night: Night) -> Met:
        seen = night.play.hooks
        return Met(seen == self.hooks, ", ".join(self.hooks), ", ".join(seen))


class BehindTheDoor(NightForm, frozen=True, kw_only=True):
    """Who is behind the door in the end."""

    behind_the_door: Literal["old session", "new session", "somebody else", "nobody"]

    def met(self, night: Night) -> Met:
        seen = night.play.behind()
        return Met(seen == self.behind_the_door, f"{self.behind_the_door} behind the door", seen)


class SwitchedTo(NightForm, frozen=True, kw_only=True):
    """The sessions that the door was asked to bring in, in order."""

    switched_to: list[Literal["old", "new"]]

    def met(self, night: Night) -> Met:
        seen = [night.session(each.session) for each in night.play.door.switches]
        return Met(seen == self.switched_to, f"switched to {self.switched_to}", f"{seen}")


class Counted(NightForm, frozen=True, kw_only=True):
    """How many workers were started, or operations stored."""

    workers: Annotated[int, Meta(ge=0)]

    def met(self, night: Night) -> Met:
        seen = len(night.play.night.spawner.started)
        return Met(seen == self.workers, f"{self.workers} workers", f"{seen} workers")


class Operations(NightForm, frozen=True, kw_only=True):
    """So many operations were stored."""

    operations: Count

    def met(self, night: Night) -> Met:
        seen = len(night.play.night.house.store.all())
        return Met(seen == self.operations, f"{self.operations} operations", f"{seen} operations")


class Recorded(NightForm, frozen=True, kw_only=True):
    """These fields of the operation file; `{ at_least = N }` stands for N or more."""

    recorded: Annotated[dict[str, Any], Meta(min_length=1)]

    def met(self, night: Night) -> Met:
        return figures_met(self.recorded, msgspec.to_builtins(night.latest), "the operation file")


class Checked(NightForm, frozen=True, kw_only=True):
    """A check of `doctor`, run when the night is over: whether it holds, and words of what it saw."""

    doctor: Text
    ok: bool = True
    says: str = ""

    def met(self, night: Night) -> Met:
        checks = {check.name: check for check in doctor(night.play.night.house).checks}
        if self.doctor not in checks:
            raise ScenarioFault(f"doctor has no check {self.doctor!r}; it has {', '.join(checks)}")
        seen = checks[self.doctor]
        ok = bool(seen.ok) is self.ok and self.says in seen.detail
        wanted = f"{self.doctor} {_holds(self.ok)}: “{self.says}”"
        return Met(ok, wanted, f"{_holds(seen.ok)}: {seen.detail}")


class Shown(NightForm, frozen=True, kw_only=True):
    """These fields of the operation that the command `status` shows."""

    status: Annotated[dict[str, Any], Meta(min_length=1)]

    def met(self, night: Night) -> Met:
        shown = actions.status(night.play.night.house)["operation"]
        if shown is None:
            return Met(False, "the operation is shown", "nothing is shown")
        return figures_met(self.status, shown, "the operation that is shown")


class Told(NightForm, frozen=True, kw_only=True):
    """What `status` says of messages that were held, by `source/chat/id`; "delivered" has to name its line."""

    messages: Annotated[dict[str, Literal["held", "sent", "delivered"]], Meta(min_length=1)]

    def met(self, night: Night) -> Met:
        told = coordinator.status(night.play.night.house)["messages"]
        seen = {
            name: each.state if each.state != "delivered" or each.line else "a claim" for name, each in told.items()
        }
        return Met(seen == self.messages, f"{self.messages}", f"{seen}")


class Proven(NightForm, frozen=True, kw_only=True):
    """What the probes show of the latest operation's new session: `inbound`, `outbound`."""

    proven: Annotated[dict[str, bool], Meta(min_length=1)]

    def met(self, night: Night) -> Met:
        probes = coordinator.status(night.play.night.house)["proven"]
        if probes is None:
            return Met(False, f"{self.proven}", "the operation is not activated")
        return figures_met(self.proven, msgspec.to_builtins(probes), "the probes")


class Never(NightForm, frozen=True, kw_only=True):
    """Something that must not happen at any moment of the night; `NEVER` says what can be named."""

    never: str

    def __post_init__(self) -> None:
        if self.never not in NEVER:
            raise ValueError(f"{self.never!r} has no check; there are {', '.join(NEVER)}")

    def met(self, night: Night) -> Met:
        seen = NEVER[self.never](night)
        return Met(not seen, f"never {self.never}", "; ".join(seen) or "never")


def _without_identity(night: Night) -> list[str]:
    recorded = ((each, each.operation.cas_identity if each.operation else None) for each in night.play.door.switches)
    return [f"a switch to {each.session} for {each.identity}" for each, known in recorded if known is None]


def _before_verification(night: Night) -> list[str]:
    switches = [each for each in night.play.door.switches if each.session != OLD_SESSION]
    verified = ((each, each.operation.verification.get("ok") if each.operation else None) for each in switches)
    return [f"a switch to {each.session}" for each, ok in verified if not ok]


def _used(night: Night) -> list[str]:
    return [f"a switch to {each.session}" for each in night.play.door.switches]


def _overwritten(night: Night) -> list[str]:
    household = night.play.night
    gone = [each for each in household.tmux.overwritten + household.systemd.overwritten if each in household.strangers]
    return [f"{' '.join(each.command)} was replaced" for each in gone]


NEVER: dict[str, Callable[[Night], list[str]]] = {
    "a switch without identity": _without_identity,
    "a switch before verification": _before_verification,
    "a use of the door": _used,
    "a stranger overwritten": _overwritten,
}
"""What must never happen, by the words of a scenario, and every time that it did."""

NIGHT_FORMS: dict[str, type[NightForm]] = {
    "in": In,
    "state": State,
    "history": History,
    "reached": Reached,
    "not_because": NotBecause,
    "answers": Answers,
    "hooks": Hooks,
    "behind_the_door": BehindTheDoor,
    "switched_to": SwitchedTo,
    "workers": Counted,
    "operations": Operations,
    "recorded": Recorded,
    "doctor": Checked,
    "status": Shown,
    "messages": Told,
    "proven": Proven,
    "never": Never,
}
"""The forms by the key that names them."""


def _holds(ok: bool) -> str:
    return "holds" if ok else "fails"


def _there(exists: bool) -> str:
    return "is there" if exists else "is not there"


def _old(night: Night) -> bytes:
    return night.play.night.host.wrote(OLD_SESSION)
