"""What can happen in the story of a night, each entry told to the simulated household.

The first key of an entry says what happens, further keys say how. Each entry may say when: `at` a time of that night,
`after` so many seconds, or `while` something is so; without any it follows at once.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta as Bound

from harness.scenario.loading import Fault, entries
from harness.scenario.nights.moments import MOMENTS
from harness.scenario.nights.play import Play
from harness.scenario.nights.somebody import SOMEBODY
from harness.scenario.story import KINDS, Entry, Rewind
from harness.world.kernel import START
from harness.world.night import OLD_SESSION
from harness.world.talk import Talk
from threadrebuild.operation import by_hand, coordinator

WAIT_SECONDS = 900.0
LOCAL = timedelta(hours=8)
"""Times of a story are those of the user's clock, in Asia/Shanghai; the night begins at 22:00."""
WHEN = ("at", "after", "while")
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")
_GOES_ON = {name: kind for name, kind in KINDS.items() if kind is not Rewind}
_Seconds = Annotated[float, Bound(ge=0)]


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that happens, and when."""

    at: str | None = None
    after: _Seconds | None = None
    moment: str | None = msgspec.field(name="while", default=None)

    def __post_init__(self) -> None:
        if self.at is not None and _TIME.fullmatch(self.at) is None:
            raise ValueError(f"`at` is a time as in 22:00 or 22:00:30, not {self.at!r}")
        if self.moment is not None:
            known(self.moment)

    def come(self, play: Play) -> bool:
        """Wait for its time; whether it came."""
        world = play.night.world
        if self.at is not None:
            world.sleep(max(0.0, (_time(self.at) - world.now).total_seconds()))
        if self.after is not None:
            world.sleep(self.after)
        return self.moment is None or world.wait_until(partial(MOMENTS[self.moment], play), WAIT_SECONDS)

    def happen(self, play: Play) -> bool | None:
        """Let it happen. False where it could not, because what it waited for never came."""
        raise NotImplementedError


class User(Event, frozen=True, kw_only=True):
    """The user types into the session that lives."""

    user: str

    def happen(self, play: Play) -> None:
        play.words.append(self.user)
        _say(play, lambda talk: talk.user(self.user))


class Claude(Event, frozen=True, kw_only=True):
    """The assistant speaks, after calling tools of this project: their names, each with its arguments."""

    claude: str = ""
    calls: dict[str, dict[str, Any]] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.calls:
            if name not in TOOLS:
                raise ValueError(f"there is no tool {name!r}; there are {', '.join(TOOLS)}")

    def happen(self, play: Play) -> None:
        night = play.night
        for name, arguments in self.calls.items():
            resident = night.resident()
            if not resident.alive:
                play.answers.append("no answer")
                continue
            play.ask(resident, partial(TOOLS[name], night.house, **arguments), name == "thread_rebuild_request")
            answer = play.answers[-1]
            _say(play, lambda talk, n=name, a=arguments, r=answer: talk.tool(f"mcp__{n}", a, result=r))  # type: ignore[misc]
        if self.claude:
            play.words.append(self.claude)
            _say(play, lambda talk: talk.assistant(self.claude))


class GoesOn(Event, frozen=True, kw_only=True):
    """The live session goes on: what these entries tell, as in the `talk` of a scenario."""

    talk: list[dict[str, Any]]

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            self._entries()
        except Fault as fault:
            raise ValueError(f"talk[{fault.number}]: {fault.reason}") from None

    def happen(self, play: Play) -> None:
        for entry in self._entries():
            play.words += [each for each in msgspec.structs.astuple(entry) if isinstance(each, str)]
            _say(play, entry.tell)

    def _entries(self) -> list[Entry]:
        return list(entries("talk", self.talk, _GOES_ON))


class Message(Event, frozen=True, kw_only=True):
    """The user sends a message over the chat channel."""

    message: str

    def happen(self, play: Play) -> None:
        if play.chat is None:
            raise ValueError("a message needs `channel = true` at the top")
        play.words.append(self.message)
        play.chat.say(self.message)


class Hook(Event, frozen=True, kw_only=True):
    """The turn has ended and the Stop hook fires, so many times."""

    hook: Literal["Stop"]
    times: Annotated[int, Bound(ge=1)] = 1

    def happen(self, play: Play) -> None:
        live = play.night.live_session()
        for _ in range(self.times if live else 0):
            play.night.end_turn(live or "")


class Person(Event, frozen=True, kw_only=True):
    """A person runs a command in a shell."""

    person: Literal["request", "cancel", "rollback-request", "recover", "status", "prepare", "activate"]
    word: str | None = None
    reason: str = ""

    def happen(self, play: Play) -> None:
        house = play.night.house
        words = {"request": "REBUILD", "cancel": "CANCEL", "rollback-request": "ROLLBACK"}
        word = self.word if self.word is not None else words.get(self.person, "")
        commands: dict[str, Callable[[], Any]] = {
            "request": lambda: coordinator.request(house, self.reason, word),
            "cancel": lambda: coordinator.cancel(house, word),
            "rollback-request": lambda: coordinator.request_rollback(house, word),
            "recover": lambda: coordinator.recover(house),
            "status": lambda: coordinator.status(house),
            "prepare": lambda: by_hand.prepare_by_hand(house, play.night.host.transcript(OLD_SESSION)),
            "activate": lambda: by_hand.activate_by_hand(house),
        }
        play.ask(play.night.world.process("shell"), commands[self.person], self.person == "request")


class Somebody(Event, frozen=True, kw_only=True):
    """Somebody who knows nothing of this does something; `SOMEBODY` lists what."""

    somebody: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.somebody not in SOMEBODY:
            raise ValueError(f"nobody {self.somebody}; somebody {', somebody '.join(SOMEBODY)}")

    def happen(self, play: Play) -> None:
        SOMEBODY[self.somebody](play)


class Kill(Event, frozen=True, kw_only=True):
    """A process is killed."""

    kill: Literal["worker", "host", "hook"]

    def happen(self, play: Play) -> None:
        world = play.night.world
        if self.kill == "host":
            world.kill(play.night.resident())
            return
        for process in [each for each in world.processes.values() if each.alive and each.command[0] == self.kill]:
            world.kill(process)


class Power(Event, frozen=True, kw_only=True):
    """The machine loses its power, and comes back a minute later with the host's own start command."""

    power: Literal["cut"]

    def happen(self, play: Play) -> None:
        play.night.world.power_cut()


