"""Proof of delivery: a message is delivered when it stands in its session's transcript; until then it was sent at most.

What a tool or a status call says of itself proves nothing; only the stored file does. A queue entry that nobody read
and a quotation in somebody's text are not the message.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from threadrebuild.channel.message import MessageId, id_of
from threadrebuild.channel.receipts import Receipts
from threadrebuild.config import Settings
from threadrebuild.transcript.lines import BATCH_BYTES
from threadrebuild.transcript.reader import Reader
from threadrebuild.transcript.speech import Utterance
from threadrebuild.transcript.tokens import decoded


class Place(NamedTuple):
    """Where a message was found: the session, and the 1-based line of its transcript."""

    session: str
    line: int


class Delivery(msgspec.Struct, frozen=True):
    """What may be said of a message, and on what evidence: "delivered" names its place, "sent" has none."""

    state: str
    session: str | None = None
    line: int | None = None


def delivery(place: Place | None) -> Delivery:
    """A message that was handed over, by where it was found (TR-124, TR-172)."""
    if place is None:  # TR-124 TR-172
        return Delivery("sent")
    return Delivery("delivered", place.session, place.line)


def found_in(transcript: Path, settings: Settings, wanted: Collection[MessageId]) -> dict[MessageId, Place]:
    """Which of the wanted messages the session's context holds, and where. Raises OSError.

    That is: as a row of their own, as queued input that was read, or in the result of a tool that fetches messages.
    """
    receipts = Receipts(settings.fetch_tools)
    reader = Reader(settings)
    found: dict[MessageId, Place] = {}
    for lines in batches_of(transcript):
        receipts.take(lines)
        reader.take(lines)
    places = [(id_of(decoded(each.token)), each.line) for each in reader.said if is_inbound(each)]
    for message, line in [*places, *receipts.found]:
        if message is not None and message in wanted:
            found.setdefault(message, Place(transcript.stem, line))
    return found


def is_inbound(utterance: Utterance) -> bool:
    """Whether a text is what a user's row or queued input says, and not something of the assistant's."""
    return utterance.role == "user"


def said_since(said: list[Utterance], start: int) -> list[Utterance]:
    """Of what stands in a transcript, what was said in the rows after its first `start` bytes.

    Hosts up to 2.0.42 write rows that they have loaded anew: same words at the same time are no new ones.
    """
    before = {_what(each) for each in said if each.line_offset < start}
    later = [each for each in said if each.line_offset >= start]  # TR-159 TR-166 TR-174
    return [each for each in later if _what(each) not in before]


def _what(utterance: Utterance) -> tuple[str, str, str | None]:
    return utterance.role, decoded(utterance.token), utterance.time


def batches_of(transcript: Path) -> Iterator[list[bytes]]:
    """The whole lines of a transcript, a batch at a time; a last line without its end is still being written."""
    rest = b""
    with transcript.open("rb") as file:
        while batch := file.read(BATCH_BYTES):
            *lines, rest = (rest + batch).split(b"\n")
            yield lines
