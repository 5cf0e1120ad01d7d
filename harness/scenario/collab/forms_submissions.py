"""What an expectation of a story of rooms may demand of what was handed in, and of its reviews."""

import json
from typing import Any

import msgspec

from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import quoted


class Handed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a submission stands; what is not said of it may be anything."""

    state: str | None = None
    by: str | None = None
    """The Bot that made it."""
    origin: str | None = None
    released: str | None = None
    """By whom it was approved: `review`, `user`, …"""
    files: list[str] | None = None
    """By the last parts of their paths."""
    parts: list[str] | None = None
    content: str | None = None


class Submissions(CollabForm, frozen=True, kw_only=True):
    """Everything that was handed in of a plan, or of a ticket (`plan/1`), in order."""

    submissions_of: Text
    are: list[Handed]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT s.id, s.state, b.name, s.origin, s.approved_by, s.parts, s.content FROM submissions s"
            f" JOIN tickets t ON t.id = s.ticket LEFT JOIN bots b ON b.id = s.bot WHERE {_OF} ORDER BY s.id",
            *_named(self.submissions_of),
        )
        found = []
        for id_, state, by, origin, released, parts, content in rows:
            files = seen.rows("SELECT path FROM submission_files WHERE submission = ? ORDER BY rowid", id_)
            names = [path.rpartition("/")[2] for (path,) in files]
            found.append(
                {
                    "state": state,
                    "by": by,
                    "origin": origin,
                    "released": released,
                    "files": names,
                    "parts": json.loads(parts),
                    "content": content,
                }
            )
        return _met(found, self.are, f"what was handed in of {quoted(self.submissions_of)} is")


class Reviewed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a review says; what is not said of it may be anything."""

    by: str | None = None
    outcome: str | None = None
    note: str | None = None
    same_model: bool | None = None
    effective: bool | None = None
    missed: bool | None = None


class Reviews(CollabForm, frozen=True, kw_only=True):
    """All reviews of what was handed in of a plan, or of a ticket (`plan/1`), in order."""

    reviews_of: Text
    are: list[Reviewed]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT b.name, r.outcome, r.note, r.same_model, r.effective, r.missed FROM reviews r"
            " JOIN submissions s ON s.id = r.submission JOIN tickets t ON t.id = s.ticket"
            f" JOIN bots b ON b.id = r.bot WHERE {_OF} ORDER BY r.id",
            *_named(self.reviews_of),
        )
        names = ("by", "outcome", "note", "same_model", "effective", "missed")
        found = [dict(zip(names, (*row[:3], *map(bool, row[3:])), strict=True)) for row in rows]
        return _met(found, self.are, f"the reviews of {quoted(self.reviews_of)} are")


class Delivered(CollabForm, frozen=True, kw_only=True):
    """Exactly these plans are delivered."""

    delivered: list[str]

    def met(self, seen: Played) -> Met:
        found = [name for (name,) in seen.rows("SELECT name FROM plans WHERE stage = 'delivered' ORDER BY id")]
        return Met(found == self.delivered, f"the plans that are delivered are {self.delivered}", str(found))


class PartsOf(CollabForm, frozen=True, kw_only=True):
    """How the parts of a ticket (`plan/1`) stand, by name."""

    parts_of: Text
    are: dict[str, str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            f"SELECT p.name, p.stage FROM parts p JOIN tickets t ON t.id = p.ticket WHERE {_OF} ORDER BY p.name",
            *_named(self.parts_of),
        )
        return Met(dict(rows) == self.are, f"the parts of {quoted(self.parts_of)} are {self.are}", str(dict(rows)))


_OF = "t.plan = (SELECT max(id) FROM plans WHERE name = ?) AND ifnull(?, t.number) = t.number"


def _named(text: str) -> tuple[str, int | None]:
    """A plan's name, and the number of its ticket if `plan/1` names one."""
    plan, _, number = text.rpartition("/")
    return (plan, int(number)) if plan and number.isdigit() else (text, None)


def _met(found: list[dict[str, Any]], wanted: list[Any], what: str) -> Met:
    said = [{key: value for key, value in msgspec.to_builtins(each).items() if value is not None} for each in wanted]
    fits = len(found) == len(said) and all(
        seen[key] == value for seen, one in zip(found, said, strict=True) for key, value in one.items()
    )
    return Met(fits, f"{what} {said}", str(found))


SUBMISSION_FORMS: dict[str, type[CollabForm]] = {
    "submissions_of": Submissions,
    "reviews_of": Reviews,
    "delivered": Delivered,
    "parts_of": PartsOf,
}
