"""What can happen in a reviewed chat, each entry told to the simulated house.

The first key of an entry says what happens, further keys say how. An entry may say when: `at` a time of that night, or
`after` so many seconds, whatever is under way then; without either it follows when the host has nothing left to do.
"""

import re
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from harness.world.kernel import START
from harness.world.review import ReviewHouse
from harness.world.review_setting import LOCAL, PathName

_TIME = re.compile(r"(2[23]):([0-5][0-9])(?::([0-5][0-9]))?")
Text = Annotated[str, Meta(min_length=1)]


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that happens, and when."""

    at: str | None = None
    after: Annotated[float, Meta(ge=0)] | None = None

    def __post_init__(self) -> None:
        if self.at is not None and _TIME.fullmatch(self.at) is None:
            raise ValueError(f"`at` is a time as in 22:00 or 22:00:30, up to 23:59:59, not {self.at!r}")

    def come(self, house: ReviewHouse) -> None:
        """Wait for its time; a host that is down has been started again by then."""
        if self.at is not None:
            house.world.sleep(max(0.0, (_time(self.at) - house.world.now).total_seconds()))
        elif self.after is not None:
            house.world.sleep(self.after)
        else:
            house.quiet()
        house.start_host()

    def happen(self, house: ReviewHouse) -> None:
        """Let it happen."""
        raise NotImplementedError


class User(Event, frozen=True, kw_only=True):
    """The user sends a message. `stuck`: it never reaches the model. `introduces`: names that it tells first."""

    user: Text
    label: str = ""
    via: PathName = "app hook"
    introduces: list[str] = []
    stuck: bool = False

    def happen(self, house: ReviewHouse) -> None:
        if self.stuck:
            house.stuck.add(self.label)
        house.say(self.user, self.label, self.via, self.introduces)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stuck and not self.label:
            raise ValueError("a message that is stuck needs a `label`")


class Draft(Event, frozen=True, kw_only=True):
    """The model writes its draft and hands it in; if that passes, its turn ends, unless it `goes_on`."""

    draft: Text
    goes_on: bool = False

    def happen(self, house: ReviewHouse) -> None:
        house.write(self.draft, goes_on=self.goes_on)


class Revised(Event, frozen=True, kw_only=True):
    """The model writes the text anew, by the opinion it got."""

    revised: Text
    goes_on: bool = False

    def happen(self, house: ReviewHouse) -> None:
        house.write(self.revised, "revises", self.goes_on)


class Ends(Event, frozen=True, kw_only=True):
    """The model ends its turn."""

    ends: Literal[True]

    def happen(self, house: ReviewHouse) -> None:
        house.end()


class Calls(Event, frozen=True, kw_only=True):
    """The model calls a tool; `permit` is one it was granted before, else it gets a new one where it can."""

    calls: Text
    arguments: str = msgspec.field(name="with", default="")
    permit: str = ""

    def happen(self, house: ReviewHouse) -> None:
        house.call(self.calls, self.arguments, self.permit)


class Granted(Event, frozen=True, kw_only=True):
    """A call of this tool is permitted now, under a name, to be made later."""

    granted: Text
    named: Text

    def happen(self, house: ReviewHouse) -> None:
        house.grant(self.granted, self.named)


class Stop(Event, frozen=True, kw_only=True):
    """The user presses stop on the message that is being answered, or a person cancels one by its label."""

    stop: Literal[True] | str

    def happen(self, house: ReviewHouse) -> None:
        if self.stop is True:
            house.stop(house.at_work)
        else:
            house.cancel(self.stop)


class Note(Event, frozen=True, kw_only=True):
    """The user puts up a fridge note."""

    note: Text

    def happen(self, house: ReviewHouse) -> None:
        house.put_up(self.note)


class HostDies(Event, frozen=True, kw_only=True):
    """The server is restarted: what runs there ends at once."""

    host: Literal["is restarted"]

    def happen(self, house: ReviewHouse) -> None:
        house.kill_host()
        house.start_host()


class Line(Event, frozen=True, kw_only=True):
    """The next uses of a line fail, or get no answer in time although they were done."""

    line: Literal["phone", "mailbox"]
    fails: Literal["no", "late"] = "no"
    times: Annotated[int, Meta(ge=1)] = 1

    def happen(self, house: ReviewHouse) -> None:
        call = {"phone": ("outbox", "send"), "mailbox": ("mailbox", "commit")}[self.line]
        house.world.spoil(*call, [self.fails] * self.times)


class Wait(Event, frozen=True, kw_only=True):
    """So many seconds go by, and the host tries again to send what is left."""

    wait: Annotated[float, Meta(ge=0)]

    def happen(self, house: ReviewHouse) -> None:
        house.world.sleep(self.wait)
        house.try_again()


EVENTS: dict[str, type[Event]] = {
    "user": User,
    "draft": Draft,
    "revised": Revised,
    "ends": Ends,
    "calls": Calls,
    "granted": Granted,
    "stop": Stop,
    "note": Note,
    "host": HostDies,
    "line": Line,
    "wait": Wait,
}
"""What can happen, by the key that an entry begins with."""


def _time(text: str) -> datetime:
    found = _TIME.fullmatch(text)
    assert found is not None
    hour, minute, second = (int(part or 0) for part in found.groups())
    return (START + LOCAL).replace(hour=hour, minute=minute, second=second) - LOCAL
