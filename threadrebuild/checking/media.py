"""What a film is like, as ffprobe tells it and as it plays; frames, cuts and pictures of it, as ffmpeg makes them."""

import json
import re
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

from threadrebuild.checking import running
from threadrebuild.checking.outcome import Unreadable
from threadrebuild.collab.measures import Seen

PROBE_SECONDS = 30.0
SCENE = 0.3
"""How much of the picture has to change at a cut, of 1."""
HEIGHT = 360
"""Of the pictures that are laid side by side."""
LAST_SECONDS = 1.0
"""How far before a film's end its last picture is looked for."""
_CUT = re.compile(r"pts_time:(\d+(?:\.\d+)?)")
_ONLY_FILES = ("-protocol_whitelist", "file")
"""A file that only names others, somewhere on the net, is not followed."""
_QUIET = ("-v", "error", "-nostats", "-y")


class NoProgram(Exception):
    """ffprobe or ffmpeg is not installed here."""


def probe(path: Path) -> Seen:
    """What a film is like; what cannot be read is None. Raises `NoProgram`, `Unreadable` where it is no film."""
    command = ["-v", "error", *_ONLY_FILES, "-print_format", "json", "-show_streams", "-show_format", f"file:{path}"]
    ended = _call("ffprobe", command, path, running.deadline(PROBE_SECONDS))
    try:
        told = json.loads(ended.output)
    except (ValueError, RecursionError):
        raise Unreadable(path.name, "ffprobe") from None
    films = [each for each in told.get("streams", ()) if each.get("codec_type") == "video" and not _is_cover(each)]
    if not films:
        raise Unreadable(path.name, "no video")
    return seen(films[0], told.get("format", {}))


def seen(film: dict[str, Any], whole: dict[str, Any]) -> Seen:
    """What ffprobe's words on a film's picture and on the whole file come to."""
    width, height = film.get("width"), film.get("height")
    if width and height:
        wider = _number(film.get("sample_aspect_ratio")) or Fraction(1)
        width = round(width * wider)
        if _is_turned(film):  # WORDS-28
            width, height = height, width
    duration = _number(whole.get("duration")) or _number(film.get("duration"))
    rate = _number(film.get("avg_frame_rate")) or _number(film.get("r_frame_rate"))
    return Seen(
        duration=None if duration is None else float(duration),
        width=width or None,
        height=height or None,
        frame_rate=None if rate is None else float(rate),
    )


def cuts(path: Path, until: float) -> list[float]:
    """When the scenes of a film change, in seconds. Raises `NoProgram`, `Unreadable`."""
    changes = f"select='gt(scene,{SCENE})',metadata=print:file=-"
    ended = _call("ffmpeg", [*_QUIET, *_of(path), "-an", "-vf", changes, "-f", "null", "-"], path, until)
    return [float(found) for found in _CUT.findall(ended.output.decode(errors="replace"))]


def last_frame(path: Path, end: float | None, picture: Path, until: float) -> None:
    """Keep the last picture of a film, or the last before a moment of it. Raises `NoProgram`, `Unreadable`."""
    if end is None:
        span = ["-sseof", f"-{LAST_SECONDS}", *_of(path)]
    else:
        start = max(0.0, end - LAST_SECONDS)
        # A hair less than the moment itself, which is that of the next scene's first picture.
        span = ["-ss", f"{start:.6f}", *_of(path), "-t", f"{end - start - 0.001:.6f}"]
    _call("ffmpeg", [*_QUIET, *span, "-update", "1", str(picture)], path, until)


def first_frame(path: Path, start: float | None, picture: Path, until: float) -> None:
    """Keep the first picture of a film, or the first from a moment on. Raises `NoProgram`, `Unreadable`."""
    span = ["-ss", f"{start or 0:.6f}", *_of(path)]
    _call("ffmpeg", [*_QUIET, *span, "-frames:v", "1", "-update", "1", str(picture)], path, until)


def side_by_side(left: Path, right: Path, picture: Path, until: float) -> None:
    """Lay two pictures side by side in one. Raises `NoProgram`, `Unreadable`."""
    equal = f"[0:v]scale=-2:{HEIGHT},setsar=1[a];[1:v]scale=-2:{HEIGHT},setsar=1[b];[a][b]hstack=inputs=2"
    both = [*_of(left), *_of(right), "-filter_complex", equal, "-frames:v", "1", "-update", "1", str(picture)]
    _call("ffmpeg", [*_QUIET, *both], left, until)


def _of(path: Path) -> list[str]:
    return [*_ONLY_FILES, "-i", f"file:{path}"]


def _call(program: str, arguments: list[str], path: Path, until: float) -> running.Ended:
    found = shutil.which(program)
    if found is None:
        raise NoProgram(program)
    ended = running.run([found, *arguments], path.parent, running.left(until))
    if ended.code != 0 or ended.is_cut:
        raise Unreadable(path.name, program if ended.code != 0 else "too long")
    return ended


def _is_cover(stream: dict[str, Any]) -> bool:
    """Whether a picture only comes with a file, as the cover of a song does."""
    return bool(stream.get("disposition", {}).get("attached_pic"))


def _is_turned(film: dict[str, Any]) -> bool:
    """Whether a film is stored lying and plays standing, or the other way round."""
    turns = [each["rotation"] for each in film.get("side_data_list", ()) if "rotation" in each]
    turns.append(film.get("tags", {}).get("rotate", 0))
    return round(float(turns[0])) % 180 == 90  # WORDS-28


def _number(said: Any) -> Fraction | None:
    """A number as ffprobe writes it: `107.000000`, `30000/1001`, `64:45`; None for `N/A` and for nothing."""
    try:
        return Fraction(str(said).replace(":", "/")) or None
    except (ValueError, ZeroDivisionError):
        return None
