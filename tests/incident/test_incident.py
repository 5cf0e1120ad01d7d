"""Incidents: the shipped ones are reproduced, every night of the scenarios is told again by its record alone."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
import tomli
from archives import NAMES, NIGHTS, SCENARIOS, SHIPPED, archive_of_night, artifacts, change_record, copy_of, transcript
from click.testing import CliRunner, Result

from harness.cli import main
from harness.incident.archive import BadArchive, read_archive
from harness.incident.made import MADE, make, pinned
from harness.incident.replaying import replay
from harness.incident.scrubbing import scrub_archive


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["incident", *map(str, words)])


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("deaf-window", 1, "unproven: no message has arrived over companion"),
        ("lost-channel-talk", 1, "items carried now and not then: 44"),
        ("third-party", 0, "same: failed, as recorded"),
    ],
)
def test_a_shipped_archive_is_reproduced_and_pinned(name: str, code: int, says: str, tmp_path: Path) -> None:
    done = run(SHIPPED / name, "-o", tmp_path / "out")
    assert done.exit_code == code, done.output
    assert says in done.output
    played = CliRunner().invoke(main, ["run", str(tmp_path / "out" / "scenario.toml"), "--out", str(tmp_path / "run")])
    assert played.exit_code == 0, played.output
    assert "1 of 1 scenarios green" in played.output


def test_lost_channel_talk_names_turns_then_and_now(tmp_path: Path) -> None:
    done = run(SHIPPED / "lost-channel-talk", "--json", "-o", tmp_path / "out")
    found = json.loads(done.stdout)
    turns = {"what": "figure turns", "then": "3", "now": "25"}
    assert (found["verdict"], found["green"], turns in found["differences"]) == ("differs", True, True)
    # 25 turns of a question and an answer each, of which three were carried.
    assert (found["carried_now_only"], found["carried_then_only"]) == (2 * (25 - 3), 0)
    pin = (tmp_path / "out" / "scenario.toml").read_text(encoding="utf-8")
    assert '{ rule = "TR-029", in = "new session", text = "浇了，早上七点浇的。" }' in pin


def test_the_same_evidence_as_today_is_the_same(tmp_path: Path) -> None:
    found = json.loads(run(SHIPPED / "third-party", "--json", "-o", tmp_path / "out").stdout)
    assert (found["verdict"], found["differences"], found["then"]) == ("same", [], found["now"])
    assert found["then"]["conflict"] is True


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_scenario_is_what_is_pinned_today(name: str) -> None:
    archive = read_archive(SHIPPED / name)
    recording = archive.transcript.relative_to(SHIPPED.parents[1]).as_posix()
    today, shipped = pinned(SHIPPED / name, recording), (SCENARIOS / f"{name}.toml").read_text(encoding="utf-8")
    assert tomli.loads(today) == tomli.loads(shipped)


@pytest.mark.parametrize("name", MADE)
def test_the_archives_can_be_made_anew(name: str, tmp_path: Path) -> None:
    made, shipped = read_archive(make(name, tmp_path / name)), read_archive(SHIPPED / name)
    assert made.transcript.read_bytes() == shipped.transcript.read_bytes()
    assert made.operation.state == shipped.operation.state
    assert made.operation.stats["turns"] == shipped.operation.stats["turns"]
    assert str(tmp_path) not in made.operation_file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(path.stem for path in NIGHTS.glob("*.toml")))
def test_a_night_is_told_again_by_its_record_alone(name: str, tmp_path: Path) -> None:
    state = archive_of_night(name, tmp_path)
    try:
        archive = read_archive(state)
    except BadArchive as error:
        # Nothing was asked for, or it ended before there was anything to replay.
        reasons = ("before a transcript was copied", "no operation file", "no such file or folder", "a window note")
        assert any(reason in str(error) for reason in reasons)
        return
    found = replay(archive, tmp_path / "replay")
    assert (found.verdict, found.differences) == ("same", [])
    assert found.today.state == archive.operation.state
    scrubbed = replay(scrub_archive(archive, tmp_path / "scrubbed"), tmp_path / "scrubbed replay")
    assert (scrubbed.verdict, scrubbed.differences) == ("same", [])
    assert scrubbed.today.state == archive.operation.state


def test_a_figure_that_no_core_counted_then_tells_nothing(tmp_path: Path) -> None:
    archive = copy_of("third-party", tmp_path)
    change_record(archive, lambda op: op["stats"].pop("poison_score"))
    assert replay(read_archive(archive), tmp_path / "replay").verdict == "same"
    change_record(archive, lambda op: op["stats"].update(moons=2))
    found = replay(read_archive(archive), tmp_path / "again")
    assert [(each.what, each.then) for each in found.differences] == [("figure moons", "2")]


def test_what_the_record_blames_and_nobody_can_play_is_said(tmp_path: Path) -> None:
    archive = copy_of("third-party", tmp_path)
    change_record(archive, lambda op: op.update(error="the moon was full", session_conflict=False))
    found = replay(read_archive(archive), tmp_path / "replay")
    assert found.notes == ["nothing here can bring about what the record says: the moon was full"]
    assert {each.what for each in found.differences} == {"state", "error"}


def test_items_that_only_the_record_has_are_told(tmp_path: Path) -> None:
    archive = read_archive(SHIPPED / "lost-channel-talk")
    found = replay(archive, tmp_path / "replay")
    assert found.manifest is not None
    assert all(each.carried_now for each in found.moved)
    assert {each.item.word for each in found.moved} == {"channel", "queued", "reply"}


def test_a_foreign_folder_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("dear Mira")
    done = run(SHIPPED / "third-party", "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("words", [(), ("--scrub",)])
def test_an_archive_in_its_own_folder_is_not_taken_away(tmp_path: Path, words: tuple[str, ...]) -> None:
    out = tmp_path / "out"
    run(SHIPPED / "third-party", "--scrub", "-o", out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    for archive in (out / "archive", next((out / "archive" / "operations").iterdir())):
        done = run(archive, *words, "-o", out)
        assert (done.exit_code, "choose another --out" in done.stderr) == (2, True), done.output
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_it_writes_over_its_own_earlier_run_and_for_its_owner_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(SHIPPED / "deaf-window", "--scrub", "-o", out).exit_code == 1
    assert run(SHIPPED / "third-party", "-o", out).exit_code == 0
    assert not (out / "archive").exists()
    for name in ("scenario.toml", "recording.jsonl", "run.jsonl", "report.html"):
        assert (out / name).stat().st_mode & 0o077 == 0, name


def test_what_cannot_be_written_whole_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(run_log: Path, page: Path) -> None:
        raise OSError(28, "No space left on device", str(page))

    monkeypatch.setattr("harness.incident.running.write_report", full)
    done = run(SHIPPED / "third-party", "--scrub", "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "No space left on device" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_what_is_refused_today_is_told_without_going_on(tmp_path: Path) -> None:
    archive = copy_of("deaf-window", tmp_path)
    data = transcript(archive).read_bytes().replace(b"\n", b"\n{broken\n", 1)
    transcript(archive).write_bytes(data)
    size, digest = len(data), sha256(data).hexdigest()
    change_record(archive, lambda op: op["source"].update(bytes=size, sha256=digest))
    found = json.loads(run(archive, "--json", "-o", tmp_path / "out").stdout)
    assert (found["verdict"], found["now"]["state"], found["green"]) == ("differs", "failed", True)
    assert {"what": "carry", "then": "carried"}.items() <= found["differences"][-1].items()


def test_the_archive_is_only_read(tmp_path: Path) -> None:
    archive = copy_of("deaf-window", tmp_path)
    before = {path: path.read_bytes() for path in archive.rglob("*") if path.is_file()}
    run(archive, "--scrub", "-o", tmp_path / "out")
    assert {path: path.read_bytes() for path in archive.rglob("*") if path.is_file()} == before


def test_the_page_shows_then_and_now(tmp_path: Path) -> None:
    run(SHIPPED / "lost-channel-talk", "-o", tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Otherwise than recorded" in page
    assert "Carried today, and not then" in page
    assert "查完了，只有百分之十一。" in page


@pytest.mark.parametrize("name", NAMES)
def test_a_scrubbed_archive_replays_like_the_original(name: str, tmp_path: Path) -> None:
    original = read_archive(SHIPPED / name)
    scrubbed = scrub_archive(original, tmp_path / "scrubbed")
    old, new = replay(original, tmp_path / "old"), replay(scrubbed, tmp_path / "new")
    assert [(each.what) for each in new.differences] == [each.what for each in old.differences]
    assert [(each.item.role, each.item.word, each.item.source_line) for each in new.moved] == [
        (each.item.role, each.item.word, each.item.source_line) for each in old.moved
    ]
    assert (new.today.state, new.today.session_conflict) == (old.today.state, old.today.session_conflict)
    assert new.notes == old.notes


@pytest.mark.parametrize("name", NAMES)
def test_nothing_private_of_an_archive_is_left_in_what_is_written(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(SHIPPED / name, "--scrub", "-o", out)
    private = ["Mira", "薄荷", "罗勒", "moisture", "sensor", "夜里换", "home/user", name]
    private.append(read_archive(SHIPPED / name).operation.id)
    original = "\n".join(path.read_text(encoding="utf-8") for path in (SHIPPED / name).rglob("*") if path.is_file())
    assert any(word in original for word in private)
    ids = [path.stem for path in artifacts(SHIPPED / name).glob("*.jsonl")]
    for path in [each for each in out.rglob("*") if each.is_file()]:
        # The simulated night that the page shows has a session id of its own.
        looked_for = private if path.name in ("report.html", "run.jsonl") else private + ids
        text = path.read_text(encoding="utf-8").replace(str(tmp_path), "")
        assert [word for word in looked_for if word in text] == [], path.name
        assert not any(word in str(path.relative_to(out)) for word in private + ids)


def test_a_later_talk_begins_with_what_is_carried_of_the_scrubbed_transcript(tmp_path: Path) -> None:
    scrubbed = scrub_archive(read_archive(SHIPPED / "deaf-window"), tmp_path / "scrubbed")
    found = replay(scrubbed, tmp_path / "replay")
    assert scrubbed.later is not None and scrubbed.operation.candidate is not None
    assert scrubbed.later.read_bytes()[: scrubbed.operation.candidate.bytes] == found.candidate.path.read_bytes()
