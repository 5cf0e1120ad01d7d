"""Messages of a chat channel: who sent them is told by three labels of their envelope, and a repeat by the same three.

A message id is unique within one chat of one source, so all three belong to it. The text is the user's and is kept
nowhere but in private files.
"""

import re
from typing import NamedTuple

import msgspec

from threadrebuild.transcript.provenance import is_channel_message
from threadrebuild.transcript.tags import leading_blocks

_OPENING = re.compile(r"\s*<channel(?=\s)((?:[^<>\"]|\"[^\"]*\")*)>")
_LABEL = re.compile(r"\s([\w-]+)=\"([^\"]*)\"")


class MessageId(NamedTuple):
    """What tells one message from every other, and a repeat of it from a new one (TR-129)."""

    source: str
    chat: str
    id: str

    def __str__(self) -> str:
        return f"{self.source}/{self.chat}/{self.id}"


class Message(msgspec.Struct, frozen=True):
    """One inbound message: its number at the relay (rising, not dense), its labels and its text."""

    number: int
    source: str
    chat_id: str
    message_id: str
    text: str

    @property
    def id(self) -> MessageId:
        """Its identity; the number is only its place at the relay."""
        return MessageId(self.source, self.chat_id, self.message_id)


def id_of(text: str) -> MessageId | None:
    """The identity that a text's own channel envelope names, or None where it begins with no envelope or has no id."""
    if not is_channel_message(text):
        return None
    blocks = leading_blocks(text)
    opening = _OPENING.match(text, blocks[-1].end if blocks else 0)
    labels = dict(_LABEL.findall(opening[1])) if opening else {}
    if not labels.get("message_id"):
        return None
    return MessageId(labels["source"], labels.get("chat_id", ""), labels["message_id"])
