"""The desk: where a Bot settles which matter a line belongs to, before anything with a side effect is done.

A desk segment is the called Bot's own first hop. The plans it may choose from are fixed when it opens.
"""

import sqlite3
from typing import Any

from threadrebuild.collab import attribution, household, mentions, messages, plans, reader, turns, work
from threadrebuild.collab.attribution import Target
from threadrebuild.collab.change import Change
from threadrebuild.collab.toolbox import Refused, tool


def receive(change: Change, message: sqlite3.Row, bot: int) -> None:
    """Put a line that is filed nowhere on a Bot's desk in its session; a live desk there reads it at its next hop."""
    live = change.db.row(
        "SELECT * FROM live_turns WHERE bot = ? AND session = ? AND mode = 'desk'", bot, message["session"]
    )
    work_item = live["work_item"] if live else work.desk_item(change, bot, message["session"])
    work.put_in_inbox(change, work_item, message, live, said_to_it=True)


def fix_candidates(change: Change, turn: int, message: sqlite3.Row) -> None:
    """Fix what a desk segment may choose from: the same plans that the reading saw (DESK-04)."""
    for ord_, plan in enumerate(attribution.candidates(change.db, message)):
        change.db.write("INSERT INTO turn_candidates (turn, ord, plan) VALUES (?, ?, ?)", turn, ord_, plan)


def before_side_effect(change: Change, turn: sqlite3.Row) -> None:
    """Bind a desk segment before its first side effect, as far as its line and candidates say to what.

    Raises `Refused` where the Bot has to choose by `work_on` first.
    """
    message = turns.trigger(change, turn)
    read = reader.filing(change.db, message["id"]) if message is not None else None
    if read is not None and read.kind == "on_the_spot":  # DESK-11
        return
    found = change.db.rows("SELECT plan FROM turn_candidates WHERE turn = ? ORDER BY ord", turn["id"])
    new_work = read is not None and read.kind == "new_work"
    if new_work or not found:
        if message is None or message["author"] != "user":  # DESK-16
            raise Refused("Only a request of the user opens a plan. Use work_on to choose what this belongs to.")
        plan = open_for(change, turn, "", message)
        bind(change, turn, plan, plans.open_ticket(change, plan, title_of(change, message), turn["bot"]))
    elif len(found) == 1:  # DESK-19
        file_trigger(change, turn, found[0]["plan"])
        bind(change, turn, found[0]["plan"], None)
    else:
        names = [attribution.described(change.db, row["plan"])["name"] for row in found]
        listed = "; ".join(f"{row['plan']} {name}" for row, name in zip(found, names, strict=True))
        # DESK-20
        raise Refused(f"Choose by work_on which plan this belongs to ({listed}), or open one with new.")


