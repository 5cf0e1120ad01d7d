"""What the host itself shows of an installation: tools that it offers, a Stop hook that it calls.

A settings file proves neither: it may be one that this host does not load (TR-185).
"""

import json
from dataclasses import dataclass
from typing import Any

from threadrebuild.actions import TOOLS

HOOK_FIELDS: dict[str, type] = {
    "session_id": str,
    "transcript_path": str,
    "cwd": str,
    "hook_event_name": str,
    "stop_hook_active": bool,
}
"""What a Stop hook has to be told, and as what."""


@dataclass(frozen=True)
class Shown:
    """What was seen of a running host: the tools of our server that it offers, and its calls of our Stop hook."""

    tools: frozenset[str]
    hook_calls: int


def not_shown(shown: Shown) -> list[str]:
    """What of an installation the host does not show; empty where it is installed (TR-185)."""
    missing = [tool.name for tool in TOOLS if tool.name not in shown.tools]
    faults = []
    if missing:  # TR-185
        faults.append(f"the host does not offer {', '.join(missing)}")
    if shown.hook_calls < 1:  # TR-185
        faults.append("the host never called the Stop hook")
    return faults


def hook_input_faults(given: bytes) -> list[str]:
    """What a Stop hook's input lacks; empty where it holds all that the hook needs."""
    try:
        told: Any = json.loads(given)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return ["the Stop hook's input is no JSON object"]
    faults = [
        f"the Stop hook is told no {name}" if name not in told else f"the Stop hook's {name} is {told[name]!r}"
        for name, kind in HOOK_FIELDS.items()
        if not isinstance(told.get(name), kind)
    ]
    if told.get("hook_event_name", "Stop") != "Stop":
        faults.append(f"the Stop hook is called at {told['hook_event_name']}")
    return faults
