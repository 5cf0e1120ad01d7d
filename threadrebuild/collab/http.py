"""The HTTP routes of the collaboration core, as an ASGI app: a request is a view, an event, or refused for a reason.

A view is read over a connection that cannot write, so that looking changes nothing and wakes nobody. What changes
something becomes one event and is answered once that is committed; nothing that comes of it is waited for.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from threadrebuild.collab import attribution, events, lead, plans, runs
from threadrebuild.collab.change import Conflict, Missing
from threadrebuild.database import LARGEST_ID, Database, Id

Show = Callable[[Database, int, int], Any]
"""What is shown of the row that a path names, at a time. Raises `Missing`."""


class Daemon(Protocol):
    """What the routes need of the application that runs the engine."""

    def take(self, event: events.Event) -> object:
        """Commit an event, and have its effects started. Raises what `Engine.handle` raises."""

    def now(self) -> int:
        """The time in ms since 1970, UTC."""

    def new_request(self) -> str:
        """A request id that no other request has."""


class Said(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of a request. With the same `request_id`, or `Idempotency-Key` header, it is the same request again."""

    request_id: str | None = None


class Words(Said, frozen=True, kw_only=True):
    """What a line is to say."""

    text: str


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


class Emptying(Said, frozen=True, kw_only=True):
    """How far a session is emptied."""

    erase_quotes: bool = False


class Write(NamedTuple):
    """A route that changes something: the kind of event, its field for the id in the path, the body, and the answer."""

    kind: type[events.Event]
    of: str
    said: type[Said]
    show: Show


def application(daemon: Daemon, view: Database, *, remote: bool = False) -> Starlette:
    """The app for local callers, or the one for `remote` callers, which has the routes of `REMOTE` only.

    `view` looks into the daemon's store, and is used on the thread that the app runs on. Every refusal is a JSON object
    `{error, detail}`: 404 for what is not there, 409 for what does not go with what there is, 422 for what makes no
    sense.
    """
    served = {name: route for name, route in ROUTES.items() if not remote or name in REMOTE}
    app = Starlette(
        routes=[_route(name, _endpoint(daemon, view, route)) for name, route in served.items()],
        exception_handlers={HTTPException: _no_route, Missing: _missing, Conflict: _conflict, ValueError: _senseless},
    )
    app.router.redirect_slashes = False
    return app


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

ROUTES: dict[str, Show | Write] = {
    "PATCH /v1/messages/{id:int}": Write(events.Edited, "message", Words, _MESSAGE),
    "POST /v1/messages/{id:int}/withdraw": Write(events.Withdrawn, "message", Said, _MESSAGE),
    "POST /v1/messages/{id:int}/insert": Write(events.Inserted, "message", Said, _MESSAGE),
    "GET /v1/messages/{id:int}/attribution": lambda view, id_, at: attribution.view(view, id_),  # ATTR-20
    "GET /v1/sessions/{id:int}/lead": lead.view,
    "PUT /v1/sessions/{id:int}/lead": Write(events.LeadSet, "session", Leader, lead.view),
    "POST /v1/sessions/{id:int}/clear": Write(events.SessionCleared, "session", Emptying, _SESSION),
    "POST /v1/sessions/{id:int}/delete": Write(events.SessionDeleted, "session", Emptying, _SESSION),
    "GET /v1/sessions/{id:int}/delegations": delegation_view.of_session,  # DEL-48
    "GET /v1/tasks/{id:int}": plans.detail,
    "GET /v1/tasks/{id:int}/delegations": delegation_view.of_plan,  # DEL-48
    "PATCH /v1/tasks/{id:int}/spec": Write(events.BoardEdited, "plan", Spec, plans.detail),
    "GET /v1/turns/{id:int}/commands": lambda view, id_, at: {"commands": runs.commands(view, id_)},  # TURN-27
    "POST /v1/turns/{id:int}/continue": Write(events.Continued, "turn", Said, _TURN),
    "POST /v1/work-items/{id:int}/resume": Write(events.WorkResumed, "work_item", Said, _WORK_ITEM),
}
"""By method and path."""

REMOTE = frozenset(
    {
        "PATCH /v1/messages/{id:int}",
        "POST /v1/messages/{id:int}/withdraw",  # QUOT-30
        "POST /v1/messages/{id:int}/insert",
        "GET /v1/sessions/{id:int}/lead",  # LEAD-09
        "PUT /v1/sessions/{id:int}/lead",  # LEAD-09
        "POST /v1/sessions/{id:int}/clear",  # QUOT-10
        "POST /v1/sessions/{id:int}/delete",  # QUOT-10
        "POST /v1/turns/{id:int}/continue",
        "GET /v1/sessions/{id:int}/delegations",  # DEL-48
        "GET /v1/tasks/{id:int}",
        "GET /v1/tasks/{id:int}/delegations",  # DEL-48
        "PATCH /v1/tasks/{id:int}/spec",
    }
)
"""The allowlist: what a caller from outside this machine has too. For such a caller nothing else is there."""


def _route(name: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
    method, path = name.split()
    return Route(path, endpoint, methods=[method])


def _endpoint(daemon: Daemon, view: Database, route: Show | Write) -> Callable[[Request], Awaitable[Response]]:
    if isinstance(route, Write):
        return partial(_change, daemon, view, route)
    return partial(_look, daemon, view, route)


async def _look(daemon: Daemon, view: Database, show: Show, request: Request) -> Response:
    return JSONResponse(show(view, _id(request), daemon.now()))


async def _change(daemon: Daemon, view: Database, write: Write, request: Request) -> Response:
    id_ = _id(request)
    said = _said(write.said, await request.body())
    about = {field: value for field, value in msgspec.structs.asdict(said).items() if field != "request_id"}
    key = request.headers.get("Idempotency-Key") or said.request_id or daemon.new_request()
    event = write.kind(key=f"http:{key}", at=daemon.now(), **{write.of: id_}, **about)
    if not _was_taken(view, event):
        daemon.take(event)
    return JSONResponse(write.show(view, id_, daemon.now()))


def _id(request: Request) -> int:
    id_: int = request.path_params["id"]
    if id_ > LARGEST_ID:
        raise Missing(f"there is no {id_}")
    return id_


def _said(kind: type[Said], body: bytes) -> Said:
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"the body is none for this route: {error}") from None


def _was_taken(view: Database, event: events.Event) -> bool:
    """Whether a request came before. Raises `Conflict` where its id was that of another one."""
    before = view.row("SELECT kind, body FROM events WHERE key = ?", event.key)
    if before is None:
        return False
    then, now = msgspec.json.decode(before["body"]), msgspec.to_builtins(event)
    # What a request said goes when the session is cleared that it was about.
    if before["kind"] != type(event).__name__ or (then and {**then, "at": event.at} != now):
        raise Conflict("request_id_reused", f"another request had the id {event.key.removeprefix('http:')}")
    return True


async def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = 404 if error.status_code == 405 else error.status_code  # ATTR-18
    return _refusal(status, "no_route", f"there is no {request.method} {request.url.path}")


async def _missing(request: Request, error: Exception) -> Response:
    return _refusal(404, "not_found", str(error))


async def _conflict(request: Request, error: Exception) -> Response:
    assert isinstance(error, Conflict)
    return _refusal(409, error.code, str(error))


async def _senseless(request: Request, error: Exception) -> Response:
    return _refusal(422, "senseless", str(error))


def _refusal(status: int, error: str, detail: str) -> Response:
    return JSONResponse({"error": error, "detail": detail}, status_code=status)
