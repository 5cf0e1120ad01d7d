"""What acceptance rests on in the cores: a drill that touches nobody else, a switch that has passed, a real memory."""

import json
import subprocess
from pathlib import Path
from unittest.mock import patch

import msgspec
from households import in_world, rebuilt

from harness.expect import expect, expect_equal, proves
from harness.world.night import COMMAND, OLD_SESSION, PANE, Night
from harness.world.talk import Talk
from threadrebuild.channel.probes import probe
from threadrebuild.config import ConfigError, Settings
from threadrebuild.doctor import Report, doctor
from threadrebuild.doors import open_door
from threadrebuild.operation import coordinator
from threadrebuild.operation.appended import said_after
from threadrebuild.operation.passed import shortcomings
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import State
from threadrebuild.system import system_ports

OTHER = "DO-NOT-CREATE:0.1"
CHANNEL = ("--channels", "plugin:telegram@claude-plugins-official")


def holds(report: Report, name: str) -> bool | None:
    """Whether a check held; None where it was not made."""
    return next((check.ok for check in report.checks if check.name == name), None)


def beside(folder: Path, **drill: str) -> Report:
    """The report on a live household, in whose host a drill's configuration is hooked too."""
    night = Night(folder)
    night.tmux.open("%9", OTHER, *COMMAND)
    values = msgspec.to_builtins(night.house.settings) | drill
    config = folder / "drill.toml"
    lines = (f"{key} = {json.dumps(value)}\n" for key, value in values.items() if value is not None)
    config.write_text("".join(lines), encoding="utf-8")
    hook = {"type": "command", "command": f"threadrebuild hook-stop --config '{config}'"}
    settings = night.project_dir.parent.parent / "settings.json"
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}), encoding="utf-8")
    return in_world(night, lambda: doctor(night.house))


@proves("TR-154")
def test_a_drill_has_a_project_a_target_and_a_state_folder_of_its_own(tmp_path: Path) -> None:
    project, state = str(tmp_path / "-drill"), str(tmp_path / "drill-state")
    target = {"tmux_target": OTHER}
    for name, drill, target_free, state_free in [
        ("all of its own", {**target, "project_dir": project, "state_dir": state}, True, True),
        ("the live pane", {"project_dir": project, "state_dir": state}, False, True),
        ("the live project", {**target, "state_dir": state}, False, True),
        ("the live state folder", {**target, "project_dir": project}, True, False),
        ("the live state folder and project", target, True, False),
        ("the live household once more", {}, True, True),
    ]:
        report = beside(tmp_path / name, **drill)
        seen = (holds(report, "shared_with_nobody"), holds(report, "state_dir_its_own"))
        expect_equal("TR-154", seen, (target_free, state_free), f"target and state folder free, beside a drill: {name}")
        named = [Path(each).name for each in report.shared_with + report.state_dir_shared_with]
        expect_equal("TR-154", named, [] if target_free and state_free else ["drill.toml"], f"named: {name}")


def spoiled(operation: Operation, **fields: object) -> Operation:
    """An operation that is on record with other fields."""
    return msgspec.structs.replace(operation, **fields)


@proves("TR-160")
def test_a_switch_has_passed_only_with_all_that_was_to_come_of_it(tmp_path: Path) -> None:
    night = Night(tmp_path)
    house, operation = night.house, rebuilt(night)
    source = operation.source
    assert source is not None
    expect_equal("TR-160", shortcomings(house, operation), [], "an activated operation with all of its evidence")
    for wanted, odd in [
        ("not activated", spoiled(operation, state=State.ACTIVATING)),
        ("not activated", spoiled(operation, state=State.ROLLED_BACK)),
        ("no other process", spoiled(operation, cas_identity_after=operation.cas_identity)),
        ("no other process", spoiled(operation, cas_identity_after=None)),
        ("not verified", spoiled(operation, verification={"ok": False})),
        ("not verified", spoiled(operation, verification={})),
        ("old transcript", spoiled(operation, source=msgspec.structs.replace(source, path=str(tmp_path / "gone")))),
        ("backup", spoiled(operation, source=msgspec.structs.replace(source, backup=str(tmp_path / "gone")))),
    ]:
        found = shortcomings(house, odd)
        expect("TR-160", len(found) == 1 and wanted in found[0], f"one shortcoming, {wanted}: {found}")
    backup = Path(source.backup)
    whole = backup.read_bytes()
    backup.write_bytes(whole[:-1])
    expect_equal("TR-160", len(shortcomings(house, operation)), 1, "shortcomings with a backup that lacks a byte")
    backup.write_bytes(whole)
    old = Path(source.path)
    old.write_bytes(old.read_bytes() + b'{"type":"mode"}\n')
    expect_equal("TR-160", shortcomings(house, operation), [], "with a row that the old host appended")
    old.write_bytes(b" " + old.read_bytes()[1:])
    expect_equal("TR-160", len(shortcomings(house, operation)), 1, "shortcomings with another old transcript")


