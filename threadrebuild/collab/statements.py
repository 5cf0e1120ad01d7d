"""What the user has stated of a plan's film: numbers read by fixed rules in the words filed to it, without a model.

The words are looked through once they are filed and whoever they are for has them. What is read is kept beside them, so
that it can be told what was said last, how often, and what the user has not chosen.
"""

import json
import sqlite3
from typing import NamedTuple

from threadrebuild.collab import films, measured_words, measures, quotes, understanding
from threadrebuild.collab.change import Change
from threadrebuild.collab.measures import Measure
from threadrebuild.database import Database

OWN_LEAST = 4
"""How long a name is at least, that the other one of a plan and its own ticket may begin with."""
_LISTS = (
    "acceptance",  # WORDS-02
    "rules",  # WORDS-02
)
"""What on the board is kept as whole items, of which only a part may be the user's."""


class Statement(NamedTuple):
    """One number that the user has stated, and where; `counts` is False once the user chose otherwise."""

    quote: int
    seq: int
    measure: Measure
    target: bool
    place: str
    counts: bool


def hear(change: Change) -> list[tuple[int, Measure]]:
    """Look through the words that were filed since; returns what was said anew, each with its plan."""
    unheard = change.db.rows(
        "SELECT DISTINCT f.plan, m.state, q.* FROM quote_filings f JOIN quotes q ON q.id = f.quote"
        " LEFT JOIN messages m ON m.id = q.message"
        " WHERE f.heard = 0 AND q.source <> 'return' ORDER BY q.seq, q.id, f.plan"
    )
    return [
        (quote["plan"], measure)
        for quote in unheard
        if quote["state"] in (None, "delivered")  # WORDS-02
        for measure in _hear(change, quote)
    ]


def of_item(db: Database, plan: int, item: str) -> list[Statement]:
    """What was stated of one item of a plan's film, oldest first: nothing whose words were erased or moved away."""
    rows = db.rows(
        "SELECT s.*, q.seq, q.erased, f.plan AS filed FROM film_statements s JOIN quotes q ON q.id = s.quote"
        " LEFT JOIN quote_filings f ON f.quote = s.quote AND f.plan = s.plan"
        " WHERE s.plan = ? AND s.item = ? GROUP BY s.quote ORDER BY q.seq, q.id",
        plan,
        item,
    )
    return [_statement(row) for row in rows if not row["erased"] if row["filed"] is not None]


def wanted(said: list[Statement]) -> Statement | None:
    """The statement that a proposal follows: the last that says what the film is to be, if there is none the last.

    What was said before something that the user has not chosen does not come up again.
    """
    counting = [each for each in said if each.counts]
    targets = [each for each in counting if each.target]
    found = (targets or counting)[-1:]  # WORDS-12 WORDS-13
    if not found or any(not each.counts for each in said[said.index(found[0]) :]):
        return None
    return found[0]


def times(said: list[Statement], measure: Measure) -> int:
    """In how many places a number was said: several edits of one place say it once."""
    return len({each.place for each in said if each.counts and measures.same(each.measure, measure)})  # WORDS-15


def give_up(change: Change, plan: int, measure: Measure) -> None:
    """The user does not want a number: what was said of it so far does not count any more."""
    _discount(change, plan, measure, same=True)  # WORDS-16


def choose(change: Change, plan: int, measure: Measure) -> None:
    """The user has chosen a number: the others that were said so far do not count any more."""
    _discount(change, plan, measure, same=False)  # WORDS-16


def measure_of(row: sqlite3.Row) -> Measure:
    """What a statement says, or a check from the user's words measures."""
    return Measure(row["item"], row["value"], row["bound"])


def is_own(title: str, plan: str) -> bool:
    """Whether a ticket is named after its plan, even where one of the names was cut short."""
    shorter, longer = sorted((understanding.folded(title), understanding.folded(plan)), key=len)
    return len(shorter) >= OWN_LEAST and longer.startswith(shorter)


