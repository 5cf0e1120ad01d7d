"""Which HTTP routes there are: what each shows, or which event it becomes, and which of them callers from away have."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from threadrebuild.collab import (
    attribution,
    buttons,
    checks,
    delegation_view,
    events,
    hold_list,
    lead,
    plan_view,
    requirement_view,
    runs,
    stop_menus,
    submissions,
    ticket_view,
    words,
    work_questions,
)
from threadrebuild.collab.change import Missing
from threadrebuild.database import Database, Id

Show = Callable[[Database, int, int], Any]
"""What is shown of the row that a path names, at a time. Raises `Missing`."""


class Whole(NamedTuple):
    """A route that shows what no path names: of the whole, as its query says."""

    show: Callable[[Database, Mapping[str, str]], Any]


class Said(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of a request. With the same `request_id`, or `Idempotency-Key` header, it is the same request again."""

    request_id: str | None = None


class Words(Said, frozen=True, kw_only=True):
    """What a line is to say."""

    text: str


class WorkAnswer(Said, frozen=True, kw_only=True):
    """What the user answers to a work question."""

    body: str


class Leader(Said, frozen=True, kw_only=True):
    """Who is to lead a group; null for nobody."""

    bot: Id | None = msgspec.field(name="bot_id")
    confirmed: bool = False


class Spec(Said, frozen=True, kw_only=True):
    """What a plan's points are to be, and which `revision` of them was seen; what is missing stays as it was."""

    revision: Id | None = None
    goal: str | None = None
    acceptance: tuple[str, ...] | None = None
    rules: tuple[str, ...] | None = None
    status: Literal["active", "done", "parked"] | None = None


class NewCheck(Said, frozen=True, kw_only=True):
    """An acceptance check: the sentence of the acceptance that it hangs on, and what it looks at."""

    sentence: str
    check_kind: events.CheckKind = msgspec.field(name="kind")
    body: dict[str, Any]


class CheckChange(Said, frozen=True, kw_only=True):
    """What of a check is to be otherwise."""

    sentence: str | None = None
    check_kind: events.CheckKind | None = msgspec.field(default=None, name="kind")
    body: dict[str, Any] | None = None


class Name(Said, frozen=True, kw_only=True):
    """What a plan is to be called."""

    name: str


class TicketChange(Said, frozen=True, kw_only=True):
    """What of a ticket is to be otherwise; what is missing stays as it was. A null reviewer is none."""

    title: str | None = None
    description: str | None = None
    status: Literal["todo", "in progress", "to accept", "done", "parked"] | None = None
    reviewer: Id | msgspec.UnsetType | None = msgspec.field(name="reviewer_bot_id", default=msgspec.UNSET)
    sample: bool | None = None
    add_parts: tuple[str, ...] = ()


class Size(Said, frozen=True, kw_only=True):
    """Whether a plan is a large job, or is not to be split."""

    large: Literal["yes", "no_split"]


class Pressed(Said, frozen=True, kw_only=True):
    """Which button of a line was pressed, and the plan that this names, if it does."""

    action: str
    plan: Id | None = msgspec.field(default=None, name="task_id")


class Acted(Said, frozen=True, kw_only=True):
    """Which button of an entry was pressed, in the list of which plan."""

    action: Literal[
        "confirm",
        "not_a_requirement",
        "not_for_this_plan",
        "restore",
        "no_longer_applies",
        "whole_conversation",
        "keep",
    ]
    plan: Id = msgspec.field(name="task_id")


class Emptying(Said, frozen=True, kw_only=True):
    """How far a session is emptied."""

    erase_quotes: bool = False


class Holding(Said, frozen=True, kw_only=True):
    """What is to be held: a scope, and what it names. `session_id` is the session whose menu it was."""

    scope: Literal["everything", "bot", "session", "plan", "ticket", "bot_in_plan", "turn"]
    bot: Id | None = None
    session: Id | None = None
    plan: Id | None = None
    ticket: Id | None = None
    turn: Id | None = None
    place: Id | None = msgspec.field(default=None, name="session_id")


