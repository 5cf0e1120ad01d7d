"""Every sample says what its expectation states, and of a whole carry of it the judge finds nothing wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from oracle_talk import rows_of, write_candidate

from harness.oracle.candidate import resume_faults
from harness.oracle.judge import judge, planted, recall_samples
from harness.oracle.settings import DEFAULTS
from harness.oracle.speech import WARNINGS, said
from harness.oracle.utterance import Utterance

GOLDEN = Path(__file__).parents[2] / "golden"
EXPECTED = sorted(GOLDEN.rglob("*.expect.json"))
NAMES = [str(path.relative_to(GOLDEN)).removesuffix(".expect.json") for path in EXPECTED]

SILENT = ("made/empty", "made/only-noise")

each_sample = pytest.mark.parametrize("expected", EXPECTED, ids=NAMES)


def _source(expected: Path) -> Path:
    return expected.with_name(expected.name.replace(".expect.json", ".jsonl"))


def _plain(quotes: tuple[Utterance, ...]) -> list[dict[str, str]]:
    return [{"role": quote.role, "text": quote.text} for quote in quotes]


def test_there_are_samples() -> None:
    assert len(EXPECTED) >= 39


@each_sample
def test_sample_says_what_is_expected(expected: Path) -> None:
    wanted: dict[str, Any] = json.loads(expected.read_text(encoding="utf-8"))
    spoken = said(_source(expected))
    seen = {
        "utterances": _plain(spoken.utterances),
        "turns": spoken.turns,
        "abandoned": _plain(spoken.abandoned),
        "warnings": sorted(spoken.warnings),
        "startup_frozen": bool(spoken.startup),
    }
    if "warnings" in wanted:
        wanted["warnings"] = sorted(wanted["warnings"])
    assert {name: seen[name] for name in seen if name in wanted} == {
        name: wanted[name] for name in seen if name in wanted
    }
    assert spoken.warnings <= WARNINGS
    package = "".join(quote.text for quote in spoken.startup)
    assert all(text in package for text in wanted.get("startup_contains", []))
    talk = "\n".join(quote.text for quote in spoken.utterances)
    assert not any(text in talk for text in wanted.get("absent_as_speech", []) + wanted.get("absent", []))
    if wanted.get("reason") == "nothing-to-carry":
        assert spoken.utterances == ()


@each_sample
def test_every_utterance_is_a_slice_of_the_file(expected: Path) -> None:
    raw = _source(expected).read_bytes()
    spoken = said(_source(expected))
    for quote in (*spoken.utterances, *spoken.startup, *spoken.runtime, *spoken.abandoned):
        assert raw[quote.offset : quote.offset + quote.length] in (quote.token, quote.token[1:-1])
        assert json.loads(quote.token) == quote.text
        assert quote.line == raw.count(b"\n", 0, quote.offset) + 1


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SILENT])
def test_a_whole_carry_agrees_and_says_the_same_again(name: str, tmp_path: Path) -> None:
    source = GOLDEN / f"{name}.jsonl"
    spoken = said(source)
    candidate = write_candidate(tmp_path, rows_of(spoken))
    assert judge(source, candidate, DEFAULTS) == []
    assert resume_faults(candidate) == []
    again = said(candidate)
    assert [(q.role, q.token, q.origin) for q in again.utterances] == [
        (q.role, q.token, q.origin) for q in spoken.utterances
    ]
    assert (again.turns, again.warnings & {"fork", "runtime-text"}) == (spoken.turns, set())
    assert [q.token for q in again.startup] == [q.token for q in spoken.startup]
    samples = [sentence for sentences in recall_samples(source).values() for sentence in sentences]
    assert all(count >= 1 for count in planted(candidate, samples).values())
