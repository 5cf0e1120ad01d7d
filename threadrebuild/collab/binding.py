"""Binding: what a segment works on is chosen by its Bot through `work_on`, or by a desk's first side effect.

A segment works in one folder. It may leave the desk for a matter, or a matter it was given by mistake for another,
once, and only before it has done anything there; from a whole plan down to its own ticket is no change at all.
"""

import sqlite3
from typing import Any

import msgspec

from threadrebuild.collab import (
    attribution,
    desk,
    dormancy,
    household,
    inbox,
    large_jobs,
    lifting,
    mentions,
    messages,
    plans,
    tickets,
    turns,
    work,
)
from threadrebuild.collab.change import Change
from threadrebuild.collab.target import Target
from threadrebuild.collab.toolbox import Bounced, Refused, tool
from threadrebuild.database import LARGEST_ID, Id


class _Titled(msgspec.Struct, frozen=True):
    title: str = ""


class _New(msgspec.Struct, frozen=True):
    new: _Titled


class _WorkOn(msgspec.Struct, frozen=True):
    """`also` are further work items of the Bot that the line is for."""

    plan: Id | _New | None = None
    new: _Titled | None = None
    quote_message_id: Any = None
    ticket: Id | _New | None = None
    also: tuple[Id, ...] = ()


@tool("work_on")
def work_on(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """Work on a plan of the segment's candidates, or on a new one that stands on the user's words. Raises `Refused`."""
    if turn["work_item"] is None:
        raise Refused("This segment only answers; it can take up no work.")
    try:
        wanted = msgspec.convert(arguments, _WorkOn)
    except msgspec.ValidationError as error:
        raise Bounced("no_such_arguments", str(error)) from None
    new = wanted.plan.new if isinstance(wanted.plan, _New) else wanted.new
    if new is not None:
        plan = _open_by_choice(change, turn, new.title, wanted.quote_message_id)
    else:
        plan = _chosen(change, turn, wanted.plan)
    further = [_further(change, turn, item) for item in wanted.also]
    ticket = _ticket(change, turn, plan, wanted.ticket)
    _file_trigger(change, turn, Target(plan, None if new else ticket))
    choose(change, turn, plan, ticket)
    for item in further:
        _add(change, turn, plan, item)
    return f"plan {plan}" + (f", ticket {ticket}" if ticket is not None else "")


def take_default(change: Change, turn: sqlite3.Row, plan: int) -> None:
    """Work on the one plan that a desk segment can choose."""
    _file_trigger(change, turn, Target(plan))
    choose(change, turn, plan, None)


def begin(change: Change, turn: sqlite3.Row, opening: sqlite3.Row, *, with_ticket: bool) -> None:
    """Open a plan on a line of the user, and work on it, or on one ticket for what comes of it."""
    plan = _open_for(change, opening, "")
    ticket = tickets.open_ticket(change, plan, title_of(change, opening), turn["bot"]) if with_ticket else None
    choose(change, turn, plan, ticket)


def choose(change: Change, turn: sqlite3.Row, plan: int, ticket: int | None) -> None:
    """Make a segment work on a plan.

    Where the Bot's other segment holds that plan, the lines go there and this segment ends; where it has no slot free,
    they queue and this segment ends. Raises `Refused` for a change of folder that is none of those allowed, and for
    work that is under a hold.
    """
    if turn["plan"] == plan and turn["ticket"] == ticket:
        return
    changes = _changes_of_folder(change, turn, plan, ticket)
    if dormancy.sleeps(change.db, plan):  # PLAN-36
        raise Refused("Not run: that plan sleeps, and nothing is done there until the user comes back to it.")
    item = work.item(change, turn["bot"], plan, ticket, turn["session"])
    lifting.by_choice(change, turn, item)  # DESK-36
    if change.db.value("SELECT 1 FROM hold_hits WHERE kind = 'work_item' AND id = ?", item):  # HOLD-76
        raise Refused("Not run: the user has stopped that work, and nothing is done there until it is let go on.")
    other = work.live_turn(change.db, turn["bot"], plan)
    if other is not None and other["id"] != turn["id"]:
        inbox.hand_on(change, turn, other["work_item"], other)  # WORK-20
        turns.end(change, turn["id"], "completed", "merged")
        return
    if turn["mode"] == "desk" and not work.has_slot(change.db, turn["bot"]):  # DESK-21
        inbox.hand_on(change, turn, item, None)
        work.queue(change, item)
        turns.end(change, turn["id"], "completed", "queued")
        return
    _bind(change, turn, item, changes)


def title_of(change: Change, opening: sqlite3.Row) -> str:
    """What a plan on a line is called: the line without the names mentioned in it, if anything is left."""
    present = household.members(change.db, opening["session"])
    rest = " ".join(mentions.mentions_in(opening["text"], present, household.roster(change.db)).rest.split())
    title = plans.name_of(change, opening)
    if rest:
        title = rest  # DESK-17
    return title


def _bind(change: Change, turn: sqlite3.Row, item: int, changes: int) -> None:
    row = change.db.row("SELECT * FROM work_items WHERE id = ?", item)
    assert row is not None
    change.db.write(
        "UPDATE turns SET mode = 'work', work_item = ?, plan = ?, ticket = ?, cwd = ?, cwd_changes = cwd_changes + ?"
        " WHERE id = ?",
        item,
        row["plan"],
        row["ticket"],
        work.folder(change, row),
        changes,
        turn["id"],
    )
    change.db.write("UPDATE work_items SET state = 'running', queued_seq = NULL WHERE id = ?", item)
    if turn["plan"] in (None, row["plan"]):
        inbox.take_over(change, turn["work_item"], item)
    work.settle(change, turn["work_item"])
    change.log("work.bound", bot=turn["bot"], plan=row["plan"], ticket=row["ticket"], turn=turn["id"])


def _changes_of_folder(change: Change, turn: sqlite3.Row, plan: int, ticket: int | None) -> int:
    """How many changes of folder it costs a segment to go there: none or one. Raises `Refused` where it may not."""
    if not _is_elsewhere(change, turn, plan, ticket):
        return 0
    if (
        turn["acted"]  # DESK-30
        and turn["plan"] is not None  # DESK-13
    ):
        raise Refused("This segment has worked in another folder; it cannot go on writing elsewhere.")
    if turn["cwd_changes"]:
        raise Refused("This segment has changed its folder once already.")
    return 1


def _is_elsewhere(change: Change, turn: sqlite3.Row, plan: int, ticket: int | None) -> bool:
    if turn["plan"] == plan:
        if turn["ticket"] is None and _is_owner(change, turn["bot"], ticket):
            return False  # DESK-32
        if not turn["acted"]:
            return False  # DESK-31
    return True


def _open_by_choice(change: Change, turn: sqlite3.Row, title: str, quote: object) -> int:
    opening = _cited(change, turn, quote)
    if turn["mode"] == "work":
        _split_off(change, turn)
    return _open_for(change, opening, title)


def _file_trigger(change: Change, turn: sqlite3.Row, target: Target) -> None:
    trigger = turns.trigger(change, turn)
    if trigger is not None and turn["mode"] == "desk":  # DESK-25
        attribution.put(change, trigger["id"], [target], locked=False, by="desk")


def _split_off(change: Change, turn: sqlite3.Row) -> None:
    """Take the default target off the line that a segment was opened for. Raises `Refused` where it is none."""
    trigger = turns.trigger(change, turn)
    if trigger is None:
        return
    locked = "SELECT 1 FROM message_filings WHERE message = ? AND plan = ? AND locked = 1"
    if change.db.value(locked, trigger["id"], turn["plan"]):
        raise Refused("The user's line points to this plan itself; it cannot be dropped.")  # DESK-26
    change.db.write("DELETE FROM message_filings WHERE message = ? AND plan = ?", trigger["id"], turn["plan"])
    change.log("attribution.split_off", bot=turn["bot"], plan=turn["plan"], turn=turn["id"], message=trigger["id"])


def _chosen(change: Change, turn: sqlite3.Row, plan: object) -> int:
    is_candidate = plan in desk.candidates(change.db, turn["id"]) and desk.is_there(change.db, plan)
    if plan is None or not (is_candidate or plan == turn["plan"]):
        raise Bounced("no_candidate", f"{plan!r} is none of the plans that this segment can choose.")  # DESK-05
    assert isinstance(plan, int)
    return plan


def _cited(change: Change, turn: sqlite3.Row, message: object) -> sqlite3.Row:
    """The line of the user that a new plan stands on: the one cited, else the one that opened the segment."""
    found = turns.trigger(change, turn) if message is None else None  # DESK-07
    if isinstance(message, int) and message <= LARGEST_ID:
        found = change.db.row("SELECT * FROM messages WHERE id = ? AND state <> 'withdrawn'", message)
    if found is None or found["author"] != "user" or found["session"] != turn["session"]:
        raise Bounced("quote_unknown", f"{message!r} is no line of the user in this session.")  # DESK-08
    return messages.message_of(change, found["id"])


def _open_for(change: Change, opening: sqlite3.Row, title: str) -> int:
    plan = plans.open_plan(change, title=title or title_of(change, opening), opening=opening)
    attribution.put(change, opening["id"], [Target(plan)], locked=False, by="desk")
    dormancy.make_room(change, plan)
    return plan


def _ticket(change: Change, turn: sqlite3.Row, plan: int, named: int | _New | None) -> int | None:
    if named is None:
        return None
    if isinstance(named, _New):
        return tickets.open_ticket(change, plan, named.new.title, turn["bot"])
    if change.db.value("SELECT plan FROM tickets WHERE id = ?", named) != plan:  # TICK-05
        raise Bounced("no_ticket", f"{named!r} is no ticket of plan {plan}.")
    large_jobs.see_that_it_can_begin(change, named)  # LARGE-09
    return named


def _further(change: Change, turn: sqlite3.Row, item: int) -> sqlite3.Row:
    """An open work item of the segment's own Bot, on one of its candidates. Raises `Refused`."""
    row = change.db.row("SELECT * FROM work_items WHERE id = ? AND state <> 'closed'", item)
    if row is None or row["plan"] not in desk.candidates(change.db, turn["id"]) or row["bot"] != turn["bot"]:
        raise Bounced("no_work_item", f"{item!r} is no open work of yours among the candidates.")  # DESK-23
    return row


def _add(change: Change, turn: sqlite3.Row, plan: int, item: sqlite3.Row) -> None:
    """File the line that opened a segment to further work too, and let it be read there where it is on another plan."""
    trigger = turns.trigger(change, turn)
    if trigger is None:
        return
    attribution.put(change, trigger["id"], [Target(item["plan"], item["ticket"])], locked=False, by="desk")
    if item["plan"] != plan:
        live = work.live_turn(change.db, turn["bot"], item["plan"])
        inbox.put(change, item["id"] if live is None else live["work_item"], trigger, live, "direct")


def _is_owner(change: Change, bot: int, ticket: int | None) -> bool:
    return ticket is not None and change.db.value("SELECT owner FROM tickets WHERE id = ?", ticket) == bot
