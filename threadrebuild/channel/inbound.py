"""One process's inbound side: what the relay answers and what the journal kept is sent to the session, in order, once.

Whoever runs a channel plugs in three things: how to send, the cursor's file, and the transcript of its own session,
where a message that is found needs no repeat.
"""

from collections.abc import Callable, Iterable

from threadrebuild.channel.cursor import WAITING_MOST, CursorFile
from threadrebuild.channel.journal import Journal
from threadrebuild.channel.message import Message, MessageId
from threadrebuild.ports import Outcome

Send = Callable[[Message], Outcome]
Look = Callable[[set[MessageId]], set[MessageId]]
"""Which of some messages stand in the transcript of the session that this process sends to."""


class Inbound:
    """Begins with `connect`, then takes every answer of the relay with `take`."""

    def __init__(self, place: CursorFile, journal: Journal | None, look: Look, send: Send) -> None:
        self._place = place
        self._journal = journal
        self._look = look
        self._send = send
        self._cursor = place.load()
        self._handed_over: set[MessageId] = set()
        self._just_connected = True

    def connect(self) -> int:
        """The number to ask `?since=` when a connection begins."""
        self._just_connected = True
        return self._cursor.connect()

    @property
    def at(self) -> int:
        """The number to ask `?since=` while a connection lasts."""
        return self._cursor.at

    def take(self, answer: Iterable[Message]) -> bool:
        """Send what is new in an answer and in the journal; whether something is left to be tried again."""
        answer, kept = list(answer), self._kept()
        ids = {message.id for message in [*answer, *kept]}
        # Only what an earlier connection sent can stand there already.
        in_context = self._look(ids) if ids and self._just_connected else set()
        self._just_connected = False
        self._handed_over |= in_context & {message.id for message in kept}
        left = len(answer) > WAITING_MOST
        for message in self._cursor.fetched(answer, in_context, kept):
            left = not self._one(message) or left
        return left

    def _kept(self) -> list[Message]:
        entries = self._journal.entries() if self._journal is not None else []
        return [message for message in entries if message.id not in self._handed_over]  # TR-123

    def _one(self, message: Message) -> bool:
        """Send a message, or keep it while a switch is under way; whether it went out."""
        if self._journal is None:
            return self._went_out(message)
        with self._journal.sending() as may_send:
            if not may_send:  # TR-L22
                self._journal.append(message)
                return False
            went_out = self._went_out(message)
        if went_out:
            self._handed_over.add(message.id)
        return went_out

    def _went_out(self, message: Message) -> bool:
        # A sending that failed may have gone through all the same. It is tried again, under the same id.
        if not self._send(message).ok:  # TR-129
            return False
        self._cursor.sent(message)
        self._place.save(self._cursor)
        return True
