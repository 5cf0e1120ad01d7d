"""The inbound cursor: how far a channel has got, so that a process that dies between two steps loses no message.

Nothing tells a channel that a message reached the session: having sent it is the most it can know. So the cursor moves
only over what was sent, in order; on every connection it steps back a little, and that stretch is sent again unless it
is known, by id, to have reached this very process or its session. A repeat shows by its id; a loss could not be undone.
"""

from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec

from threadrebuild.channel.message import Message, MessageId
from threadrebuild.ports import Files

OVERLAP = 5  # TR-128
"""How many messages are asked for again on connecting (`RELAY_REPLAY_OVERLAP`)."""
WAITING_MOST = 1000
"""How many fetched messages may wait to be sent. What is beyond is left at the relay, and comes with a later answer."""


class Cursor:
    """The cursor of one process. What it remembers of sent messages begins empty: another process's do not count.

    It holds the ids of at most `WAITING_MOST` messages that wait, of as many sent since the last answer, and of the
    last `overlap` it passed. That is enough: no question it asks goes back further than `marks[0]`.
    """

    def __init__(self, marks: Iterable[int] = (0,), overlap: int = OVERLAP) -> None:
        self.marks = list(marks)
        """Numbers of the last messages passed, oldest first; the last one is where the cursor stands."""
        self._overlap = overlap
        self._waiting: dict[int, MessageId] = {}
        self._sent: dict[MessageId, int] = {}

    @property
    def at(self) -> int:
        """The number up to which everything was sent: what a running connection asks `?since=`."""
        return self.marks[-1]

    @property
    def remembered(self) -> int:
        """How many ids are held."""
        return len(self._waiting) + len(self._sent)

    def connect(self) -> int:
        """Step back before subscribing; the number to ask `?since=` (TR-128)."""
        del self.marks[1:]  # TR-128 TR-165
        return self.at

    def fetched(
        self, answer: Iterable[Message], in_context: Collection[MessageId] = (), kept: Iterable[Message] = ()
    ) -> list[Message]:
        """Take in the whole answer to `?since=`; what of it, and of what was `kept` elsewhere, is to be sent, in order.

        `in_context` are those that were found in the transcript of this process's own session. What was kept moves the
        cursor only when it stands in an answer too: the relay may have more that came before it.
        """
        offered = list(kept)
        for message in sorted(answer, key=_number):
            if message.number not in self._waiting and len(self._waiting) >= WAITING_MOST:
                break
            self._waiting[message.number] = message.id
            offered.append(message)
        self._sent |= {message.id: message.number for message in offered if message.id in in_context}
        once = {message.id: message for message in offered}
        to_send = [message for message in once.values() if message.id not in self._sent]  # TR-127 TR-165
        self._waiting = dict(sorted(self._waiting.items()))
        self._move()
        self._forget()
        return sorted(to_send, key=_number)

    def sent(self, message: Message) -> None:
        """A message went out. It may still be lost on the way: this is no delivery (TR-124)."""
        self._sent[message.id] = message.number
        self._move()

    def _move(self) -> None:
        while self._waiting:
            number, id = next(iter(self._waiting.items()))
            if id not in self._sent:  # TR-125 TR-126 TR-165
                break
            del self._waiting[number]
            if number > self.at:
                self.marks.append(number)
        del self.marks[: -self._overlap - 1]

    def _forget(self) -> None:
        """Drop the ids of messages that no question to come can bring again."""
        waiting = set(self._waiting.values())
        self._sent = {id: number for id, number in self._sent.items() if number > self.marks[0] or id in waiting}


def _number(message: Message) -> int:
    return message.number


class _Stored(msgspec.Struct):
    marks: list[int]
    format: int = 1


class CursorFile:
    """Where a cursor's numbers lie between two processes; replaced as a whole, and durably."""

    def __init__(self, path: Path, files: Files) -> None:
        self._path = path
        self._files = files

    def load(self, overlap: int = OVERLAP) -> Cursor:
        """The cursor as it was saved last. Without a readable file everything comes again: better than a loss."""
        try:
            stored = msgspec.json.decode(self._path.read_bytes(), type=_Stored)
        except (FileNotFoundError, msgspec.DecodeError, RecursionError):
            return Cursor(overlap=overlap)
        return Cursor(stored.marks or (0,), overlap)

    def save(self, cursor: Cursor) -> None:
        """Write the cursor's numbers. Raises OSError; then an earlier place stands, and messages come twice."""
        self._files.make_folder(self._path.parent)
        part = self._path.with_suffix(".part")
        self._files.remove(part)
        with self._files.create(part) as file:
            file.write(msgspec.json.encode(_Stored(cursor.marks)))
            self._files.sync(file)
        self._files.replace(part, self._path)
        self._files.sync_folder(self._path.parent)
