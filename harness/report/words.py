"""The run log's codes in plain words, for somebody who has never read the rules.

A code that is not listed here is shown as it is, without a guess at its meaning.
"""

from collections.abc import Sequence
from typing import Any

WARNINGS = {
    "unreadable-line": "A line is not readable as a row. What it held cannot be known.",
    "torn-tail": "The last line breaks off in the middle, as after a crash or a full disk.",
    "lone-surrogate": "A text holds half a character. It is carried as it is, yet some programs refuse it.",
    "fork": "The talk was rewound: two branches follow one row. The last is carried, the other listed.",
    "dangling-parent": "A row follows one that is not in the file. The row before it in the file stands in.",
    "extra-root": "The talk starts anew in the middle of the file. Both parts are carried, in file order.",
    "duplicate-uuid": "Two rows have one identifier and say different things. The last one is carried.",
    "runtime-text": "Claude Code itself wrote this text. It is no word of a person or of the assistant.",
    "unsent-reply": "The assistant tried to send this reply and the sending failed. It stays behind.",
    "mixed-versions": "Several versions of Claude Code wrote this file.",
    "cycle": "Rows follow each other in a circle. The link that closes it counts as broken.",
    "reply-shape": "A reply tool was called without its text in the usual place. It is listed, not guessed.",
    "poison": "The talk holds signs of refusals that would spoil the new session.",
    "unknown-record": "Rows of this kind were never seen before. Nobody knows yet whether they hold speech.",
    "failed-turn": "A turn is proven to have failed. What it left behind is not carried; what people said is.",
    "thinking-model": "Thinking of another model is in the span. The new session's model will not be given it.",
    "row-without-model": "Rows of the assistant name no model. Some versions do not resume such a session.",
    "span-over-budget": "The last turn alone is over the budget of the retained area. It is kept whole.",
    "needs-human": "Something in the span cannot be proven. The window stays as it is until a person has looked.",
    "span-differs": "The new session does not hold the old messages byte for byte. The window stays as it is.",
    "note-too-long": "The note alone is over the budget of the whole retained area.",
    "still-full": "Right after this change the window would be full again. The window stays as it is.",
    "nothing-to-carry": "No word of a person or of the assistant was found.",
}

JUDGES = {
    "verification": "Verification: the new file, read back from disk",
    "oracle": "Oracle: a second, independent reader of the source",
    "expectation": "Expectation: what was written down about it beforehand",
    "invariant": "Invariant: what must hold whatever the transcript",
    "lab": "Lab: the real Claude Code, offline, that resumed the new session",
}

LABELS = {
    "refused": "It was refused, and nobody had stated that it would be.",
    "oracle": "An independent reading finds other words.",
    "verification": "The new file, read back, is not what was to be written.",
    "invariant": "Something is broken that has to hold whatever happens.",
    "expectation": "What was stated beforehand did not come true.",
    "other": "None of these.",
}

ORIGINS = {
    "speech": "",
    "channel": "over a channel",
    "queued": "sent while the assistant was busy",
    "reply": "through a reply tool",
    "startup": "startup snapshot",
    "runtime": "written by Claude Code itself",
    "stamp": "time stamp",
}

WIRE = {
    "same": "the same bytes",
    "changed": "changed by Claude Code",
    "added": "added by Claude Code",
    "lost": "lost",
    "foreign": "nobody's",
}

NO_CONTROL = "nothing seen; that something could be is not known from this run, but from a sabotaged one (controls)"

INCIDENT = {"same": "As it was recorded", "differs": "Otherwise than recorded"}

LEFT = (
    ("paths", "Files whose content stays behind", "file", "files"),
    ("commands", "Commands whose output stays behind", "command", "commands"),
)
ABOUT = 120  # characters of one thing that an event says
LONG_LIST = 50  # longer lists are folded into chunks of as many

ACCEPTANCE = {
    "GO": "GO, as far as can be checked",
    "NO-GO": "NO-GO: production stays as it is",
}

DRILL = {
    "passed": "The drill passed",
    "failed": "The drill failed",
}
STAGE = {True: "seen", False: "not seen", None: "not reached"}

