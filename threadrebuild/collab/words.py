"""Checks from the user's words: a number stated for a plan's film is proposed as a check, which the user may confirm.

A proposal is measured as soon as there is a film, and shown; it stands in nobody's way. Once confirmed it is a check
like any other, and never changes by itself: for another number the user is asked, on a card (`word_cards`).
"""

import json
import sqlite3
from typing import Any, Literal

from threadrebuild.collab import checks, final_films, interface, measures, statements, word_cards
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import CheckConfirmed
from threadrebuild.collab.measures import Measure
from threadrebuild.database import Database

GATE: Literal["active"] = "active"
PROPOSAL: Literal["proposal"] = "proposal"


def look(change: Change) -> None:
    """Bring the checks from the user's words up to what has been said, and to the films that there are."""
    said = statements.hear(change)
    kept = change.db.rows("SELECT DISTINCT plan, item FROM checks WHERE item IS NOT NULL AND state <> 'deleted'")
    about = {(row["plan"], row["item"]) for row in kept} | {(plan, measure.item) for plan, measure in said}
    for plan, item in sorted(about):
        _settle(change, plan, item, [measure for of, measure in said if of == plan])
    for plan in sorted({plan for plan, _ in about}):
        _match(change, plan)


def confirm(change: Change, event: CheckConfirmed) -> None:
    """Make a proposal a check that counts. Raises `Missing`, and `Conflict` for what is no proposal any more."""
    confirm_by(change, event.check, change.user_action("button", event.key))


def confirm_by(change: Change, check: int, action: int) -> None:
    """Make a proposal a check that counts, by what the user did. Raises `Missing` and `Conflict`."""
    proposal = _proposal(change.db, check)
    gate = _of_item(change.db, proposal["plan"], proposal["item"], GATE)
    if gate is not None:
        let_go(change, gate, action)
    statements.choose(change, proposal["plan"], statements.measure_of(proposal))  # WORDS-16
    change.db.write(
        "UPDATE checks SET state = 'active', confirmed_by = ?, defined_seq = ? WHERE id = ?",
        action,
        change.event,  # WORDS-28
        check,
    )
    word_cards.withdraw(change, check)
    change.log("check.confirmed", plan=proposal["plan"], check=check)
    checks.run(change, check)  # WORDS-28


def drop_by(change: Change, check: int, action: int) -> None:
    """Let a proposal go, by what the user did. Raises `Missing` and `Conflict`."""
    let_go(change, _proposal(change.db, check), action)


def let_go(change: Change, check: sqlite3.Row, action: int) -> None:
    """The user does not want a check: it is gone, and so is what was said for it."""
    statements.give_up(change, check["plan"], statements.measure_of(check))  # WORDS-16
    word_cards.withdraw(change, check["id"])
    checks.drop(change, check, action)


def situation(db: Database, plan: int) -> list[str]:
    """What a Bot reads of what the user has not confirmed."""
    return [said_of(db, check) for check in _all(db, plan, PROPOSAL)]


def measurable(db: Database, plan: int) -> list[sqlite3.Row]:
    """The proposals of a plan that there is a film for."""
    return [check for check in _all(db, plan, PROPOSAL) if check["matched"] is not None]  # WORDS-30


def said_of(db: Database, check: sqlite3.Row) -> str:
    """What came of measuring a proposal, and what the user had said."""
    last = checks.last_run(db, check)
    if last is None:
        found = interface.line(db, "not measured")
    else:
        found = json.loads(last["figures"]).get("value") or last["detail"]
    said = measures.worded(statements.measure_of(check))
    return interface.line(db, "unconfirmed check", found=found, said=said)


def shown(db: Database, check: int, at: int) -> dict[str, Any]:
    """How a check stands, as the HTTP route answers. Raises `Missing` where it is gone."""
    return checks.shown(db, checks.one(db, check))


# -------------------------------------------------------------------- what was said


def _settle(change: Change, plan: int, item: str, said_now: list[Measure]) -> None:
    """Let the proposal of an item follow what was said, and ask the user where that differs from what is in force."""
    gate, proposal = (_of_item(change.db, plan, item, state) for state in (GATE, PROPOSAL))
    if gate is not None and _is_erased(change.db, gate):
        _revert(change, gate, proposal)  # WORDS-21
        gate, proposal = None, _of_item(change.db, plan, item, PROPOSAL)
    said = statements.of_item(change.db, plan, item)
    wanted = statements.wanted(said)
    if gate is not None and (_says(wanted, gate) or _says(_last(said), gate)):
        wanted = None  # WORDS-18
    if proposal is not None and not _goes_on(proposal, wanted):
        _withdraw(change, proposal)
        proposal = None
    is_new = proposal is None and wanted is not None
    if wanted is not None:
        proposal = _follow(change, plan, proposal, wanted)
    if gate is not None and proposal is not None:
        _ask(change, gate, proposal, said, is_new, said_now)


def _last(said: list[statements.Statement]) -> statements.Statement | None:
    return next((each for each in reversed(said) if each.counts), None)


