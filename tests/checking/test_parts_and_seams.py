"""The parts of a work in their order, and what is shown of each seam between them."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from checked import Checked

from harness.expect import expect, expect_equal, proves
from threadrebuild.checking import media, parts


def seams(at: Checked, **body: Any) -> list[str]:
    """The names of the seams that a continuity check finds."""
    ran = at.run("continuity", **body)
    return [joint["name"] for joint in ran.detail.get("joints", ())]


def shown_of(at: Checked, **body: Any) -> dict[str, Any]:
    """What is shown of the first seam that a continuity check finds."""
    joints: list[dict[str, Any]] = at.run("continuity", **body).detail.get("joints") or [{}]
    return joints[0]


@contextmanager
def films(**cuts: list[float]) -> Iterator[list[tuple[str, Any]]]:
    """Films that are only names: when each one's scenes change; yields what was shown of them, in order."""
    shown: list[tuple[str, Any]] = []

    def last(path: Path, end: float | None, picture: Path, until: float) -> None:
        picture.write_text(f"last of {path.name} before {end}")

    def first(path: Path, start: float | None, picture: Path, until: float) -> None:
        picture.write_text(f"first of {path.name} from {start}")

    def both(left: Path, right: Path, picture: Path, until: float) -> None:
        shown.append((left.read_text(), right.read_text()))
        picture.write_text("both")

    with ExitStack() as doubles:
        for name, double in (("last_frame", last), ("first_frame", first), ("side_by_side", both)):
            doubles.enter_context(mock.patch.object(media, name, double))
        doubles.enter_context(mock.patch.object(media, "cuts", lambda path, until: cuts[path.stem]))
        yield shown


