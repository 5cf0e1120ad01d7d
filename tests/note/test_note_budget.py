"""When a window is changed, how much of it is retained, and what an image counts for."""

import base64
import struct
import zlib
from pathlib import Path

from windows import change, expect_made, expect_no_other_rule

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.carry.estimate import image_tokens
from threadrebuild.carry.window import change_line
from threadrebuild.config import Settings

CHARS_A_TOKEN = 1.5
"""The default divisor: so many ASCII characters make a token."""


def words(tokens: int) -> str:
    """A text of exactly so many tokens."""
    return "a" * int(tokens * CHARS_A_TOKEN)


def png(width: int, height: int) -> str:
    """A PNG of that size in base64: a real header, and no picture."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(header)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return base64.b64encode(data).decode()


@proves("WN-08")
def test_the_line_is_the_smaller_of_the_fixed_value_and_what_the_limit_leaves() -> None:
    for limit, reserve, line in ((200_000, 8_000, 140_000), (150_000, 8_000, 125_616), (164_384, 8_000, 140_000)):
        seen = change_line(Settings(context_limit_tokens=limit, closing_reserve_tokens=reserve))
        expect_equal("WN-08", seen, line, f"line at a limit of {limit} and a reserve of {reserve}")


def due_at(reading: int, folder: Path, rule: str) -> bool:
    """Whether a window that the host reads so is to be changed."""
    talk = Talk()
    talk.user("还早吗")
    talk.assistant("看看")
    changed = change(talk, folder / str(reading), context_reading=reading)
    expect_made(rule, changed)
    return bool(changed.summary["window"]["due"])


@proves("WN-08")
def test_a_context_exactly_on_the_line_triggers(tmp_path: Path) -> None:
    for reading, due in ((139_999, False), (140_000, True), (140_001, True)):
        expect_equal("WN-08", due_at(reading, tmp_path, "WN-08"), due, f"due at {reading} tokens")


@proves("WN-11")
def test_a_long_session_below_the_line_does_not_change(tmp_path: Path) -> None:
    expect_equal("WN-11", due_at(139_000, tmp_path, "WN-11"), False, "due below the line")
    expect_equal("WN-11", due_at(141_000, tmp_path, "WN-11"), True, "due over the line")


def retained(tmp_path: Path, talk: Talk, budget: int) -> int:
    """Turns in the span."""
    changed = change(talk, tmp_path, note=words(10), retained_tokens=budget)
    expect_made("WN-09", changed)
    return int(changed.summary["selected_turns"])


@proves("WN-09")
def test_dialogue_counts_and_the_budget_is_exact(tmp_path: Path) -> None:
    talk = Talk()
    for _ in range(4):
        talk.user(words(60))
        talk.assistant(words(40))
    # Ten for the note, a hundred a turn.
    for budget, turns in ((409, 3), (410, 4), (209, 1), (210, 2)):
        seen = retained(tmp_path / str(budget), talk, budget)
        expect_equal("WN-09", seen, turns, f"turns within {budget} tokens")


@proves("WN-09")
def test_about_thirty_thousand_tokens_are_retained(tmp_path: Path) -> None:
    talk = Talk()
    for _ in range(2):
        talk.user(words(14_000))
        talk.assistant(words(996))
    for note, turns in ((8, 2), (9, 1)):
        changed = change(talk, tmp_path / str(note), note=words(note))
        expect_made("WN-09", changed)
        expect_equal("WN-09", changed.summary["selected_turns"], turns, f"turns beside a note of {note} tokens")


@proves("WN-09")
def test_tool_traffic_and_thinking_do_not_count(tmp_path: Path) -> None:
    talk = Talk()
    for _ in range(3):
        talk.user(words(60))
        talk.thinking(words(5_000))
        talk.tool("Bash", {"command": words(500)}, result=words(20_000))
        talk.assistant(words(40))
    expect_equal("WN-09", retained(tmp_path, talk, 310), 3, "turns with much tool traffic")


@proves("WN-09")
def test_opening_carry_over_and_note_count(tmp_path: Path) -> None:
    talk = Talk()
    talk.reminder(words(200))
    for _ in range(4):
        talk.user(words(60))
        talk.assistant(words(40))
    # The reminder with its tags takes a little more than its words: 200 and 37 characters.
    opening = 225
    for budget, turns in ((410 + opening - 1, 3), (410 + opening, 4)):
        seen = retained(tmp_path / str(budget), talk, budget)
        expect_equal("WN-09", seen, turns, f"turns within {budget} tokens, with an opening")
    changed = change(talk, tmp_path / "note", note=words(110), retained_tokens=410 + opening)
    expect_equal("WN-09", changed.summary["selected_turns"], 3, "turns beside a note of 110 tokens")
    changed = change(talk, tmp_path / "long", note=words(411), retained_tokens=410)
    expect_equal("WN-09", changed.reason, "note-too-long", "reason to refuse a note over the whole budget")


@proves("WN-10")
def test_an_image_counts_by_its_size_up_to_a_cap(tmp_path: Path) -> None:
    for width, height, tokens in (
        (750, 750, 750),
        (1, 1, 1),
        (1_500, 1_287, 2_574),
        (1_500, 1_288, 2_576),
        (1_500, 1_289, 2_576),
        (4_000, 3_000, 2_576),
    ):
        expect_equal("WN-10", image_tokens(width, height, Settings()), tokens, f"tokens of {width} × {height}")
        talk = Talk()
        talk.user("看图")
        talk.tool("Read", {}, result=[_image(width, height)])
        talk.assistant("好")
        plain = Talk()
        plain.user("看图")
        plain.tool("Read", {}, result=[])
        plain.assistant("好")
        with_image = change(talk, tmp_path / f"{width}x{height}").summary["window"]["context_tokens"]
        without = change(plain, tmp_path / f"{width}x{height}-none").summary["window"]["context_tokens"]
        expect_equal("WN-10", with_image - without, tokens, f"context that {width} × {height} takes")


@proves("WN-10")
def test_ten_small_images_do_not_change_a_window(tmp_path: Path) -> None:
    talk = Talk()
    for _ in range(10):
        talk.user("再看一张")
        talk.tool("Read", {}, result=[_image(750, 750)])
        talk.assistant("好")
    changed = change(talk, tmp_path)
    expect_equal("WN-10", changed.summary["window"]["due"], False, "due after ten small images")
    for _ in range(60):
        talk.user("再看一张大的")
        talk.tool("Read", {}, result=[_image(4_000, 3_000)])
        talk.assistant("好")
    changed = change(talk, tmp_path / "large", retained_tokens=500)
    expect("WN-08", changed.plan.window is not None, "there is a span")
    expect_equal("WN-10", changed.summary["window"]["due"], True, "due after sixty large ones")


@proves("WN-12")
def test_a_change_after_which_the_window_is_full_again_is_refused(tmp_path: Path) -> None:
    talk = Talk()
    talk.user(words(50))
    talk.tool("Read", {}, result=words(900))
    talk.assistant(words(36))
    # 86 of dialogue, 900 of a result, 3 of the call's name, 10 of the note.
    limit = 8_000 + 16_384
    for room, refused in ((1_000, None), (999, "still-full"), (998, "still-full")):
        changed = change(talk, tmp_path / str(room), note=words(10), context_limit_tokens=limit + room)
        expect_no_other_rule(changed, "still-full")
        expect_equal("WN-12", changed.reason, refused, f"reason to refuse with a line at {room}")


def _image(width: int, height: int) -> dict[str, object]:
    source = {"type": "base64", "media_type": "image/png", "data": png(width, height)}
    return {"type": "image", "source": source}
