"""Acceptance checks: the user writes them on the board, the application runs them, and Bots read what came of it."""

from pathlib import Path

from checking import accepted, added, ran, running, runs
from ending import at_work, look

from harness.expect import expect, expect_equal, proves


@proves("CHK-09")
def test_a_check_runs_once_it_is_written_and_the_next_hop_reads_what_came_of_it(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    accepted(home, plan)
    check = added(home, plan)
    expect_equal("CHK-06", [each.body["check"] for each in running(home)], [check], "what is run")
    ran(home, "failed", says="missing", path="deliverables/poster.png")
    expect_equal("CHK-05", runs(home, check), ["failed"], "what is on record")
    home.hop("导演", look())
    text = home.context(home.turn("导演")["id"])
    expect("CHK-09", "“海报印得出来”: failed: deliverables/poster.png 不在" in text, text)