class DoorDoes(Event, frozen=True, kw_only=True):
    """What the door's next uses come to. `answers late`: it is done, and nobody learns of it."""

    door: Literal["refuses", "raises", "answers late"]
    times: Annotated[int, Bound(ge=1)] = 1

    def happen(self, play: Play) -> None:
        do = {"refuses": "no", "raises": "eio", "answers late": "late"}[self.door]
        for call in (("panes", "respawn"), ("services", "restart")):
            play.night.world.spoil(*call, [do] * self.times)


class Worker(Event, frozen=True, kw_only=True):
    """The next worker cannot be started, or is started without an answer in time."""

    worker: Literal["does not start", "starts late"]

    def happen(self, play: Play) -> None:
        play.night.world.spoil("spawner", "start_worker", ["no" if self.worker == "does not start" else "late"])


class NextSessions(Event, frozen=True, kw_only=True):
    """How many seconds each of the next processes of the host stays up; 0 stands for ever."""

    next_sessions_live: list[_Seconds]

    def happen(self, play: Play) -> None:
        play.night.host.lives = [seconds or None for seconds in self.next_sessions_live]


class Until(Event, frozen=True, kw_only=True):
    """The story goes on when this is so, at the latest after so many seconds."""

    until: str
    within: _Seconds = WAIT_SECONDS

    def __post_init__(self) -> None:
        super().__post_init__()
        known(self.until)

    def happen(self, play: Play) -> bool:
        return play.night.world.wait_until(partial(MOMENTS[self.until], play), self.within)


class Wait(Event, frozen=True, kw_only=True):
    """So many seconds go by."""

    wait: _Seconds

    def happen(self, play: Play) -> None:
        play.night.world.sleep(self.wait)


EVENTS: dict[str, type[Event]] = {
    "user": User,
    "claude": Claude,
    "calls": Claude,
    "talk": GoesOn,
    "message": Message,
    "hook": Hook,
    "person": Person,
    "somebody": Somebody,
    "kill": Kill,
    "power": Power,
    "door": DoorDoes,
    "worker": Worker,
    "next_sessions_live": NextSessions,
    "until": Until,
    "wait": Wait,
}
"""What can happen, by the key that an entry begins with."""

TOOLS: dict[str, Callable[..., Any]] = {
    "thread_rebuild_request": coordinator.request,
    "thread_rebuild_cancel": coordinator.cancel,
    "thread_rebuild_rollback_request": coordinator.request_rollback,
    "thread_rebuild_status": coordinator.status,
}


def tell(play: Play, story: Sequence[Event]) -> None:
    """Let a story happen from top to bottom; run by somebody outside of every process."""
    for number, event in enumerate(story):
        came, answered = event.come(play), len(play.answers)
        at = play.night.world.now
        if not came or event.happen(play) is False:
            play.missed.append(number)
        else:
            play.told.append((at, event, play.answers[answered:]))


def known(moment: str) -> None:
    """Raises ValueError for words that name no moment."""
    if moment not in MOMENTS:
        raise ValueError(f"{moment!r} is no moment; moments are {', '.join(MOMENTS)}")


def _say(play: Play, say: Callable[[Talk], Any]) -> None:
    live = play.night.live_session()
    if live is not None:
        play.night.talk(say, live)


def _time(text: str) -> datetime:
    found = _TIME.fullmatch(text)
    assert found is not None
    hour, minute, second = (int(part or 0) for part in found.groups())
    begin = START + LOCAL
    time = begin.replace(hour=hour, minute=minute, second=second)
    return (time if time >= begin else time + timedelta(days=1)) - LOCAL