def test_a_dead_worker_in_mid_switch_names_the_session_to_resume_by_hand(tmp_path: Path) -> None:
    night = Night(tmp_path)
    operation = rebuilt(night)
    assert operation.source is not None
    stuck = spoiled(operation, state=State.ACTIVATING, lease=None)
    found = shortcomings(night.house, stuck)
    assert len(found) == 1 and operation.source.session_id in found[0]
    assert coordinator.status(night.house)["shortcomings"] == []


@proves("TR-158")
def test_only_an_answer_without_tools_was_known_by_heart(tmp_path: Path) -> None:
    def read_from_a_file(talk: Talk) -> None:
        talk.user("两个暗号是什么？")
        talk.assistant("我看看。")
        talk.tool("Read", {"file_path": "/notes.md"}, result="水獭, heron")
        talk.assistant("水獭, heron。")

    def known(talk: Talk) -> None:
        talk.user("那我们在做什么？")
        talk.assistant("换窗。")

    def known_over_the_line(talk: Talk) -> None:
        talk.channel("还有什么没做？")
        talk.reply("只剩验收。")

    before = Talk()
    known(before)
    read_from_a_file(before)
    carried = len(before.bytes())
    for name, turns, passes in [
        ("nothing asked yet", (), False),
        ("read from a file", (read_from_a_file,), False),
        ("known", (known,), True),
        ("known, over a reply tool", (known_over_the_line,), True),
        ("known, before something is read", (known, read_from_a_file), True),
        ("known, after something was read", (read_from_a_file, known), True),
        ("a question that waits", (read_from_a_file, lambda talk: talk.user("在吗")), False),
    ]:
        talk = Talk()
        known(talk)
        read_from_a_file(talk)
        for turn in turns:
            turn(talk)
        path = talk.write(tmp_path / f"{name}.jsonl")
        row = probe(path, carried, Settings()).by_heart
        expect_equal("TR-158", row is not None, passes, f"an answer by heart: {name}")
        if row is not None:
            line = path.read_bytes().split(b"\n")[row - 1]
            expect(
                "TR-158", "换窗。".encode() in line or "只剩验收。".encode() in line, f"the row that shows it: {name}"
            )


def written_anew(data: bytes) -> bytes:
    """Rows as a host up to 2.0.42 writes them once more when it resumes: other ids, the same words and times."""
    rows = [json.loads(line) for line in data.splitlines()]
    return b"".join(json.dumps(row | {"uuid": f"{row['uuid'][:-4]}beef"}).encode() + b"\n" for row in rows)


@proves("TR-159")
def test_what_a_resuming_host_writes_anew_is_no_message(tmp_path: Path) -> None:
    talk = Talk(version="2.0.42")
    talk.user("可以换窗了")
    talk.assistant("好 \u2028 ok")
    carried = talk.bytes()
    path = tmp_path / "new.jsonl"
    path.write_bytes(carried + written_anew(carried))
    seen = probe(path, len(carried), Settings())
    expect_equal("TR-159", (seen.inbound, seen.outbound), (False, False), "proven by rows that were carried")
    expect_equal("TR-159", said_after(path, len(carried), Settings()), 0, "texts said since")
    talk.user("听得到吗")
    talk.assistant("听得到")
    path.write_bytes(carried + written_anew(carried) + talk.bytes()[len(carried) :])
    seen = probe(path, len(carried), Settings())
    expect_equal("TR-159", (seen.inbound, seen.outbound), (True, True), "proven by a message and its answer")
    expect_equal("TR-159", said_after(path, len(carried), Settings()), 2, "texts said since")


