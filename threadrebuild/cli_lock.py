"""The lock of the CLI's version: which one was checked, on what evidence, and whether another one is here by now.

It lies beside the configuration. The harness writes it after a check that ended with GO; the cores only compare.
"""

import json
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec
import tomli

from threadrebuild.ports import Files

LOCK_NAME = "cli-lock.toml"
REQUIRED_RUNS = (
    "window change",  # WN-07
    "review",  # WN-07
)
"""What an upgrade has to have gone through, each once and in isolation, before its version is pinned."""


class OddLock(ValueError):
    """A lock file that cannot be used; the message names it and says why."""


class Lock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was pinned. `evidence` is the SHA-256 of the check's run log, as hex; `runs` are what was gone through."""

    version: str
    evidence: str
    runs: tuple[str, ...]


def lock_beside(config: Path) -> Path:
    """Where a configuration's lock lies."""
    return config.with_name(LOCK_NAME)


def missing_runs(runs: Collection[str]) -> list[str]:
    """What was not gone through and has to be before an upgrade (WN-07)."""
    return [each for each in REQUIRED_RUNS if each not in runs]


def lock_refusal(verdict: str, version: str, in_use: Iterable[str], runs: Collection[str]) -> str | None:
    """Why a version may not be pinned after a check; None where it may.

    `in_use` are the versions that are served or pinned so far. Pinning one of them is no upgrade: what was not gone
    through is then written down as missing, and decides nothing (WN-07).
    """
    if verdict != "GO":
        return f"the check ended with {verdict}"
    missing, before = missing_runs(runs), sorted({each for each in in_use if each != version})
    if before and missing:  # WN-07
        return f"an upgrade from {', '.join(before)} to {version} needs a run of: {', '.join(missing)}"
    return None


def read_lock(path: Path) -> Lock | None:
    """A lock; None where there is no file. Raises `OddLock`."""
    try:
        return msgspec.convert(tomli.loads(path.read_text(encoding="utf-8")), Lock)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise OddLock(f"{path}: no lock of a version: {error}") from None


def write_lock(path: Path, lock: Lock, files: Files) -> None:
    """Write a lock durably: a reader sees the one before or this one, whole. Raises OSError."""
    said = "".join(f"{name} = {json.dumps(value)}\n" for name, value in msgspec.to_builtins(lock).items())
    part = path.with_name(f".{path.name}.part")
    files.remove(part)
    with files.create(part) as file:
        file.write(said.encode())
        files.sync(file)
    files.replace(part, path)
    files.sync_folder(path.parent)
