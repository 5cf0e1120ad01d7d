"""What can happen to the collaboration core, each with a key by which a repeat is known, and the time it happened.

An answer to an effect names that effect. Whatever a model says comes as the text it said, and is untrusted.
"""

from typing import Annotated, Any, ClassVar, Literal

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened. `key` is the request's id, or made of the effect's; `at` in ms since 1970, UTC."""

    key: str
    at: int


class BotAdded(Event, frozen=True, kw_only=True):
    """The user has made a Bot."""

    name: str
    model: str = "default"
    engine: Literal["endpoint", "claude_agent"] = "endpoint"
    parallel_limit: Any = None
    asks_first: tuple[str, ...] = ()
    """The tools that it may use only once the user has allowed the call."""


class SessionOpened(Event, frozen=True, kw_only=True):
    """The user has opened a direct chat with `members[0]`, a group, or the file-drop session."""

    session: Literal["direct", "group", "files"]
    title: str
    members: tuple[str, ...] = ()


class Annotation(msgspec.Struct, frozen=True):
    """A remark of the user on a file; `delivery` is the message that handed the file in."""

    path: str
    text: str
    delivery: int | None = None


class Line(Event, frozen=True, kw_only=True):
    """The user has said something in a session. `card_plan` is the target picked on a card."""

    session: int
    text: str
    files: tuple[str, ...] = ()
    reply_to: int | None = None
    card_plan: int | None = None
    annotations: tuple[Annotation, ...] = ()


class Edited(Event, frozen=True, kw_only=True):
    """The user has changed the words of a line after it was sent."""

    message: int
    text: str


class Withdrawn(Event, frozen=True, kw_only=True):
    """The user takes a line back that nobody has read."""

    message: int


class Inserted(Event, frozen=True, kw_only=True):
    """The user wants a line that waits to be read at once."""

    message: int


class SessionCleared(Event, frozen=True, kw_only=True):
    """The user has cleared a session's history; with `erase_quotes` the words said there go too."""

    session: int
    erase_quotes: bool = False


class SessionDeleted(Event, frozen=True, kw_only=True):
    """The user has deleted a group; with `erase_quotes` the words said there go too."""

    session: int
    erase_quotes: bool = False


class BoardEdited(Event, frozen=True, kw_only=True):
    """The user has changed a plan's points on the board; None stays as it was.

    `revision` is the version that the user saw; one that is not the newest is refused.
    """

    plan: int
    revision: int | None = None
    status: Literal["active", "done", "parked"] | None = None
    goal: str | None = None
    acceptance: tuple[str, ...] | None = None
    rules: tuple[str, ...] | None = None


class PlanRenamed(Event, frozen=True, kw_only=True):
    """The user has given a plan another name."""

    plan: int
    name: str


class TicketEdited(Event, frozen=True, kw_only=True):
    """The user has changed a ticket on the board; what is not given stays as it was, a `reviewer` of None goes."""

    ticket: int
    title: str | None = None
    description: str | None = None
    status: Literal["todo", "in progress", "to accept", "done", "parked"] | None = None
    reviewer: int | msgspec.UnsetType | None = msgspec.UNSET
    sample: bool | None = None
    add_parts: tuple[str, ...] = ()


class PlanSized(Event, frozen=True, kw_only=True):
    """The user has said that a plan is a large job, or that it is not to be split."""

    plan: int
    large: Literal["yes", "no_split"]


class RequirementActed(Event, frozen=True, kw_only=True):
    """The user has pressed a button of an entry in a plan's list of what is required."""

    requirement: int
    plan: int
    action: Literal[
        "confirm",
        "not_a_requirement",
        "not_for_this_plan",
        "restore",
        "no_longer_applies",
        "whole_conversation",
        "keep",
    ]


CheckKind = Literal["file_exists", "contains", "matches", "command", "continuity"]


class CheckAdded(Event, frozen=True, kw_only=True):
    """The user adds a check to a sentence of a plan's acceptance; `body` is what it looks at, by its kind."""

    plan: int
    sentence: str
    check_kind: CheckKind
    body: dict[str, Any]