REPORTED = "Refused, as expected; carried with --malformed report"

WINDOW = {
    "rows": "messages kept whole",
    "calls": "tool calls",
    "results": "tool results",
    "thinking_rows": "with thinking",
    "retained_tokens": "tokens of dialogue, opening and note",
    "note_tokens": "tokens of the note",
    "from_line": "first line kept",
}

CHAIN = {
    "rows": "rows read",
    "roots": "beginnings",
    "forks": "rewinds",
    "dangling": "broken links",
    "duplicates": "identifiers used twice",
    "cycles": "circles",
}

TODAYS_PROMPT = (
    "The new session sees this old snapshot and today's system prompt together: on resume Claude Code builds "
    "its system prompt from today's instruction file, settings and MCP configuration. The snapshot alone is "
    "therefore not the whole start of the new session."
)  # TR-041


ACTS = {
    "Edited": "changes a line",
    "Withdrawn": "takes a line back",
    "Inserted": "wants a line read at once",
    "SessionCleared": "clears a session",
    "SessionDeleted": "deletes a group",
    "BoardEdited": "writes on the board",
    "TicketEdited": "changes a ticket",
    "BotRetired": "retires a Bot",
    "LeadSet": "names a lead",
    "ModelChosen": "chooses a model",
    "ModelMarked": "tells what a model can see",
    "ControlPressed": "presses a button on a line",
    "StopPressed": "presses Stop",
    "HoldMade": "stops work from a menu",
    "HoldLifted": "lifts a hold",
    "Continued": "presses continue",
    "Answered": "answers a card",
    "WorkAnswered": "answers what work waits for",
    "Approved": "decides on a call",
    "WorkResumed": "lets work go on",
    "Started": "sees it come up again",
}
"""What the user of a story of rooms does beside speaking, and sees happen to the application."""

BECAME = {
    "opened a turn": "opened",
    "was read at a turn's next step": "read",
    "was the answer to its question": "read",
    "waits unread": "waits",
    "is kept by a hold": "waits",
    "did not wake it": "not",
}
"""How a line's coming to a Bot is drawn."""

HEARD = (
    ("opened", "opened a turn"),
    ("read", "read in a turn that runs"),
    ("waits", "waits unread"),
    ("not", "woke nobody there"),
)


def meaning(code: str | None) -> str:
    """What a warning or a reason for refusing means, or nothing for an unknown code."""
    return WARNINGS.get(code or "", "")


def headline(judged: str | None, candidate: str | None, expected: bool, failed: bool) -> str:
    """The verdict in words: what was judged (None: nothing), what became of it, whether that was expected, and whether
    a check fails.
    """
    if judged is None:
        return "Not judged"
    if candidate == "refused" and not expected and not failed:
        return "Refused"
    if judged != "green":
        return {"carried": "Red, although carried", "refused": "Red, refused"}.get(candidate or "", "Red")
    if candidate == "refused":
        return "Refused, as expected"
    return "Carried and green" if candidate == "carried" else "Green"


def checked(made: int, failed: int) -> str:
    """How many checks were made and how many of them fail, as a sentence."""
    if not made:
        return "No check was made."
    return f"{count(made, 'check was', 'checks were')} made; {f'{failed:,}' if failed else 'none'} failed."


def count(number: int, one: str, many: str) -> str:
    """`1 turn`, `5,000 turns`."""
    return f"{number:,} {one if number == 1 else many}"


def about(event: dict[str, Any]) -> str:
    """What an event says beside what it is, shortly."""
    left_out = {"step", "kind", "transcript", "at", "ms", "what", "key"}
    said = {name: value for name, value in event.items() if name not in left_out and value not in (None, "", [], {})}
    return joined([f"{name} {value}"[:ABOUT] for name, value in said.items()])


def chunks(found: Sequence[Any]) -> list[tuple[int, Sequence[Any]]]:
    """A long list in pieces, each with the number of its first, counted from 1."""
    return [(at + 1, found[at : at + LONG_LIST]) for at in range(0, len(found), LONG_LIST)]


def joined(parts: Sequence[str]) -> str:
    """The parts that say something, with a middle dot between them."""
    return " · ".join(part for part in parts if part)
