"""The page of a night tells its story: what people did, what they were answered, and the operation's states."""

from pathlib import Path

from click.testing import CliRunner

from harness.cli import main
from harness.runlog import read_run
from harness.scenario.loading import root_of

NIGHT = root_of(Path(__file__)) / "scenarios/rebuild/nights/a-line-between-copy-and-build.toml"


def test_a_night_is_told_in_lines(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["run", str(NIGHT), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    lines = [step for step in read_run(tmp_path / "out/run.jsonl") if step["kind"] == "line"]
    assert (lines[0]["at"], lines[0]["who"], lines[0]["text"]) == ("22:00:00", "user", "可以换窗了")
    assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)
    states = [line["did"] for line in lines if line["who"] == "operation"]
    assert states == ["is pending", "is scheduled", "is running", "is verifying", "is activating", "is activated"]
    (asked,) = [line for line in lines if "thread_rebuild_request" in line["text"]]
    assert asked["text"].splitlines()[0].endswith("→ pending")
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "可以换窗了" in page and "appends a row without speech" in page