class CheckEdited(Event, frozen=True, kw_only=True):
    """The user changes a check; None stays as it was."""

    check: int
    sentence: str | None = None
    check_kind: CheckKind | None = None
    body: dict[str, Any] | None = None


class CheckDeleted(Event, frozen=True, kw_only=True):
    """The user takes a check away."""

    check: int


class CheckConfirmed(Event, frozen=True, kw_only=True):
    """The user confirms a check that was proposed from the user's own words."""

    check: int


class ChecksRun(Event, frozen=True, kw_only=True):
    """The user wants all checks of a plan to run."""

    plan: int


class BotRetired(Event, frozen=True, kw_only=True):
    """The user has archived a Bot, or deleted it."""

    bot: int
    state: Literal["archived", "deleted"]


class LeadSet(Event, frozen=True, kw_only=True):
    """The user has chosen a group's lead, or clears it with None; that counts where it is `confirmed`."""

    session: int
    bot: int | None
    confirmed: bool


class ModelChosen(Event, frozen=True, kw_only=True):
    """The user has chosen the model for a step of the application; None leaves it as it is by itself.

    A model of Claude Code runs on an `account` that is listed; with only one there, on that.
    """

    step: Literal["judgement", "reader", "scribe", "picture_judgement"]
    model: str | None
    engine: Literal["endpoint", "claude_agent"] = "endpoint"
    account: int | None = None


class EngineChosen(Event, frozen=True, kw_only=True):
    """The user has chosen what kind of work the application is for."""

    engine: Literal["general", "video", "code"]


class StepSwitched(Event, frozen=True, kw_only=True):
    """The user wants a step of the application or does not; None leaves it to the kind of engine."""

    step: Literal["scribe"]
    on: bool | None


class ModelMarked(Event, frozen=True, kw_only=True):
    """The user has marked an endpoint's model as able to see pictures, or as not."""

    model: str
    sees: bool


class PromptChanged(Event, frozen=True, kw_only=True):
    """The user has worded what a reading is told; None leaves it as it is by itself."""

    step: Literal["user words", "filing"]
    text: str | None


class AccountListed(Event, frozen=True, kw_only=True):
    """The user lets the application use a Claude account."""

    name: str


class AccountRemoved(Event, frozen=True, kw_only=True):
    """The user takes a Claude account off the list."""

    account: int


class ControlPressed(Event, frozen=True, kw_only=True):
    """The user has pressed a button on a line; `plan` is the one that the button names, if it does."""

    message: int
    action: str
    plan: int | None = None


class Continued(Event, frozen=True, kw_only=True):
    """The user has pressed continue on a segment that was interrupted or failed."""

    turn: int


class Answered(Event, frozen=True, kw_only=True):
    """The user has answered a Bot's question on its card: options of it, words written there, or both."""

    ask: int
    chosen: tuple[str, ...] = ()
    words: str = ""


class WorkAnswered(Event, frozen=True, kw_only=True):
    """The user has answered a work question on its card, which is this message."""

    message: int
    body: str


class Approved(Event, frozen=True, kw_only=True):
    """The user has allowed a call, or has not."""

    ask: int
    allowed: bool


class StopPressed(Event, frozen=True, kw_only=True):
    """The user has pressed Stop on a turn, or in a direct chat; with neither, in the menu bar."""

    turn: int | None = None
    session: int | None = None


class HoldMade(Event, frozen=True, kw_only=True):
    """The user has stopped something by a button or menu; `place` is the session whose menu it was."""

    scope: Literal["everything", "bot", "session", "plan", "ticket", "bot_in_plan", "turn"]
    bot: int | None = None
    session: int | None = None
    plan: int | None = None
    ticket: int | None = None
    turn: int | None = None
    place: int | None = None


class HoldLifted(Event, frozen=True, kw_only=True):
    """The user has pressed lift on a hold."""

    hold: int


class ScheduleMade(Event, frozen=True, kw_only=True):
    """The user has set up what a Bot is to do in a session, first when it is `due` (ms) and then again and again."""

    session: int
    bot: int
    text: str
    every_ms: Annotated[int, msgspec.Meta(ge=1)]
    due: int
    plan: int | None = None


class WorkResumed(Event, frozen=True, kw_only=True):
    """The user lets work go on whose lines were cleared before they were read."""

    work_item: int


