"""The judge of a reviewed chat sees what is wrong in lines that were made up, and reads a real run from its log."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.oracle.review import mailbox_differs, revised_too_often, tools_under_seal, unsettled_shown
from harness.runlog import read_run

STORIES = Path(__file__).parents[2] / "scenarios" / "review"
SAYS = ("user", "says", "在吗")
DRAFT, REVISION = ("model", "drafts", "在！"), ("model", "revises", "在。")
ADVICE = ("gate", "advises", "别用感叹号。")
SHOWS_DRAFT, SHOWS = ("phone", "shows", "在！"), ("phone", "shows", "在。")
KEPT = ("model", "calls: kept", "mailbox_say 在！")
RUNS = ("tool", "runs", "搜索")


def told(*lines: tuple[str, str, str]) -> list[dict[str, Any]]:
    """Lines about one message; those of the mailbox are about a tool."""
    return [
        {"kind": "line", "who": who, "did": did, "text": text, "where": "mailbox_say" if who == "mailbox" else "1"}
        for who, did, text in lines
    ]


GOOD = told(SAYS, KEPT, RUNS, DRAFT, ADVICE, REVISION, SHOWS, ("mailbox", "records", "在。"))


def test_a_chat_as_it_should_be_has_nothing_wrong() -> None:
    for judge in (unsettled_shown, tools_under_seal, mailbox_differs, revised_too_often):
        assert list(judge(GOOD)) == []


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([SAYS, DRAFT, ADVICE, SHOWS_DRAFT], "although it was to be revised"),
        ([SAYS, DRAFT, ADVICE, REVISION, SHOWS_DRAFT], "before it was settled"),
        ([SAYS, SHOWS_DRAFT, DRAFT], "before it was settled"),
        ([SAYS, DRAFT, SHOWS_DRAFT, SHOWS_DRAFT], "the phone showed 2 texts"),
        ([SAYS, DRAFT, ("user", "stops", ""), SHOWS_DRAFT], "after it was stopped"),
        ([SAYS, DRAFT, ("model", "calls: sealed", "搜索"), SHOWS_DRAFT], "after its turn had failed"),
    ],
)
def test_a_text_that_should_not_have_been_seen_is_named(lines: list[tuple[str, str, str]], said: str) -> None:
    assert said in "; ".join(unsettled_shown(told(*lines)))


def test_a_tool_that_ran_after_the_draft_is_named() -> None:
    assert list(tools_under_seal(told(SAYS, DRAFT, RUNS))) == ["搜索 ran for message 1 after its draft"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([SAYS, KEPT, DRAFT, SHOWS_DRAFT], "mailbox_say never recorded '在！'"),
        ([SAYS, KEPT, DRAFT, ("mailbox", "records", "在！")], "which nobody was shown"),
        ([SAYS, KEPT, DRAFT, ("mailbox", "records", "在！"), SHOWS_DRAFT], "which nobody was shown"),
        ([SAYS, KEPT, DRAFT, REVISION, SHOWS, ("mailbox", "records", "在！")], "which nobody was shown"),
        ([SAYS, KEPT, DRAFT, SHOWS_DRAFT, *[("mailbox", "records", "在！")] * 2], "without having to"),
        ([SAYS, DRAFT, SHOWS_DRAFT, ("mailbox", "records", "在！")], "without having to"),
    ],
)
def test_a_mailbox_that_does_not_hold_what_was_sent_is_named(lines: list[tuple[str, str, str]], said: str) -> None:
    assert said in "; ".join(mailbox_differs(told(*lines)))


def test_a_second_opinion_is_named() -> None:
    assert list(revised_too_often(told(SAYS, DRAFT, ADVICE, REVISION, ADVICE))) == ["message 1 got 2 opinions"]


def test_it_judges_a_run_by_its_log(tmp_path: Path) -> None:
    story = STORIES / "the-mailbox-records-what-was-sent.toml"
    done = CliRunner().invoke(main, ["run", str(story), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    lines = [step for step in read_run(tmp_path / "run.jsonl") if step["kind"] == "line" and step["transcript"] == 0]
    assert [line["text"] for line in lines if line["who"] == "mailbox"] == ["妈，我周末回来。给我留条鱼。"]
    for judge in (unsettled_shown, tools_under_seal, mailbox_differs, revised_too_often):
        assert list(judge(lines)) == []
    without = [line for line in lines if line["who"] != "mailbox"]
    assert "never recorded" in "; ".join(mailbox_differs(without))
