"""A simulated host: it appends to its transcript as it talks, fires its Stop hook, and resumes by session id."""

import json
from collections.abc import Callable
from pathlib import Path

from harness.world.kernel import Process, World
from harness.world.talk import Talk
from threadrebuild.channel.message import Message

HOOK_AFTER_SECONDS = 0.3


class Host:
    """The program of one project folder: `claude --resume ID` appends to ID's transcript.

    It writes rows the way the builder of transcripts does. `lives` says how long a session stays up after its start
    (None: for ever), so that a story can let a new session die.
    """

    def __init__(self, world: World, project_dir: Path, version: str = "2.1.199") -> None:
        self.world = world
        self.project_dir = project_dir
        self.version = version
        self.on_stop: Callable[[str, Path], object] = lambda session, transcript: None
        self.on_start: Callable[[Process], object] = lambda process: None
        self.lives: list[float | None] = []
        self.busy: set[str] = set()
        """Sessions in which a tool runs: what arrives there is queued and read beside its result."""
        self._talks: dict[str, Talk] = {}
        self._wrote: dict[str, bytes] = {}

    def transcript(self, session: str) -> Path:
        """Where a session's transcript lies."""
        return self.project_dir / f"{session}.jsonl"

    def begin(self, session: str, talk: Talk | bytes) -> None:
        """A session that has been going on: its transcript as the talk stands, or these recorded bytes."""
        if isinstance(talk, Talk):
            self._talks[session] = talk
        self._wrote[session] = talk if isinstance(talk, bytes) else talk.bytes()
        self.transcript(session).write_bytes(self._wrote[session])

    def wrote(self, session: str) -> bytes:
        """What a session's transcript holds if nobody but this host has ever written to it."""
        return self._wrote[session]

    def sessions(self) -> list[str]:
        """The sessions to which this host has written."""
        return list(self._wrote)

    def started(self, process: Process) -> None:
        """A process of the host has been started: it stays up as long as the story says."""
        self.on_start(process)
        life = self.lives.pop(0) if self.lives else None
        if life is not None:
            self.world.start(self.world.process("outside"), lambda: self.world.kill(process), after=life)

    def session_of(self, process: Process) -> str | None:
        """The session a process was started with."""
        command = process.command
        return command[command.index("--resume") + 1] if "--resume" in command else None

    def process_of(self, session: str) -> Process | None:
        """The process in which a session is up; None where there is none."""
        up = [each for each in self.world.processes.values() if each.alive and self.session_of(each) == session]
        return up[-1] if up else None

    def append(self, session: str, say: Callable[[Talk], object]) -> None:
        """Let the host write more rows of a session."""
        talk = self._talk_of(session)
        before = len(talk.bytes())
        say(talk)
        added = talk.bytes()[before:]
        if session not in self._wrote:
            path = self.transcript(session)
            self._wrote[session] = path.read_bytes() if path.exists() else b""
        self._wrote[session] += added
        with self.transcript(session).open("ab") as file:
            file.write(added)

    def arrive(self, session: str, message: Message) -> None:
        """A message of a channel enters a session's context."""
        idle = session not in self.busy
        labels = {"source": message.source, "chat_id": message.chat_id, "message_id": message.message_id}
        self.append(session, lambda talk: talk.channel(message.text, idle=idle, **labels))

    def end_turn(self, session: str, process: Process | None) -> None:
        """The turn has ended: the Stop hook runs, in a process of its own, under the session's."""
        hook = self.world.process("hook")
        hook.parent = process
        self.world.start(hook, lambda: self.on_stop(session, self.transcript(session)), after=HOOK_AFTER_SECONDS)

    def _talk_of(self, session: str) -> Talk:
        """The builder of a session's rows; a session that was begun by somebody else goes on from its last row."""
        if session not in self._talks:
            talk = self._talks[session] = Talk(version=self.version, seed=len(self._talks) + 1)
            talk.session = session
            path = self.transcript(session)
            rows = [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
            talk.rewind(next((row["uuid"] for row in reversed(rows) if row.get("uuid")), None))
        return self._talks[session]
