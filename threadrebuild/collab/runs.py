"""The record of what a turn ran: its commands and MCP calls, with what came of each, kept beside the transcript.

A record is written when a call ends, and is never made up: what an older version did not keep is left out.
"""

import json
import sqlite3
from typing import Any

from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.events import Ran
from threadrebuild.database import Database

RECORDED = 80  # TURN-26
COMMAND_SHOWN = 300  # TURN-24
OUTPUT_KEPT = 4000  # TURN-24
SHELL = "shell"
MCP = "mcp:"
READ_ONLY_MCP = "mcp+read:"
_SHOWN = ("command", "exit_code", "success", "duration_ms", "output")


def record(change: Change, call: sqlite3.Row, event: Ran) -> None:
    """Keep what a command or an MCP call of a turn came to, its first ones only."""
    if call["name"] != SHELL and not call["name"].startswith((MCP, READ_ONLY_MCP)):
        return
    ord_ = change.db.value("SELECT count(*) FROM turn_runs WHERE turn = ?", call["turn"])
    if ord_ >= RECORDED:
        return
    kind = "command" if call["name"] == SHELL else "mcp"  # TURN-25
    said = json.loads(call["arguments"]).get("command", call["name"])
    output = event.output + event.errors
    change.db.write(
        "INSERT INTO turn_runs (turn, ord, kind, command, exit_code, success, duration_ms, output)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        call["turn"],
        ord_,
        kind,
        shown(said),
        event.exit_code,
        int(event.ok),
        event.duration_ms,
        output[-OUTPUT_KEPT:] or None,
    )


def commands(db: Database, turn: int) -> list[dict[str, Any]]:
    """The commands that a turn ran, in order; of each only what is known of it (`GET /v1/turns/:id/commands`).

    Raises `Missing` for a turn that is not there.
    """
    if db.value("SELECT 1 FROM turns WHERE id = ?", turn) is None:
        raise Missing(f"there is no turn {turn}")
    rows = db.rows("SELECT * FROM turn_runs WHERE turn = ? AND kind = 'command' ORDER BY ord", turn)
    return [
        {
            key: row[key]
            for key in _SHOWN
            if row[key] is not None  # TURN-34
        }
        for row in rows
    ]


def shown(command: object) -> str:
    """A command as the record shows it: on one line, its beginning only."""
    return " ".join(str(command).split())[:COMMAND_SHOWN]


def has_run_anything(db: Database, *turns: int) -> bool:
    """Whether one of these turns ran a command or an MCP call."""
    return any(db.value("SELECT 1 FROM turn_runs WHERE turn = ?", turn) for turn in turns)
