"""Turns: a run of user messages and the assistant speech after it, up to the next user message."""

from collections.abc import Iterable
from itertools import pairwise

from threadrebuild.transcript.speech import Turn, Utterance


def turns_of(utterances: Iterable[Utterance]) -> list[Turn]:
    """Group utterances in order of talk into turns, numbered from 1 (TR-018, TR-019, TR-021).

    Assistant speech before the first user message forms an opening turn (TR-L11).
    """
    said = list(utterances)
    before = [None, *said]
    begins = [place for place, utterance in enumerate(said) if _begins_turn(utterance, before[place])]
    ends = pairwise([*begins, len(said)])
    return [Turn(number, said[begin:end]) for number, (begin, end) in enumerate(ends, 1)]


def _begins_turn(utterance: Utterance, before: Utterance | None) -> bool:
    return (
        before is None  # TR-L11
        or (
            utterance.role == "user"  # TR-018 TR-021
            and before.role == "assistant"  # TR-019
        )
    )
