"""The project folder: what may be read at all, and which transcript is taken where none is named."""

import json
import os
from pathlib import Path

from carrying import SESSION
from click.testing import CliRunner

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.carry.candidate import build_candidate
from threadrebuild.carry.plan import plan_file
from threadrebuild.cli import main
from threadrebuild.config import Settings
from threadrebuild.project import source_in
from threadrebuild.system import SystemFiles
from threadrebuild.transcript.lines import UnreadableInput
from threadrebuild.transcript.reading import read_transcript


def talk_of(text: str) -> Talk:
    """A question with its answer."""
    talk = Talk()
    talk.user(text)
    talk.assistant("好")
    return talk


def words_in(folder: Path, transcript: Path) -> list[bytes] | None:
    """What is read when a transcript is named under a configured folder; None where it is refused."""
    settings = Settings(project_dir=str(folder))
    try:
        source = read_transcript(source_in(settings, transcript), settings)
    except UnreadableInput:
        return None
    return [said.token for said in source.utterances]


@proves("TR-001")
def test_only_files_of_the_project_folder_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "below").mkdir(parents=True)
    inside = talk_of("里面").write(folder / "inside.jsonl")
    outside = talk_of("外面").write(tmp_path / "outside.jsonl")
    below = talk_of("下面").write(folder / "below" / "below.jsonl")
    out, way_round, twin = folder / "out.jsonl", folder / ".." / "outside.jsonl", folder / "twin.jsonl"
    out.symlink_to(outside)
    twin.symlink_to(inside)
    circle = folder / "circle.jsonl"
    circle.symlink_to(circle)
    for name, path in [("one folder up", outside), ("a link that leads out", out), ("dots", way_round)]:
        expect_equal("TR-001", words_in(folder, path), None, f"words read from {name}")
    expect_equal("TR-001", words_in(folder, below), None, "words read from a folder below")
    expect_equal("TR-001", words_in(folder, circle), None, "words read through a link to itself")
    wanted = ['"里面"'.encode(), '"好"'.encode()]
    expect_equal("TR-001", words_in(folder, inside), wanted, "words read from the folder itself")
    expect_equal("TR-001", words_in(folder, twin), wanted, "words read through a link that stays in the folder")


@proves("TR-001")
def test_the_folder_may_be_named_by_a_link_and_without_one_the_transcripts_own_counts(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    inside = talk_of("里面").write(folder / "inside.jsonl")
    other = tmp_path / "other"
    other.symlink_to(folder)
    for name, wanted, seen in [
        ("the real path of a linked folder", inside, source_or_none(Settings(project_dir=str(other)), inside)),
        ("a path through the link", inside, source_or_none(Settings(project_dir=str(folder)), other / "inside.jsonl")),
        ("no configured folder", inside, source_or_none(Settings(), inside)),
    ]:
        expect_equal("TR-001", seen, wanted, f"file read for {name}")
    out = tmp_path / "out.jsonl"
    out.symlink_to(inside)
    expect_equal("TR-001", source_or_none(Settings(), out), None, "file read through a link, with no folder configured")


def source_or_none(settings: Settings, transcript: Path) -> Path | None:
    """The file that would be read; None where it is refused."""
    try:
        return source_in(settings, transcript)
    except UnreadableInput:
        return None


@proves("TR-001")
def test_only_existing_regular_jsonl_files_are_read(tmp_path: Path) -> None:
    talk = talk_of("在")
    for name in ("talk.json", "talk.jsonl.bak", "talk.JSONL", "talk", ".jsonl"):
        expect_equal("TR-001", words_in(tmp_path, talk.write(tmp_path / name)), None, f"words read from {name}")
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "talk.json")
    expect_equal("TR-001", words_in(tmp_path, link), None, "words read through a .jsonl link to another kind of file")
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name in ("folder.jsonl", "pipe.jsonl", "missing.jsonl"):
        expect_equal("TR-001", words_in(tmp_path, tmp_path / name), None, f"words read from {name}")
    wanted = ['"在"'.encode(), '"好"'.encode()]
    expect_equal("TR-001", words_in(tmp_path, talk.write(tmp_path / "talk.jsonl")), wanted, "words of a .jsonl file")


def dated(path: Path, second: int) -> Path:
    """The file, last written at a second of 2026-08-14."""
    os.utime(path, (1_786_700_000 + second, 1_786_700_000 + second))
    return path


