"""What one event changes: the store, in one transaction, and the effects and work-log entries that come of it."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from threadrebuild.database import Database


class Missing(ValueError):
    """What is named is not there."""


class Conflict(ValueError):
    """What is asked for does not go with what there is; `code` names why."""

    def __init__(self, code: str, said: str) -> None:
        super().__init__(said)
        self.code = code


@dataclass(frozen=True, slots=True)
class Change:
    """One event being handled. `at` is its time in ms, `event` its number, `level` the store's engine level."""

    db: Database
    event: int
    at: int
    level: int

    def effect(self, kind: str, body: dict[str, Any], *, turn: int | None = None, subject: str = "") -> int:
        """Have something done outside, once this event is committed; its answer names the number returned."""
        return self.db.write(
            "INSERT INTO effects (event, kind, turn, subject, body) VALUES (?, ?, ?, ?, ?)",
            self.event,
            kind,
            turn,
            subject,
            _json(body),
        )

    def user_action(self, kind: Literal["line", "button", "http"], request: str, message: int | None = None) -> int:
        """Put on record that the user did this; what is lifted, accepted or voided has to name it."""
        return self.db.write(
            "INSERT INTO user_actions (event, kind, message, request) VALUES (?, ?, ?, ?)",
            self.event,
            kind,
            message,
            request,
        )

    def void_effects(self, turn: int) -> None:
        """Nothing that comes of a turn's effects counts any more."""
        self.db.write("UPDATE effects SET state = 'void' WHERE turn = ? AND state IN ('pending', 'started')", turn)

    def log(
        self,
        type_: str,
        *,
        bot: int | None = None,
        plan: int | None = None,
        ticket: int | None = None,
        turn: int | None = None,
        **body: Any,
    ) -> None:
        """Add an entry to the work log, with the model that the Bot has at this moment."""
        self.db.write(
            "INSERT INTO work_events (event, at, type, bot, model, plan, ticket, turn, body)"
            " VALUES (?, ?, ?, ?, (SELECT model FROM bots WHERE id = ?), ?, ?, ?, ?)",
            self.event,
            self.at,
            type_,
            bot,
            bot,
            plan,
            ticket,
            turn,
            _json(body),
        )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