@tool("work_on")
def work_on(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """Bind a segment to a plan of its candidates, or to a new one on the user's words. Raises `Refused`."""
    new = arguments.get("new")
    if isinstance(new, dict):
        opening = _cited(change, turn, arguments.get("quote_message_id"))
        opened = open_for(change, turn, str(new.get("title", "")), opening)
        bind(change, turn, opened, None)
        return f"plan {opened}"
    plan = arguments.get("plan")
    allowed = {row["plan"] for row in change.db.rows("SELECT plan FROM turn_candidates WHERE turn = ?", turn["id"])} | {
        turn["plan"]
    }
    if not isinstance(plan, int) or plan not in allowed:
        raise Refused(f"{plan!r} is none of the plans that this segment can choose")
    ticket = arguments.get("ticket")
    if ticket is not None and change.db.value("SELECT plan FROM tickets WHERE id = ?", ticket) != plan:  # TICK-05
        raise Refused(f"ticket {ticket!r} is not one of plan {plan}")
    file_trigger(change, turn, plan)
    bind(change, turn, plan, ticket)
    return f"plan {plan}"


def open_for(change: Change, turn: sqlite3.Row, title: str, opening: sqlite3.Row) -> int:
    """Open a plan on a line of the user; the line is filed to it by the desk."""
    plan = plans.open_plan(change, title=title or title_of(change, opening), opening=opening)
    attribution.put(change, opening["id"], [Target(plan)], locked=False, by="desk")
    return plan


def file_trigger(change: Change, turn: sqlite3.Row, plan: int) -> None:
    """File the line that opened a segment to the plan it was bound to, where it is filed nowhere yet."""
    message = turns.trigger(change, turn)
    if message is not None and not attribution.targets(change.db, message["id"]):
        attribution.put(change, message["id"], [Target(plan)], locked=False, by="desk")


def bind(change: Change, turn: sqlite3.Row, plan: int, ticket: int | None) -> None:
    """Make a desk segment a work segment on a plan.

    Where the Bot's other segment holds that plan, the lines go there and this segment ends; where it has no slot free,
    they queue and this segment ends (WORK-20, DESK-21). Raises `Refused` for a second change of folder (I8).
    """
    if turn["plan"] == plan and turn["ticket"] == ticket:
        return
    if turn["cwd_changes"] >= 1 or turn["acted"]:  # DESK-29 DESK-30
        raise Refused("This segment works in another folder; it cannot go on writing elsewhere.")
    item = work.item(change, turn["bot"], plan, ticket, turn["session"])
    other = work.live_turn(change.db, turn["bot"], plan)
    if other is not None and other["id"] != turn["id"]:
        _pass_on(change, turn, other["work_item"])
        turns.end(change, turn["id"], "completed", "merged")
        return
    if turn["mode"] == "desk" and not work.has_slot(change.db, turn["bot"]):
        _pass_on(change, turn, item)
        work.queue(change, item)
        turns.end(change, turn["id"], "completed", "queued")
        return
    change.db.write(
        "UPDATE turns SET mode = 'work', work_item = ?, plan = ?, ticket = ?, cwd = ?, cwd_changes = cwd_changes + 1"
        " WHERE id = ?",
        item,
        plan,
        ticket,
        plans.folder_of(change, plan, ticket),
        turn["id"],
    )
    change.db.write("UPDATE work_items SET state = 'running', queued_seq = NULL WHERE id = ?", item)
    change.db.write(
        "UPDATE inbox_items SET work_item = ? WHERE work_item = ? AND state = 'queued'", item, turn["work_item"]
    )
    work.settle(change, turn["work_item"])
    change.log("work.bound", bot=turn["bot"], plan=plan, ticket=ticket, turn=turn["id"])


def title_of(change: Change, message: sqlite3.Row) -> str:
    """What a plan on a line is called: the line without the names mentioned in it (DESK-17)."""
    present = household.members(change.db, message["session"])
    rest = " ".join(mentions.mentions_in(message["text"], present, household.roster(change.db)).rest.split())
    return rest or plans.name_of(change, message)


def _cited(change: Change, turn: sqlite3.Row, message: object) -> sqlite3.Row:
    """The line of the user that a new plan stands on: the one cited, else the one that opened the segment."""
    found = turns.trigger(change, turn) if message is None else None
    if isinstance(message, int):
        found = change.db.row("SELECT * FROM messages WHERE id = ?", message)
    if found is None or found["author"] != "user" or found["session"] != turn["session"]:  # DESK-08
        raise Refused(f"{message!r} is no line of the user in this session")
    return messages.message_of(change, found["id"])


def _pass_on(change: Change, turn: sqlite3.Row, work_item: int) -> None:
    """Give what opened a segment, and what it has not read, to other work, as it was said."""
    change.db.write(
        "INSERT INTO inbox_items (work_item, kind, message, author, text, reply_in, prio, seq)"
        " SELECT ?, kind, message, author, text, ?, prio, ? FROM inbox_items WHERE id = ?",
        work_item,
        turn["session"],
        change.event,
        turn["trigger_item"],
    )
    change.db.write(
        "UPDATE inbox_items SET work_item = ? WHERE work_item = ? AND state = 'queued'", work_item, turn["work_item"]
    )
