"""From an uploaded page to stored history: the judgement on its times, the overlap with what is held, the profile.

Every page is kept for the audit; only one whose times are explicit becomes a history profile and part of the talk.
"""

from datetime import datetime
from typing import Literal

from threadrebuild.database import Database
from threadrebuild.memory.counts import note
from threadrebuild.memory.device import Page
from threadrebuild.memory.explicit import is_explicit
from threadrebuild.memory.overlap import Entry, joined
from threadrebuild.memory.recollection import Came, millis

Received = Literal["nothing read", "stopped", "no explicit time", "gap", "stored"]


def receive(store: Database, session: int, page: Page, at: datetime) -> Received:
    """Take in a page that a device uploaded for the customer of a session."""
    with store.transaction():
        came = _receive(store, session, page, at)
        note(store, "store history", Came(came, len(page.bubbles)), session, at)
    return came


def may_fetch(store: Database, session: int) -> bool:
    """Whether a device may read this customer's history: not while a gap in it is open."""
    return not store.value("SELECT count(*) FROM gaps WHERE session = ? AND lifted IS NULL", session)  # MC-33


def lift_gap(store: Database, session: int, at: datetime) -> None:
    """A person lets the history fetch go on."""
    store.write("UPDATE gaps SET lifted = ? WHERE session = ? AND lifted IS NULL", millis(at), session)


def held(store: Database, session: int) -> list[Entry]:
    """The stored earlier talk of a session, oldest first."""
    rows = store.rows(
        "SELECT role, content, label, read_on, id FROM history WHERE session = ? ORDER BY place, id", session
    )
    return [Entry(*row) for row in rows]


def _receive(store: Database, session: int, page: Page, at: datetime) -> Received:
    if not page.bubbles:
        return "nothing read"
    if not may_fetch(store, session):
        return "stopped"
    number = _keep_page(store, session, page)
    # One explicit time is enough: a label beside it that says less makes no entry worthless.
    if not any(is_explicit(bubble.label) for bubble in page.bubbles):  # MC-31
        return "no explicit time"
    entries = [Entry(bubble.role, bubble.content, bubble.label, page.day) for bubble in page.bubbles]
    talk = joined(held(store, session), entries)
    if talk is None:
        store.write("INSERT INTO gaps (session, found) VALUES (?, ?)", session, millis(at))
        return "gap"
    store.write("INSERT INTO history_profiles (page, session) VALUES (?, ?)", number, session)
    _keep_talk(store, session, talk)
    return "stored"


def _keep_page(store: Database, session: int, page: Page) -> int:
    number = store.write(
        "INSERT INTO pages (session, device, read_on) VALUES (?, ?, ?)", session, page.shown_on, page.day
    )
    parts = [("raw page", "", page.raw), *(("fact", field, value) for field, value in page.facts.items())]
    for part in parts:
        store.write("INSERT INTO page_parts (page, part, field, value) VALUES (?, ?, ?, ?)", number, *part)
    return number


def _keep_talk(store: Database, session: int, talk: list[Entry]) -> None:
    for place, entry in enumerate(talk):
        if entry.id is not None:
            store.write("UPDATE history SET place = ? WHERE id = ?", place, entry.id)
        else:
            store.write(
                "INSERT INTO history (session, place, role, content, label, read_on) VALUES (?, ?, ?, ?, ?, ?)",
                *(session, place, entry.role, entry.content, entry.label, entry.read_on),
            )
