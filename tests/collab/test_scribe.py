"""The scribe: when it reads the user's words, in which order, with what, and what is kept where it says nothing."""

from pathlib import Path

from scribing import entries, row, says, studio

from harness.expect import expect_equal, proves


@proves("SCRB-07")
def test_thin(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    says(home, "@导演 背景要连贯,画面要稳", plan, add=[row("背景要连贯", category="背景连贯", nature="craft")])
    expect_equal("SCRB-07", entries(home), ["背景要连贯"], "x")
