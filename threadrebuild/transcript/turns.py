"""Turns: a run of user messages and the assistant speech after it, up to the next user message."""

from collections.abc import Iterable

from threadrebuild.transcript.speech import Turn, Utterance


def turns_of(utterances: Iterable[Utterance]) -> list[Turn]:
    """Group utterances in order of talk into turns, numbered from 1 (TR-018, TR-019).

    Assistant speech before the first user message forms an opening turn (TR-L11).
    """
    turns: list[Turn] = []
    for utterance in utterances:
        if not turns:
            turns.append(Turn(number=1))
        elif utterance.role == "user" and not turns[-1].open:  # TR-018
            turns.append(Turn(number=len(turns) + 1))
        turns[-1].utterances.append(utterance)
    return turns
