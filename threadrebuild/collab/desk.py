"""The desk: where a Bot settles which matter a line belongs to, before anything with a side effect is done.

A desk segment is the called Bot's own first hop. The plans it may choose from are fixed when it opens; what its lines
were read as decides whether a side effect needs a plan at all.
"""

import sqlite3
from typing import Literal

from threadrebuild.collab import attribution, binding, endings, inbox, localtime, messages, reader, turns, work
from threadrebuild.collab.change import Change
from threadrebuild.collab.toolbox import Bounced, Refused
from threadrebuild.database import Database

BOUNCES = 2  # DESK-27
"""How many refusals for want of an attribution a desk segment may have; the last of them closes it."""
NEEDS_ATTENTION = "needs_attention"
UNATTRIBUTED = "This message needs an attribution first."
NOTHING_HAS_RUN = "No tool with a side effect has run."
Kind = Literal["new_work", "on_the_spot", "open"]
"""What a desk's lines were read as; `open` where that does not say whether they need a plan."""


def receive(change: Change, message: sqlite3.Row, bot: int, why: str) -> None:
    """Put a line that is filed nowhere on a Bot's desk in its session; a live desk there reads it at its next hop."""
    live = work.live_desk(change.db, bot, message["session"])
    inbox.put(change, work.desk_item(change, bot, message["session"]), message, live, why)


def fix_candidates(change: Change, turn: int, message: sqlite3.Row) -> None:
    """Fix what a desk segment may choose from: the same plans that the reading saw."""
    found = reader.candidates_shown(change.db, message["id"])
    if found is None:
        found = attribution.candidates(change.db, message)
    for ord_, plan in enumerate(found):
        change.db.write("INSERT INTO turn_candidates (turn, ord, plan) VALUES (?, ?, ?)", turn, ord_, plan)


def candidates(db: Database, turn: int) -> list[int]:
    """What a desk segment may choose from, in order."""
    return [row["plan"] for row in db.rows("SELECT plan FROM turn_candidates WHERE turn = ? ORDER BY ord", turn)]


def is_there(db: Database, plan: object) -> bool:
    """Whether a candidate can still be chosen."""
    return db.value("SELECT status FROM plans WHERE id = ?", plan) not in attribution.GONE


def before_side_effect(change: Change, turn: sqlite3.Row, *, splits: bool = False) -> None:
    """Bind a desk segment before its first side effect, as far as its lines and candidates say to what.

    A plan that opens by being split (`splits`) has the tickets of that split only. Raises `Refused` where the Bot has
    to choose by `work_on` first.
    """
    kind, opening = _read_as(change.db, turn)
    if kind == "on_the_spot":  # DESK-11 DESK-12 DESK-14 READ-15
        return
    found = [plan for plan in candidates(change.db, turn["id"]) if is_there(change.db, plan)]
    if (
        kind == "new_work"  # DESK-15 READ-15
        or not found  # DESK-16
    ):
        if opening is None:  # DESK-16
            raise Bounced("no_request", "Only a request of the user opens a plan. Choose by work_on what this is for.")
        binding.begin(change, turn, opening, with_ticket=not splits)
        return
    if len(found) != 1:
        listed = "; ".join(f"{plan} {attribution.described(change.db, plan)['name']}" for plan in found)
        raise Bounced(  # DESK-20
            "unattributed",
            f"Not run. Choose by work_on which plan this belongs to ({listed}), or open one for this line"
            " with work_on({new:{title}}), or ask the user.",
        )
    binding.take_default(change, turn, found[0])  # DESK-19


def situation(db: Database, turn: sqlite3.Row) -> list[str]:
    """What a desk segment reads about where its lines may belong, as lines of text."""
    if turn["mode"] != "desk":
        return []
    found = candidates(db, turn["id"])
    kind, _ = _read_as(db, turn)
    said = _said(kind, [plan for plan in found if is_there(db, plan)])
    return [each for each in (said, *(_candidate(db, turn["bot"], plan) for plan in found)) if each]


def count(change: Change, turn: sqlite3.Row, refused: Refused) -> bool:
    """Let a refusal for want of an attribution cost its desk segment a bounce; whether the segment goes on.

    With the last bounce it is closed, and the user is told that the Bot did not find out what the lines belong to.
    """
    if turn["mode"] != "desk" or not isinstance(refused, Bounced):
        return True  # DESK-28 END-34
    change.db.write("UPDATE turns SET bounces = bounces + 1 WHERE id = ?", turn["id"])  # DESK-08
    change.log("attribution.bounced", bot=turn["bot"], turn=turn["id"], code=refused.code)
    if turn["bounces"] + 1 < BOUNCES:  # DESK-27
        if refused.code == endings.NO_SUCH_ARGUMENTS:  # END-33
            _put_side_effects_off(change, turn)
        return True
    turns.end(change, turn["id"], "completed", NEEDS_ATTENTION)  # DESK-27
    work.needs_attention(change, turn["work_item"])
    messages.note(change, turn["session"], UNATTRIBUTED if turn["acted"] else f"{UNATTRIBUTED} {NOTHING_HAS_RUN}")
    return False


def _put_side_effects_off(change: Change, turn: sqlite3.Row) -> None:
    """Run nothing with a side effect that a hop has asked for after what was refused."""
    change.db.write(
        "UPDATE calls SET state = 'refused', result = ? WHERE turn = ? AND state = 'asked' AND effectful = 1",
        f"Not run: {UNATTRIBUTED}",
        turn["id"],
    )


def _read_as(db: Database, turn: sqlite3.Row) -> tuple[Kind, sqlite3.Row | None]:
    """What the user's lines in a segment were read as, and the one that a new plan would stand on."""
    lines = db.rows(
        "SELECT m.* FROM inbox_items i JOIN messages m ON m.id = i.message"
        " WHERE i.read_by_turn = ? AND m.author = 'user' ORDER BY i.id",
        turn["id"],
    )
    read = [reader.filing(db, line["id"]) for line in lines]
    kinds = [None if each is None else each.kind for each in read]
    if "new_work" in kinds:
        return "new_work", lines[kinds.index("new_work")]
    first = lines[0] if lines else None
    return ("on_the_spot" if set(kinds) == {"on_the_spot"} else "open"), first


def _said(kind: Kind, found: list[int]) -> str:
    if kind == "on_the_spot":
        return "The application read this as something done on the spot, which an answer settles: no plan opens for it."
    if kind == "new_work":
        return (
            "The application read this as a new matter: the first side effect opens a plan for it,"
            " unless you choose another by work_on before."
        )
    if len(found) == 1:
        split = "split it off first by work_on({plan:{new:{title}}})"
        return f"By default this belongs to plan {found[0]}; if it does not, {split}."
    if found:
        return "Choose by work_on which plan this belongs to, or open one for it by work_on({new:{title}})."
    return ""


def _candidate(db: Database, bot: int, plan: int) -> str:
    about = attribution.described(db, plan)
    said = f"Candidate {plan}: {about['name']} (last activity {localtime.shown(db, about['active_at'])})"
    if not is_there(db, plan):
        return f"{said}: not available any more"  # DESK-05
    own = db.rows("SELECT id FROM work_items WHERE bot = ? AND plan = ? AND state <> 'closed' ORDER BY id", bot, plan)
    said += "".join(f"; your work item {row['id']}" for row in own)
    if about["files"]:
        said += f"; newest files: {', '.join(about['files'])}"
    if about["last_words"]:
        said += f"; the user's last words: {about['last_words']}"
    return said
