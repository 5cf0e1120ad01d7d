"""The token estimate: what it counts, how it weighs scripts, and how a household calibrates it."""

import json
from pathlib import Path

from carrying import carry
from click.testing import CliRunner
from weighing import refused

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.cli import main
from threadrebuild.config import Settings
from threadrebuild.transcript.tokens import estimated_tokens

FIXED_LOAD = 36_800
FIRST_READING = 157_207
ESTIMATE = 119_196
"""Figures of one real rebuild: fixed load, the host's first reading after it, and the estimate (TR-043, TR-045)."""


def latin_talk(characters: int) -> Talk:
    talk = Talk()
    talk.user("abc")
    talk.assistant("a" * (characters - 3))
    return talk


def calibrated(source: Path, reading: int, folder: Path, **settings: object) -> dict[str, object]:
    config = folder / "household.toml"
    config.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items()), encoding="utf-8")
    options = ["plan", str(source), "--config", str(config), "--context-reading", str(reading), "--json"]
    answer: dict[str, object] = json.loads(CliRunner().invoke(main, options).stdout)
    return answer


@proves("TR-043")
def test_the_estimate_counts_dialogue_and_the_window_has_the_fixed_load_under_it(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("a" * 15)
    talk.thinking("b" * 3000)
    talk.tool("Bash", {"command": "c" * 3000}, result="d" * 3000)
    talk.meta("e" * 3000)
    talk.assistant("f" * 15)
    carried = carry(talk, tmp_path, fixed_load_tokens=FIXED_LOAD)
    summary = carried.summary
    expect("TR-032", all(block.word != "stamp" for block in carried.blocks), "no time goes along unasked")
    expect_equal("TR-043", summary["estimated_tokens"], 20, "tokens of thirty Latin letters of dialogue")
    expect_equal("TR-043", summary["window_tokens"], 20 + FIXED_LOAD, "tokens in the window, with the fixed load")
    said = [note for note in summary["notes"] if "no gauge of the window" in note and "fixed load" in note]
    expect("TR-043", said, "the report says that a fixed load lies under the estimate")


@proves("TR-044")
def test_cjk_weighs_more_than_a_token_a_character_and_the_rest_two_thirds() -> None:
    expect_equal("TR-044", estimated_tokens("字" * 10, 1.5), 11, "tokens of ten Chinese characters")
    expect_equal("TR-044", estimated_tokens("a" * 15, 1.5), 10, "tokens of fifteen Latin letters")
    expect_equal("TR-044", estimated_tokens("字" * 10 + "a" * 15, 1.5), 21, "tokens of both")
    expect_equal("TR-044", estimated_tokens("a" * 16, 1.5), 11, "a broken token counts whole")


@proves("TR-044")
def test_kana_and_full_width_punctuation_count_as_cjk(tmp_path: Path) -> None:
    for text in (
        "ひらがなひらがなひら",
        "カタカナカタカナカタ",
        "，。！？：；（）、「",
        "“”‘’……——·《",
        "𠀀𠀁𠀂𠀃𠀄𠀅𠀆𠀇𠀈𠀉",
    ):
        expect_equal("TR-044", estimated_tokens(text, 1.5), 11, f"tokens of {text}, ten characters")
    talk = Talk()
    talk.user("他说：“好……”")
    talk.assistant("嗯，——就这样。")
    summary = carry(talk, tmp_path).summary
    expect("TR-044", summary["estimated_tokens"] >= 8 + 8, "pure Chinese text is never below one token a character")


@proves("TR-045")
def test_the_divisor_is_solved_from_the_hosts_reading(tmp_path: Path) -> None:
    characters = ESTIMATE * 3 // 2
    source = latin_talk(characters).write(tmp_path / "source.jsonl")
    answer = calibrated(source, FIRST_READING, tmp_path, fixed_load_tokens=FIXED_LOAD)
    expect_equal("TR-044", answer["estimated_tokens"], ESTIMATE, "the estimate under the default divisor")
    wanted = round(characters / (FIRST_READING - FIXED_LOAD), 4)
    expect_equal("TR-045", answer.get("calibrated_divisor"), wanted, "letters for each token that the host counted")
    off = 1.5 / wanted - 1
    expect_equal("TR-045", round(off, 3), 0.010, "how far the estimate was from the reading")
    without = calibrated(source, FIRST_READING, tmp_path)
    expect("TR-045", "calibrated_divisor" not in without, "nothing is solved where no fixed load is known")


@proves("TR-045")
def test_the_tools_own_estimate_has_no_part_in_it(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("字" * 100)
    talk.assistant("a" * 1800)
    source = talk.write(tmp_path / "source.jsonl")
    # A hundred characters at 1.1 and a thousand tokens for 1800 letters.
    reading = FIXED_LOAD + 110 + 1000
    seen = [
        calibrated(source, reading, tmp_path, fixed_load_tokens=FIXED_LOAD, tokens_per_other_char_divisor=divisor)
        for divisor in (1.5, 3.0)
    ]
    expect("TR-044", seen[0]["estimated_tokens"] != seen[1]["estimated_tokens"], "the estimate follows the setting")
    expect_equal("TR-045", [each.get("calibrated_divisor") for each in seen], [1.8, 1.8], "the divisor does not")


@proves("TR-045")
def test_all_that_was_carried_is_in_the_reading(tmp_path: Path) -> None:
    talk = Talk()
    talk.startup(["b" * 63], "a" * 3)  # the block takes 100 characters with its tags and line ends
    talk.assistant("a" * 797)
    source = talk.write(tmp_path / "source.jsonl")
    expect_equal("TR-045", len(talk.startup_texts[0]), 100, "characters of the startup block")
    answer = calibrated(source, FIXED_LOAD + 500, tmp_path, fixed_load_tokens=FIXED_LOAD)
    expect_equal("TR-045", answer.get("calibrated_divisor"), 1.8, "900 carried characters over 500 tokens")


@proves("TR-046")
def test_a_household_sets_its_own_divisor(tmp_path: Path) -> None:
    expect_equal("TR-046", Settings().tokens_per_other_char_divisor, 1.5, "the divisor where nobody has measured")
    for given, taken in ((0.49, False), (0.5, True), (1.8, True), (10.0, True), (10.01, False)):
        why = refused(tmp_path, f"tokens_per_other_char_divisor = {given}\n")
        expect_equal(
            "TR-046", "tokens_per_other_char_divisor" not in why, taken, f"whether the divisor {given} is taken"
        )
    measured = carry(latin_talk(1800), tmp_path, tokens_per_other_char_divisor=1.8).summary["estimated_tokens"]
    expect_equal("TR-046", measured, 2 + 999, "tokens of 3 and 1797 letters at 1.8 letters a token")
    chinese = Talk()
    chinese.user("字" * 10)
    factor = carry(chinese, tmp_path / "chinese", tokens_per_other_char_divisor=10.0).summary["estimated_tokens"]
    expect_equal("TR-046", factor, 11, "tokens of ten Chinese characters, whatever the divisor")


@proves("TR-047")
def test_no_report_advises_to_remove_mcp_servers(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("窗口快满了")
    talk.tool("mcp__files__read", {"path": "a"}, result="x" * 600_000)
    talk.assistant("嗯")
    carried = carry(talk, tmp_path)
    expect("TR-053", carried.plan.dirty.should_rebuild, "a full window is told to rebuild")
    spoken = [note for note in carried.summary["notes"] if "MCP" in note]
    expect_equal("TR-047", len(spoken), 1, "notes about MCP servers")
    expect("TR-047", "grows through its messages" in spoken[0], "the note says what makes a window grow")
    expect("TR-047", "removing MCP servers does not slim it" in spoken[0], "the note says what does not help")
    advice = [*carried.plan.dirty.reasons, *carried.plan.dirty.notes]
    expect("TR-047", advice and not any("MCP" in line for line in advice), "the advice names run traces, no servers")
