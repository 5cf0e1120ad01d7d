"""What the CLI made of a rebuilt session on the wire, text by text, against what was carried.

Both are compared as they are; only where they differ is it said what the CLI did, and whether it may.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from harness.oracle.candidate import blocks_of

SYNTHETIC = {
    "No response requested.": "a reply of its own to what nobody had answered",
    "Continue from where you left off.": "a request of its own to go on",
}
REMINDER = "<system-reminder>"
EMPTY = "an empty system message"

State = Literal["same", "changed", "added", "lost", "foreign"]
BROKEN: frozenset[State] = frozenset({"lost", "foreign"})


@dataclass(frozen=True)
class Carried:
    """One text of the candidate; `row` is its line, 0 for the prompt that resumes."""

    role: str
    text: str
    row: int


@dataclass(frozen=True)
class Sent:
    """One text of a request; `message` is its place in `messages`."""

    role: str
    text: str
    message: int


@dataclass(frozen=True)
class Pair:
    """One line of the comparison: what was carried, what was sent, and what the CLI did to it.

    same: byte for byte. changed, added: in a way that is known. lost: nothing of it was sent. foreign: sent, and
    neither carried nor known.
    """

    state: State
    what: str
    carried: Carried | None
    sent: Sent | None

    @property
    def text(self) -> str:
        """As it was carried, or else as it was sent."""
        return self._place.text

    @property
    def _place(self) -> Carried | Sent:
        place = self.carried or self.sent
        assert place is not None
        return place

    def shown(self) -> dict[str, Any]:
        """As a row of the `wire` step of a run log."""
        return {
            "state": self.state,
            "what": self.what,
            "role": self._place.role,
            "row": self.carried.row if self.carried else None,
            "message": self.sent.message if self.sent else None,
            "carried": _plain(self.carried.text) if self.carried else None,
            "sent": _plain(self.sent.text) if self.sent else None,
        }


def carried_texts(candidate: Path, prompt: str) -> list[Carried]:
    """What has to be sent when the candidate is resumed with a prompt."""
    texts = [Carried(block.role, block.text, block.line) for block in blocks_of(candidate)]
    return [*texts, Carried("user", prompt, 0)]


def sent_texts(messages: Iterable[dict[str, Any]]) -> list[Sent]:
    """The texts of a request, with a mark for what is none; a content that is a string is one text."""
    found = []
    for place, message in enumerate(messages):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found += [Sent(message["role"], _text(block), place) for block in blocks or [{"type": "text", "text": ""}]]
    return found


def compare(carried: Sequence[Carried], sent: Sequence[Sent]) -> list[Pair]:
    """Every text of both sides once, in order."""
    ours = [(each.role, each.text) for each in carried]
    theirs = [(each.role, each.text) for each in sent]
    pairs: list[Pair] = []
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag == "equal":
            pairs += [Pair("same", "", *both) for both in zip(carried[a:b], sent[c:d], strict=True)]
        else:
            pairs += _explained(list(carried[a:b]), list(sent[c:d]))
    return pairs


def behaviour(pairs: Sequence[Pair]) -> list[str]:
    """What the CLI did, each once, sorted: changes, additions, and how it cut rows into messages."""
    done = {f"{pair.state}: {pair.what}" for pair in pairs if pair.what}
    both = [(pair.carried, pair.sent) for pair in pairs if pair.carried and pair.sent]
    for (row, message), (next_row, next_message) in pairwise(both):
        if row.row != next_row.row and message.message == next_message.message:
            done.add("changed: neighbouring rows are sent as one message")
        if row.row == next_row.row and message.message != next_message.message:
            done.add("changed: one row is sent as several messages")
    return sorted(done)


def _explained(ours: list[Carried], theirs: list[Sent]) -> Iterator[Pair]:
    for sent in theirs:
        known = next(((place, what) for place, one in enumerate(ours) if (what := _change(one, sent))), None)
        if known:
            place, what = known
            yield from (Pair("lost", "not sent", one, None) for one in ours[:place])
            yield Pair("changed", what, ours[place], sent)
            del ours[: place + 1]
        else:
            what = _addition(sent)
            yield Pair("added", what, None, sent) if what else Pair("foreign", "nobody said it", None, sent)
    yield from (Pair("lost", "not sent", one, None) for one in ours)


def _change(one: Carried, sent: Sent) -> str:
    """What the CLI did to a text, if it is one of the things that are known."""
    if one.role != sent.role:
        return ""
    if sent.text == one.text + "\n":
        return "a line break at the end of a row"
    halves = "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= each <= "\udfff" else each for each in one.text)
    return "half a surrogate pair replaced" if sent.text == halves else ""


def _addition(sent: Sent) -> str:
    """What a text is that nobody carried, if it is one of the things that are known."""
    if sent.role == "system":
        return "a system message" if sent.text else EMPTY
    if sent.text.startswith(REMINDER):
        return f"a reminder in a message of the {sent.role}"
    return SYNTHETIC.get(sent.text, "")


def _text(block: Any) -> str:
    if isinstance(block, dict) and block.get("type") == "text":
        return str(block["text"])
    return f"[{block.get('type') if isinstance(block, dict) else block}]"


def _plain(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
