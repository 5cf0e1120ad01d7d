"""Whose turn has ended: a request waits for the turn of the session that was asked, and for no other's."""

from collections.abc import Callable
from pathlib import Path

from households import asked, in_world, night_of

from harness.expect import expect, expect_equal, proves
from harness.world.kernel import Process
from harness.world.night import COMMAND, OLD_SESSION, Night
from harness.world.talk import Talk
from threadrebuild.operation import coordinator
from threadrebuild.operation.states import State

OTHER = "cccccccc-0000-4000-8000-000000000003"
COMMAND_LINE = (*COMMAND[:2], OTHER)


def beside(night: Night) -> tuple[Process, Path]:
    """Another session of the same project, in a window of its own."""
    talk = Talk()
    talk.session = OTHER
    talk.user("另开一个窗口")
    night.host.begin(OTHER, talk)
    return night.world.process(*COMMAND_LINE), night.host.transcript(OTHER)


def elsewhere(night: Night) -> tuple[Process, Path]:
    """A session of another project, with the same hook in the user's settings."""
    folder = night.project_dir.with_name("-home-user-other")
    folder.mkdir()
    (folder / f"{OTHER}.jsonl").write_bytes(night.host.wrote(OLD_SESSION))
    return night.world.process(*COMMAND_LINE), folder / f"{OTHER}.jsonl"


def within(night: Night) -> tuple[Process, Path]:
    """A session that the household's own host has started, as a tool."""
    process, path = beside(night)
    shell = night.world.process("bash", "-c", "claude -p")
    shell.parent, process.parent = night.resident(), shell
    return process, path


@proves("TR-004")
def test_a_turn_that_ends_in_another_session_takes_nothing_up(tmp_path: Path) -> None:
    others: list[Callable[[Night], tuple[Process, Path]]] = [beside, elsewhere, within]
    for other in others:
        night = night_of(tmp_path / other.__name__, "tmux")
        asked(night)
        process, path = other(night)
        hook = night.world.process("hook")
        hook.parent = process
        answers: list[object] = []
        night.world.start(
            hook,
            lambda night=night, path=path, answers=answers: answers.append(
                coordinator.stop_hook(night.house, str(path))
            ),
        )  # type: ignore[misc]
        night.world.run()
        expect_equal(
            "TR-004", night.latest().state, State.PENDING, f"{other.__name__}: after a turn of another session"
        )
        expect("TR-098", answers == [{"scheduled": False, "operation": night.latest().id}], f"the hook said {answers}")
        night.end_turn()
        night.world.run()
        expect_equal("TR-004", night.latest().transcript_path, str(night.host.transcript(OLD_SESSION)), "whose it is")
        expect("TR-004", night.latest().state in (State.ACTIVATED, State.FAILED), "its own turn takes it up")


def test_who_takes_the_door_before_the_turn_has_ended_is_not_replaced(tmp_path: Path) -> None:
    for door in ("tmux", "systemd", "pointer"):
        night = night_of(tmp_path, door)  # type: ignore[arg-type]
        asked(night)
        night.world.run()
        beside(night)
        night.take_door(OTHER)
        night.end_turn()
        night.world.run()
        expect_equal("TR-107", night.latest().state, State.PENDING, f"{door}: after a turn of who took the door")
        expect_equal("TR-107", night.live_session(), OTHER, f"{door}: who took the door")
        in_world(night, lambda night=night: coordinator.request(night.house, "again", "REBUILD"))  # type: ignore[misc]
        night.end_turn()
        night.world.run()
        ended = night.latest()
        expect_equal(
            "TR-107", ended.state, State.ACTIVATED, f"{door}: asked again, with their agreement ({ended.error})"
        )
        expect_equal("TR-004", ended.transcript_path, str(night.host.transcript(OTHER)), "whose it is")


def test_a_request_with_nobody_on_record_as_asked_is_taken_up_by_no_turn(tmp_path: Path) -> None:
    night = night_of(tmp_path, "tmux")
    asked(night)
    night.world.run()
    waiting = night.latest()
    known, waiting.cas_identity = waiting.cas_identity, None
    night.house.store.save(waiting)
    night.end_turn()
    night.world.run()
    expect_equal("TR-L23", night.latest().state, State.PENDING, "after the end of somebody's turn")
    in_world(night, lambda: coordinator.request(night.house, "again", "REBUILD"))
    expect_equal("TR-L23", night.latest().cas_identity, known, "who was asked, once it is asked for again")
    night.end_turn()
    night.world.run()
    expect_equal("TR-L23", night.latest().state, State.ACTIVATED, f"asked again ({night.latest().error})")
