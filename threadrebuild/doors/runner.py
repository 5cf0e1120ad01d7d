"""A reference runner for the pointer door: one call of the host for one turn, for the session that the pointer names.

Before it reads the pointer it waits until no worker is at work; after the call it gives `hook-stop` the JSON that the
host's own Stop hook would get. So a switch falls between two calls and never into one (TR-120, TR-121).
"""

import json
import sys
from pathlib import Path
from typing import Any

import click

from threadrebuild.config import ConfigError, find_config
from threadrebuild.console import REFUSED, UNUSABLE, config_option, leave
from threadrebuild.doors.door import is_session_id
from threadrebuild.doors.pointer_file import NoPointer, PointerFile, session_in
from threadrebuild.opening import household
from threadrebuild.operation import coordinator
from threadrebuild.operation.household import Household
from threadrebuild.operation.states import HELD_BY_WORKER
from threadrebuild.ports import Answer

LOOK_EVERY_SECONDS = 0.2


def take_turn(house: Household, host: list[str], hook_stop: list[str], prompt: bytes) -> Answer:
    """Call the host once with `prompt` and tell `hook_stop` that the turn has ended; what the host answered.

    A call that failed ended no turn: then nothing is told. Raises `NoPointer` where the pointer cannot be used.
    """
    wait_for_end(house)  # TR-121
    pointer = PointerFile(Path(house.settings.resume_pointer_path or ""), house.ports.files)
    before = pointer.read()
    session = session_in(before)
    folder = Path(house.settings.claude_workdir or "/")
    answer = house.ports.processes.call([*host, *(["--resume", session] if session else [])], folder, prompt)
    if answer.code != 0:
        return answer
    named = _session_named(answer.output) or session
    if named != session and pointer.read() == before:
        # The first call of all, and hosts that go on in another file: the pointer follows, unless somebody moved it.
        pointer.write(named, before)
    if named:
        house.ports.processes.call(hook_stop, folder, _hook_input(house, named))  # TR-121
    return answer


def wait_for_end(house: Household) -> None:
    """Wait while a worker is at work on an operation; one whose worker is gone is brought to its end (TR-L25)."""
    while (active := house.store.active()) is not None and active.state in HELD_BY_WORKER:
        if house.is_stale(active):
            coordinator.recover(house)
        house.ports.clock.sleep(LOOK_EVERY_SECONDS)


@click.command()
@config_option
@click.argument("host", nargs=-1, required=True)
def main(config: Path | None, host: tuple[str, ...]) -> None:
    """Take one turn: the prompt from standard input, HOST… (`-- claude -p --output-format json`) called with it."""
    found = find_config(config, {})
    if found is None:
        leave(UNUSABLE, "configuration", "no configuration: name one with --config", as_json=False)
    hook_stop = [sys.executable, "-m", "threadrebuild.cli", "hook-stop", "--config", str(found.resolve())]
    try:
        house = household(found)
        if house.settings.activation != "pointer":
            raise ConfigError(f"{found}: the runner is for activation = pointer")
        answer = take_turn(house, list(host), hook_stop, sys.stdin.buffer.read())
    except ConfigError as error:
        leave(UNUSABLE, "configuration", str(error), as_json=False)
    except (NoPointer, OSError) as error:
        leave(REFUSED, "pointer", str(error), as_json=False)
    sys.stdout.buffer.write(answer.output)
    raise SystemExit(127 if answer.code is None else answer.code)


def _session_named(output: bytes) -> str | None:
    """The session that the host's JSON answer names; None where the answer is none, or names none."""
    try:
        answer: Any = json.loads(output)
    except (ValueError, RecursionError):
        return None
    named = answer.get("session_id") if isinstance(answer, dict) else None
    return named if isinstance(named, str) and is_session_id(named) else None


def _hook_input(house: Household, session: str) -> bytes:
    """What the host would give its own Stop hook (TR-097)."""
    return json.dumps(
        {
            "session_id": session,
            "transcript_path": str(house.project_dir / f"{session}.jsonl"),
            "cwd": house.settings.claude_workdir,
            "hook_event_name": "Stop",
            "stop_hook_active": False,
        }
    ).encode()


if __name__ == "__main__":
    main()
