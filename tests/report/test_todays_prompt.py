from pathlib import Path

from harness.report.page import write_report
from harness.runlog import RunLog

SENTENCE = "The new session sees this old snapshot and today&#39;s system prompt together"


def test_every_report_says_that_todays_prompt_comes_on_top(tmp_path: Path) -> None:
    for name, frozen in (("frozen", True), ("none", False), ("no talk", None)):
        log, page = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.html"
        with log.open("w", encoding="utf-8") as out:
            steps = RunLog(out)
            startup = {"frozen": frozen, "sha256": None, "texts": []}
            if frozen is not None:
                steps.add("turns", transcript=0, turns=[], startup=startup, abandoned=[])
            steps.add("end", verdict="green", green=1, red=0)
        write_report(log, page)
        assert SENTENCE in page.read_text(encoding="utf-8"), name
