"""The scribe in a story: what it answers to each of the user's words, told beside the words."""

from collections.abc import Iterator
from typing import Any

from harness.scenario.collab.orders import told
from harness.scenario.collab.scene import AnswerCard, Edit, Say
from harness.scenario.stories.loading import Story
from harness.world.rooms import Reply, Rooms, Unscripted, plain
from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect

SCRIBE_SECONDS = 2.0
FAILS = ("no model", "error", "timeout")
Key = tuple[str, str, int]
"""What is answered: `line` or `card` and which, or `edit` or `gone` and the line's how manieth edit."""


def answers_of(story: Story) -> dict[Key, Any]:
    """What the scribe answers where the story says so."""
    return dict(_answers(story))


def key_of(rooms: Rooms, effect: Effect, label: str, cards: list[str]) -> Key:
    """What an effect asks about; `label` is that of the line, `cards` are what cards of the story ask."""
    ((version, source, root, message, seq),) = rooms.ask(
        "SELECT s.version, q.source, q.root, q.message, q.seq FROM scribings s JOIN quotes q ON q.id = s.quote"
        " WHERE s.effect = ?",
        effect.id,
    )
    if version:
        return "gone", label, version - 1
    if source == "answer":
        asked = effect.body["question"] or ""
        return "card", next((card for card in cards if card in asked), asked), 0
    if root is None:
        return "line", label, 0
    edits = "SELECT count(*) FROM events WHERE kind = 'Edited' AND json_extract(body, '$.message') = ? AND seq <= ?"
    return "edit", label, rooms.ask(edits, message, seq)[0][0] - 1


def line_of(rooms: Rooms, effect: Effect) -> int | None:
    """The message that an effect is about."""
    ((message,),) = rooms.ask(
        "SELECT ifnull(q.message, (SELECT min(id) FROM messages m WHERE m.seq = q.seq AND m.author = 'user'))"
        " FROM scribings s JOIN quotes q ON q.id = s.quote WHERE s.effect = ?",
        effect.id,
    )
    return None if message is None else int(message)


def reply(effect: Effect, written: Any, lenient: bool) -> Reply:
    """An answer: rows as they are written, one of `FAILS`, or whatever text the model says."""
    raw, failure = None, None
    if isinstance(written, str) and written in FAILS:
        failure = written
    else:
        raw = written if isinstance(written, str) else plain(_numbered(effect, written, lenient))
    return Reply(
        effect.body["limit_ms"] / 1000 if failure == "timeout" else SCRIBE_SECONDS,
        lambda key, at: events.Scribed(
            key=key, at=at, effect=effect.id, raw=raw, failure=failure, model="scribe", cost=0.01
        ),
    )


def _answers(story: Story) -> Iterator[tuple[Key, Any]]:
    edits: dict[str, int] = {}
    for entry in told(story):
        if isinstance(entry, Say) and entry.scribe is not None:
            yield ("line", entry.label or entry.say, 0), entry.scribe
        if isinstance(entry, AnswerCard) and entry.scribe is not None:
            yield ("card", entry.answer, 0), entry.scribe
        if isinstance(entry, Edit):
            nth = edits.get(entry.edit, 0)
            edits[entry.edit] = nth + 1
            if entry.scribe is not None:
                yield ("edit", entry.edit, nth), entry.scribe
            if entry.gone is not None:
                gone = entry.gone if isinstance(entry.gone, str) else {"gone": entry.gone}
                yield ("gone", entry.edit, nth), gone


def _numbered(effect: Effect, written: dict[str, Any], lenient: bool) -> dict[str, Any]:
    """An answer with the numbers of the entries that it names by their words."""
    known = {entry["quote"]: entry["number"] for entry in effect.body["entries"]}
    return {name: [_row(row, known, lenient) for row in each] for name, each in written.items()}


def _row(row: Any, known: dict[str, int], lenient: bool) -> Any:
    if isinstance(row, str):
        return _number(row, known, lenient)
    if isinstance(row, dict) and isinstance(row.get("entry"), str):
        return {**row, "entry": _number(row["entry"], known, lenient)}
    return row


def _number(words: str, known: dict[str, int], lenient: bool) -> int:
    if words not in known and not lenient:
        raise Unscripted(f"the scribe is to name the entry {words!r}, and is shown {sorted(known)}")
    return known.get(words, 0)
