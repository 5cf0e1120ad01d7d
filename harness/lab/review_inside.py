"""The host of a reviewed chat, inside the namespace: the real CLI in print mode, and our gate behind it.

The CLI is one process that is given messages and tells results as JSON, line by line; what it calls is in
`review_ends`. Called as `python -m harness.lab.review_inside FOLDER VERSION PROGRAM…`.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from harness.lab.inside import environment_of, settle
from harness.lab.model import ScriptedModel
from harness.lab.namespace import LabFault, NoNamespace, confine, enter
from harness.lab.review import LOOKED, MESSAGES, NAME, OFFICIAL, PAST, SAY, SEALED, Message, Told
from harness.lab.review_ends import Ends
from harness.lab.session import Place
from threadrebuild.review.gate import TOOLS_FIRST, Gate
from threadrebuild.review.history import PastTalk
from threadrebuild.review.paths import official_pending

CALLED = "harness.lab.review_ends"
CHAT = "chat"
RESULT_SECONDS = 30
END_SECONDS = 10


def main(words: Sequence[str]) -> None:
    """Play the chat and print what was seen; what fails is the last line on stderr."""
    try:
        folder, version, *program = words
        enter()
        confine(Path(folder))
        print(json.dumps(asdict(_played(Place(Path(folder), version, tuple(program))))))
    except (LabFault, NoNamespace) as fault:
        sys.exit(str(fault))


def _played(place: Place) -> Told:
    for folder in (place.home, place.work, place.tmp):
        folder.mkdir(parents=True, exist_ok=True)
    _settle(place)
    ends = Ends(place.folder)
    gate = ends.gate()
    past = PastTalk(gate.store.database)
    past.keep("before", PAST)
    past.learn(NAME, "before")
    model = ScriptedModel(reply for message in MESSAGES for reply in (*message.drafting, *message.revising))
    try:
        with _Cli(place, model.port) as cli:
            for message in MESSAGES:
                _answered(ends, gate, cli, message)
    finally:
        model.close()
    return Told(
        lines=ends.lines,
        turns={turn.message_id: str(turn.state) for turn in gate.store.every()},
        off=[" ".join(reason) for reason in gate.off],
        made=[name for name in (LOOKED, SEALED) if (place.work / name).exists()],
        requests=[request.body for request in model.main],
    )


def _answered(ends: Ends, gate: Gate, cli: "_Cli", message: Message) -> None:
    """One message, from its arrival to the end of its turn."""
    turn = gate.store.take(message.id, CHAT, message.path, message.says)
    text = cli.say(gate.begin(turn.id).said)
    if message.path == "official pending":
        answer = official_pending(gate, {"message_id": message.id, "text": text})
        if answer["action"] == "rewrite":
            ends.add("gate", "advises", answer["opinion"], message.id)
            official_pending(gate, {"message_id": message.id, "text": cli.say(answer["opinion"])})
    gate.ended(turn.id)


class _Cli:
    """The CLI as a process that is talked to in lines of JSON."""

    def __init__(self, place: Place, port: int) -> None:
        options = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        options += ["--append-system-prompt", TOOLS_FIRST, "--mcp-config", str(place.tools)]
        options += ["--allowedTools", f"Bash,mcp__{OFFICIAL}__{SAY}"]
        self._complaints = (place.tmp / "stderr").open("w+b")
        self._process = subprocess.Popen(
            [*place.program, "-p", *options],
            cwd=place.work,
            env=environment_of(place, port),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            start_new_session=True,
        )

    def __enter__(self) -> "_Cli":
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(END_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            self._kill()
        self._complaints.close()

    def say(self, text: str) -> str:
        """Give it a message; the text with which its turn ends. Raises `LabFault`."""
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        line = json.dumps({"type": "user", "message": message}).encode() + b"\n"
        limit = threading.Timer(RESULT_SECONDS, self._kill)
        limit.start()
        try:
            return self._result(line)
        finally:
            limit.cancel()

    def _result(self, line: bytes) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError:
            pass
        for told in self._process.stdout:
            answer = json.loads(told)
            if answer["type"] == "result":
                if answer.get("is_error"):
                    raise LabFault(f"claude -p in a reviewed chat: {str(answer.get('result'))[:300]}")
                return str(answer["result"])
        code = self._process.wait(END_SECONDS)
        self._complaints.seek(0)
        said = self._complaints.read().decode(errors="backslashreplace").strip()[-300:].replace("\n", " ")
        how = f"no result within {RESULT_SECONDS} s" if code == -signal.SIGKILL else f"ended with exit code {code}"
        raise LabFault(f"claude -p in a reviewed chat: {how}: {said}")

    def _kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)


def _settle(place: Place) -> None:
    """A home whose hooks ask the gate, and the file that names the official side's tools."""
    settle(place)
    path = os.environ["PYTHONPATH"]
    program = [sys.executable, "-m", CALLED]
    given = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    words = ["env", *(f"{name}={value}" for name, value in given.items()), *program, "hook", str(place.folder)]
    hook = {"hooks": [{"type": "command", "command": shlex.join(words)}]}
    settings = {"hooks": {"Stop": [hook], "PreToolUse": [{"matcher": "", **hook}]}}
    (place.home / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    place.household.mkdir(exist_ok=True)
    server = {"command": program[0], "args": [*program[1:], "tools", str(place.folder)], "env": given}
    place.tools.write_text(json.dumps({"mcpServers": {OFFICIAL: server}}), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
