"""The split of a plan: its lead opens tickets in one call, with who does and who reviews each, and what waits for what.

A call has its effect whole, or none.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from threadrebuild.collab import household, large_jobs, lead, reviewers, stages, tickets
from threadrebuild.collab.change import Change
from threadrebuild.collab.toolbox import Refused, checked, tool
from threadrebuild.database import Database, Id

NAME = "plan_items"


class _Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ticket to open, or one there is. `after` names others: tickets by number, items of this call by title."""

    ticket: Id | None = None
    title: str = ""
    description: str = ""
    doer: str | None = None
    reviewer: str | None = None
    after: tuple[Id | str, ...] = ()
    parts: tuple[str, ...] = ()
    sample: bool = False
    drop: str | None = None


class _Split(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    items: tuple[_Item, ...]


@tool(NAME, effectful=True)
def plan_items(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """Split the plan that a segment works on. Raises `Refused`, and then nothing has changed."""
    if change.level < stages.FROM_LEVEL:
        raise Refused("There is no such tool.")
    wanted = checked(arguments, _Split)
    plan = turn["plan"]
    if plan is None:
        raise Refused("Only a segment that works on a matter can split it.")
    if lead.of_plan(change.db, plan) != turn["bot"]:  # TICK-22
        raise Refused("Only the Bot that leads this plan splits it.")
    made = [_ticket(change, plan, item) for item in wanted.items]
    named = {item.title: ticket for item, ticket in zip(wanted.items, made, strict=True) if item.title}
    for item, ticket in zip(wanted.items, made, strict=True):
        _write(change, turn, ticket, item, named)
    _see_that_nothing_waits_for_itself(change.db, plan)
    _mark_sample(change, plan, [ticket for item, ticket in zip(wanted.items, made, strict=True) if item.sample])
    shown = [tickets.of(change.db, ticket) for ticket in made]
    return "; ".join(f"ticket {row['id']} (#{row['number']:02}) {row['title']}" for row in shown)


def _ticket(change: Change, plan: int, item: _Item) -> int:
    if item.ticket is None:
        title = " ".join(item.title.split())
        if not (title and item.description.strip()):  # TICK-01
            raise Refused("A ticket needs a title, and a description of what is handed over and when it is done.")
        return tickets.open_ticket(change, plan, title, None)
    if change.db.value("SELECT plan FROM tickets WHERE id = ?", item.ticket) != plan:
        raise Refused(f"{item.ticket} is no ticket of this plan.")
    return item.ticket


def _write(change: Change, turn: sqlite3.Row, ticket: int, item: _Item, named: dict[str, int]) -> None:
    if item.drop is not None:
        if tickets.of(change.db, ticket)["stage"] in stages.FINISHED:  # TICK-16
            raise Refused("Only a ticket that is still to do is dropped.")
        if not item.drop.strip():  # TICK-30
            raise Refused("A ticket is dropped for a reason only.")
        tickets.drop(change, ticket, item.drop.strip(), turn)
        return
    if item.description:
        change.db.write("UPDATE tickets SET description = ? WHERE id = ?", item.description.strip(), ticket)
    if item.doer is not None:
        doer = _bot(change, turn, item.doer)
        if doer == tickets.of(change.db, ticket)["reviewer"]:
            raise Refused("Who reviews a ticket does not do it.")
        change.db.write("UPDATE tickets SET owner = ? WHERE id = ?", doer, ticket)  # TICK-22
    if item.reviewer is not None:
        reviewer = _bot(change, turn, item.reviewer)
        if reviewer == tickets.of(change.db, ticket)["owner"]:  # TICK-23
            raise Refused("Who does a ticket does not review it.")
        reviewers.write(change, ticket, reviewer)
    for other in item.after:
        needs = _needed(change.db, turn["plan"], other, named)
        if needs == ticket:
            raise Refused("A ticket would wait for itself.")
        waits = "INSERT OR REPLACE INTO ticket_dependencies (ticket, needs) VALUES (?, ?)"
        change.db.write(waits, ticket, needs)  # TICK-22
    for part in item.parts:
        if not part.strip():
            raise Refused("A part needs a name.")
        tickets.declare_part(change, ticket, part)  # TICK-21
    tickets.show(change, turn["plan"])


def _bot(change: Change, turn: sqlite3.Row, name: str) -> int:
    places = (turn["session"], change.db.value("SELECT session FROM plans WHERE id = ?", turn["plan"]))
    present = [household.members(change.db, place) for place in places if place is not None]
    found = next((members[name] for members in present if name in members), None)
    if found is None:
        raise Refused(f"{name!r} is nobody here.")
    return int(found)


def _needed(db: Database, plan: int, other: int | str, named: dict[str, int]) -> int:
    found = named.get(other) if isinstance(other, str) else None
    if isinstance(other, int):
        found = db.value("SELECT id FROM tickets WHERE plan = ? AND number = ?", plan, other)
    if found is None:
        raise Refused(f"{other!r} is no ticket of this plan, and no title of this call.")
    return found


def _see_that_nothing_waits_for_itself(db: Database, plan: int) -> None:
    circle = db.value(
        "WITH RECURSIVE waits(ticket, needs) AS ("
        "   SELECT d.ticket, d.needs FROM ticket_dependencies d JOIN tickets t ON t.id = d.ticket WHERE t.plan = ?"
        "   UNION SELECT w.ticket, d.needs FROM waits w JOIN ticket_dependencies d ON d.ticket = w.needs)"
        " SELECT 1 FROM waits WHERE ticket = needs",
        plan,
    )
    if circle is not None:
        raise Refused("A ticket would wait for itself.")


def _mark_sample(change: Change, plan: int, samples: Sequence[int]) -> None:
    """Let one ticket be the sample. Raises `Refused` for two, and for a large job that is not split round one."""
    large = large_jobs.is_unsplit(change.db, plan)
    if len(samples) > 1 or (large and not samples):  # LARGE-07
        raise Refused("A large job is split round exactly one sample: give one item sample: true.")
    for sample in samples:
        large_jobs.make_sample(change, plan, sample)
        waiting = "SELECT 1 FROM ticket_dependencies d JOIN tickets t ON t.id = d.ticket"
        still = f"{waiting} WHERE d.needs = ? AND t.stage NOT IN ('approved', 'dropped')"
        if large and change.db.value(still, sample) is None:  # LARGE-07
            raise Refused("A large job's sample has other tickets waiting for it: split off the rest too.")