class Stopping(Said, frozen=True, kw_only=True):
    """Where Stop was pressed: on a turn, or in a direct chat; with neither, in the menu bar."""

    turn: Id | None = msgspec.field(default=None, name="turn_id")
    session: Id | None = msgspec.field(default=None, name="session_id")


class Write(NamedTuple):
    """A route that changes something: the kind of event, its field for the id in the path, the body, and the answer."""

    kind: type[events.Event]
    of: str
    said: type[Said]
    show: Show
    came: str = ""
    """Where the path has no id: the query for what an event of a key was about."""


def _row(sql: str) -> Show:
    def show(view: Database, id_: int, at: int) -> dict[str, Any]:
        found = view.row(sql, id_)
        if found is None:
            raise Missing(f"{id_} is gone")
        return dict(found)

    return show


_MESSAGE = _row("SELECT id, session, state, version, text, edited_at FROM messages WHERE id = ?")
_SESSION = _row("SELECT id, title, state FROM sessions WHERE id = ?")
_WORK_ITEM = _row("SELECT id, state FROM work_items WHERE id = ?")
_TURN = _row(
    "SELECT id, state, end_reason, (SELECT max(id) FROM turns WHERE continues = t.id) AS continued_by"
    " FROM turns t WHERE id = ?"
)
_MADE = "SELECT h.id FROM holds h JOIN events e ON e.seq = h.seq WHERE e.key = ?"
_STOPPED = (
    "SELECT w.turn FROM work_events w JOIN events e ON e.seq = w.event WHERE e.key = ? AND w.type = 'control.stop'"
)

ROUTES: dict[str, Show | Whole | Write] = {
    "PATCH /v1/messages/{id:int}": Write(events.Edited, "message", Words, _MESSAGE),
    "POST /v1/messages/{id:int}/withdraw": Write(events.Withdrawn, "message", Said, _MESSAGE),
    "POST /v1/messages/{id:int}/insert": Write(events.Inserted, "message", Said, _MESSAGE),
    "POST /v1/messages/{id:int}/control": Write(events.ControlPressed, "message", Pressed, buttons.shown),  # CTRL-34
    "POST /v1/messages/{id:int}/work-answer": Write(
        events.WorkAnswered,  # ASK-12
        "message",
        WorkAnswer,
        work_questions.shown,
    ),
    "GET /v1/messages/{id:int}/attribution": lambda view, id_, at: attribution.view(view, id_),  # ATTR-20
    "GET /v1/sessions/{id:int}/lead": lead.view,
    "PUT /v1/sessions/{id:int}/lead": Write(events.LeadSet, "session", Leader, lead.view),
    "POST /v1/sessions/{id:int}/clear": Write(events.SessionCleared, "session", Emptying, _SESSION),
    "POST /v1/sessions/{id:int}/delete": Write(events.SessionDeleted, "session", Emptying, _SESSION),
    "GET /v1/sessions/{id:int}/delegations": delegation_view.of_session,  # DEL-48
    "GET /v1/tasks": Whole(plan_view.listed),
    "GET /v1/tasks/{id:int}": plan_view.detail,
    "PATCH /v1/tasks/{id:int}": Write(events.PlanRenamed, "plan", Name, plan_view.detail),  # PLAN-27
    "PUT /v1/tasks/{id:int}/large": Write(events.PlanSized, "plan", Size, plan_view.detail),
    "GET /v1/tickets/{id:int}": ticket_view.detail,
    "PATCH /v1/tickets/{id:int}": Write(events.TicketEdited, "ticket", TicketChange, ticket_view.detail),  # TICK-23
    "GET /v1/tasks/{id:int}/delegations": delegation_view.of_plan,  # DEL-48
    "GET /v1/tasks/{id:int}/submissions": submissions.listed,
    "PATCH /v1/tasks/{id:int}/spec": Write(events.BoardEdited, "plan", Spec, plan_view.detail),
    "GET /v1/tasks/{id:int}/requirements": requirement_view.of_plan,  # REQ-44
    "POST /v1/requirements/{id:int}/action": Write(  # REQ-45
        events.RequirementActed, "requirement", Acted, requirement_view.one
    ),
    "POST /v1/checks/{id:int}/confirm": Write(events.CheckConfirmed, "check", Said, words.shown),  # WORDS-30
    "GET /v1/tasks/{id:int}/checks": checks.listed,
    "POST /v1/tasks/{id:int}/checks": Write(events.CheckAdded, "plan", NewCheck, checks.listed),  # CHK-07
    "POST /v1/tasks/{id:int}/checks/run": Write(events.ChecksRun, "plan", Said, checks.listed),  # CHK-07
    "PATCH /v1/checks/{id:int}": Write(events.CheckEdited, "check", CheckChange, checks.detail),  # CHK-07
    "DELETE /v1/checks/{id:int}": Write(events.CheckDeleted, "check", Said, checks.detail),  # CHK-07
    "GET /v1/turns/{id:int}/commands": lambda view, id_, at: {"commands": runs.commands(view, id_)},  # TURN-27
    "POST /v1/turns/{id:int}/continue": Write(events.Continued, "turn", Said, _TURN),
    "POST /v1/work-items/{id:int}/resume": Write(events.WorkResumed, "work_item", Said, _WORK_ITEM),
    "POST /v1/turns/stop": Write(events.StopPressed, "", Stopping, _TURN, came=_STOPPED),
    "GET /v1/holds": Whole(hold_list.listed),
    "GET /v1/holds/{id:int}": hold_list.one,
    "POST /v1/holds": Write(events.HoldMade, "", Holding, hold_list.one, came=_MADE),
    "POST /v1/holds/{id:int}/lift": Write(events.HoldLifted, "hold", Said, hold_list.one),
    "GET /v1/snapshot": Whole(lambda view, query: hold_list.snapshot(view)),
    "GET /v1/stops": Whole(lambda view, query: stop_menus.of_menu_bar(view)),
    "GET /v1/sessions/{id:int}/stops": stop_menus.of_session,
    "GET /v1/tasks/{id:int}/stops": stop_menus.of_plan,
}
"""By method and path."""

