"""A household on the pointer door at work: the reference runner takes turns, and a host answers each call."""

import json
from pathlib import Path

from harness.world.kernel import Process
from harness.world.night import Night
from threadrebuild.doors.runner import take_turn
from threadrebuild.operation import coordinator
from threadrebuild.ports import Answer

HOST = ["/bin/false", "-p", "--output-format", "json"]
HOOK_STOP = ["threadrebuild", "hook-stop"]
THINKS_SECONDS = 2.0


class Turns:
    """The runner of a night with `door="pointer"`. `calls` is every call of the host: when (seconds), which session."""

    def __init__(self, night: Night) -> None:
        self.night = night
        self.calls: list[tuple[float, str]] = []
        self.failures = 0
        """How many of the next calls of the host end with an error."""
        self.process: Process = night.world.process("runner")
        self._began = night.world.now
        night.processes.on_call = self._call

    def take(self, *prompts: str, after: float = 0.0) -> None:
        """Let the runner take one turn after the other, in its own process."""

        def loop() -> None:
            for prompt in prompts:
                take_turn(self.night.house, HOST, HOOK_STOP, prompt.encode())

        self.night.world.start(self.process, loop, after)

    def _call(self, command: list[str], given: bytes) -> Answer:
        if command == HOOK_STOP:
            coordinator.stop_hook(self.night.house, json.loads(given)["transcript_path"])
            return Answer(0, b"")
        session = command[command.index("--resume") + 1]
        self.calls.append(((self.night.world.now - self._began).total_seconds(), session))
        self.night.world.sleep(THINKS_SECONDS)
        if self.failures:
            self.failures -= 1
            return Answer(1, b"")
        self.night.talk(lambda talk: talk.user(given.decode()), session)
        self.night.talk(lambda talk: talk.assistant("好。"), session)
        return Answer(0, json.dumps({"type": "result", "session_id": session}).encode())

    def transcript(self, session: str) -> Path:
        """Where a session's transcript lies."""
        return self.night.host.transcript(session)
