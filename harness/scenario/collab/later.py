"""What the user of a story does to what is there already: to a line, to a session's history, to a plan on the board."""

import json
from collections.abc import Callable

from harness.scenario.collab.scene import Board, Clear, Delete, Edit, Insert, Merge, Rename, Retire, Withdraw
from harness.world.rooms import Rooms, Unscripted
from threadrebuild.collab import events

Later = Edit | Withdraw | Insert | Clear | Delete | Retire | Board | Rename | Merge


def event_of(rooms: Rooms, entry: Later, message: Callable[[str], int]) -> Callable[[str, int], events.Event]:
    """How an entry comes in, made of a key and a time; `message` gives the number of a line by its label."""
    match entry:
        case Edit():
            line = message(entry.edit)
            return lambda key, at: events.Edited(key=key, at=at, message=line, text=entry.now)
        case Withdraw():
            line = message(entry.withdraw)
            return lambda key, at: events.Withdrawn(key=key, at=at, message=line)
        case Insert():
            line = message(entry.insert)
            return lambda key, at: events.Inserted(key=key, at=at, message=line)
        case Clear():
            session = _only(rooms, "SELECT id FROM sessions WHERE title = ?", entry.clear)
            erase = entry.erase_quotes
            return lambda key, at: events.SessionCleared(key=key, at=at, session=session, erase_quotes=erase)
        case Delete():
            group = _only(rooms, "SELECT id FROM sessions WHERE kind = 'group' AND title = ?", entry.delete)
            erased = entry.erase_quotes
            return lambda key, at: events.SessionDeleted(key=key, at=at, session=group, erase_quotes=erased)
        case Retire():
            bot, state = _only(rooms, "SELECT id FROM bots WHERE name = ?", entry.retire), entry.state
            return lambda key, at: events.BotRetired(key=key, at=at, bot=bot, state=state)
        case Merge():
            into = _only(rooms, "SELECT id FROM plans WHERE name = ?", entry.into)
            card = _old_card(rooms, message(entry.merge), entry.opened, into)
            return lambda key, at: events.ControlPressed(key=key, at=at, message=card, action="merge_plan", plan=into)
        case Rename():
            renamed = _only(rooms, "SELECT id FROM plans WHERE name = ?", entry.rename)
            return lambda key, at: events.PlanRenamed(key=key, at=at, plan=renamed, name=entry.now)
        case Board(large="yes" | "no_split" as large):
            sized = _only(rooms, "SELECT id FROM plans WHERE name = ?", entry.board)
            return lambda key, at: events.PlanSized(key=key, at=at, plan=sized, large=large)
        case Board():
            plan = _only(rooms, "SELECT id FROM plans WHERE name = ?", entry.board)
            return lambda key, at: events.BoardEdited(
                key=key,
                at=at,
                plan=plan,
                goal=entry.goal,
                acceptance=None if entry.acceptance is None else tuple(entry.acceptance),
                rules=None if entry.rules is None else tuple(entry.rules),
                status=entry.status,
            )


def _only(rooms: Rooms, sql: str, name: str) -> int:
    found = rooms.ask(sql, name)
    if len(found) != 1:
        raise Unscripted(f"{len(found)} are called {name!r}")
    return int(found[0][0])


def _old_card(rooms: Rooms, line: int, opened: str, into: int) -> int:
    """A card as it was posted before cards of this kind were given up."""
    plan = _only(rooms, "SELECT id FROM plans WHERE name = ?", opened)
    assert rooms.engine is not None
    return rooms.engine.db.write(
        "INSERT INTO messages (session, author, seq, at, text, state, filing, control)"
        " SELECT session, 'app', seq, at, ?, 'delivered', 'none', ? FROM messages WHERE id = ?",
        f"New: {opened}",
        json.dumps({"card": "new", "line": line, "plan": plan, "offers": [into]}),
        line,
    )
