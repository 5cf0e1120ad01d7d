"""The random transcripts: every kind occurs, the truth matches the bytes, damage does what its name says."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from harness.world.damages import DAMAGES, HARMLESS
from harness.world.strategies import STEPS, Transcript, transcripts
from harness.world.talk import Talk
from harness.world.texts import blanks, kinds_of, texts, tokens

STILL = settings(
    derandomize=True, database=None, deadline=None, max_examples=60, suppress_health_check=list(HealthCheck)
)
BATCHES = 8
BEGINNINGS = {"plain-start", "startup", "startup-joined", "startup-row", "summary-row"}
ENDS = {"answered", "open-tail", "never-read", "as-it-is"}
ODD = {"control", "escape", "astral", "combining", "lone-surrogate", "tag", "line-break", "outer-space"}


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inner for text in strings(part)]


@st.composite
def damaged(draw: st.DrawFn, name: str, data: bytes) -> bytes:
    return DAMAGES[name](draw, data)


def rich() -> Talk:
    talk = Talk()
    talk.user("one")
    talk.assistant("two")
    talk.tool("Bash", {"command": "ls"}, result="three")
    talk.user("four")
    return talk


def test_every_kind_occurs() -> None:
    """Within a few batches: what hypothesis draws in one depends on the modules that happen to be loaded."""
    seen: set[str] = set()
    wanted = {*STEPS, *DAMAGES, *BEGINNINGS, *ENDS, *(f"text:{name}" for name in ODD)}

    for batch in range(BATCHES):

        @seed(batch)
        @settings(STILL, derandomize=False, max_examples=400)
        @given(transcripts())
        def run(made: Transcript) -> None:
            seen.update(made.kinds)

        run()
        if wanted <= seen:
            break
    assert wanted - seen == set()
    assert seen - wanted == set()


@STILL
@given(transcripts(damaged=False))
def test_an_undamaged_transcript_is_whole_and_holds_what_was_said(made: Transcript) -> None:
    assert made.said is not None and made.abandoned is not None
    held = [text for line in made.data.split(b"\n")[:-1] for text in strings(json.loads(line))]
    for role, text in made.said + made.abandoned:
        assert role in ("user", "assistant")
        assert any(one == text or one.endswith("</system-reminder>" + text) for one in held)
        assert text.strip()


@STILL
@given(transcripts(damaged=True))
def test_a_damaged_transcript_names_its_damage(made: Transcript) -> None:
    damages = made.kinds & DAMAGES.keys()
    assert damages
    assert (made.said is not None) == (damages <= HARMLESS)


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_harmless_damage_keeps_the_rows(name: str) -> None:
    whole = rich().bytes()
    rows = [json.loads(line) for line in whole.splitlines()]

    @settings(STILL, max_examples=10)
    @given(damaged(name, whole))
    def run(spoiled: bytes) -> None:
        lines = spoiled.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n")
        assert [json.loads(line) for line in lines if line.strip()] == rows

    run()


@pytest.mark.parametrize("name", ["unreadable-line", "cut-line", "glued-rows", "torn-tail", "invalid-utf8"])
def test_some_damage_makes_a_line_unreadable(name: str) -> None:
    whole = rich().bytes()
    worst = 0

    @settings(STILL, max_examples=10)
    @given(damaged(name, whole))
    def run(spoiled: bytes) -> None:
        nonlocal worst
        worst = max(worst, sum(not readable(line) for line in spoiled.split(b"\n") if line))

    run()
    assert worst == 1


def readable(line: bytes) -> bool:
    try:
        json.loads(line, parse_constant=int)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", sorted(DAMAGES))
def test_every_damage_can_change_a_file(name: str) -> None:
    whole = rich().bytes()
    seen = set()

    @settings(STILL, max_examples=10)
    @given(damaged(name, whole))
    def run(spoiled: bytes) -> None:
        seen.add(spoiled)

    run()
    assert seen - {whole}


@pytest.mark.parametrize("name", sorted(DAMAGES))
def test_damage_takes_a_file_without_rows(name: str) -> None:
    @settings(STILL, max_examples=5)
    @given(damaged(name, b"rubbish\n"))
    def run(spoiled: bytes) -> None:
        assert b"r" in spoiled

    run()


@STILL
@given(st.data(), texts())
def test_tokens_spell_the_same_text(data: st.DataObject, text: str) -> None:
    assert json.loads(data.draw(tokens(text))) == text


@STILL
@given(texts(), blanks())
def test_texts_have_words_and_blanks_have_none(text: str, blank: str) -> None:
    assert text.strip() and not text.lstrip().startswith("<")
    assert not blank.strip()
    assert kinds_of("hello") == set()
