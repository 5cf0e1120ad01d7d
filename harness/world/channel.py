"""A chat channel of a simulated household: the user at the other end, the relay between, a plugin in each process.

chat = Chat(night)
chat.at(30, "对了，别忘了喂鱼")
night.world.run()
assert chat.heard(OLD_SESSION) == ["1"]

A notification is consumed once and has no receipt: the host takes it, and if its process ends before the message is in
the transcript, it is gone. The relay keeps what was said and answers `?since=`.
"""

import json
import re
from collections.abc import Callable
from functools import partial

from harness.world.kernel import Process
from harness.world.night import Night
from threadrebuild.channel.cursor import CursorFile
from threadrebuild.channel.inbound import Inbound
from threadrebuild.channel.message import Message, MessageId
from threadrebuild.channel.proof import found_in
from threadrebuild.ports import Outcome

CONNECT_AFTER_SECONDS = 1.0
"""From the start of a process until its plugin is connected."""
CONTEXT_AFTER_SECONDS = 0.4
"""From a notification until its message stands in the transcript."""
RETRY_SECONDS = 0.5
RETRY_SECONDS_MOST = 4.0
"""What is left to be sent is tried again after a while, each time after twice as long, up to this."""
_ENVELOPE = re.compile(r'<channel [^>]*message_id="([^"]*)"')


class Relay:
    """Keeps what the user said, in order, and answers who asks for what came after a number."""

    def __init__(self) -> None:
        self._kept: list[Message] = []
        self._last = 0

    def post(self, source: str, chat_id: str, text: str) -> Message:
        """Take in a message and give it its number."""
        self._last += 1
        message = Message(self._last, source, chat_id, str(self._last), text)
        self._kept.append(message)
        return message

    def since(self, number: int) -> list[Message]:
        """What is kept and came after a number."""
        return [message for message in self._kept if message.number > number]

    def forget(self) -> None:
        """Lose what is kept, as a relay with little room does."""
        self._kept.clear()


class Chat:
    """One user, one relay, and a plugin in every process that the night's host is started as."""

    def __init__(self, night: Night, source: str = "companion", chat_id: str = "me") -> None:
        self.relay = Relay()
        self.deaf = False
        """Whether processes run without their channel flag: the plugin sends, and the host drops it."""
        self.unclear = 0
        """How many sendings to come go through and are reported as failed."""
        self.lost = 0
        """How many sendings to come fail."""
        self.notified: list[tuple[int, str]] = []
        """(process id, message id) of every notification that went out."""
        self.on_start: list[Callable[[], object]] = []
        """What happens at the moment a new process has been started and is not yet connected, once."""
        self._night = night
        self._labels = (source, chat_id)
        self._place = CursorFile(night.project_dir.parent / "plugin" / f"{source}.json", night.files)
        self.said: dict[str, str] = {}
        """What the user sent, by message id."""
        self._plugins: dict[int, _Plugin] = {}
        night.host.on_start = self._started
        self._begin(night.resident())

    def say(self, text: str) -> Message:
        """The user sends a message now."""
        message = self.relay.post(*self._labels, text)
        self.said[message.message_id] = text
        for plugin in self._plugins.values():
            plugin.wake()
        return message

    def at(self, seconds: float, text: str) -> None:
        """The user sends a message at a time counted from the world's start."""
        self._night.world.at(seconds, lambda: self.say(text))

    def heard(self, session: str) -> list[str]:
        """The ids of messages in a session's transcript, in file order; carried ones count, queue log rows do not."""
        return [id for id, _ in self.heard_texts(session)]

    def heard_texts(self, session: str) -> list[tuple[str, str]]:
        """Id and envelope of each message that is heard."""
        texts: list[str] = []
        for line in self._night.host.transcript(session).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["type"] == "user":
                content = row["message"]["content"]
                parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
                texts += parts
            elif row["type"] == "attachment":
                texts.append(str(row["attachment"].get("prompt", "")))
        return [(found[1], text) for text in texts if (found := _ENVELOPE.match(text))]

    def missing(self, session: str) -> list[str]:
        """The ids of messages that the user sent and a session never got: what no night may end with."""
        heard = set(self.heard(session))
        return [id for id in self.said if id not in heard]

    def _started(self, process: Process) -> None:
        happens, self.on_start = self.on_start, []
        for action in happens:
            action()
        self._begin(process)

    def _begin(self, process: Process) -> None:
        session = self._night.host.session_of(process)
        if session is not None:
            self._plugins[process.pid] = _Plugin(self, self._night, process, session, self._place)


class _Plugin:
    """What runs in one process of the host, and ends with it."""

    def __init__(self, chat: Chat, night: Night, process: Process, session: str, place: CursorFile) -> None:
        self._chat = chat
        self._night = night
        self._process = process
        self._session = session
        self._place = place
        self._inbound: Inbound | None = None
        self._retrying = False
        self._pause = RETRY_SECONDS
        night.world.start(process, self._connect, after=CONNECT_AFTER_SECONDS)

    def wake(self) -> None:
        """The relay has something new: ask it, if this process lives and is connected."""
        if self._process.alive and self._inbound is not None:
            self._night.world.start(self._process, self._ask)

    def _connect(self) -> None:
        self._inbound = Inbound(self._place, self._night.house.journal, self._look, self._notify)
        self._take(self._inbound.connect())

    def _ask(self) -> None:
        assert self._inbound is not None
        self._take(self._inbound.at)

    def _take(self, since: int) -> None:
        assert self._inbound is not None
        try:
            left = self._inbound.take(self._chat.relay.since(since))
        except OSError:
            left = True
        if not left:
            self._pause = RETRY_SECONDS
        elif not self._retrying:
            self._retrying = True
            self._night.world.start(self._process, self._retry, after=self._pause)
            self._pause = min(2 * self._pause, RETRY_SECONDS_MOST)

    def _retry(self) -> None:
        self._retrying = False
        self._ask()

    def _look(self, wanted: set[MessageId]) -> set[MessageId]:
        transcript = self._night.host.transcript(self._session)
        # A session in which nothing was said yet has none.
        return set(found_in(transcript, self._night.settings, wanted)) if transcript.exists() else set()

    def _notify(self, message: Message) -> Outcome:
        try:
            self._night.world.take_step("channel", "notify", message=str(message.id))
        except OSError as error:
            return Outcome(False, str(error))
        if self._chat.lost:
            self._chat.lost -= 1
            return Outcome(False, "broken pipe")
        self._chat.notified.append((self._process.pid, message.message_id))
        if not self._chat.deaf:
            enters = partial(self._night.host.arrive, self._session, message)
            self._night.world.start(self._process, enters, after=CONTEXT_AFTER_SECONDS)
        if self._chat.unclear:
            self._chat.unclear -= 1
            return Outcome(False, "no answer in time")
        return Outcome(True)
