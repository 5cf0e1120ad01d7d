"""What a message refers to by itself: a card, annotations, the line it answers, paths, and the work that it came of.

These are references and no guesses at meaning. Where they point to different matters, all of them stay.
"""

import re
import sqlite3

from threadrebuild.collab import attribution
from threadrebuild.collab.events import Annotation
from threadrebuild.collab.target import Target
from threadrebuild.database import Database

DELEGATED_FROM_LEVEL = 3  # ATTR-07
_REST_OF_PATH = r"/[^\s\"'<>“”‘’《》，。、；：！？（）()]*"


def references(db: Database, message: sqlite3.Row) -> list[Target]:
    """What a message refers to, by the five signals in their order; what one adds is kept beside the others'."""
    found = [
        *_picked(message),  # ATTR-06
        *_annotated(db, message),  # ATTR-06
        *_answered(db, message),  # ATTR-06 ATTR-15 ATTR-19
        *_pointed_at(db, message),  # ATTR-06
        *_bound(db, message),  # ATTR-07
    ]
    return list(dict.fromkeys(found))


def of_annotation(db: Database, annotation: Annotation) -> tuple[int | None, int | None]:
    """The plan and ticket that an annotation belongs to: those of the delivery that it annotates, else of its file."""
    handed_in = db.row("SELECT plan, ticket FROM messages WHERE id = ? AND plan IS NOT NULL", annotation.delivery)
    if handed_in is not None:  # QUOT-08
        return handed_in["plan"], handed_in["ticket"]
    found = _of_path(db, annotation.path)
    return (found[0].plan, found[0].ticket) if found else (None, None)


def paths_in(db: Database, text: str) -> list[str]:
    """The paths in a text that lie in the folder of a plan or ticket, from that folder on."""
    folders = [row["folder"] for row in db.rows("SELECT folder FROM plans UNION SELECT folder FROM tickets")]
    written: list[tuple[int, str]] = []
    for folder in folders:
        if f"{folder}/" in text:
            begins = r"(?<![A-Za-z0-9_.-])" + re.escape(folder)
            written += [(found.start(), found[0]) for found in re.finditer(begins + _REST_OF_PATH, text)]
    return [path for _, path in sorted(written)]


def _picked(message: sqlite3.Row) -> list[Target]:
    return [Target(message["card_plan"])] if message["card_plan"] is not None else []


def _annotated(db: Database, message: sqlite3.Row) -> list[Target]:
    """What annotated files belong to, and what the messages that handed them in are filed to, or were made for."""
    found: list[Target] = []
    for annotation in db.rows("SELECT * FROM annotations WHERE message = ? ORDER BY id", message["id"]):
        of_file = _of_file(db, annotation["path"])
        handed_in = attribution.targets(db, annotation["delivery"] or 0) or _of_turn(db, annotation["delivery"])
        known = {target.plan for target in of_file}
        found += of_file + [target for target in handed_in if target.plan not in known]
    return found


def _answered(db: Database, message: sqlite3.Row) -> list[Target]:
    return attribution.targets(db, message["reply_to"]) if message["reply_to"] is not None else []


def _pointed_at(db: Database, message: sqlite3.Row) -> list[Target]:
    attached = db.rows("SELECT path FROM message_files WHERE message = ? ORDER BY ord", message["id"])
    paths = [row["path"] for row in attached] + paths_in(db, message["text"])
    return [target for path in paths for target in _of_path(db, path)]


def _bound(db: Database, message: sqlite3.Row) -> list[Target]:
    """The work that a Bot said something in, and what it has delegated by saying it."""
    if message["author"] != "bot":
        return []
    found = _of_turn(db, message["id"])
    if db.value("SELECT level FROM meta") >= DELEGATED_FROM_LEVEL:  # ATTR-07
        found += [
            Target(row["plan"], row["ticket"])
            for row in db.rows(
                "SELECT plan, ticket FROM delegations WHERE turn = ? AND session = ? AND plan IS NOT NULL ORDER BY id",
                message["turn"],
                message["session"],
            )
        ]
    return found


def _of_turn(db: Database, message: int | None) -> list[Target]:
    """The work that a message was said in; a segment that is of no plan (levels 0 and 1) may be on a ticket of one."""
    found = db.row(
        "SELECT ifnull(t.plan, k.plan) AS plan, t.ticket FROM messages m JOIN turns t ON t.id = m.turn"
        " LEFT JOIN tickets k ON k.id = t.ticket WHERE m.id = ?",
        message,
    )
    return [Target(found["plan"], found["ticket"])] if found is not None and found["plan"] is not None else []


def _of_file(db: Database, path: str) -> list[Target]:
    """What a file belongs to: the part that it is at present, else where it lies, else the work that it came of."""
    part = db.row("SELECT t.plan, t.id, p.name FROM parts p JOIN tickets t ON t.id = p.ticket WHERE p.file = ?", path)
    if part is not None:  # ATTR-17
        return [Target(part["plan"], part["id"], part["name"])]
    made = db.row("SELECT plan, ticket FROM artifacts WHERE path = ? AND plan IS NOT NULL ORDER BY id DESC", path)
    return _of_path(db, path) or ([Target(made["plan"], made["ticket"])] if made is not None else [])


def _of_path(db: Database, path: str) -> list[Target]:
    lies_in = "WHERE ?1 = folder OR substr(?1, 1, length(folder) + 1) = folder || '/' ORDER BY length(folder) DESC"
    ticket = db.row(f"SELECT id, plan FROM tickets {lies_in}", path)
    if ticket is not None:
        return [Target(ticket["plan"], ticket["id"])]
    plan = db.value(f"SELECT id FROM plans {lies_in}", path)
    return [Target(plan)] if plan is not None else []
