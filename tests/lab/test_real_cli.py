"""The real Claude Code, one version: it writes, is rebuilt and resumed; and a reader that loses words is found out."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from harness.lab import trial
from harness.lab.check import Tried, judge, record
from harness.lab.namespace import missing
from harness.lab.versions import Unavailable, WrongBytes, program_of
from threadrebuild.transcript import provenance

VERSION = "2.1.199"
ABSORBED = "Typed while the tool was running"

pytestmark = pytest.mark.npm


@pytest.fixture(scope="module")
def recorded() -> Iterator[Tried]:
    """The sessions of a version, played once. The folder's name is short, since sockets lie in it."""
    why = missing() or (None if shutil.which("tmux") else "tmux is not installed")
    if why is not None:
        pytest.skip(f"the lab cannot run here: {why}")
    try:
        program_of(VERSION)
    except WrongBytes:
        raise
    except Unavailable as error:
        pytest.skip(f"the real CLI cannot be had here: {error}")
    with TemporaryDirectory(prefix="cli-") as folder:
        tried = record(VERSION, Path(folder))
        assert tried.unsupported is None
        assert not processes_in(folder), "nothing of the lab is left running"
        yield tried


def test_the_rebuilt_sessions_are_resumed_and_sent_byte_for_byte(recorded: Tried, tmp_path: Path) -> None:
    checked = judge([fresh(recorded)], tmp_path / "out", "cli-check")
    assert (checked.verdict, checked.versions[0].failures) == ("GO", [])
    assert checked.versions[0].warnings == []
    rows = wire_rows(tmp_path / "out")
    said = [text for session in recorded.sessions for _, text in session.planted]
    assert [row["sent"] for row in rows if row["state"] == "same" and row["row"]] == unordered(said, rows)
    assert {row["state"] for row in rows} <= {"same", "added"}
    looks = [step["said"] for step in steps(tmp_path / "out") if step.get("rule") == "TR-185"]
    assert [said.partition(",")[0] for said in looks] == [
        "called 4 times",
        "the reason arrived as it was given",
        "called 4 times",
    ]
    assert checked.candidate.made == ["carry", "resume", "stop hook", "tools", "window change", "review"]
    assert "On the wire, resumed by Claude Code" in checked.report.read_text(encoding="utf-8")


def test_a_reader_that_drops_queued_input_turns_go_into_no_go(
    recorded: Tried, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "is_prompt", lambda attachment: False)
    checked = judge([fresh(recorded, "typed")], tmp_path / "out", "cli-check")
    assert checked.verdict == "NO-GO"
    lost = [reason for reason in checked.reasons if "lost: user" in reason]
    rows = "queue-operation:enqueue, attachment:queued_command"
    assert lost == [
        f"{VERSION} typed: lost: user {ABSORBED!r}: it stands in the transcript ({rows}) and is not carried"
    ]


def test_rows_that_the_real_cli_drops_in_silence_are_missed_on_the_wire(
    recorded: Tried, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unlinked(project: Path, candidate: Path) -> None:
        rows = [json.loads(line) for line in candidate.read_text(encoding="utf-8").splitlines()]
        lines = [json.dumps({**row, "parentUuid": None}) + "\n" for row in rows]
        (project / candidate.name).write_text("".join(lines), encoding="utf-8")

    monkeypatch.setattr(trial, "put_in", unlinked)
    monkeypatch.delitem(trial.LOOKS, "review")  # a session of its own, which this leaves as it is
    checked = judge([fresh(recorded, "printed")], tmp_path / "out", "cli-check")
    assert checked.verdict == "NO-GO"
    said = [text for session in recorded.sessions if session.way == "printed" for _, text in session.planted]
    states = {row["carried"]: row["state"] for row in wire_rows(tmp_path / "out") if row["row"]}
    assert states == {text: "same" if text == said[-1] else "lost" for text in said}


def test_a_window_change_with_another_signature_is_no_go(
    recorded: Tried, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resigned(project: Path, candidate: Path) -> None:
        signed = candidate.read_bytes().replace(b"c2NyaXB0ZWQ=", b"c2NyaXB0ZWR=")
        (project / candidate.name).write_bytes(signed)

    monkeypatch.setattr(trial, "put_in", resigned)
    monkeypatch.delitem(trial.LOOKS, "review")
    checked = judge([fresh(recorded, "printed")], tmp_path / "out", "cli-check")
    assert checked.verdict == "NO-GO"
    assert {reason.partition(": ")[2].split(" ")[0] for reason in checked.reasons} == {"window"}
    assert "window change" not in checked.candidate.made


def fresh(tried: Tried, *ways: str) -> Tried:
    """The same sessions, or those of some ways alone, not judged yet."""
    return Tried(tried.version, sessions=[each for each in tried.sessions if not ways or each.way in ways])


def wire_rows(out: Path) -> list[dict[str, Any]]:
    return [row for step in steps(out) if step["kind"] == "wire" for row in step["rows"]]


def steps(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "run.jsonl").read_text(encoding="utf-8").splitlines()]


def unordered(texts: list[str], rows: list[dict[str, Any]]) -> list[str]:
    """The texts in the order of the wire; each of them once."""
    order = [row["sent"] for row in rows]
    assert len(set(texts)) == len(texts)
    return sorted(texts, key=order.index)


def processes_in(folder: str) -> list[bytes]:
    """Command lines of other processes that name the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes()
        except OSError:
            continue
        if folder.encode() in command and path.parent.name != str(os.getpid()):
            found.append(command)
    return found
