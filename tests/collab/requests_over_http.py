"""A client of an evening's HTTP routes, on this machine or away from it, within the test's own process and thread."""

import asyncio
import json
from typing import Any, NamedTuple

import httpx2
from evening import Evening

from threadrebuild.collab import events
from threadrebuild.collab.http import application
from threadrebuild.database import view_database

AT_HOME, AWAY = False, True
WAYS = (AT_HOME, AWAY)


class Answer(NamedTuple):
    """A status and the JSON that came with it."""

    status: int
    said: Any

    @property
    def error(self) -> str | None:
        """Why a request was refused; None where it was not."""
        return self.said["error"] if self.status >= 400 else None


class Client:
    """Calls the routes of an evening, whose application only commits what it is given: no effect is ever answered."""

    def __init__(self, home: Evening, *, away: bool = AT_HOME) -> None:
        self.home, self.away = home, away
        self.taken = 0
        """How often the application was given an event."""
        self.view = view_database(home.path)
        self._app = application(self, self.view, remote=away)
        self._requests = 0

    def __call__(self, method: str, path: str, *, key: str | None = None, raw: bytes = b"", **said: Any) -> Answer:
        """Send a request: `said` is its JSON body, `raw` another one."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return asyncio.run(self._send(method, path, headers, json.dumps(said).encode() if said else raw))

    async def _send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        transport = httpx2.ASGITransport(self._app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://household") as client:
            response = await client.request(method, f"/v1/{path}", headers=headers, content=body)
            return Answer(response.status_code, response.json())

    # ---------------------------------------------------------------- the application that runs the engine

    def take(self, event: events.Event) -> None:
        """Commit an event."""
        self.taken += 1
        self.home.engine.handle(event)

    def now(self) -> int:
        """The evening's time."""
        return self.home.now

    def new_request(self) -> str:
        """A request id of no other request."""
        self._requests += 1
        return f"{id(self)}:{self._requests}"
