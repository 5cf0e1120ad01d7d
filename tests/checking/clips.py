"""Small films and pictures, made by ffmpeg for one test."""

import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

MARKS = [
    pytest.mark.ffmpeg,
    pytest.mark.skipif(
        shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None, reason="ffmpeg is not installed"
    ),
]


def film(
    path: Path, *, colours: Sequence[str] = ("red",), seconds: float = 1.0, size: str = "64x36", rate: int = 10
) -> None:
    """A film without sound: one colour after the other, each so long."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scenes = "".join(f"color={each}:s={size}:d={seconds}:r={rate}[{at}];" for at, each in enumerate(colours))
    order = "".join(f"[{at}]" for at in range(len(colours)))
    _ffmpeg("-filter_complex", f"{scenes}{order}concat=n={len(colours)}", str(path))


def turned(path: Path, degrees: int, new: Path) -> None:
    """The same film, marked to be turned as it plays: the matrix of its only track is written anew."""
    cosine, sine = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[degrees % 360]
    matrix = (cosine << 16, sine << 16, 0, -sine << 16, cosine << 16, 0, 0, 0, 1 << 30)
    content = path.read_bytes()
    # After the box's name: version, five numbers, and sixteen bytes for layer, group and volume.
    at = content.index(b"tkhd") + 4 + 40
    new.write_bytes(content[:at] + struct.pack(">9i", *matrix) + content[at + 36 :])


def picture(path: Path, colour: str, size: str = "64x36") -> None:
    """A picture of one colour."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _ffmpeg("-f", "lavfi", "-i", f"color={colour}:s={size}:d=1:r=1", "-frames:v", "1", str(path))


def colours(path: Path) -> list[str]:
    """The colours of a picture's left and right side, as far as red, green and blue go."""
    raw = _ffmpeg("-i", str(path), "-vf", "scale=16:1:flags=area", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    names = {0: "red", 1: "green", 2: "blue"}
    return [names[max(range(3), key=lambda channel: raw[at + channel])] for at in (0, 45)]


def _ffmpeg(*arguments: str) -> bytes:
    return subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments], check=True, capture_output=True).stdout
