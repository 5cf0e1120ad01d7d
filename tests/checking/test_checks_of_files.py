"""Checks of a file: it is there, it has a text, a regular expression matches; and none looks outside the workspace."""

import os
from pathlib import Path

from checked import Checked

from harness.expect import expect, expect_equal, proves
from threadrebuild.checking import files


@proves("CHK-01")
def test_a_file_is_there_and_is_not_empty(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("report/结论.md", "三个月回本")
    at.file("empty.md", "")
    os.mkfifo(at.workspace / "pipe")
    for path, wanted in (
        ("report/结论.md", ("passed", "there")),
        ("empty.md", ("failed", "empty")),
        ("report", ("failed", "missing")),
        ("pipe", ("failed", "missing")),
        ("没有.md", ("failed", "missing")),
    ):
        expect_equal("CHK-01", at.said("file_exists", path=path), wanted, path)


@proves("CHK-01")
def test_a_file_has_a_text_or_has_not(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("a.md", "TODO\n三个月回本\n")
    at.file("empty.md", "")
    for path, text, inverted, wanted in (
        ("a.md", "三个月回本", False, ("passed", "has text")),
        ("a.md", "三个月回本", True, ("failed", "has text")),
        ("a.md", "半年回本", False, ("failed", "lacks text")),
        ("a.md", "半年回本", True, ("passed", "lacks text")),
        ("empty.md", "x", False, ("failed", "lacks text")),
        ("empty.md", "x", True, ("passed", "lacks text")),
        # What is not there has been handed over by nobody, with or without the text.
        ("没有.md", "x", True, ("failed", "missing")),
    ):
        seen = at.said("contains", path=path, text=text, inverted=inverted)
        expect_equal("CHK-01", seen, wanted, f"{path} {text} {inverted}")


@proves("CHK-01")
def test_a_regular_expression_matches_a_file_or_does_not(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("a.md", "标题\nv1.24\n")
    for pattern, inverted, wanted in (
        (r"^v\d+\.\d+$", False, ("passed", "matches")),
        (r"^v\d+\.\d+$", True, ("failed", "matches")),
        (r"^v\d+$", False, ("failed", "no match")),
        (r"^v\d+$", True, ("passed", "no match")),
        (r"v(", False, ("error", "could not run")),
    ):
        seen = at.said("matches", path="a.md", pattern=pattern, inverted=inverted)
        expect_equal("CHK-01", seen, wanted, f"{pattern} {inverted}")


def test_a_pattern_that_never_ends_is_ended(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("a.txt", "a" * 40 + "b")
    assert at.said("matches", path="a.txt", pattern="(a+)+$", limit_s=0.5) == ("error", "pattern too slow")


def test_a_pattern_looks_in_no_huge_file(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    with at.file("a.log").open("wb") as file:
        file.truncate(files.PATTERN_BYTES + 1)
    assert at.said("matches", path="a.log", pattern="x") == ("error", "unreadable")


OUTSIDE = (
    "../secret.txt",
    "report/../../secret.txt",
    "/etc/passwd",
    "~/x",
    "way out",
    "up/secret.txt",
    "loop",
)


@proves("CHK-03")
def test_no_check_of_a_file_looks_outside_the_workspace(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("report/a.md", "高度机密")
    (at.workspace / "way out").symlink_to(at.secret)
    (at.workspace / "up").symlink_to("..")
    (at.workspace / "loop").symlink_to("loop")
    (at.workspace / "way in").symlink_to("report/a.md")
    for path in OUTSIDE:
        for kind, body in (
            ("file_exists", {}),
            ("contains", {"text": "机密", "inverted": True}),
            ("matches", {"pattern": "机密"}),
        ):
            seen = at.said(kind, path=path, **body)
            expect_equal("CHK-03", seen, ("out_of_bounds", "out of bounds"), f"{kind} {path}")
    for path in ("report/a.md", "report/../report/a.md", "way in", "./report//a.md"):
        expect_equal("CHK-03", at.said("contains", path=path, text="机密")[0], "passed", path)


@proves("CHK-03")
def test_a_workspace_may_itself_be_a_link(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("a.md")
    (tmp_path / "link").symlink_to("workspace")
    at.workspace = tmp_path / "link"
    expect_equal("CHK-03", at.said("file_exists", path="a.md")[0], "passed", "a file of a workspace behind a link")
    expect("CHK-03", at.said("file_exists", path="../secret.txt")[0] == "out_of_bounds", "and still nothing outside")
