"""A window change: the old talk folded into one note, the recent span kept whole, both in a new session.

It is due when the context has reached the line, and does the whole job at once: right after it the context must be
below the line again. Where anything is not as it was, or cannot be told, nothing is changed.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from threadrebuild.carry.failures import Excluded, FailedTurn, Unproven, excluded_from, prove_whole
from threadrebuild.carry.note import Note
from threadrebuild.carry.places import SourceChanged
from threadrebuild.carry.plan import Malformed, Plan, Refusal, estimate, plan_file
from threadrebuild.carry.record import Record, read_record
from threadrebuild.carry.record_rows import RecordRow
from threadrebuild.carry.span import before, find_cut
from threadrebuild.carry.span_bytes import message_of
from threadrebuild.carry.stripping import Stripping, row_bytes, strip
from threadrebuild.config import Settings
from threadrebuild.transcript.ledger import ByteLedger
from threadrebuild.transcript.speech import StartupBlock, Utterance, Warning

NOTES = (
    "Thinking reaches the model only in rows of the model that the new session runs on: start it with that model.",
    "The host adds attachments of its own to a resumed session; those of the old one stay behind.",
    "What is older than the span is in the note as far as its writer put it there, and whole in the old transcript.",
)
"""What every report of a window change says."""


@dataclass(slots=True)
class Window:
    """What goes into the new window, in order: opening, note, retained rows, input that nobody has read."""

    note: Note
    opening: list[StartupBlock]
    rows: list[RecordRow]
    waiting: list[Utterance]
    stripping: Stripping
    excluded: list[Excluded]
    retained_tokens: int
    """Dialogue, opening carry-over and note (WN-09)."""
    context_tokens: int
    """What the old window holds, as the host read it or else estimated, fixed load included."""
    after_tokens: int
    """What the new window will hold, estimated, fixed load included."""
    line_tokens: int

    @property
    def due(self) -> bool:
        """Whether the old window is really full (WN-08, WN-11)."""
        return self.context_tokens >= self.line_tokens  # WN-08

    @property
    def thinking_models(self) -> list[str]:
        """The models of retained thinking, each once."""
        return list(dict.fromkeys(row.model or "" for row in self.rows if row.thinking))

    @property
    def model(self) -> str | None:
        """The model that the new session has to run on: that of the last assistant message."""
        return next((row.model for row in reversed(self.rows) if row.model), None)


def heading_of(window: Window) -> dict[str, object]:
    """What a manifest says of a window change."""
    after = window.stripping.breakpoint
    return {
        "carry": "note",
        "model": window.model,
        "excluded": [asdict(each) for each in window.excluded],  # WN-18
        "stripped_lines": sorted(window.stripping.taken),
        "cache_breakpoint": None if after is None else {"line": after.line, "uuid": after.uuid},  # WN-15
    }


def change_line(settings: Settings) -> int:
    """From how many tokens of context on a window is changed (WN-08)."""
    room = settings.context_limit_tokens - settings.closing_reserve_tokens
    room -= settings.window_margin_tokens  # WN-08
    return min(settings.window_line_tokens, room)


def plan_window(
    path: Path,
    settings: Settings,
    note: Note,
    malformed: Malformed = "block",
    failures: Sequence[FailedTurn] = (),
    context_reading: int | None = None,
) -> Plan:
    """Read a transcript and plan a window change; `plan.window` is None where it is refused before there is a span.

    `context_reading` is the host's own reading of the old window in tokens. Raises `UnreadableInput`.
    """
    # What shortens or stamps a dialogue has no say over whole messages.
    whole = msgspec.structs.replace(settings, carry_max_tokens=0, max_event_chars=0, stamp_turns=False)
    plan = plan_file(path, msgspec.structs.replace(whole, include_open_tail=True), malformed)
    if plan.refusal is not None:
        return plan
    try:
        record = read_record(plan.source, settings)
        _settle(plan, record, note, failures, context_reading)
    except Unproven as torn:
        plan.refusal = Refusal("needs-human", torn.line, f"line {torn.line}: {torn}; a person has to look")  # WN-19
    except SourceChanged as changed:
        plan.refusal = Refusal("source-changed", 0, str(changed))
    return plan


def _settle(
    plan: Plan, record: Record, note: Note, failures: Sequence[FailedTurn], context_reading: int | None
) -> None:
    settings, source = plan.settings, plan.source
    if note.tokens > settings.retained_tokens:  # WN-09
        detail = f"the note alone takes {note.tokens:,} tokens of the {settings.retained_tokens:,} for the whole area"
        plan.refusal = Refusal("note-too-long", 0, detail)
        return
    cut = find_cut(plan, record.rows, note)
    places = {line: place for place, row in enumerate(record.rows) for line in row.lines}
    opening = before(source.startup, places, cut.row)
    retained = [row for row in record.rows[cut.row :] if not row.older_note]
    replies = {said.line for said in source.utterances if said.origin == "reply" and said.fate == "carried"}
    excluded = excluded_from(retained, replies, failures)
    left_out = {line for each in excluded for line in each.lines}
    kept = [row for row in retained if row.line not in left_out]
    with source.path.open("rb") as file:
        stripping = strip(kept, file)
    kept = [row for row in kept if row.line not in stripping.gone]
    prove_whole(kept, replies, excluded)
    _prove_order(plan, kept)
    after = note.tokens + sum(estimate(block.token, settings) for block in opening) + sum(row.tokens for row in kept)
    plan.window = Window(
        note=note,
        opening=opening,
        rows=kept,
        waiting=[said for said in source.utterances if said.line not in places and said.fate == "carried"],
        stripping=stripping,
        excluded=excluded,
        retained_tokens=cut.tokens,
        context_tokens=context_reading or settings.fixed_load_tokens + record.context_tokens,
        after_tokens=settings.fixed_load_tokens + after,
        line_tokens=change_line(settings),
    )
    source.startup = opening
    _account(plan, record, cut.row)
    _note_fates(plan, places, cut.row, left_out)
    plan.selected = [turn for turn in plan.turns if turn.number >= cut.turn]
    _warn(plan, plan.window)
    if plan.window.after_tokens >= plan.window.line_tokens:  # WN-12
        detail = f"the new window would hold {plan.window.after_tokens:,} tokens, at or over the line of "
        plan.refusal = Refusal("still-full", 0, f"{detail}{plan.window.line_tokens:,}: one change would not do")


def _prove_order(plan: Plan, kept: Sequence[RecordRow]) -> None:
    """Raises `Unproven` where a line of the span cannot be read, or what follows what there cannot be told."""
    circle = next((each.line for each in plan.source.order.breaks if each.code == "cycle"), 0)
    if circle:  # WN-19
        raise Unproven(circle, "its parents lead back to itself, so that the order of the span is a guess")
    first = min((row.line for row in kept), default=0)
    torn = next((bad.line for bad in plan.source.malformed if bad.line > first), 0)
    if torn:  # WN-19
        raise Unproven(torn, "a line in the span that cannot be read")


def _account(plan: Plan, record: Record, cut: int) -> None:
    """Book every byte of the source anew: what is carried whole, and why the rest is not."""
    assert plan.window is not None
    window, ledger = plan.window, ByteLedger()
    for name, count in record.shares.items():
        ledger.bytes[name] += count
    left_out = {line for each in window.excluded for line in each.lines}
    with plan.source.path.open("rb") as file:
        for place, row in enumerate(record.rows):
            if place < cut or row.older_note:
                ledger.bytes["folded"] += row.size
            elif row.line in left_out:
                ledger.bytes["failed_fragment"] += row.size
            elif row.line in window.stripping.gone:
                ledger.bytes["review_material"] += row.size
            else:
                message = message_of(row_bytes(row, file), row, window.stripping)
                ledger.bytes["span"] += len(message.carried)
                ledger.bytes["review_material"] += len(message.whole) - len(message.carried)
                ledger.bytes["envelope"] += row.size - len(message.whole)
    for block in window.opening:
        ledger.move(block.size, "folded", "startup")
    for said in window.waiting:
        ledger.move(said.size, "queue_log", "carried")
    plan.source.ledger = ledger


def _note_fates(plan: Plan, places: dict[int, int], cut: int, left_out: set[int]) -> None:
    for said in plan.source.utterances:
        if said.fate == "carried" and said.line in left_out:
            said.fate = "failed_fragment"
        elif said.fate == "carried" and places.get(said.line, cut) < cut:
            said.fate = "folded"


def _warn(plan: Plan, window: Window) -> None:
    for each in window.excluded:
        span = f"lines {min(each.lines)} to {max(each.lines)}" if each.lines else "no row"
        plan.warnings.append(Warning("failed-turn", min(each.lines, default=0), f"{span} left out: {each.reason}"))
    others = [model or "none" for model in window.thinking_models if model != window.model]
    if others:
        detail = f"thinking of {', '.join(others)} reaches no model on {window.model}"
        plan.warnings.append(Warning("thinking-model", 0, detail))
    nameless = [row.line for row in window.rows if row.kind == "assistant" and row.model is None and not row.by_host]
    if nameless:
        detail = f"{len(nameless)} assistant rows name no model; some hosts do not resume such a session"
        plan.warnings.append(Warning("row-without-model", nameless[0], detail))
    if window.retained_tokens > plan.settings.retained_tokens:
        over = window.retained_tokens - plan.settings.retained_tokens
        plan.warnings.append(Warning("span-over-budget", 0, f"the last turn alone is {over:,} tokens over the budget"))
