"""What a story of rooms is made of: who is where, what happens when, and what each model answers to what.

Answers belong to what they answer: a line's readings stand with the line, a turn's hops name the line that opened the
turn. None is taken by the order of calls. An answer that nobody asked for fails the story, as a question without one
does.
"""

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from harness.scenario.loading import Fault, entries

Text = Annotated[str, Meta(min_length=1)]
_TIME = re.compile(r"(?:day ([1-9][0-9]*) )?([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")
_SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def time_of(text: str) -> float:
    """Seconds from the midnight that the story begins with; `09:00`, `09:00:30`, `day 2 09:00`. Raises ValueError."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"a time is written as 09:00, 09:00:30 or day 2 09:00, not {text!r}")
    day, hour, minute, second = (int(each or 0) for each in found.groups())
    return max(day - 1, 0) * 86_400.0 + hour * 3600 + minute * 60 + second


def span_of(text: str) -> float:
    """Seconds: `500ms`, `2s`, `5m`, `3h`, `2d`. Raises ValueError."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError(f"a span of time is written as 500ms, 2s, 5m, 3h or 2d, not {text!r}")
    return float(found[1]) * _UNITS[found[2]]


class BotScene(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Bot that is not just like any other."""

    engine: Literal["endpoint", "claude_agent"] = "endpoint"
    model: str = "default"
    parallel_limit: Any = None
    asks_first: list[str] = []
    """The tools that it uses only once the user has allowed the call."""


class Reading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a line is read to mean."""

    control: Literal["stop", "resume", "both", "neither"] = "neither"
    only: bool = False
    status: bool = False
    faults: list[str] = []
    releases: list[str] = []


class Words(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a Bot's own words are read to say; `going_on` is its sentence by which it says that it is still at it."""

    restates: bool = False
    going_on: str = ""
    tested: bool = False
    nothing: bool = False
    status: bool = False
    nod: bool = False


Unread = Literal["unreadable", "timeout", "no model", "error"]
Filed = str | list[str | dict[str, Any]]
"""`new`, `spot`, `unclear`, one of `Unread`; else names of plans, or `{ plan, ticket, parts }`."""


class Hop(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a Bot's model answers: what it says, or which tools it uses; or how it fails."""

    text: str = ""
    calls: list[dict[str, Any]] = []
    fails: str | None = None
    takes: str = ""
    cost: float = 0.0
    times: Annotated[int, Meta(ge=1)] = 1
    """How many hops in a row answer this."""
    words: Words | Unread | None = None
    """What the words said in it are read to say."""

    def __post_init__(self) -> None:
        if self.takes:
            span_of(self.takes)
        for call in self.calls:
            if not call or next(iter(call)) in CALL_KEYS:
                raise ValueError("a call begins with the name of its tool")


CALL_KEYS = {"takes", "output", "errors", "fails", "hangs", "exit_code", "writes", "spawns", "nod"}
"""What a scripted call may say beside its tool: how long it takes, what comes of it, and which processes it starts,
each `polite` (it leaves when asked), `stubborn` (when killed) or `stuck` (not even then)."""


Size = Literal["yes", "no", "unclear", "timeout", "unreadable"]


class Defaults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is answered where the story says nothing; printed in the report."""

    read: Reading | Unread = Reading()
    files: Filed = "unclear"
    words: Words | Unread = Words()
    judge: Literal["join", "look_on", "fails"] = "look_on"
    large: Size = "no"
    """Whether the line by which a matter is read wants a large job."""
    organizer: dict[str, Any] = {}
    """What the organizer has to add to a plan's points."""
    hop: Hop | None = None
    check: str | dict[str, Any] | None = None
    """What a run of an acceptance check comes to."""
    scribe: dict[str, Any] | str = {}
    """What the scribe answers to words of the user."""
    bounced: Hop = Hop()
    """What a Bot answers whose ending was sent back, once its own hops are used up: nothing, so that it ends."""


class Scene(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who is where. Every Bot has a direct chat with the user, called by its name."""

    level: Annotated[int, Meta(ge=0, le=8)] = 8
    engine: Literal["general", "video", "code"] = "general"
    scribe: bool | None = None
    """Whether the user wants the scribe; by itself as the engine has it."""
    rooms: dict[str, list[str]] = {}
    """Groups, each with its members."""
    bots: dict[str, BotScene] = {}
    """Bots in no group, or unlike others."""
    plans: dict[str, str] = {}
    """Plans that are there already, each with the group, or the Bot's direct chat, that it was opened in."""
    old_rules: dict[str, list[str]] = {}
    """Rules of plans that are there already, from a version without a ledger; nobody knows whose they are."""
    defaults: Defaults = Defaults()
    begins: str = "09:00"

    def __post_init__(self) -> None:
        time_of(self.begins)


class Happening(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happens: `at` a time of the user's clock, `after` a span; without either at once."""

    at: str | None = None
    after: str | None = None

    def __post_init__(self) -> None:
        if self.at is not None:
            time_of(self.at)
        if self.after is not None:
            span_of(self.after)


class Say(Happening, frozen=True, kw_only=True):
    """The user says something `in` a group, or `with` a Bot in its direct chat."""

    say: str
    room: str | None = msgspec.field(name="in", default=None)
    bot: str | None = msgspec.field(name="with", default=None)
    label: str = ""
    read: Reading | Unread | None = None
    files: Filed | None = None
    large: Size | None = None
    reads_in: str = "1s"
    judge: dict[str, str] = {}
    """What each Bot's judgement says: `join`, `look_on`, `fails`, or something else in words."""
    attach: list[str] = []
    reply_to: str | None = None
    scribe: dict[str, Any] | str | None = None
    """What the scribe answers to it: rows for `add`, `again`, `change`; `no model`, `error`, `timeout`; or a text."""

    def __post_init__(self) -> None:
        Happening.__post_init__(self)
        span_of(self.reads_in)
        if (self.room is None) == (self.bot is None):
            raise ValueError("a line is said `in` a room or `with` a Bot")


class BotTurn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The hops of one turn of a Bot: the one that the line called `turn` opens, without it the last line said above."""

    bot: str
    turn: str = msgspec.field(name="for", default="")
    again: bool = False
    """Whether it is the next turn that the line opens: its work was queued, or goes on."""
    each: bool = False
    """Whether every turn of the Bot that has no hops of its own has these."""
    hops: Annotated[list[Hop], Meta(min_length=1)]


class Lead(Happening, frozen=True, kw_only=True):
    """The user confirms a group's lead; an empty name clears it."""

    lead: str
    room: str = msgspec.field(name="in")


class AnswerCard(Happening, frozen=True, kw_only=True):
    """The user answers on the card of a question: options of it, own words, or both."""

    answer: Text
    """What the card asks."""
    chosen: list[str] = []
    words: str = ""
    scribe: dict[str, Any] | str | None = None


class Allow(Happening, frozen=True, kw_only=True):
    """The user allows a call, or does not, on its card."""

    allow: Text
    """Something of what the card shows."""
    may: bool = True


class Continue(Happening, frozen=True, kw_only=True):
    """The user presses continue on the newest turn of a Bot that a line opened."""

    line: Text = msgspec.field(name="continue")
    by: Text


class Edit(Happening, frozen=True, kw_only=True):
    """The user changes the words of a line."""

    edit: Text
    now: str = msgspec.field(name="to")
    scribe: dict[str, Any] | str | None = None
    """What the scribe answers to the words that are new."""
    gone: list[str] | str | None = None
    """Which entries, by their words, it finds gone by the edit."""


class Withdraw(Happening, frozen=True, kw_only=True):
    """The user takes a line back."""

    withdraw: Text


class Insert(Happening, frozen=True, kw_only=True):
    """The user wants a line read at once."""

    insert: Text


class Stop(Happening, frozen=True, kw_only=True):
    """The user presses Stop on the newest turn of a Bot that a line opened."""

    stop: Text
    """The Bot."""
    turn: Text = msgspec.field(name="for")


class Hold(Happening, frozen=True, kw_only=True):
    """The user stops something by a button, or from a session's menu."""

    hold: Text
    """What it is over: `everything`, `bot B`, `session S`, `plan P`, `ticket P/1`, `bot_in_plan B/P`, `turn B/line`."""
    menu: str | None = None
    kept: bool = False
    """Whether it is marked void, and ends by a lift alone."""


class Lift(Happening, frozen=True, kw_only=True):
    """The user presses lift on the newest hold that is called so."""

    lift: Text


class Clear(Happening, frozen=True, kw_only=True):
    """The user clears a group, or the direct chat with a Bot."""

    clear: Text
    erase_quotes: bool = False


class Delete(Happening, frozen=True, kw_only=True):
    """The user deletes a group."""

    delete: Text
    erase_quotes: bool = False


class Retire(Happening, frozen=True, kw_only=True):
    """The user archives a Bot, or deletes it."""

    retire: Text
    state: Literal["archived", "deleted"] = msgspec.field(name="as", default="archived")


class Board(Happening, frozen=True, kw_only=True):
    """The user changes the points of a plan on the board."""

    board: Text
    goal: str | None = None
    acceptance: list[str] | None = None
    rules: list[str] | None = None
    status: Literal["active", "done", "parked"] | None = None
    large: Literal["yes", "no_split"] | None = None
    """What the user says of its size: that it is a large job, or that it is not to be split."""


class Rename(Happening, frozen=True, kw_only=True):
    """The user renames a plan."""

    rename: Text
    now: Text = msgspec.field(name="to")


class Crash(Happening, frozen=True, kw_only=True):
    """The application dies, and comes up again."""

    crash: Literal[True]


class AnyOrder(Happening, frozen=True, kw_only=True):
    """Events that come in any order, one right behind the other; each may name the span `after` the one before it."""

    any_order: Annotated[list[dict[str, Any]], Meta(min_length=2)]

    def __post_init__(self) -> None:
        Happening.__post_init__(self)
        for entry in self.entries():
            if isinstance(entry, AnyOrder) or not isinstance(entry, Happening) or entry.at is not None:
                raise ValueError("what comes in any order happens, and at no time of its own")

    def entries(self) -> list[Any]:
        """The events in the order in which they are written. Raises ValueError for what is no event."""
        try:
            return list(entries("any_order", self.any_order, EVENTS))
        except Fault as fault:
            raise ValueError(f"[{fault.number}]: {fault.reason}") from None


class Merge(Happening, frozen=True, kw_only=True):
    """The user files a line to another plan, on a card that an earlier version posted when the line opened a plan."""

    merge: Text
    opened: Text = msgspec.field(name="from")
    into: Text


class AddCheck(Happening, frozen=True, kw_only=True):
    """The user adds an acceptance check to a sentence of a plan's acceptance."""

    add_check: Text
    """The plan."""
    of: Text
    kind: Literal["file_exists", "contains", "matches", "command", "continuity"] = "file_exists"
    body: dict[str, Any]


class EditCheck(Happening, frozen=True, kw_only=True):
    """The user changes an acceptance check, which is called by what it looks at: a path, a command."""

    edit_check: Text
    kind: Literal["file_exists", "contains", "matches", "command", "continuity"] | None = None
    body: dict[str, Any]


class DeleteCheck(Happening, frozen=True, kw_only=True):
    """The user takes an acceptance check away."""

    delete_check: Text


class ConfirmCheck(Happening, frozen=True, kw_only=True):
    """The user confirms a check that was proposed from the user's words, called as in `duration of film.mp4`."""

    confirm_check: Text


class RunChecks(Happening, frozen=True, kw_only=True):
    """The user wants all checks of a plan to run."""

    run_checks: Text


class Checked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the runs of a check come to, run by run; it is called by what it looks at, as in `duration of film.mp4`."""

    checked: Text
    results: Annotated[list[str | dict[str, Any]], Meta(min_length=1)]
    """Outcomes; or with `outcome`, `takes`, `tail` and what is said of it; "gathered" with `seams`, and `pictures`."""


class SeamJudged(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the judge says of a seam, or of the "overall", each time that it is asked.

    `clean`, `fails`, `{ problem = "…" }`, or something else in words.
    """

    seam: Text
    answers: Annotated[list[str | dict[str, Any]], Meta(min_length=1)]


class Until(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nothing more happens until then."""

    until: str

    def __post_init__(self) -> None:
        time_of(self.until)


EVENTS: dict[str, type] = {
    "say": Say,
    "bot": BotTurn,
    "lead": Lead,
    "answer": AnswerCard,
    "allow": Allow,
    "continue": Continue,
    "edit": Edit,
    "withdraw": Withdraw,
    "insert": Insert,
    "stop": Stop,
    "hold": Hold,
    "lift": Lift,
    "clear": Clear,
    "delete": Delete,
    "retire": Retire,
    "board": Board,
    "rename": Rename,
    "merge": Merge,
    "add_check": AddCheck,
    "edit_check": EditCheck,
    "delete_check": DeleteCheck,
    "confirm_check": ConfirmCheck,
    "run_checks": RunChecks,
    "checked": Checked,
    "seam": SeamJudged,
    "crash": Crash,
    "until": Until,
    "any_order": AnyOrder,
}