REMOTE = frozenset(
    {
        "PATCH /v1/messages/{id:int}",
        "POST /v1/messages/{id:int}/withdraw",  # QUOT-30
        "POST /v1/messages/{id:int}/insert",
        "POST /v1/messages/{id:int}/control",  # DESK-44 HOLD-110
        "POST /v1/messages/{id:int}/work-answer",  # ASK-12
        "GET /v1/sessions/{id:int}/lead",  # LEAD-09
        "PUT /v1/sessions/{id:int}/lead",  # LEAD-09
        "POST /v1/sessions/{id:int}/clear",  # QUOT-10
        "POST /v1/sessions/{id:int}/delete",  # QUOT-10
        "POST /v1/turns/{id:int}/continue",
        "GET /v1/sessions/{id:int}/delegations",  # DEL-48
        "GET /v1/tasks",
        "GET /v1/tasks/{id:int}",
        "PATCH /v1/tasks/{id:int}",
        "PUT /v1/tasks/{id:int}/large",
        "GET /v1/tickets/{id:int}",
        "PATCH /v1/tickets/{id:int}",  # TICK-23 TICK-33
        "GET /v1/tasks/{id:int}/delegations",  # DEL-48
        "GET /v1/tasks/{id:int}/submissions",
        "PATCH /v1/tasks/{id:int}/spec",
        "GET /v1/tasks/{id:int}/requirements",
        "POST /v1/requirements/{id:int}/action",  # REQ-45
        "POST /v1/turns/stop",  # HOLD-110
        "GET /v1/holds",  # HOLD-110
        "GET /v1/holds/{id:int}",  # HOLD-110
        "POST /v1/holds",  # HOLD-110
        "POST /v1/holds/{id:int}/lift",  # HOLD-110
        "GET /v1/snapshot",  # HOLD-110
        "GET /v1/stops",  # HOLD-110
        "GET /v1/sessions/{id:int}/stops",  # HOLD-110
        "GET /v1/tasks/{id:int}/stops",  # HOLD-110
    }
)
"""The allowlist: what a caller from outside this machine has too. For such a caller nothing else is there."""
