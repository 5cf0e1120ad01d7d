"""Whether a candidate carries what was said: all of it, nothing else, in order, once, byte for byte.

Both sides are compared as bytes and in both directions. `planted` looks without any parser, so that no
mistake of a parser can hide a lost sentence from both.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from harness.oracle.candidate import Block, blocks_of
from harness.oracle.compare import Difference, differences
from harness.oracle.settings import DEFAULTS, Settings
from harness.oracle.speech import Said, by_turn, said
from harness.oracle.utterance import Utterance

SAMPLES = 12
"""Sentences that a recall check takes of each side."""
SHORTEST = 4
"""Characters that a sentence must have to be worth looking for."""


@dataclass(frozen=True)
class Finding:
    """One thing wrong with a candidate. A place is (line, offset in bytes), None where there is nothing.

    Codes: left-out, invented, doubled, out-of-order, role-changed, re-encoded, changed, split-text,
    split-row, unmarked, startup-missing, startup-invented, startup-misplaced, runtime-changed,
    not-the-same-again.
    """

    code: str
    sentence: str
    source: tuple[int, int] | None
    candidate: tuple[int, int] | None


def judge(source: Path, candidate: Path, settings: Settings, dropped_oldest_turns: int = 0) -> list[Finding]:
    """What is wrong with `candidate` as a carry of `source`; empty where they agree.

    `dropped_oldest_turns` turns are missing at the oldest end, whole (TR-069). Raises OSError if a file
    cannot be read. Rules: TR-017, TR-034, TR-036, TR-L06 … TR-L08.
    """
    spoken = said(source, settings)
    turns = by_turn(spoken.utterances)[dropped_oldest_turns:]
    wanted = [each for turn in turns for each in turn]
    blocks = blocks_of(candidate)
    seen = [block for block in blocks if block.is_said]
    found = [_finding(difference) for difference in differences(wanted, seen)]
    if not found:
        found += _row_findings(wanted, seen)
    found += [
        Finding("unmarked", f"nothing says whose {_short(block.text)} is", None, _place(block))
        for block in blocks
        if not block.word
    ]
    found += _startup_findings(spoken, blocks)
    found += _runtime_findings(spoken, blocks, len(spoken.utterances) - len(wanted))
    again = [(each.role, each.token) for each in said(candidate).utterances]
    if again != [(block.role, block.token) for block in seen]:
        sentence = "read as a transcript, the candidate does not say what its marks say"
        found.append(Finding("not-the-same-again", sentence, None, None))
    return found


def planted(candidate: Path, sentences: Iterable[str]) -> dict[str, int]:
    """How often each sentence stands in the file's bytes, in either JSON spelling; nothing is parsed."""
    raw = candidate.read_bytes()
    return {sentence: sum(raw.count(spelling) for spelling in _spellings(sentence)) for sentence in sentences}


def recall_samples(source: Path, settings: Settings = DEFAULTS) -> dict[str, tuple[str, ...]]:
    """Real sentences by role, up to `SAMPLES` each, spread from the first to the last (TR-156).

    None of them stands in what the other side said: a quotation would hide a lost message. The settings decide what
    counts as said: with private lines nothing that was said in a group, for one.
    """
    spoken = said(source, settings).utterances
    samples = {}
    for role in ("user", "assistant"):
        others = "\n".join(each.text for each in spoken if each.role != role)
        found = [_sentence(each, others) for each in spoken if each.role == role]
        kept = list(dict.fromkeys(sentence for sentence in found if sentence))
        last = len(kept) - 1
        picked = {round(step * last / (SAMPLES - 1)) for step in range(SAMPLES)} if kept else set()
        samples[role] = tuple(kept[place] for place in sorted(picked))
    return samples


def _spellings(sentence: str) -> set[bytes]:
    """The bytes between the quotes, with and without escapes; a lone surrogate has only the escaped form."""
    spellings = {json.dumps(sentence)[1:-1].encode()}
    with suppress(UnicodeEncodeError):
        spellings.add(json.dumps(sentence, ensure_ascii=False)[1:-1].encode())
    return spellings


