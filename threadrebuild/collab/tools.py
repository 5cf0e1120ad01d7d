"""The tools that a Bot may call: those the application carries out itself, and those that run outside."""

import json
import re
import sqlite3
from typing import Any

from threadrebuild.collab import desk, household, messages, turns
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Ran
from threadrebuild.collab.toolbox import OWN, Refused, tool

READING = frozenset({"read_file", "list_dir", "read_skill"})  # DESK-09
"""What runs outside and changes nothing; so do MCP tools whose server says so."""
SHELL = "shell"
MCP = "mcp:"
READ_ONLY_MCP = "mcp+read:"
_QUESTION = re.compile(r"[?？]\s*$|吗[。.]?\s*$|怎么样了|how (far|is)", re.IGNORECASE)


def is_effectful(name: str) -> bool:
    """Whether a call has side effects, as far as its name tells (DESK-09)."""
    own = OWN.get(name)
    if own is not None:
        return own.effectful
    return name not in READING and not name.startswith(READ_ONLY_MCP)  # DESK-09


def changes_work(item: sqlite3.Row) -> bool:
    """Whether an unread item may change what is being done: a question does not (TURN-10)."""
    return item["author"] == "user" and not _QUESTION.search(item["text"])


def start(change: Change, turn: sqlite3.Row, call: sqlite3.Row) -> bool:
    """Carry a call out, or have it carried out; whether the turn can go on at once.

    A desk segment is bound to its matter before the first call with a side effect.
    """
    arguments = json.loads(call["arguments"])
    own = OWN.get(call["name"])
    try:
        if call["effectful"] and turn["mode"] == "desk":  # DESK-10
            desk.before_side_effect(change, turn)
            bound = turns.live(change, turn["id"])
            if bound is None:
                return False
            turn = bound
        if own is not None:
            with change.db.attempt():
                done = own.use(change, turn, arguments)
            change.db.write("UPDATE calls SET state = 'ok', result = ? WHERE id = ?", done, call["id"])
            return True
    except Refused as refused:
        desk.count(change, turn, refused)
        change.db.write("UPDATE calls SET state = 'refused', result = ? WHERE id = ?", str(refused), call["id"])
        return True
    body = {"call": call["id"], "tool": call["name"], "arguments": arguments, "folder": turn["cwd"]}
    effect = change.effect("run_tool", body, turn=turn["id"])
    change.db.write("UPDATE calls SET state = 'started', effect = ? WHERE id = ?", effect, call["id"])
    if call["effectful"]:
        change.db.write("UPDATE turns SET acted = 1 WHERE id = ?", turn["id"])
    return False


def record(change: Change, call: sqlite3.Row, event: Ran) -> None:
    """Keep what a command or an MCP call of a turn came to, the first 80 of them (TURN-24…26)."""
    for path in event.written:
        change.db.write(
            "INSERT INTO artifacts (path, plan, ticket, turn, written, at)"
            " SELECT ?, plan, ticket, id, 1, ? FROM turns WHERE id = ?",
            path,
            change.at,
            call["turn"],
        )
    is_command = call["name"] == SHELL
    if not is_command and not call["name"].startswith((MCP, READ_ONLY_MCP)):
        return
    ord_ = change.db.value("SELECT count(*) FROM turn_runs WHERE turn = ?", call["turn"])
    if ord_ >= turns.RECORDED_CALLS:
        return
    arguments = json.loads(call["arguments"])
    command = " ".join(str(arguments.get("command", call["name"])).split())[: turns.COMMAND_SHOWN]
    output = (event.output + event.errors)[-turns.OUTPUT_KEPT :]
    change.db.write(
        "INSERT INTO turn_runs (turn, ord, kind, command, exit_code, success, duration_ms, output)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        call["turn"],
        ord_,
        "command" if is_command else "mcp",
        command,
        event.exit_code,
        int(event.ok),
        event.duration_ms,
        output or None,
    )


@tool("send_message")
def send_message(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """Say something in a session the Bot is in; its segment goes on (END-44)."""
    session = arguments.get("session", turn["session"])
    present = household.members(change.db, session) if isinstance(session, int) else {}
    if turn["bot"] not in present.values():
        raise Refused(f"{session!r} is no session that you are in")
    text = str(arguments.get("text", ""))
    files = [str(path) for path in arguments.get("files", ())]
    if not text.strip() and not files:
        raise Refused("a message needs text or files")
    return f"message {messages.say(change, turn, session, text, files)}"


@tool("end_turn")
def end_turn(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """End the segment."""
    turns.end(change, turn["id"], "completed", str(arguments.get("reason", "")))
    return "ended"