class Answer(Event, frozen=True, kw_only=True):
    """What came of an effect of the kind `to`."""

    to: ClassVar[str]
    effect: int


class Read(Answer, frozen=True, kw_only=True):
    """A reading came back: what the model said, or why there is nothing, and then what was said instead.

    `failure` is `no model`, `error`, `timeout` or `closing`; of Claude Code also `missing` or `logged out`.
    """

    to: ClassVar[str] = "read"
    raw: str | None = None
    failure: str | None = None
    model: str | None = None
    cost: float = 0.0


class Judged(Answer, frozen=True, kw_only=True):
    """A Bot has judged whether to step in: what its model said, or why there is nothing."""

    to: ClassVar[str] = "judge"
    raw: str | None = None
    failure: str | None = None


class Call(msgspec.Struct, frozen=True):
    """A tool that a Bot wants to use."""

    name: str
    arguments: dict[str, Any] = {}
    unreadable: str = ""
    """Why there are no arguments, where what the model wrote cannot be read as such."""


class Hopped(Answer, frozen=True, kw_only=True):
    """A model call of a turn is over: what the Bot says, and the tools it wants to use after that, in order."""

    to: ClassVar[str] = "hop"
    text: str = ""
    calls: tuple[Call, ...] = ()
    failure: str | None = None
    cost: float = 0.0


class Ran(Answer, frozen=True, kw_only=True):
    """A tool has run. `written` are the paths of files that it wrote; `output` stands before `errors`."""

    to: ClassVar[str] = "run_tool"
    ok: bool
    output: str = ""
    errors: str = ""
    exit_code: int | None = None
    duration_ms: int = 0
    written: tuple[str, ...] = ()


class Spawned(Event, frozen=True, kw_only=True):
    """A command has begun as a group of processes; `mark` tells that from a later group of the same number."""

    effect: int
    group: int
    mark: str = ""


class Killed(Answer, frozen=True, kw_only=True):
    """What was to be ended outside has ended; `left` are processes that would not."""

    to: ClassVar[str] = "kill"
    left: tuple[int, ...] = ()


class Organized(Answer, frozen=True, kw_only=True):
    """The organizer came back: what it said, or why there is nothing."""

    to: ClassVar[str] = "organizer"
    raw: str | None = None
    failure: str | None = None


class Scribed(Answer, frozen=True, kw_only=True):
    """The scribe came back: what it said, or why there is nothing."""

    to: ClassVar[str] = "scribe"
    raw: str | None = None
    failure: str | None = None
    model: str | None = None
    cost: float = 0.0


class CheckRan(Answer, frozen=True, kw_only=True):
    """A check has run. `detail` are figures and names for its line of explanation, `tail` is how the output ends.

    "gathered" is no end: `detail` is what a model is to judge of the parts' seams (`joints`, `overall`).
    """

    to: ClassVar[str] = "run_check"
    outcome: Literal["passed", "failed", "out_of_bounds", "error", "gathered"]
    detail: dict[str, Any] = {}
    tail: str = ""


class HashedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file whose bytes were read: `path` from the workspace's root, links followed; or the `reason` for no hash."""

    asked: str
    path: str = ""
    sha256: str = ""
    size: int = 0
    reason: Literal["", "missing", "outside", "link", "no file", "unreadable", "changing"] = ""


class Hashed(Answer, frozen=True, kw_only=True):
    """Files were read, each as it was asked for, in that order."""

    to: ClassVar[str] = "hash_files"
    files: tuple[HashedFile, ...] = ()


class JointJudged(Answer, frozen=True, kw_only=True):
    """A model has judged one seam of a continuity check, or the whole of it; or why it has not."""

    to: ClassVar[str] = "judge_joint"
    raw: str | None = None
    failure: str | None = None
    model: str | None = None
    cost: float = 0.0


class TimerRang(Answer, frozen=True, kw_only=True):
    """A time that was waited for has come."""

    to: ClassVar[str] = "timer"


class Started(Event, frozen=True, kw_only=True):
    """The application is up again; nothing that was under way before still is."""

    cause: Literal["stop", "crash", "development"]
