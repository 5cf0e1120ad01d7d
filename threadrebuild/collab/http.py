"""The HTTP routes of the collaboration core, as an ASGI app: a request is a view, an event, or refused for a reason.

A view is read over a connection that cannot write, so that looking changes nothing and wakes nobody. What changes
something becomes one event and is answered once that is committed; nothing that comes of it is waited for.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from threadrebuild.collab import events
from threadrebuild.collab.change import Conflict, Missing
from threadrebuild.collab.routes import REMOTE, ROUTES, Said, Show, Whole, Write
from threadrebuild.database import LARGEST_ID, Database


class Daemon(Protocol):
    """What the routes need of the application that runs the engine."""

    def take(self, event: events.Event) -> object:
        """Commit an event, and have its effects started. Raises what `Engine.handle` raises."""

    def now(self) -> int:
        """The time in ms since 1970, UTC."""

    def new_request(self) -> str:
        """A request id that no other request has."""


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


def _route(name: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
    method, path = name.split()
    return Route(path, endpoint, methods=[method])


def _endpoint(daemon: Daemon, view: Database, route: Show | Whole | Write) -> Callable[[Request], Awaitable[Response]]:
    match route:
        case Write():
            return partial(_change, daemon, view, route)
        case Whole():
            return partial(_look_at_all, view, route)
        case _:
            return partial(_look, daemon, view, route)


async def _look_at_all(view: Database, route: Whole, request: Request) -> Response:
    return JSONResponse(route.show(view, request.query_params))


async def _look(daemon: Daemon, view: Database, show: Show, request: Request) -> Response:
    return JSONResponse(show(view, _id(request), daemon.now()))


async def _change(daemon: Daemon, view: Database, write: Write, request: Request) -> Response:
    named = {} if write.came else {write.of: _id(request)}
    said = _said(write.said, await request.body())
    about = {field: value for field, value in msgspec.structs.asdict(said).items() if field != "request_id"}
    key = request.headers.get("Idempotency-Key") or said.request_id or daemon.new_request()
    event = write.kind(key=f"http:{key}", at=daemon.now(), **named, **about)
    if not _was_taken(view, event):
        daemon.take(event)
    id_ = view.value(write.came, event.key) if write.came else named[write.of]
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
