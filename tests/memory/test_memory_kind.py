"""Stories of customers: each demand can fail, and a story that makes no sense is refused by file, line and reason."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main

STORY = """\
title = "Li Lei comes back"
kind = "memory"

[customers.li]
tenant = "tile shop"
channel = "wechat"
key = "Li_Lei"

[[story]]
at = "2026-08-14 16:00"
summary = "他要灰色的。"
upto = 3

[[story]]
learned = { "预算" = "3000" }

[[story]]
reads = [["customer", "我在看瓷砖", "昨天 15:20"]]
raw = "电量 43%"

[[story]]
chats = 19

[[story]]
customer = "第20句"
"""
HOPS = (
    '["claim session", "pull originals", "prepend earlier history", "profile base", "cross-session", "prompt assembly"]'
)
DEMANDS = [
    ('prompt_has = "预算：3000", part = "system"', 'prompt_has = "预算：3000", part = "talk"'),
    ('prompt_has = "第20句"', 'prompt_has = "第21句"'),
    ('prompt_lacks = "电量 43%"', 'prompt_lacks = "第20句"'),
    ('prompt_lacks = "第1句", on = "第20句"', 'prompt_lacks = "预算", on = "第20句"'),
    (f"talk = {[f'第{n}句' for n in range(11, 21)]}", f"talk = {[f'第{n}句' for n in range(12, 21)]}"),
    ('lines = 10, first = "第11句", last = "第20句"', 'lines = 10, first = "第10句", last = "第20句"'),
    ("summary_length = 6", "summary_length = 7"),
    ('profile = { "预算" = "3000" }', 'profile = { "预算" = "800" }'),
    ("sessions = 1", "sessions = 2"),
    ('claimed = "他要灰色的。", watermark = 3', 'claimed = "他要灰色的。", watermark = 4'),
    (f"hops = {HOPS}", 'hops = ["claim session"]'),
    # An absence alone is no pass (CR-16).
    ('sessions = 1 }, { rule = "MC-01", blames = []', 'blames = ["pull originals"]'),
    ('came = "trimmed", hop = "prompt assembly", amount = 10', 'came = "trimmed", hop = "prompt assembly", amount = 9'),
    ('came = "pulled", hop = "pull originals"', 'came = "pulled", hop = "pull originals", times = 2'),
    ("labels = { stored = 1 }", 'labels = { "nothing read" = 1 }'),
    ('uploaded = ["2026-08-13 15:20"]', 'uploaded = ["昨天 15:20"]'),
    ('fetches = ["stored"]', 'fetches = ["gap"]'),
    ('history = ["我在看瓷砖"]', 'history = ["我在看地板"]'),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rules = tmp_path / "scenarios" / "rules"
    rules.mkdir(parents=True)
    shipped = Path(__file__).parents[2] / "scenarios" / "rules" / "memory.md"
    (rules / "memory.md").write_bytes(shipped.read_bytes())
    return tmp_path


def run(root: Path, demand: str, story: str = STORY) -> tuple[int, str]:
    """Play a story with one demand; returns the exit code and all that was printed."""
    path = root / "scenarios" / "li.toml"
    top, told = story.split("\n", 1)
    seen = '{ rule = "MC-01", sessions = 1 }'  # beside a demand for nothing, something has to be seen
    path.write_text(f'{top}\nexpect = [{{ rule = "MC-01", {demand} }}, {seen}]\n{told}', encoding="utf-8")
    done = CliRunner().invoke(main, ["run", str(path), "--out", str(root / "out")])
    return done.exit_code, done.output


@pytest.mark.parametrize(("holds", "fails"), DEMANDS)
def test_each_demand_can_hold_and_can_fail(root: Path, holds: str, fails: str) -> None:
    assert run(root, holds)[0] == 0, run(root, holds)[1]
    code, printed = run(root, fails)
    assert code == 1 and "MC-01" in printed


@pytest.mark.parametrize(
    ("demand", "change", "reason"),
    [
        ('prompt_lacks = "没人说过"', ("", ""), "was told nowhere: its absence would prove nothing"),
        ('prompt_has = "嗯", on = "没人说过"', ("", ""), "no customer said"),
        ('history = ["嗯"], who = "mei"', ("", ""), "there is no customer 'mei'"),
        ("sessions = 1", ("chats = 19", 'chats = 19\nwho = "mei"'), "there is no customer 'mei'"),
        ("sessions = 1", ("chats = 19", 'chats = 19\nat = "2026-08-14 15:59"'), "lies before 2026-08-14 16:02"),
        ("sessions = 1", ('raw = "电量 43%"', 'on = "tablet"'), "there is no device 'tablet'"),
        ("sessions = 1", ("chats = 19", 'chats = 19\nat = "tomorrow"'), "at"),
    ],
)
def test_what_makes_no_sense_is_refused(root: Path, demand: str, change: tuple[str, str], reason: str) -> None:
    code, printed = run(root, demand, STORY.replace(*change) if change[0] else STORY)
    assert code == 2, printed
    assert "scenarios/li.toml:" in printed and reason in printed
