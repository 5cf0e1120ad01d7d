"""A household in the lab: the real CLI is told of its tools, and what they and the Stop hook were told is read.

The tool that the script asks for writes, so that both ways are seen: what the model says lies in the household's
store, and what the tool answers goes over the wire.
"""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from harness.lab.script import ASKED, REASON
from harness.lab.session import Place, Played
from harness.lab.wire import REMINDER
from threadrebuild.host_shows import Shown, hook_input_faults, not_shown
from threadrebuild.init import SERVER

CONFIG = "config.toml"
STATE = "state"


def settle_household(place: Place) -> None:
    """Write the household's configuration, and the file by which the CLI is told of its tools."""
    place.household.mkdir(exist_ok=True)
    found = {
        "project_dir": place.project,
        "claude_workdir": place.work,
        "state_dir": place.household / STATE,
        "activation": "pointer",
        "resume_pointer_path": place.household / "pointer",
    }
    lines = [f"{key} = {json.dumps(str(value))}\n" for key, value in found.items()]
    config = place.household / CONFIG
    config.write_text("".join(lines), encoding="utf-8")
    serve = {
        "command": sys.executable,
        "args": ["-m", "threadrebuild.cli", "mcp", "--config", str(config)],
        "env": {"PYTHONPATH": os.environ["PYTHONPATH"], "PYTHONDONTWRITEBYTECODE": "1"},
    }
    place.tools.write_text(json.dumps({"mcpServers": {SERVER: serve}}), encoding="utf-8")


def hook_faults(played: Played) -> list[str]:
    """What is wrong with what the Stop hook was told at the ends of a session's turns."""
    stops = own_stops(played)
    if not stops:
        return [f"the Stop hook was never called for session {played.transcript.stem}"]
    faults = [fault for stop in stops for fault in hook_input_faults(json.dumps(stop).encode())]
    for name, value in {"transcript_path": played.written, "cwd": str(played.place.work)}.items():
        told = [stop.get(name) for stop in stops]
        faults += [f"the Stop hook's {name} is {each!r}, not {value!r}" for each in told if each != value]
    return list(dict.fromkeys(faults))


def own_stops(played: Played) -> list[dict[str, Any]]:
    """What the Stop hook was given for a session; resuming the rebuilt one calls it as well."""
    return [stop for stop in hook_inputs(played.place) if stop.get("session_id") == played.transcript.stem]


def hook_inputs(place: Place) -> list[dict[str, Any]]:
    """What the Stop hook was given, call by call; two calls at once may share a line."""
    rest = place.hook_input.read_text(encoding="utf-8").lstrip() if place.hook_input.exists() else ""
    found = []
    while rest:
        given, end = json.JSONDecoder().raw_decode(rest)
        found.append(given)
        rest = rest[end:].lstrip()
    return found


def tool_faults(played: Played) -> list[str]:
    """What went wrong on the way of a tool call from the model to our own server and back."""
    shown = Shown(tools=frozenset(_offered(played.requests)), hook_calls=len(own_stops(played)))
    faults = not_shown(shown)
    results = [block for block in _blocks(played.requests[-1]) if block.get("tool_use_id") == ASKED]
    if not results:
        return [*faults, "the tool's result was never sent"]
    text = _text(results[0].get("content"))
    try:
        answer, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        answer, end = None, 0
    if results[0].get("is_error") or not isinstance(answer, dict):
        return [*faults, f"the tool was not run: {text[:200]}"]
    # Some versions put a reminder at the end of a result.
    if (rest := text[end:].strip()) and not rest.startswith(REMINDER):
        faults.append(f"the answer is followed by {rest[:200]!r}")
    record = played.place.household / STATE / "operations" / f"{answer.get('operation')}.json"
    if not record.is_file():
        return [*faults, f"operation {answer.get('operation')!r} came back, and is not on record"]
    reasons = json.loads(record.read_bytes())["reasons"]
    return faults if reasons == [REASON] else [*faults, f"the reason arrived as {reasons!r}"]


def _offered(requests: list[dict[str, Any]]) -> Iterator[str]:
    """Names of our tools that a request told the model of, before it called one."""
    sign = f"mcp__{SERVER}__"
    for request in requests:
        if any(block.get("id") == ASKED for block in _blocks(request)):
            return
        for part in json.dumps(request).split(sign)[1:]:
            yield part[: next((at for at, letter in enumerate(part) if not (letter.isalnum() or letter == "_")), None)]


def _blocks(request: dict[str, Any]) -> list[dict[str, Any]]:
    contents = [message["content"] for message in request["messages"]]
    return [block for content in contents if isinstance(content, list) for block in content if isinstance(block, dict)]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(block.get("text", "")) for block in content or [] if isinstance(block, dict))
