"""What must hold of every carry, whatever the transcript: looked at from outside, on the disk."""

import json
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.oracle.candidate import blocks_of, resume_faults


@dataclass(frozen=True, slots=True)
class Carry:
    """One carry as it was made. `again` carries any transcript into a folder; the session id follows from its bytes."""

    source: Path
    before: tuple[int, str]
    """Size and SHA-256 of the source before it was carried."""
    after: tuple[int, str]
    summary: dict[str, Any]
    out: Path
    again: Callable[[Path, Path], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule's sentence, and a function that returns what breaks it, or None."""

    rule: str
    name: str
    fault: Callable[[Carry], str | None]


def _untouched(carry: Carry) -> str | None:
    return None if carry.before == carry.after else f"was {carry.before}, is {carry.after}"


def _writes_nothing(carry: Carry) -> str | None:
    if carry.summary["verdict"] == "carried" or not carry.out.exists():
        return None
    return f"left behind: {sorted(path.name for path in carry.out.iterdir())}"


def _whole_and_private(carry: Carry) -> str | None:
    if carry.summary["verdict"] != "carried":
        return None
    wanted = {Path(carry.summary["candidate"]).name, "manifest.json", "ledger.json"}
    seen = {path.name: stat.S_IMODE(path.stat().st_mode) for path in carry.out.iterdir()}
    if set(seen) != wanted or set(seen.values()) != {0o600}:
        return f"files and modes {[(name, oct(mode)) for name, mode in sorted(seen.items())]}"
    return None


def _every_byte(carry: Carry) -> str | None:
    shares = carry.summary["ledger"]
    if carry.summary["verdict"] == "carried":
        written = json.loads((carry.out / "ledger.json").read_bytes())
        shares = {each["name"]: each["bytes"] for each in written["classes"]}
    total = sum(shares.values())
    if total != carry.before[0] or min(shares.values(), default=0) < 0:
        return f"the classes add up to {total}, the file has {carry.before[0]} bytes"
    return None


def _resume_safe(carry: Carry) -> str | None:
    if carry.summary["verdict"] != "carried":
        return None
    faults = resume_faults(Path(carry.summary["candidate"]))
    return f"line {faults[0].line}: {faults[0].sentence}" if faults else None


def _same_again(carry: Carry) -> str | None:
    if carry.summary["verdict"] != "carried":
        return None
    folder = carry.out.with_name(carry.out.name + "-again")
    second = carry.again(carry.source, folder)
    if second["verdict"] != "carried":
        return f"the second time it is refused: {second['detail']}"
    for path in carry.out.iterdir():
        if path.read_bytes() != (folder / path.name).read_bytes():
            return f"{path.name} differs the second time"
    return None


def _stable_under_itself(carry: Carry) -> str | None:
    if carry.summary["verdict"] != "carried":
        return None
    candidate = Path(carry.summary["candidate"])
    second = carry.again(candidate, carry.out.with_name(carry.out.name + "-carried"))
    if second["verdict"] != "carried":
        return f"carried again it is refused: {second['detail']}"
    first, again = (
        [(b.role, b.token, b.word) for b in blocks_of(path)] for path in (candidate, Path(second["candidate"]))
    )
    return None if first == again else "carried again it says something else"


INVARIANTS = (
    Invariant("TR-148", "the old transcript is untouched", _untouched),
    Invariant("TR-149", "a refusal writes nothing", _writes_nothing),
    Invariant("TR-067", "the files are whole and private", _whole_and_private),
    Invariant("TR-L06", "every source byte is in exactly one class", _every_byte),
    Invariant("TR-060", "the candidate meets the portable minimum", _resume_safe),
    Invariant("TR-061", "the same again gives the same bytes", _same_again),
    Invariant("TR-068", "carried again, it says the same", _stable_under_itself),
)