@proves("CHK-15")
def test_parts_that_a_command_lists_come_in_its_order(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    for name in ("结论", "背景", "市场"):
        at.file(f"report/{name}.md", name)
    at.file("report/order.txt", "背景.md\n\n  市场.md \n结论.md\n")
    seen = seams(at, command="cat order.txt", folder="report")
    expect_equal("CHK-15", seen, ["背景→市场", "市场→结论"], "the seams of what a command lists")
    ran = at.run("continuity", command="echo 没有.md")
    expect_equal("CHK-15", ran.outcome, "error", "a part that is not there")
    expect_equal("CHK-15", at.run("continuity", command="echo report/背景.md; exit 1").outcome, "error", "a failure")
    for listed in ("../secret.txt", "/etc/passwd"):
        at.file("parts.txt", f"report/背景.md\n{listed}\n")
        expect_equal("CHK-15", at.run("continuity", command="cat parts.txt").outcome, "out_of_bounds", listed)


@proves("CHK-15")
def test_parts_that_a_pattern_finds_come_in_natural_order(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    for name in ("C10", "C2", "C1", "c3", "C2b", "1"):
        at.file(f"cuts/{name}.txt", name)
    at.file("cuts/more/C4.txt")
    (at.workspace / "cuts" / "C7.txt").mkdir()
    wanted = ["1→C1", "C1→C2", "C2→C2b", "C2b→C10", "C10→c3"]
    expect_equal("CHK-15", seams(at, glob="cuts/*.txt"), wanted, "the seams of what a pattern finds")
    expect_equal("CHK-15", seams(at, glob="*.txt", folder="cuts"), wanted, "and in a folder")
    expect_equal("CHK-15", at.run("continuity", glob="cuts/C1.*").detail["says"], "one part", "with one part only")
    (at.workspace / "cuts" / "C5.txt").symlink_to(at.secret)
    expect_equal("CHK-15", at.run("continuity", glob="cuts/*.txt").outcome, "out_of_bounds", "with a link outside")
    expect_equal("CHK-15", at.run("continuity", glob="../*.txt").outcome, "out_of_bounds", "a pattern outside")


@proves("CHK-15")
def test_of_films_without_a_command_only_the_newest_counts_and_is_split_at_its_cuts(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    for age, name in enumerate(("v3.mp4", "v1.mp4", "v2.mp4")):
        path = at.file(f"film/{name}")
        os.utime(path, (1000 - age, 1000 - age))
    with films(v3=[2.5, 7.0], v1=[], v2=[]):
        expect_equal("CHK-15", seams(at, glob="film/*.mp4"), ["1→2", "2→3"], "the cuts of the newest")
        expect_equal("CHK-15", seams(at, file="film/v3.mp4"), ["1→2", "2→3"], "the cuts of a film")
        listed = seams(at, command="ls *.mp4", folder="film")
        expect_equal("CHK-15", listed, ["v1→v2", "v2→v3"], "listed by a command, each is a part")
        at.file("film/board.png")
        expect_equal("CHK-15", at.run("continuity", glob="film/*").outcome, "error", "films among other things")


MARKDOWN = """前言
# 背景
起
## 市场 ##
### 细分
中
```
# 不是标题
```

渠道对比
--------
末
- 一
---
完
"""
PAGE = """<html><head><title>x</title><style>h1 {}</style></head><body><p>前言</p>
<h1>背景</h1><p>起</p><h2>市场 <em>分析</em></h2><h3>细分</h3>中<script>h2</script><h2>结论</h2>末</body></html>"""


@proves("CHK-15")
def test_one_file_is_split_by_its_headings_of_the_first_and_second_level(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    for name in ("book.md", "book.txt"):
        at.file(name, MARKDOWN)
        found = seams(at, file=name)
        expect_equal("CHK-15", found, ["book→背景", "背景→市场", "市场→渠道对比"], f"the seams of {name}")
    found_parts = parts.split_text(MARKDOWN, "book")
    expect_equal("CHK-15", found_parts[2][1], "### 细分\n中\n```\n# 不是标题\n```", "the text of one part")
    at.file("book.html", PAGE)
    found = seams(at, file="book.html")
    expect_equal("CHK-15", found, ["book→背景", "背景→市场 分析", "市场 分析→结论"], "the seams of a page")
    expect_equal("CHK-15", parts.split_page(PAGE, "book")[2][1], "细分中", "the text of one part of a page")
    at.file("book.md", "# 背景\n起\n# 结论\n末")
    expect_equal("CHK-15", seams(at, file="book.md"), ["背景→结论"], "with nothing before the first heading")
    expect_equal("CHK-15", at.run("continuity", file="没有.md").outcome, "error", "a file that is not there")
    at.file("deck.pptx")
    expect_equal("CHK-15", at.run("continuity", file="deck.pptx").outcome, "error", "a file without such parts")


@proves("CHK-16")
def test_of_texts_the_end_of_one_and_the_start_of_the_other_are_shown(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("1.md", "甲" * 699 + "乙" * 699)
    at.file("2.md", "丙" * 701 + "丁" * 701)
    joint = shown_of(at, glob="?.md")
    expect_equal("CHK-16", joint.get("before"), "甲" + "乙" * 699, "the last 700 characters before")
    expect_equal("CHK-16", joint.get("after"), "丙" * 700, "the first 700 characters after")
    expect("CHK-16", "picture" not in joint, "no picture of texts")


@proves("CHK-16")
def test_of_texts_the_whole_is_shown_in_a_digest(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("1.md", "小满科技营收 3 个月增长 12.5%，《蓝图》由 Anna Lee 主编，共 1,200 万元。")
    at.file("2.md", "Xiaoman 的“蓝图”要 90 天。" + "长" * 200)
    overall = at.run("continuity", glob="?.md").detail["overall"]
    expect_equal("CHK-16", [each["title"] for each in overall], ["1", "2"], "the titles")
    expect_equal("CHK-16", overall[0]["numbers"], ["3 个月", "12.5%", "1,200 万元"], "numbers with their units")
    expect_equal("CHK-16", overall[0]["names"], ["蓝图", "Anna Lee"], "proper names")
    expect_equal("CHK-16", overall[1]["names"], ["Xiaoman", "蓝图"], "and how another part calls the same")
    expect("CHK-16", overall[1]["opening"].startswith("Xiaoman 的“蓝图”要 90 天。长"), "openings")
    expect("CHK-16", len(overall[1]["opening"]) < 200, "of which only the beginning is shown")


@proves("CHK-16")
def test_of_films_the_last_picture_before_and_the_first_after_are_shown_side_by_side(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    for name in ("C2.mp4", "C10.mp4", "cut.mp4"):
        at.file(name)
    with films(cut=[2.5]) as shown:
        joint = shown_of(at, command="printf 'C2.mp4\\nC10.mp4'")
        at.run("continuity", file="cut.mp4")
    wanted = [
        ("last of C2.mp4 before None", "first of C10.mp4 from None"),
        ("last of cut.mp4 before 2.5", "first of cut.mp4 from 2.5"),
    ]
    expect_equal("CHK-16", shown, wanted, "what lies side by side")
    expect_equal("CHK-16", joint.get("picture"), "plans/book/checks/7/01.png", "where the picture is kept")
    kept = sorted(path.name for path in (at.workspace / "plans/book/checks/7").iterdir())
    expect_equal("CHK-16", kept, ["01.png"], "all that is kept")
    with films():
        overall = at.run("continuity", command="printf 'C2.mp4\\nC10.mp4'").detail.get("overall", "")
    expect_equal("CHK-16", overall, None, "of films there is no digest")


@proves("CHK-16")
def test_of_pictures_the_two_themselves_are_shown_side_by_side(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    for number in (2, 10):
        at.file(f"{number}.png", f"picture {number}")
    with films() as shown:
        joint = shown_of(at, glob="*.png")
    expect_equal("CHK-16", shown, [("picture 2", "picture 10")], "what lies side by side")
    expect_equal("CHK-16", joint.get("picture"), "plans/book/checks/7/01.png", "where")
    (at.workspace / "plans/book").rename(at.workspace / "old")
    (at.workspace / "plans/book").symlink_to(tmp_path)
    with films() as shown:
        outcome = at.run("continuity", glob="*.png").outcome
    expect_equal("CHK-16", (outcome, shown), ("out_of_bounds", []), "a plan folder that leads outside")


def test_without_ffmpeg_nothing_is_said_of_films(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("a.mp4")
    with mock.patch.object(shutil, "which", lambda program: None):
        ran = at.run("continuity", file="a.mp4")
    assert (ran.outcome, ran.detail) == ("error", {"says": "could not run", "why": "ffmpeg"})
