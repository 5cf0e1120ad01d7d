"""What of a story of rooms is not as it has to be, as far as can be told from outside (`harness.oracle.collab`)."""

import json
from collections.abc import Iterator

from harness.oracle.collab import Line, Seen, is_of, read_by


def faults(seen: Seen) -> Iterator[tuple[str, str]]:
    """What of a story is not as it has to be: which demand, and what is wrong."""
    yield from (("reach", fault) for fault in _unreached(seen))
    yield from (("once", fault) for fault in _answered_twice(seen))
    yield from (("beside", fault) for fault in _beside_each_other(seen))
    repeated = sorted({call for call in seen.begun if seen.begun.count(call) > 1})
    yield from (("tools", f"the tool of call {call} was begun {seen.begun.count(call)} times") for call in repeated)


def _unreached(seen: Seen) -> Iterator[str]:
    for line in seen.lines:
        readers = [bot for bot, _ in read_by(seen, line)]
        if line.gone or line.receivers is None or sum(_same(line, other) for other in seen.lines) > 1:
            continue
        for bot in sorted(line.receivers - seen.retired):
            if bot in readers or _answered_with(seen, bot, line) or _waits(seen, bot):
                continue
            if not _taken_along(seen, bot, line) and not _kept_back(seen, bot, line):
                yield f"{line.words[0]!r} is for {bot}, who never read it"
        for bot in sorted({*readers} - line.receivers):
            turns = [turn for turn in seen.turns.values() if turn.bot == bot]
            at_work = any(turn.plans for turn in turns if any(is_of(words, line) for words in turn.read.values()))
            if not at_work:
                yield f"{line.words[0]!r} is not for {bot}, who read it, at work on no plan"


def _taken_along(seen: Seen, bot: str, line: Line) -> bool:
    """Whether a line that a kept hold was over stood before a Bot that goes on from a later one (HOLD-83)."""
    own = [turn for turn in seen.turns.values() if turn.bot == bot and turn.last >= line.at]
    later = [other for other in seen.lines if other.session == line.session and other.at > line.at]
    return any(turn.only_answers for turn in own) and any(
        any(words in turn.transcript for words in line.words)
        and any(is_of(words, other) for words in turn.read.values() for other in later)
        for turn in own
        if not turn.only_answers
    )


def _kept_back(seen: Seen, bot: str, line: Line) -> bool:
    """Whether a hold stands that may be over what a line is about, so that it waits for the lift (HOLD-33)."""
    return any(
        seen.numbered.get(hold["bot"], bot) == bot
        and hold["session"] in (None, line.session)
        and (hold["turn"] not in seen.turns or seen.turns[hold["turn"]].bot == bot)
        for hold in seen.standing.values()
    )


def _answered_twice(seen: Seen) -> Iterator[str]:
    for line in seen.lines:
        if sum(_same(line, other) for other in seen.lines) > 1 or line.receivers is None:
            continue
        spoke: dict[tuple[str, frozenset[int]], list[int]] = {}
        for bot, number in read_by(seen, line):
            turn = seen.turns[number]
            if turn.spoke_last and not turn.continues:
                spoke.setdefault((bot, frozenset(turn.plans)), []).append(number)
        for (bot, _), numbers in spoke.items():
            if len(numbers) > 1:
                yield f"{line.words[0]!r} was answered by {bot} in turns {numbers} of one matter"


def _beside_each_other(seen: Seen) -> Iterator[str]:
    turns = [turn for turn in seen.turns.values() if turn.plans]
    for at, turn in enumerate(turns):
        for other in turns[at + 1 :]:
            if turn.bot != other.bot or not turn.plans & other.plans:
                continue
            begun, began = max(turn.plan_since or 0, other.plan_since or 0), min(turn.last, other.last)
            if begun < began:
                yield f"{turn.bot} worked on plan {turn.plans & other.plans} in turns {turn.number} and {other.number}"


def _answered_with(seen: Seen, bot: str, line: Line) -> bool:
    return any(
        json.dumps(words, ensure_ascii=False)[1:-1] in answer
        for turn in seen.turns.values()
        if turn.bot == bot
        for answer in turn.answers
        for words in line.words
    )


def _waits(seen: Seen, bot: str) -> bool:
    """Whether a Bot is still at something, so that what it has not read may wait for that."""
    return any(turn.open and (turn.asked or turn.may_wait) for turn in seen.turns.values() if turn.bot == bot)


def _same(line: Line, other: Line) -> bool:
    return bool(set(line.words) & set(other.words))
