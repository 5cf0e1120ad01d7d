"""What makes up the system prompt that a resumed host builds anew, as far as it can be seen: it is in no transcript.

Digests of instruction files, settings and the list of MCP servers are kept at the freeze and looked at again at the
new session's start; what differs is told (TR-L29).
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from threadrebuild.operation.household import Household

INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md")
SETTINGS = ("settings.json", "settings.local.json")
SERVERS = "MCP servers"


def surroundings(house: Household) -> dict[str, str]:
    """SHA-256 of each thing that is there, by a name without private folders: `host/CLAUDE.md`, `workdir/.mcp.json`.

    An empty file says nothing and counts as none.
    """
    found = {}
    for name, path in _places(house):
        content = _content(path)
        if content:  # TR-L29
            found[name] = sha256(content).hexdigest()
    servers = _servers(house)
    if servers:  # TR-L29
        found[SERVERS] = sha256(servers).hexdigest()
    return found


def changes(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """What differs between two looks, in words, sorted by name (TR-L29)."""
    told = []
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):  # TR-L29
            told.append(f"{name} is {'new' if name not in before else 'gone' if name not in now else 'another'}")
    return told


def _places(house: Household) -> Iterator[tuple[str, Path]]:
    host, workdir = house.project_dir.parent.parent, Path(house.settings.claude_workdir or "")
    for name in (*INSTRUCTIONS, *SETTINGS):
        yield f"host/{name}", host / name
    if not workdir.is_dir():
        return
    for name in (".mcp.json", ".claude/CLAUDE.md", *(f".claude/{each}" for each in SETTINGS)):
        yield f"workdir/{name}", workdir / name
    # The host reads the instructions of every folder above as well.
    for height, folder in enumerate((workdir, *workdir.parents)):
        for name in INSTRUCTIONS:
            yield "/".join(["workdir", *[".."] * height, name]), folder / name


def _servers(house: Household) -> bytes:
    """The servers that the host's own state lists for everywhere and for this folder; the rest of it always changes."""
    host, workdir = house.project_dir.parent.parent, house.settings.claude_workdir or ""
    # Beside the folder where it is the usual one, in it where CLAUDE_CONFIG_DIR names another.
    content = _content(host / ".claude.json") or _content(host.parent / ".claude.json")
    try:
        state = json.loads(content)
        listed = [state.get("mcpServers"), state.get("projects", {}).get(workdir, {}).get("mcpServers")]
    except (ValueError, AttributeError, RecursionError):
        return b""
    return json.dumps(listed, sort_keys=True).encode()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