def _says(statement: statements.Statement | None, check: sqlite3.Row) -> bool:
    return statement is not None and measures.same(statement.measure, statements.measure_of(check))  # WORDS-15


def _goes_on(proposal: sqlite3.Row, wanted: statements.Statement | None) -> bool:
    """Whether a proposal is still what it should be; one that has lost its words is, until something else is said."""
    lost = proposal["lost_words_seq"]
    if lost is not None and (wanted is None or wanted.seq <= lost):  # WORDS-21
        return True
    return _says(wanted, proposal)


def _follow(change: Change, plan: int, proposal: sqlite3.Row | None, wanted: statements.Statement) -> sqlite3.Row:
    """Propose what is wanted; what is proposed already only comes to stand on words that are there."""
    if proposal is not None:
        if proposal["quote"] is None or _is_gone(change.db, proposal):
            change.db.write("UPDATE checks SET quote = ? WHERE id = ?", wanted.quote, proposal["id"])
        return proposal
    measure = wanted.measure
    check = change.db.write(
        "INSERT INTO checks (plan, sentence, kind, body, written_by, state, defined_seq, item, value, bound, quote, at)"
        " VALUES (?, ?, 'file_exists', ?, 'user', 'proposal', ?, ?, ?, ?, ?, ?)",
        plan,
        measures.worded(measure),
        final_films.body(None),  # WORDS-31
        change.event,
        *(measure.item, measure.value, measure.bound),
        wanted.quote,
        change.at,
    )
    change.log("check.proposed", plan=plan, check=check)
    return checks.one(change.db, check)


def _ask(
    change: Change,
    gate: sqlite3.Row,
    proposal: sqlite3.Row,
    said: list[statements.Statement],
    is_new: bool,
    said_now: list[Measure],
) -> None:
    of_it = [each for each in said if each.counts and measures.same(each.measure, statements.measure_of(proposal))]
    if not any(each.target for each in of_it):  # WORDS-17 WORDS-32
        return
    again = any(measures.same(each, statements.measure_of(proposal)) for each in said_now)
    if is_new or again:  # WORDS-17
        word_cards.ask(change, gate, proposal, statements.times(said, statements.measure_of(proposal)))


def _withdraw(change: Change, proposal: sqlite3.Row) -> None:
    """Take a proposal back that is not what the user wants now."""
    word_cards.withdraw(change, proposal["id"])  # WORDS-18
    checks.drop(change, proposal)


def _revert(change: Change, gate: sqlite3.Row, proposal: sqlite3.Row | None) -> None:
    """Let a check whose words were erased be a proposal again; it stays until something else is said or chosen."""
    if proposal is not None:
        _withdraw(change, proposal)
    change.db.write(
        "UPDATE checks SET state = 'proposal', confirmed_by = NULL, quote = NULL, lost_words_seq = ? WHERE id = ?",
        change.event,
        gate["id"],
    )
    change.log("check.reverted", plan=gate["plan"], check=gate["id"])


def _is_erased(db: Database, check: sqlite3.Row) -> bool:
    return bool(db.value("SELECT erased FROM quotes WHERE id = ?", check["quote"]))


def _is_gone(db: Database, check: sqlite3.Row) -> bool:
    """Whether the words of a check are erased, or filed elsewhere."""
    filed = db.value("SELECT 1 FROM quote_filings WHERE quote = ? AND plan = ?", check["quote"], check["plan"])
    return _is_erased(db, check) or not filed


# -------------------------------------------------------------------- films


def _match(change: Change, plan: int) -> None:
    """Let the checks of a plan measure its final film, as far as there is one."""
    for film in final_films.of_plan(change.db, plan)[:1]:
        for check in _all(change.db, plan, GATE, PROPOSAL):
            if check["matched"] != film.path:
                change.db.write(
                    "UPDATE checks SET matched = ?, body = ?, defined_seq = ? WHERE id = ?",
                    film.path,
                    final_films.body(film.path),  # WORDS-31
                    change.event,  # WORDS-26
                    check["id"],
                )
                change.log("check.matched", plan=plan, check=check["id"], path=film.path)
            elif film.seq != change.event:
                continue
            checks.run(change, check["id"])  # WORDS-27


# -------------------------------------------------------------------- what there is


def _proposal(db: Database, check: int) -> sqlite3.Row:
    found = db.row("SELECT * FROM checks WHERE id = ? AND item IS NOT NULL", check)
    if found is None:
        raise Missing(f"there is no check {check} from the user's words")
    if found["state"] != PROPOSAL:  # WORDS-19
        raise Conflict("not_a_proposal", f"check {check} is {found['state']}")
    return found


def _of_item(db: Database, plan: int, item: str, state: str) -> sqlite3.Row | None:
    return db.row("SELECT * FROM checks WHERE plan = ? AND item = ? AND state = ?", plan, item, state)


def _all(db: Database, plan: int, *states: str) -> list[sqlite3.Row]:
    rows = db.rows("SELECT * FROM checks WHERE plan = ? AND item IS NOT NULL ORDER BY id", plan)
    return [row for row in rows if row["state"] in states]
