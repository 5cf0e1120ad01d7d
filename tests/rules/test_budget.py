"""The cap on what is carried: what it counts, what leaves when it is passed, and what a person can choose from."""

import json
from pathlib import Path

from carrying import Carried, carry
from click.testing import CliRunner
from weighing import refused

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.cli import main

TURN = 1000
"""Tokens of one turn of `turns`: 3 and 1497 Latin letters at 1.5 letters a token."""


def turns(*tokens: int) -> Talk:
    """A talk of turns of so many tokens each; every word tells its turn."""
    talk = Talk()
    add(talk, *tokens)
    return talk


def add(talk: Talk, *tokens: int) -> None:
    for number, count in enumerate(tokens):
        talk.user(f"q{number:02}")
        talk.assistant(f"a{number:02}".ljust((count - 2) * 3 // 2, "."))


def begun(carried: Carried) -> list[str]:
    """The first word of every turn that was carried."""
    return [text for role, text in carried.said if role == "user"]


def dropped(carried: Carried) -> tuple[int, int]:
    return carried.summary["selected_turns"], carried.summary["dropped_oldest_turns"]


@proves("TR-069")
def test_over_the_cap_whole_turns_leave_from_the_oldest_end_and_are_counted(tmp_path: Path) -> None:
    talk = turns(*[TURN] * 10)
    for cap, kept in ((0, 10), (10_001, 10), (10_000, 10), (9_999, 9), (5_000, 5)):
        carried = carry(talk, tmp_path / str(cap), carry_max_tokens=cap)
        expect("TR-070", carried.plan.refusal is None, "by default turns are dropped, not the carry refused")
        expect_equal("TR-069", dropped(carried), (kept, 10 - kept), f"turns selected and dropped under a cap of {cap}")
        expect_equal("TR-069", carried.said, talk.said[-2 * kept :], "what is left, from the newest end, turn by turn")
        lost = carried.plan.source.ledger.shares().get("dropped_oldest", 0)
        expect_equal("TR-069", lost > 0, kept < 10, "whether the ledger names the bytes that were dropped")


@proves("TR-069")
def test_the_last_turn_stays_however_long_it_is(tmp_path: Path) -> None:
    carried = carry(turns(*[TURN] * 9, 6_000), tmp_path, carry_max_tokens=5_000)
    expect("TR-070", carried.plan.refusal is None, "by default turns are dropped, not the carry refused")
    expect_equal("TR-069", dropped(carried), (1, 9), "turns selected and dropped")
    expect_equal("TR-069", begun(carried), ["q09"], "the turns that are left")


@proves("TR-069")
def test_a_cap_is_none_or_at_least_five_thousand(tmp_path: Path) -> None:
    for cap, taken in ((-1, False), (0, True), (1, False), (4_999, False), (5_000, True), (5_001, True)):
        why = refused(tmp_path, f"carry_max_tokens = {cap}\n")
        expect_equal("TR-069", "carry_max_tokens" not in why, taken, f"whether a cap of {cap} is taken")


@proves("TR-070")
def test_with_block_nothing_is_dropped_and_the_excess_is_given(tmp_path: Path) -> None:
    talk = turns(*[TURN] * 10)
    fits = carry(talk, tmp_path / "fits", carry_max_tokens=10_000, carry_overflow="block")
    expect_equal("TR-070", (fits.summary["verdict"], dropped(fits)), ("carried", (10, 0)), "what fits is carried whole")
    for cap, excess in ((9_999, 1), (5_000, 5_000)):
        folder = tmp_path / str(cap)
        carried = carry(talk, folder, carry_max_tokens=cap, carry_overflow="block")
        summary = carried.summary
        expect_equal("TR-070", (summary["verdict"], summary["reason"]), ("refused", "over-budget"), "the verdict")
        expect(
            "TR-070",
            summary["detail"].startswith(f"needs {excess:,} tokens more than"),
            f"the excess of {excess} is given",
        )
        expect_equal("TR-070", dropped(carried), (10, 0), "turns selected and dropped in a refusal")
        expect("TR-070", not (folder / "out").exists(), "a refusal writes nothing")
    other = carry(talk, tmp_path / "other", carry_max_tokens=5_000, carry_overflow="drop_oldest")
    expect_equal("TR-070", other.summary["verdict"], "carried", "without block the same talk goes along")


@proves("TR-L26")
def test_the_cap_counts_the_startup_snapshot(tmp_path: Path) -> None:
    talk = Talk()
    talk.startup(["x" * 63])  # a block of a hundred characters, 67 tokens
    add(talk, *[TURN] * 10)
    expect_equal("TR-L26", len(talk.startup_texts[0]), 100, "characters of the startup block")
    for cap, kept in ((10_067, 10), (10_066, 9)):
        carried = carry(talk, tmp_path / str(cap), carry_max_tokens=cap)
        expect_equal("TR-L26", dropped(carried), (kept, 10 - kept), f"turns selected and dropped under a cap of {cap}")
        expect_equal("TR-L26", carried.summary["window_tokens"], kept * TURN + 67, "tokens in the window")


@proves("TR-L26")
def test_the_cap_counts_stamps(tmp_path: Path) -> None:
    talk = turns(*[TURN] * 10)
    for cap, kept in ((10_180, 10), (10_179, 9)):
        carried = carry(talk, tmp_path / str(cap), carry_max_tokens=cap, stamp_turns=True)
        stamps = [block for block in carried.blocks if block.word == "stamp"]
        expect_equal("TR-032", {len(stamp.text) for stamp in stamps}, {26}, "characters of a stamp, 18 tokens")
        expect_equal("TR-L26", dropped(carried), (kept, 10 - kept), f"turns selected and dropped under a cap of {cap}")


@proves("TR-L26")
def test_a_last_turn_over_the_cap_is_named(tmp_path: Path) -> None:
    talk = turns(6_000)
    for cap, named in ((6_001, False), (6_000, False), (5_999, True)):
        carried = carry(talk, tmp_path / str(cap), carry_max_tokens=cap)
        warned = [each.detail for each in carried.candidate.warnings if each.code == "last-turn-over-cap"]
        expect_equal("TR-L26", len(warned), int(named), f"warnings about the last turn under a cap of {cap}")
        expect("TR-L26", not named or "is 1 tokens over" in warned[0], "the excess is given")
        expect_equal("TR-L26", carried.said, talk.said, "it goes along whole")


@proves("TR-L27")
def test_a_talk_that_does_not_fit_is_answered_with_a_list_to_choose_from(tmp_path: Path) -> None:
    talk = turns(*[TURN] * 8, 2 * TURN, TURN)
    summary = carry(talk, tmp_path / "block", carry_max_tokens=5_000, carry_overflow="block").summary
    choices = summary.get("choices", [])
    expect_equal("TR-L27", [each["turn"] for each in choices], list(range(10, 0, -1)), "the turns, newest first")
    seen = [each["from_here"] for each in choices[:3]]
    expect_equal("TR-L27", seen, [TURN, 3 * TURN, 4 * TURN], "tokens from each turn to the end")
    expect_equal("TR-L27", choices[-1]["from_here"], summary["estimated_tokens"], "tokens of all")
    expect("TR-L27", "short note" in summary["detail"], "the known alternative is named")
    chosen = carry(talk, tmp_path / "chosen", carry_max_tokens=choices[4]["from_here"])
    expect_equal("TR-L27", chosen.summary["selected_turns"], 5, "turns carried when the fifth is chosen")
    fitting = carry(talk, tmp_path / "all", carry_max_tokens=choices[-1]["from_here"], carry_overflow="block")
    expect("TR-L27", "choices" not in fitting.summary, "a talk that fits needs no choice")


def test_the_list_stands_in_words_too(tmp_path: Path) -> None:
    source = turns(*[TURN] * 10).write(tmp_path / "source.jsonl")
    config = tmp_path / "household.toml"
    config.write_text('carry_max_tokens = 5000\ncarry_overflow = "block"\n', encoding="utf-8")
    answer = CliRunner().invoke(main, ["plan", str(source), "--config", str(config)])
    assert answer.exit_code == 1
    assert "choice: from turn 6 (line 11) on, about 5,000 tokens, 1,000 of them in this turn" in answer.stdout


def test_a_reading_without_room_is_refused_by_name(tmp_path: Path) -> None:
    source = turns(TURN).write(tmp_path / "source.jsonl")
    config = tmp_path / "household.toml"
    config.write_text("fixed_load_tokens = 36800\n", encoding="utf-8")
    for reading, code in ((36_800, 2), (36_801, 0)):
        options = ["plan", str(source), "--config", str(config), "--context-reading", str(reading), "--json"]
        answer = CliRunner().invoke(main, options)
        assert answer.exit_code == code
        assert ("calibrated_divisor" in json.loads(answer.stdout)) == (code == 0)
    unset = CliRunner().invoke(main, ["plan", str(source), "--context-reading", "90000"])
    assert (unset.exit_code, "fixed_load_tokens" in unset.stderr) == (2, True)
    assert CliRunner().invoke(main, ["plan", str(source), "--context-reading", "0"]).exit_code == 2
