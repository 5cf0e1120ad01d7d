"""What is under way outside for a segment, and how it is ended: all of it together, once the event is committed.

A model call is given up, an MCP call is cancelled at its server, and a command ends with every process that it started.
Those are on record from when they begin until they are gone, so that also a later run of the application ends them.
"""

from typing import Any

from threadrebuild.collab import holds, runs
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.events import Killed, Spawned
from threadrebuild.database import Database

GRACE_MS = 3_000  # STOP-2
NOT_BEGUN = "Not run: it was to be stopped before it had begun. Call it again if it is still wanted."


def give_up(change: Change, turn: int) -> None:
    """Have all ended that a segment has begun outside; what a call has done by then is not known.

    One that was not begun has done nothing.
    """
    begun = change.db.rows("SELECT id FROM effects WHERE turn = ? AND state = 'started' ORDER BY id", turn)
    for effect in begun:
        _end(change, effect["id"])  # HOLD-14 QUOT-33
        change.db.write("UPDATE calls SET state = 'unknown' WHERE effect = ?", effect["id"])
    not_begun = "SELECT id FROM effects WHERE turn = ? AND state = 'pending'"
    change.db.write(f"UPDATE calls SET state = 'postponed', result = ? WHERE effect IN ({not_begun})", NOT_BEGUN, turn)


def spawned(change: Change, event: Spawned) -> None:
    """Put the processes of a command on record; where it is to be stopped already, these are ended as well.

    Raises `Missing` for a command that nobody has asked for.
    """
    if change.db.value("SELECT 1 FROM effects WHERE id = ? AND kind = 'run_tool'", event.effect) is None:
        raise Missing(f"there is no command {event.effect}")
    change.db.write(
        "INSERT OR REPLACE INTO processes (effect, pgid, mark) VALUES (?, ?, ?)", event.effect, event.group, event.mark
    )
    if not change.db.value("SELECT 1 FROM calls WHERE effect = ? AND state = 'started'", event.effect):
        _end(change, event.effect)


def ended(change: Change, effect: int) -> None:
    """The processes of a command are gone."""
    change.db.write("UPDATE processes SET ended = 1 WHERE effect = ?", effect)


def killed(change: Change, event: Killed) -> None:
    """Take note that what was to be ended has ended, or that some of its processes cannot be ended."""
    body = change.db.value("SELECT json_extract(body, '$.effect') FROM effects WHERE id = ?", event.effect)
    if event.left:
        _note_left(change, body)
        change.log("command.left", effect=body, left=list(event.left))
        return
    ended(change, body)
    change.log("command.killed", effect=body)


def left_running(change: Change) -> list[int]:
    """The commands that an application before this one has begun and not seen to their end.

    One that began right before that died is not on record yet: its processes carry the number of what asked for it.
    """
    rows = change.db.rows(
        "SELECT effect FROM processes WHERE ended = 0 UNION"
        " SELECT id FROM effects WHERE kind = 'run_tool' AND state = 'started' ORDER BY 1"
    )
    return [row["effect"] for row in rows]


def end_all(change: Change, commands: list[int]) -> None:
    """Have commands ended, but for those that are to be ended already."""
    for effect in commands:
        asked = "SELECT 1 FROM effects WHERE kind = 'kill' AND subject = ? AND state IN ('pending', 'started')"
        if not change.db.value(asked, _subject(effect)):
            _end(change, effect)


def _note_left(change: Change, effect: int) -> None:
    """Put it on record with the holds over a segment that what it has begun outside is still there."""
    turn = change.db.value("SELECT turn FROM effects WHERE id = ?", effect)
    for hold in holds.over(change.db, "turn", turn):
        left = holds.record_of(hold).get("still_running", [])
        holds.note(change, hold["id"], still_running=[*left, turn])  # HOLD-18


def _end(change: Change, effect: int) -> None:
    change.effect("kill", {"effect": effect, **_how(change.db, effect)}, subject=_subject(effect))


def _how(db: Database, effect: int) -> dict[str, Any]:
    """How what is under way outside is ended: a group is named of which it is known that it is there."""
    known = db.row("SELECT pgid, mark FROM processes WHERE effect = ?", effect)
    name = db.value("SELECT name FROM calls WHERE effect = ?", effect)
    if known is None and name is None:
        return {"how": "give up"}
    if known is None and name.startswith((runs.MCP, runs.READ_ONLY_MCP)):
        return {"how": "cancel"}
    group = {} if known is None else {"group": known["pgid"], "mark": known["mark"]}
    return {"how": "exit", "grace_ms": GRACE_MS, **group}


def _subject(effect: int) -> str:
    return f"effect:{effect}"
