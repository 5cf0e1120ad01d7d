"""The exact bytes that each recording is carried into: known beforehand, and justified by the oracle."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.carrying import carry_file
from harness.golden import GOLDEN_CHANGE, SESSION, change, expected_path, transcripts, unused
from harness.oracle.candidate import resume_faults
from harness.oracle.judge import judge
from harness.oracle.settings import DEFAULTS
from threadrebuild.config import Settings

GOLDEN = Path(__file__).parents[1] / "golden"
RECORDINGS = [path.relative_to(GOLDEN).as_posix() for path in transcripts(GOLDEN)]


def _bytes_of(source: Path, out: Path) -> bytes | None:
    # Files with unreadable lines are carried once a person says so, and that is byte-exact as well.
    candidate = carry_file(source, out, Settings(), "report", SESSION)
    return None if candidate.refusal else candidate.path.read_bytes()


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_is_carried_into_the_expected_bytes(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> None:
    expected = expected_path(GOLDEN, GOLDEN / name)
    old = expected.read_bytes() if expected.exists() else None
    new = _bytes_of(GOLDEN / name, tmp_path / "out")
    changed = change(old, new)
    if changed and request.config.getoption("--update-golden", default=False):
        record_property(GOLDEN_CHANGE, "\n".join([expected.relative_to(GOLDEN.parent).as_posix(), *changed]))
        if new is None:
            expected.unlink()
        else:
            _judged(GOLDEN / name, new, tmp_path)
            expected.parent.mkdir(parents=True, exist_ok=True)
            expected.write_bytes(new)
    elif changed:
        pytest.fail("\n".join([f"{expected} (pytest --update-golden writes it)", *changed]), pytrace=False)


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_oracle_justifies_the_expected_bytes(name: str, tmp_path: Path) -> None:
    expected = expected_path(GOLDEN, GOLDEN / name)
    if expected.exists():
        _judged(GOLDEN / name, expected.read_bytes(), tmp_path)
    else:
        assert _bytes_of(GOLDEN / name, tmp_path / "out") is None, "carried, and nobody said into what"


def test_every_expected_file_has_its_recording() -> None:
    assert unused(GOLDEN) == []


def test_most_recordings_have_expected_bytes() -> None:
    # Empty, noise only, poisoned: what is refused is the exception.
    refused = [name for name in RECORDINGS if not expected_path(GOLDEN, GOLDEN / name).exists()]
    assert len(refused) <= len(RECORDINGS) // 8


def _judged(source: Path, expected: bytes, folder: Path) -> None:
    candidate = folder / f"{SESSION}.jsonl"
    candidate.write_bytes(expected)
    assert judge(source, candidate, DEFAULTS) == []
    assert resume_faults(candidate) == []