def is_of_film(db: Database, plan: int, ticket: int | None) -> bool:
    """Whether what is filed so is of the whole film: not of a shot of it, nor of another version."""
    title = db.value("SELECT title FROM tickets WHERE id = ?", ticket)
    if title is None:
        return True
    if is_own(title, db.value("SELECT name FROM plans WHERE id = ?", plan)):  # WORDS-08 WORDS-23
        return True
    return not (
        films.names_a_part(title)  # WORDS-08 WORDS-23
        or films.is_another_version(title)  # WORDS-08 WORDS-23
    )


def _hear(change: Change, quote: sqlite3.Row) -> list[Measure]:
    """Read a quote for one plan; returns the numbers that were not said in its place before."""
    where = (quote["id"], quote["plan"])
    filings = change.db.rows("SELECT ticket FROM quote_filings WHERE quote = ? AND plan = ?", *where)
    change.db.write("UPDATE quote_filings SET heard = 1 WHERE quote = ? AND plan = ?", *where)
    of_a_part = not all(is_of_film(change.db, quote["plan"], filing["ticket"]) for filing in filings)
    found = _one_an_item(measured_words.stated(_words(change.db, quote), of_a_part=of_a_part))
    place = _place(quote)
    anew = [
        each.measure
        for each in found
        if not any(
            said.place == place and measures.same(said.measure, each.measure)
            for said in of_item(change.db, quote["plan"], each.measure.item)
        )
    ]
    kept = json.dumps([each.measure.item for each in found])
    gone = "quote = ? AND plan = ? AND item NOT IN (SELECT value FROM json_each(?))"
    change.db.write(f"DELETE FROM film_statements WHERE {gone}", *where, kept)
    for each in found:
        # A line that comes back is as the user has left it.
        change.db.write(
            "INSERT OR IGNORE INTO film_statements (quote, plan, item, value, bound, target, place)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            *where,
            *(each.measure.item, each.measure.value, each.measure.bound, int(each.target), place),
        )
    return anew


def _one_an_item(found: list[measured_words.Stated]) -> list[measured_words.Stated]:
    """What words state of each item of which they state one thing only."""
    one: dict[str, measured_words.Stated] = {}
    for each in found:
        others = [other for other in found if other.measure.item == each.measure.item]
        if all(measures.same(each.measure, other.measure) for other in others):  # WORDS-13
            one[each.measure.item] = next((other for other in others if other.target), each)
    return list(one.values())


def _words(db: Database, quote: sqlite3.Row) -> str:
    """What of a quote is the user's: of an item of a list on the board only the clauses that were changed."""
    text = quote["text"] or ""
    if quote["source"] != "board" or quote["place"] not in _LISTS:
        return text
    lists = [
        json.loads(row["points"])[quote["place"]]
        for row in db.rows("SELECT points FROM plan_revisions WHERE plan = ? ORDER BY number DESC", quote["plan"])
    ]
    before: list[str] = next((each for each in lists if each != lists[0]), [])
    return "\n".join(quotes.changed_clauses("\n".join(before), text))


def _place(quote: sqlite3.Row) -> str:
    """Where words stand: several edits of one place are one saying."""
    if quote["source"] == "board":  # WORDS-15
        return f"board:{quote['place']}"
    first = quote["id"]
    if quote["root"] is not None:  # WORDS-15
        first = quote["root"]
    return f"words:{first}"


def _statement(row: sqlite3.Row) -> Statement:
    return Statement(row["quote"], row["seq"], measure_of(row), bool(row["target"]), row["place"], bool(row["counts"]))


def _discount(change: Change, plan: int, measure: Measure, *, same: bool) -> None:
    for each in of_item(change.db, plan, measure.item):
        if measures.same(each.measure, measure) == same:
            change.db.write(
                "UPDATE film_statements SET counts = 0 WHERE quote = ? AND plan = ? AND item = ?",
                each.quote,
                plan,
                measure.item,
            )