def _sentence(each: Utterance, others: str) -> str:
    """The longest sentence of a text that its bytes spell as JSON would, and that is not in `others`."""
    pieces = (piece.strip() for piece in re.split(r"(?<=[。！？!?])|[\n\r]", each.text))
    fit = [
        piece
        for piece in pieces
        if len(piece) >= SHORTEST
        and piece not in others
        and any(spelling in each.token for spelling in _spellings(piece))
    ]
    return max(fit, key=len, default="")


def _place(where: Utterance | Block | None) -> tuple[int, int] | None:
    return (where.line, where.offset) if where else None


def _short(text: str) -> str:
    return repr(text[:40])


def _finding(difference: Difference) -> Finding:
    code, wanted, seen = difference
    sentences = {
        "left-out": "was said and is not in the candidate",
        "invented": "is in the candidate and nobody said it",
        "doubled": "is in the candidate more often than it was said",
        "out-of-order": "stands in another place of the talk",
        "role-changed": "is put into the other's mouth",
        "re-encoded": "has the same words in other bytes",
        "changed": "has other words",
        "split-text": "is not one block",
    }
    speaker = wanted or seen
    assert speaker is not None
    sentence = f"{speaker.role} {_short(speaker.text)} {sentences[code]}"
    return Finding(code, sentence, _place(wanted), _place(seen))


def _row_findings(wanted: Sequence[Utterance], seen: Sequence[Block]) -> list[Finding]:
    """Neighbouring user texts are blocks of one row, and so are the texts of one assistant message alone."""
    found = []
    for place in range(1, len(wanted)):
        one, other = wanted[place - 1], wanted[place]
        if one.role != other.role:
            continue
        is_one = one.role == "user" or one.node == other.node
        if is_one != (seen[place - 1].line == seen[place].line):
            what = "are not blocks of one row" if is_one else "are blocks of one row"
            sentence = f"{_short(one.text)} and {_short(other.text)} {what}"
            found.append(Finding("split-row", sentence, _place(other), _place(seen[place])))
    return found


def _startup_findings(spoken: Said, blocks: Sequence[Block]) -> list[Finding]:
    """Each reminder once, in order and before the talk, and nothing that is no slice of the package."""
    carried = [block for block in blocks if block.word == "startup"]
    has_begun = False
    found = []
    for block in blocks:
        has_begun |= block.is_said
        if has_begun and block.word == "startup":
            sentence = f"{_short(block.text)} stands after the talk has begun"
            found.append(Finding("startup-misplaced", sentence, None, _place(block)))
    sources = [each.token[1:-1] for each in spoken.startup]
    joined, at = b"\n".join(block.token[1:-1] for block in carried), 0
    for each, inner in zip(spoken.startup, sources, strict=True):
        place = joined.find(inner, at)
        if place < 0:
            sentence = f"{_short(each.text)} was loaded at the start and is not in its place"
            found.append(Finding("startup-missing", sentence, _place(each), None))
        else:
            at = place + len(inner)
    seen: Counter[bytes] = Counter()
    for block in carried:
        seen[block.token] += 1
        times = sum(source.count(block.token[1:-1]) for source in sources)
        if seen[block.token] > times:
            sentence = f"{_short(block.text)} was not loaded at the start, or not so often"
            found.append(Finding("startup-invented", sentence, None, _place(block)))
    return found


def _runtime_findings(spoken: Said, blocks: Sequence[Block], dropped: int) -> list[Finding]:
    """Of the runtime's own texts exactly the summaries of talk that is not in the file are there (TR-015)."""
    wanted = [each.token for each in spoken.summaries]
    first_said = next((place for place, block in enumerate(blocks) if block.is_said), len(blocks))
    carried = [(place, block) for place, block in enumerate(blocks) if block.word == "runtime"]
    seen = [block.token for _, block in carried]
    if (seen == wanted and all(place < first_said for place, _ in carried)) or (dropped and not seen):
        return []
    sentence = f"{len(seen)} texts of the runtime's are carried, {len(wanted)} had to be, before the talk"
    source = _place(spoken.summaries[0]) if spoken.summaries else None
    return [Finding("runtime-changed", sentence, source, _place(carried[0][1]) if carried else None)]
