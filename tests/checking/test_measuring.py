"""A film is measured as it plays; what cannot be read is no evidence."""

import shutil
from pathlib import Path
from typing import Any
from unittest import mock

from checked import Checked

from harness.expect import expect_equal, proves
from threadrebuild.checking import media
from threadrebuild.collab.measures import Seen

STORED = {"width": 1920, "height": 1080, "avg_frame_rate": "30000/1001"}
TURNED = {"side_data_list": [{"side_data_type": "Display Matrix", "rotation": -90}]}


def measured(at: Checked, item: str, value: str, seen: Seen, bound: str = "bare") -> str:
    """The outcome for a film that was seen to be like this."""
    at.file("final.mp4")
    measure = {"item": item, "value": value, "bound": bound}
    return at.run("file_exists", using=lambda path: seen, measure=measure, matched="final.mp4", path="x").outcome


@proves("WORDS-28")
def test_a_film_counts_as_it_plays(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    for film, shape, size in (
        (STORED, "landscape", (1920, 1080)),
        (STORED | TURNED, "portrait", (1080, 1920)),
        (STORED | {"tags": {"rotate": "90"}}, "portrait", (1080, 1920)),
        (STORED | {"tags": {"rotate": "270"}}, "portrait", (1080, 1920)),
        (STORED | {"tags": {"rotate": "180"}}, "landscape", (1920, 1080)),
        (STORED | {"side_data_list": [{"side_data_type": "Spherical"}]}, "landscape", (1920, 1080)),
        ({"width": 720, "height": 576, "sample_aspect_ratio": "64:45"}, "landscape", (1024, 576)),
        (STORED | {"sample_aspect_ratio": "0:1"}, "landscape", (1920, 1080)),
    ):
        seen = media.seen(film, {"duration": "107.000000"})
        expect_equal("WORDS-28", (seen.width, seen.height), size, f"the size of {film}")
        for wanted in ("portrait", "landscape"):
            outcome = measured(at, "aspect", wanted, seen)
            expect_equal("WORDS-28", outcome, "passed" if wanted == shape else "failed", f"{wanted} of {film}")


@proves("WORDS-28")
def test_what_cannot_be_read_of_a_film_is_an_error(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    whole = Seen(duration=107.0, width=1920, height=1080, frame_rate=30.0)
    for item, value, seen, outcome in (
        ("duration", "120", whole, "failed"),
        ("duration", "107", whole, "passed"),
        ("duration", "107", Seen(width=1920, height=1080, frame_rate=30.0), "error"),
        ("frame_rate", "30", Seen(duration=107.0, width=1920, height=1080), "error"),
        ("resolution", "1080", Seen(duration=107.0, frame_rate=30.0), "error"),
        ("aspect", "16:9", Seen(duration=107.0, height=1080), "error"),
    ):
        expect_equal("WORDS-28", measured(at, item, value, seen), outcome, f"{item} {value} of {seen}")
    for said in ("N/A", "", None, "0/0", "0"):
        seen = media.seen({"avg_frame_rate": said, "r_frame_rate": said, "duration": said}, {"duration": said})
        expect_equal("WORDS-28", seen, Seen(), f"what is read of {said!r}")


@proves("WORDS-28")
def test_without_ffprobe_there_is_no_evidence(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("final.mp4")
    asked: dict[str, Any] = {"measure": {"item": "duration", "value": "120", "bound": "about"}, "matched": "final.mp4"}
    with mock.patch.object(shutil, "which", lambda program: None):
        ran = at.run("file_exists", **asked)
    expect_equal("WORDS-28", (ran.outcome, ran.detail["says"]), ("error", "no ffprobe"), "where it is not installed")
    for matched, says in ((None, "no path"), ("old.mp4", "missing"), ("../secret.txt", "out of bounds")):
        ran = at.run("file_exists", measure=asked["measure"], matched=matched)
        wanted = "out_of_bounds" if says == "out of bounds" else "error"
        expect_equal("WORDS-28", (ran.outcome, ran.detail["says"]), (wanted, says), f"of {matched}")
