"""How two talks differ: matched as a whole first, then what is left over is named one by one.

What is left over on both sides is paired by the nearest explanation, so that one damage gives one finding.
"""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from harness.oracle.candidate import Block
from harness.oracle.utterance import Utterance

Difference = tuple[str, Utterance | None, Block | None]
"""(code, what was said, what is carried); codes as in `judge.Finding`."""


def differences(wanted: Sequence[Utterance], seen: Sequence[Block]) -> list[Difference]:
    """Empty exactly where both sides have the same roles and tokens in the same order."""
    ours = [(each.role, each.token) for each in wanted]
    theirs = [(block.role, block.token) for block in seen]
    if ours == theirs:
        return []
    left: list[Utterance] = []
    extra: list[Block] = []
    found: list[Difference] = []
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            found += _splits(list(wanted[a:b]), list(seen[c:d]), left, extra)
    explanations: list[tuple[str, Callable[[Utterance, Block], bool]]] = [
        ("out-of-order", lambda one, other: (one.role, one.token) == (other.role, other.token)),
        ("role-changed", lambda one, other: one.token == other.token),
        ("re-encoded", lambda one, other: (one.role, one.text) == (other.role, other.text)),
        ("changed", lambda one, other: one.role == other.role and _is_near(one.text, other.text)),
    ]
    for code, explains in explanations:
        found += _paired(code, explains, left, extra)
    found += [("left-out", each, None) for each in left]
    tokens = {(each.role, each.token): each for each in wanted}
    for block in extra:
        original = tokens.get((block.role, block.token))
        found.append(("doubled" if original else "invented", original, block))
    return found


def _paired(
    code: str, explains: Callable[[Utterance, Block], bool], left: list[Utterance], extra: list[Block]
) -> list[Difference]:
    """Take out of both lists the pairs that `explains` holds for."""
    found: list[Difference] = []
    for each in list(left):
        block = next((block for block in extra if explains(each, block)), None)
        if block is not None:
            left.remove(each)
            extra.remove(block)
            found.append((code, each, block))
    return found


def _splits(ours: list[Utterance], theirs: list[Block], left: list[Utterance], extra: list[Block]) -> list[Difference]:
    """Texts cut into several blocks, or several put into one; the rest goes to `left` and `extra`."""
    found: list[Difference] = []
    while ours and theirs:
        cut = _run(ours[0].text, [block.text for block in theirs])
        joined = _run(theirs[0].text, [each.text for each in ours])
        if cut < 2 and joined < 2:
            break
        found.append(("split-text", ours[0], theirs[0]))
        del ours[: max(joined, 1)], theirs[: max(cut, 1)]
    left += ours
    extra += theirs
    return found


def _run(whole: str, pieces: Sequence[str]) -> int:
    """How many of the first `pieces`, put together, are `whole`; 0 where none are."""
    for count in range(1, len(pieces) + 1):
        if "".join(pieces[:count]) == whole:
            return count
    return 0


def _is_near(one: str, other: str) -> bool:
    """Whether one text was made out of the other: it holds it, or they begin and end alike for half of it."""
    if one in other or other in one:
        return True
    size = min(len(one), len(other))
    head = next((place for place in range(size) if one[place] != other[place]), size)
    tail = next((place for place in range(size) if one[-1 - place] != other[-1 - place]), size)
    return 2 * (head + tail) >= max(len(one), len(other))
