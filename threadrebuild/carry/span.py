"""The retained span: where it begins, so that it is as long as its budget allows and no message or pair is cut in two.

The budget counts dialogue, opening carry-over (the startup snapshot) and note alone. Tool traffic and thinking in the
span come along without counting.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from threadrebuild.carry.note import Note
from threadrebuild.carry.plan import Plan, estimate
from threadrebuild.carry.record_rows import RecordRow
from threadrebuild.transcript.speech import StartupBlock


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the span begins: the first row that is retained (of the record), the first turn, the tokens that count."""

    row: int
    turn: int
    tokens: int


def find_cut(plan: Plan, rows: Sequence[RecordRow], note: Note) -> Cut:
    """The earliest beginning within the budget; where the last turn alone is over it, that turn (WN-09)."""
    places = {line: place for place, row in enumerate(rows) for line in row.lines}
    budget = plan.settings.retained_tokens
    open_pairs = _open_pairs(rows)
    best: Cut | None = None
    dialogue = 0
    for turn in reversed(plan.turns):
        dialogue += plan.tokens[turn.number]
        in_file = (places[said.line] for said in turn.utterances if said.line in places)
        lines = {said.line for said in turn.utterances if said.role == "user"}
        dialogue += sum(rows[places[line]].image_tokens for line in lines if line in places)
        begin = _whole_message(rows, next(in_file, len(rows)))
        opening = sum(estimate(block.token, plan.settings) for block in before(plan.source.startup, places, begin))
        tokens = 0
        tokens += dialogue  # WN-09
        tokens += opening  # WN-09
        tokens += note.tokens  # WN-09
        if best is not None and tokens > budget:  # WN-09
            break
        if open_pairs[begin]:
            continue
        # What was typed while a tool ran belongs to the turn that the tool works for.
        if turn.number == 1 or begin == len(rows) or rows[begin].prompts:
            best = Cut(begin, turn.number, tokens)
    return best or Cut(0, 1, dialogue + note.tokens)


def before(blocks: Sequence[StartupBlock], places: dict[int, int], begin: int) -> list[StartupBlock]:
    """The blocks of the startup snapshot that do not stand in the span itself."""
    return [block for block in blocks if places.get(block.line, -1) < begin]


def _whole_message(rows: Sequence[RecordRow], place: int) -> int:
    while 0 < place < len(rows) and rows[place - 1].node == rows[place].node:
        place -= 1
    return place


def _open_pairs(rows: Sequence[RecordRow]) -> list[int]:
    """For each place a cut may have: how many calls stand before it whose results stand behind it."""
    called = {call: place for place, row in enumerate(rows) for call in row.calls}
    pairs: list[tuple[int, int]] = []
    for place, row in enumerate(rows):
        for call, _ in row.results:
            pairs.append((called.get(call, place), place))  # WN-03
    steps = [0] * (len(rows) + 1)
    for called_at, answered_at in pairs:
        steps[called_at + 1] += 1
        steps[answered_at + 1] -= 1
    return list(accumulate(steps))
