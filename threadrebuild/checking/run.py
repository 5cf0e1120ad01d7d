"""Runs one check, as effect "run_check" asks for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from threadrebuild.checking import commands, files, media, parts, running, seams
from threadrebuild.checking.outcome import OutOfBounds, Ran, Unreadable, unreadable
from threadrebuild.collab import measures

Probe = Callable[[Path], measures.Seen]
KINDS: dict[str, Callable[[Path, dict[str, Any], float], Ran]] = {
    "file_exists": files.exists,
    "contains": files.contains,
    "matches": files.matches,
    "command": commands.check,
}


def run(asked: dict[str, Any], workspace: Path, probe: Probe = media.probe) -> Ran:
    """Run a check in the workspace; `asked` is an effect's body (threadrebuild/collab/checks.py), `probe` reads films.

    Whatever goes wrong is an outcome, too.
    """
    until = running.deadline(asked.get("limit_s") or commands.LONGEST_SECONDS)
    try:
        if asked.get("measure"):
            return _measure(asked, workspace, probe)
        if asked["kind"] == "continuity":
            return _gather(asked, workspace, until)
        return KINDS[asked["kind"]](workspace, asked["body"], until)
    except OutOfBounds as found:  # CHK-03
        return Ran("out_of_bounds", {"says": "out of bounds", "path": str(found)})
    except Unreadable as found:
        return unreadable(found.path, found.why)
    except media.NoProgram as missing:  # WORDS-28
        says = "no ffprobe" if str(missing) == "ffprobe" else "could not run"
        return Ran("error", {"says": says, "why": str(missing)})
    except (OSError, ValueError) as error:
        return Ran("error", {"says": "could not run", "why": str(error)})


def _measure(asked: dict[str, Any], workspace: Path, probe: Probe) -> Ran:
    """Whether a film is as the user's words say."""
    if not asked.get("matched"):
        return Ran("error", {"says": "no path"})
    path = files.place(workspace, asked["matched"])
    if not path.is_file():
        return Ran("error", {"says": "missing", "path": asked["matched"]})
    measure = measures.Measure(**asked["measure"])
    seen = probe(path)
    met = measures.meets(measure, seen)
    if met is None:  # WORDS-28
        return unreadable(asked["matched"], measure.item)
    value = measures.seen_worded(measure.item, seen)
    return Ran("passed" if met else "failed", {"says": "measured", "path": asked["matched"], "value": value})


def _gather(asked: dict[str, Any], workspace: Path, until: float) -> Ran:
    """What a judge is to be shown of the parts' seams."""
    found = parts.of(workspace, asked["body"], until)
    joints = seams.between(found, workspace, asked["plan_folder"], asked["check"], until)
    if not joints:
        return Ran("error", {"says": "one part", "path": found[0].name if found else ""})
    overall = seams.digest(found) if found[0].kind == "text" else None
    return Ran("gathered", {"joints": joints, "overall": overall})
