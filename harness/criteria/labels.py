"""Failures by label: every red one gets exactly one, and the labels add up to the failures.

Labels differ in their evidence, their fix and their acceptance, so that the fix of one is never taken for another's.
"""

from collections.abc import Iterable, Sequence

from harness.report.words import LABELS

REFUSED, OTHER = "refused", "other"


def label_of(why: Sequence[str], refused: bool = False) -> str:
    """The label of one failure, by what failed; `why` holds a line for each, which begins with who says so.

    Of several that fit it is the first of `LABELS`, which says more about what is wrong.
    """
    by = {line.partition(" ")[0] for line in why} | ({REFUSED} if refused else set())
    return next(
        (
            label
            for label in LABELS
            if label in by  # CR-08
        ),
        OTHER,
    )


def counted(failures: Iterable[str]) -> dict[str, int]:
    """How many failures have each label, those without any failure as well: a zero is only one among all of them."""
    counts = dict.fromkeys(LABELS, 0)
    for label in failures:
        counts[label] += 1  # CR-08
    return counts
