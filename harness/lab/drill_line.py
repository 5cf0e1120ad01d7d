"""A stand-in for a household's chat channel: a relay, and the real inbound side, which types into the pane.

The real CLI takes messages of real channels only when its vendor lets it; so the envelope is typed. Everything before
the typing (cursor, hold, journal, overlap) is what a real channel would use.
"""

from collections.abc import Callable
from pathlib import Path

from threadrebuild.channel.cursor import CursorFile
from threadrebuild.channel.inbound import Inbound
from threadrebuild.channel.journal import Journal
from threadrebuild.channel.message import Message, MessageId
from threadrebuild.channel.proof import found_in
from threadrebuild.config import Settings
from threadrebuild.ports import Outcome
from threadrebuild.system import SystemClock, SystemFiles, SystemLocks

CHAT = "me"


def envelope_of(message: Message) -> str:
    """A message as it stands in a prompt."""
    labels = f'source="{message.source}" chat_id="{message.chat_id}" message_id="{message.message_id}"'
    return f"<channel {labels}>{message.text}</channel>"


class Line:
    """The channel of one household; each host process connects anew, as its child would.

    `type_in` types a text into the session and says whether that went well; `sent` are the messages that it typed.
    """

    def __init__(self, folder: Path, source: str, type_in: Callable[[str], Outcome]) -> None:
        self.folder = folder
        self.sent: list[Message] = []
        self._source = source
        self._type_in = type_in
        self._relay: list[Message] = []
        self._files = SystemFiles()
        self._journal = Journal(folder, self._files, SystemLocks(), SystemClock())
        self._inbound: Inbound | None = None

    @property
    def held(self) -> list[Message]:
        """Messages that came in while a switch was under way and have not been found in a session yet."""
        return self._journal.entries()

    def connect(self, transcript: Path, settings: Settings) -> None:
        """A new host process, on the session of `transcript`, subscribes to the relay."""

        def look(wanted: set[MessageId]) -> set[MessageId]:
            return set(found_in(transcript, settings, wanted))

        self._inbound = Inbound(CursorFile(self.folder / "cursor.json", self._files), self._journal, look, self._send)
        self._since = self._inbound.connect()

    def arrives(self, text: str) -> Message:
        """The user sends a message; the relay has it, and nobody has fetched it yet."""
        number = len(self._relay) + 1
        self._relay.append(Message(number, self._source, CHAT, str(number), text))
        return self._relay[-1]

    def pass_on(self) -> bool:
        """Fetch what is new at the relay and send it, if it may be sent now; whether nothing is left to be tried."""
        assert self._inbound is not None
        left = self._inbound.take([message for message in self._relay if message.number > self._since])
        self._since = self._inbound.at
        return not left

    def _send(self, message: Message) -> Outcome:
        outcome = self._type_in(envelope_of(message))
        if outcome.ok:
            self.sent.append(message)
        return outcome