@proves("TR-005")
def test_a_candidate_that_nobody_has_gone_on_with_is_not_previewed(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    settings = Settings(project_dir=str(folder))
    old = dated(talk_of("旧").write(folder / "old.jsonl"), 1)
    live = dated(talk_of("新").write(folder / "live.jsonl"), 2)
    expect_equal("TR-005", source_in(settings, None), live, "newest of two transcripts")
    built = build_candidate(plan_file(old, settings), folder, SESSION, SystemFiles())
    expect("TR-064", built.refusal is None, "the candidate was verified")
    candidate = dated(built.path, 3)
    expect_equal("TR-005", source_in(settings, None), live, "newest beside a candidate that is newer still")
    last = candidate.read_bytes().splitlines()[-1]
    going_on = Talk(version="2.1.332", seed=7)
    going_on.user("接着说")
    candidate.write_bytes(candidate.read_bytes() + going_on.bytes())
    dated(candidate, 3)
    expect("TR-005", b'"threadrebuild"' in last, "the candidate's own last row has the mark")
    expect_equal("TR-005", source_in(settings, None), candidate, "newest once the host has gone on with the candidate")


@proves("TR-005")
def test_a_candidate_is_known_by_its_mark_however_long_its_last_row_is(tmp_path: Path) -> None:
    for length in (10, 65_000, 65_536, 200_000):
        folder = tmp_path / str(length) / "project"
        folder.mkdir(parents=True)
        settings = Settings(project_dir=str(folder))
        talk = Talk()
        talk.user("念一遍")
        talk.assistant("诗" * length)
        live = dated(talk.write(folder / "live.jsonl"), 1)
        built = build_candidate(plan_file(live, settings), folder, SESSION, SystemFiles())
        dated(built.path, 2)
        expect_equal("TR-005", source_in(settings, None), live, f"newest beside a candidate ending with {length} signs")


@proves("TR-005")
def test_words_about_the_mark_make_no_candidate(tmp_path: Path) -> None:
    talk = talk_of("有个字段")
    talk.assistant('它写作 "threadrebuild":["speech"],"uuid":"1"}')
    path = dated(talk.write(tmp_path / "live.jsonl"), 2)
    dated(talk_of("旧").write(tmp_path / "old.jsonl"), 1)
    expect_equal("TR-005", source_in(Settings(project_dir=str(tmp_path)), None), path, "newest, which quotes the mark")


@proves("TR-005")
def test_what_is_no_session_of_the_folder_is_not_previewed(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    live = dated(talk_of("新").write(folder / "live.jsonl"), 1)
    (folder / "out.jsonl").symlink_to(dated(talk_of("外面").write(tmp_path / "outside.jsonl"), 5))
    (folder / "gone.jsonl").symlink_to(tmp_path / "gone.jsonl")
    (folder / "folder.jsonl").mkdir()
    dated(talk_of("子").write(folder / "agent-1a2b3c4d.jsonl"), 6)
    expect_equal("TR-005", source_in(Settings(project_dir=str(folder)), None), live, "newest of the folder's sessions")


@proves("TR-005")
def test_a_file_that_a_host_has_barely_begun_is_not_previewed(tmp_path: Path) -> None:
    # As an old host begins one when it is started, before anything is said in the new session.
    title = b'{"type":"summary","summary":"A title","leafUuid":"00000000-0000-4000-8000-000000000001"}\n'
    title += b'{"type":"file-history-snapshot","messageId":"m","snapshot":{},"isSnapshotUpdate":false}\n'
    live = dated(talk_of("新").write(tmp_path / "live.jsonl"), 1)
    started = tmp_path / "started.jsonl"
    started.write_bytes(title)
    dated(started, 2)
    settings = Settings(project_dir=str(tmp_path))
    expect_equal("TR-005", source_in(settings, None), live, "newest beside a file that was barely begun")
    started.write_bytes(title + talk_of("后").bytes())
    dated(started, 2)
    expect_equal("TR-005", source_in(settings, None), started, "newest once something was said after the title")


@proves("TR-005")
def test_both_previews_take_the_newest_without_a_path(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    live = dated(talk_of("新").write(folder / "live.jsonl"), 1)
    built = build_candidate(plan_file(live, Settings()), folder, SESSION, SystemFiles())
    dated(built.path, 2)
    config = tmp_path / "config.toml"
    config.write_text(f'project_dir = "{folder}"\n')
    for command, figure in [("plan", "turns"), ("dirty", "conversation_turns")]:
        answer = CliRunner().invoke(main, [command, "--config", str(config), "--json"])
        expect_equal("TR-005", json.loads(answer.stdout)[figure], 1, f"turns that {command} shows")
    answer = CliRunner().invoke(main, ["plan", "--config", str(config), "--json"])
    expect_equal("TR-005", json.loads(answer.stdout)["source"]["path"], str(live), "file that plan shows")
