"""The part of the lab that runs in the namespace: a scripted model and the CLI, whose only network is loopback.

Called as `python -m harness.lab.inside FOLDER VERSION WAY SESSION PROGRAM…`, SESSION being empty or to be resumed.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.lab.house import settle_household
from harness.lab.model import ScriptedModel
from harness.lab.namespace import LabFault, NoNamespace, confine, enter
from harness.lab.script import ASKED_TOOL, RESUMED, Turn
from harness.lab.session import TALKS, Place
from harness.lab.terminal import typed

KEY = "sk-ant-fake-000"
TOOLS = f"Bash,{ASKED_TOOL}"
PROMPT_SECONDS = 45
SERVER_MILLISECONDS = "30000"


def main(words: Sequence[str]) -> None:
    """Do it and print {"session", "requests"}; what fails is the last line on stderr."""
    try:
        folder, version, way, session, *program = words
        enter()
        confine(Path(folder))
        print(json.dumps(_done(Place(Path(folder), version, tuple(program)), way, session)))
    except (LabFault, NoNamespace) as fault:
        sys.exit(str(fault))


def _done(place: Place, way: str, session: str) -> dict[str, Any]:
    settle(place)
    settle_household(place)
    talk = RESUMED if session else next(turns for name, turns in TALKS.items() if name == way)
    model = ScriptedModel(reply for turn in talk for reply in turn.replies)
    try:
        environment = environment_of(place, model.port)
        if way == "typed":
            command = [*place.program, "--allowedTools", TOOLS, *_resuming(session)]
            session = typed(place, environment, command, talk, model)
        else:
            for turn in talk:
                session = _printed(place, environment, turn.says, *_resuming(session), *_served(place, turn))
        return {"session": session, "requests": [request.body for request in model.main]}
    finally:
        model.close()


def _served(place: Place, turn: Turn) -> list[str]:
    return ["--mcp-config", str(place.tools)] if turn.served else []


def _resuming(session: str) -> list[str]:
    return ["--resume", session] if session else []


def _printed(place: Place, environment: dict[str, str], prompt: str, *options: str) -> str:
    """One prompt without a terminal; the id of its session."""
    command = [*place.program, "-p", "--output-format", "json", "--allowedTools", TOOLS, *options]
    process = subprocess.Popen(
        command,
        cwd=place.work,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        said, complained = process.communicate(prompt.encode(), timeout=PROMPT_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise LabFault(f"claude {' '.join(options)}: not done within {PROMPT_SECONDS} s") from None
    try:
        told = json.loads(said)
    except (ValueError, RecursionError):
        told = {}
    if process.returncode or told.get("is_error") or "session_id" not in told:
        shown = (complained or said).decode(errors="backslashreplace").strip()[-300:].replace("\n", " ")
        raise LabFault(f"claude {' '.join(options)}: exit code {process.returncode}: {shown}")
    return str(told["session_id"])


def settle(place: Place) -> None:
    """A home in which nothing is asked before the first prompt, and a Stop hook that keeps what it was given."""
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": []}
    state = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "numStartups": 3,
        "lastOnboardingVersion": place.version,
        "bypassPermissionsModeAccepted": True,
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {str(place.work): project},
    }
    file = place.home / ".claude.json"
    if not file.exists():
        file.write_text(json.dumps(state), encoding="utf-8")
    hook = {"type": "command", "command": f"cat >> '{place.hook_input}'; echo >> '{place.hook_input}'"}
    place.project.mkdir(parents=True, exist_ok=True)
    settings = {"hooks": {"Stop": [{"hooks": [hook]}]}}
    (place.home / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def environment_of(place: Place, port: int) -> dict[str, str]:
    """All that the CLI is given: its home, its temporary folders, the scripted model, and nothing of the caller's."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(place.home),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "TMPDIR": str(place.tmp),
        "CLAUDE_CODE_TMPDIR": str(place.tmp),
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": KEY,
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        # Newer versions do not wait for a server before they ask the model, and the script does not wait for them.
        "MCP_CONNECTION_NONBLOCKING": "0",
        "MCP_TIMEOUT": SERVER_MILLISECONDS,
        "MCP_CONNECT_TIMEOUT_MS": SERVER_MILLISECONDS,
    }


if __name__ == "__main__":
    main(sys.argv[1:])
