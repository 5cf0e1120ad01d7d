"""What holds after every reviewed chat, also after a crash at any step: judged by the lines of its run log.

Only whether a message was lost needs the store as well: what it says about each message is compared with what was seen.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from harness.oracle.review import courses_of, mailbox_differs, revised_too_often, tools_under_seal, unsettled_shown
from harness.scenario.stories.kinds import StoryInvariant


class Chat(Protocol):
    """A chat that is over. `states`: what the store says of each message; `said`: the ids of all that the user sent."""

    @property
    def lines(self) -> Sequence[dict[str, Any]]: ...
    @property
    def states(self) -> dict[str, str]: ...
    @property
    def said(self) -> Sequence[str]: ...
    @property
    def surprises(self) -> Sequence[str]: ...


def _lost(chat: Chat) -> Iterator[str]:
    courses = courses_of(chat.lines)
    for message in chat.said:
        state = chat.states.get(message)
        shown = bool(message in courses and courses[message].saw)
        if state is None:
            yield f"message {message} never arrived"
        elif state not in ("sent", "failed", "stopped", "waiting", "drafting", "revision", "final"):
            yield f"message {message} is {state} for ever"
        elif shown != (state == "sent"):
            yield f"message {message} is {state}, and the phone showed {'an' if shown else 'no'} answer"


def _surprised(chat: Chat) -> Iterator[str]:
    yield from chat.surprises


def _by_lines(judge: Callable[[Sequence[dict[str, Any]]], Iterator[str]]) -> Callable[[Chat], Iterator[str]]:
    return lambda chat: judge(chat.lines)


REVIEW_INVARIANTS = (
    StoryInvariant("RV-35", "what is shown is settled, and shown once", _by_lines(unsettled_shown)),
    StoryInvariant("RV-02", "no tool runs after the draft", _by_lines(tools_under_seal)),
    StoryInvariant("RV-06", "the mailbox holds what was sent", _by_lines(mailbox_differs)),
    StoryInvariant("RV-12", "one revision at most", _by_lines(revised_too_often)),
    StoryInvariant("WN-16", "no message is lost", _lost),
    StoryInvariant("WN-16", "nothing ends by an error that nobody foresaw", _surprised),
)
