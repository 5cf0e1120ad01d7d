"""The CLI's version: the one that was checked and pinned, the one that would be started, the one that serves.

Another one installed is a fault. Another one serving is so for a while after an upgrade, and is told (WN-05).
"""

import json
from pathlib import Path

import msgspec

from threadrebuild.cli_lock import OddLock, lock_beside, missing_runs, read_lock
from threadrebuild.installed_cli import installed_cli
from threadrebuild.operation.household import Household
from threadrebuild.project import source_in
from threadrebuild.transcript.lines import UnreadableInput

_LAST_BYTES = 1 << 20


class CliVersion(msgspec.Struct, kw_only=True):
    """What was seen. Without a lock nothing but that is told, and no program is started to ask it."""

    locked: str | None = None
    installed: str | None = None
    serving: str | None = None
    """The version that wrote the newest transcript last."""
    fault: str | None = None
    notes: list[str] = []


def cli_version(house: Household) -> CliVersion:
    """Look at a household's lock, its program and its newest transcript (WN-05, WN-07)."""
    seen = CliVersion()
    if house.config is None:
        return seen
    path = lock_beside(house.config)
    try:
        lock = read_lock(path)
    except OddLock as error:
        seen.fault = str(error)
        return seen
    if lock is None:
        seen.notes.append(f"no version of the CLI is locked: there is no {path}")
        return seen
    installed = installed_cli(house.settings, house.ports.processes)
    seen.locked, seen.serving = lock.version, _serving(house)
    seen.installed = None if isinstance(installed, str) else installed.version
    if seen.installed != lock.version:  # WN-05
        there = installed if isinstance(installed, str) else f"{installed.version} is installed"
        seen.fault = f"{there}, and {lock.version} is locked"
    if seen.serving not in (None, lock.version):  # WN-05
        seen.notes.append(f"{seen.serving} wrote the newest transcript last, and {lock.version} is locked")
    if missing := missing_runs(lock.runs):
        seen.notes.append(f"{lock.version} was locked without a run of: {', '.join(missing)}")
    return seen


def serving_version(transcript: Path) -> str | None:
    """The version that the newest row of a transcript names, leaving out rows that a carry wrote. Raises OSError."""
    with transcript.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - _LAST_BYTES))
        lines = file.read().splitlines()
    for line in reversed(lines):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and "threadrebuild" not in row and isinstance(row.get("version"), str):
            return str(row["version"])
    return None


def _serving(house: Household) -> str | None:
    try:
        return serving_version(source_in(house.settings, None))
    except (UnreadableInput, OSError):
        return None
