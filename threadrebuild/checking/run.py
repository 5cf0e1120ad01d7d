"""Runs one check, as effect "run_check" asks for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from threadrebuild.checking import commands, files, media, parts, running, seams
from threadrebuild.checking.outcome import OutOfBounds, Ran, Unreadable, unreadable
from threadrebuild.collab import check_bodies, measures

Probe = Callable[[Path], measures.Seen]


def run(asked: dict[str, Any], workspace: Path, probe: Probe = media.probe) -> Ran:
    """Run a check in the workspace; `asked` is an effect's body (threadrebuild/collab/checks.py), `probe` reads films.

    Whatever goes wrong is an outcome, too.
    """
    until = running.deadline(asked.get("limit_s") or check_bodies.LONGEST_SECONDS)
    try:
        if asked.get("measure"):
            return _measure(asked, workspace, probe)
        match check_bodies.read(asked["kind"], asked["body"]):
            case check_bodies.FileExists() as body:
                return files.exists(workspace, body)
            case check_bodies.Contains() as body:
                return files.contains(workspace, body)
            case check_bodies.Matches() as body:
                return files.matches(workspace, body, until)
            case check_bodies.Command() as body:
                return commands.check(workspace, body, until)
            case check_bodies.Continuity() as body:
                return _gather(asked, body, workspace, until)
    except check_bodies.OutOfBounds:  # CHK-03
        return Ran("out_of_bounds", {"says": "out of bounds", "path": _named(asked["body"])})
    except OutOfBounds as found:
        return Ran("out_of_bounds", {"says": "out of bounds", "path": str(found)})
    except Unreadable as found:
        return unreadable(found.path, found.why)
    except media.NoProgram as missing:
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


def _gather(asked: dict[str, Any], body: check_bodies.Continuity, workspace: Path, until: float) -> Ran:
    """What a judge is to be shown of the parts' seams."""
    found = parts.of(workspace, body, until)
    joints = seams.between(found, workspace, asked["plan_folder"], asked["check"], until)
    if not joints:
        return Ran("error", {"says": "one part", "path": found[0].name if found else ""})
    overall = seams.digest(found) if found[0].kind == "text" else None
    return Ran("gathered", {"joints": joints, "overall": overall})


def _named(body: dict[str, Any]) -> str:
    """What a check looks at, in a word."""
    return next((str(body[name]) for name in ("path", "command", "glob", "file") if body.get(name)), "")