@proves("TR-161")
def test_no_target_is_ever_taken_by_default_and_a_night_starts_no_program(tmp_path: Path) -> None:
    named = Settings(
        tmux_target=OTHER,
        resume_command=COMMAND,
        project_dir=str(tmp_path / "-project"),
        claude_workdir=str(tmp_path / "project"),
    )
    ports = system_ports(tmp_path / "config.toml", tmp_path / "worker.log")

    def opens(**left_out: object) -> bool:
        try:
            open_door(msgspec.structs.replace(named, **left_out), ports)
        except ConfigError:
            return False
        return True

    expect_equal("TR-161", opens(), True, "a door whose target is named opens")
    for fact in ("tmux_target", "resume_command", "project_dir", "claude_workdir"):
        nothing = () if fact == "resume_command" else None
        expect_equal("TR-161", opens(**{fact: nothing}), False, f"a door opens without {fact}")
    night = Night(tmp_path / "night")
    with patch.object(subprocess, "Popen", side_effect=AssertionError("a real program was started")):
        operation = rebuilt(night)
    expect_equal("TR-161", operation.state, State.ACTIVATED, "a switch with nothing real behind it")
    expect("TR-161", (night.house.settings.tmux_target or "").startswith("DO-NOT-CREATE"), "a target that cannot be")


@proves("TR-162")
def test_what_outlived_the_drill_and_what_polls_beside_it_is_found(tmp_path: Path) -> None:
    night = Night(tmp_path, resume_command=(COMMAND[0], "--resume", "{session_id}", *CHANNEL))
    night.tmux.replace(PANE, COMMAND[0], "--continue", *CHANNEL)
    alone = in_world(night, lambda: doctor(night.house))
    seen = (holds(alone, "nothing_left_running"), holds(alone, "single_consumers_free"))
    expect_equal("TR-162", seen, (True, True), "a household by itself")
    drill = night.tmux.open("%9", OTHER, COMMAND[0], *CHANNEL)
    polled = in_world(night, lambda: doctor(night.house))
    expect_equal("TR-162", holds(polled, "single_consumers_free"), False, "the drill's session polls the same channel")
    expect("TR-162", not polled.ok, "doctor is not content with it")
    night.tmux.close("%9")
    night.world.kill(drill)
    rebuilt(night)
    resumed = night.tmux.process_in(PANE)
    night.tmux.close(PANE)
    after = in_world(night, lambda: doctor(night.house))
    expect_equal("TR-162", after.left_running, [resumed.pid], "the session is gone, its resumed process is not")
    expect_equal("TR-162", holds(after, "nothing_left_running"), False, "doctor says so")


def test_a_session_that_goes_on_in_another_file_is_not_rebuilt_from_the_old_one(tmp_path: Path) -> None:
    def with_neighbour(name: str, session: str, time: str) -> Operation:
        night = Night(tmp_path / f"{name}-{session}-{time[:4]}")
        talk = Talk()
        talk.session = session
        talk.assistant("在这里接着说", timestamp=time)
        talk.write(night.project_dir / name)
        return rebuilt(night)

    other, later, earlier = (
        "dddddddd-0000-4000-8000-000000000004",
        "2099-01-01T00:00:00.000Z",
        "2001-01-01T00:00:00.000Z",
    )
    found = with_neighbour(f"{other}.jsonl", OLD_SESSION, later)
    assert found.state is State.FAILED and f"goes on in {other}.jsonl" in (found.error or "")
    for name, session, time in [
        (f"{other}.jsonl", other, later),
        (f"{other}.jsonl", OLD_SESSION, earlier),
        ("agent-1a2b3c4d.jsonl", OLD_SESSION, later),
    ]:
        ended = with_neighbour(name, session, time)
        assert ended.state is State.ACTIVATED, (name, session, ended.error)
