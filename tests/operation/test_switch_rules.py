"""Rules of the switch that no story shows alone: what is private, what is stable, who may go on after a long sleep."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from households import in_state

from harness.expect import expect, expect_equal, proves
from harness.world.kernel import HANG_SECONDS, Fault
from harness.world.night import OLD_SESSION, Night
from threadrebuild.doors.tmux import TmuxDoor
from threadrebuild.operation import coordinator
from threadrebuild.operation.record import Operation
from threadrebuild.operation.store import StoreError
from threadrebuild.system import SystemFiles


@proves("TR-145")
def test_every_folder_on_the_way_is_private(tmp_path: Path) -> None:
    made = tmp_path / "state" / "artifacts" / "one"
    try:
        SystemFiles().make_folder(made)
    except OSError as error:
        expect("TR-145", False, f"a private folder could not be made: {error}")
    for folder in (made, made.parent, made.parent.parent):
        expect("TR-145", folder.is_dir(), f"{folder.name} was not made")
        expect_equal("TR-145", stat.S_IMODE(folder.stat().st_mode), 0o700, f"mode of {folder.name}")


@proves("TR-147")
def test_an_id_of_another_shape_never_leaves_the_directory(tmp_path: Path) -> None:
    night = _asked(tmp_path)
    (tmp_path / "state" / "abc.json").write_text("{}")
    for bad in ("../abc", "", "/etc/passwd", "ABC", "-a", "a" * 65):
        try:
            night.house.store.load(bad)
        except StoreError as refused:
            expect("TR-147", "no operation id" in str(refused), f"{bad!r} was looked for: {refused}")
        else:
            expect("TR-147", False, f"{bad!r} was taken for an operation id")
    expect("TR-147", night.house.store.load(night.latest().id) is not None, "a good id finds its operation")


@proves("TR-103")
def test_a_transcript_that_keeps_growing_is_not_copied(tmp_path: Path) -> None:
    growing = _asked(tmp_path / "growing")
    for tenth in range(20, 400):
        growing.world.at(tenth / 10, lambda: growing.talk(lambda talk: talk.system("tick")))
    growing.end_turn()
    growing.world.run()
    expect("TR-103", growing.latest().state == "failed", f"a growing file ended {growing.latest().state}")
    expect("TR-103", "kept growing" in (growing.latest().error or ""), f"the reason was {growing.latest().error}")
    settled = _asked(tmp_path / "settled")
    for tenth in range(20, 60):
        settled.world.at(tenth / 10, lambda: settled.talk(lambda talk: talk.system("tick")))
    settled.end_turn()
    settled.world.run()
    error = settled.latest().error or ""
    expect("TR-179", "another session" not in error, f"the own candidate counted: {error}")
    expect("TR-103", settled.latest().state == "activated", f"a file that settled ended {settled.latest().error}")


@proves("TR-089")
def test_a_controller_that_raises_anywhere_leaves_no_operation_in_mid_switch(tmp_path: Path) -> None:
    for use in ("switch", "healthy"):
        night = _asked(tmp_path / use)
        with patch.object(TmuxDoor, use, _raising_once(getattr(TmuxDoor, use))):
            night.end_turn()
            night.world.run()
        ended = night.latest()
        expect_equal("TR-089", ended.state, "rolled_back", f"end of a switch in which `{use}` raised ({ended.error})")
        expect("TR-089", "out of memory" in (ended.error or ""), f"the error is kept: {ended.error}")
        night.ask_for_rebuild("noch einmal")
        night.world.run()
        expect_equal("TR-089", night.latest().state, "pending", "what becomes of a later request")


@proves("TR-004")
def test_the_transcript_is_the_one_that_the_hook_names(tmp_path: Path) -> None:
    night = _asked(tmp_path)
    other = night.project_dir / "cccccccc-0000-4000-8000-000000000003.jsonl"
    other.write_bytes(night.host.wrote(OLD_SESSION))
    night.end_turn()
    night.world.run()
    expect("TR-097", night.latest().state != "pending", "the hook took nothing up")
    named = night.latest().transcript_path
    expect_equal("TR-004", named, str(night.host.transcript(OLD_SESSION)), "the transcript on record")


@proves("TR-L25")
def test_a_worker_that_sleeps_at_the_door_is_not_judged_dead(tmp_path: Path) -> None:
    counted = _asked(tmp_path / "counted")
    counted.end_turn()
    counted.world.run()
    step = counted.world.calls.index(("panes", "respawn")) + 1
    night = _asked(tmp_path / "night", Fault(step, "hang"))
    night.end_turn()
    seen: list[str] = []

    def look() -> None:
        coordinator.recover(night.house)
        seen.append(str(night.latest().state))

    night.world.start(night.world.process("shell"), look, after=HANG_SECONDS / 2)
    night.world.run(HANG_SECONDS * 2)
    error = night.latest().error or ""
    expect("TR-L23", "no identity" not in error, f"an identity is on record: {error}")
    expect_equal("TR-L25", seen, ["activating"], "the state after a recovery, with the worker asleep at the door")
    expect("TR-L25", night.latest().state == "activated", f"the worker went on to {night.latest().state}")
    expect_equal("TR-L25", night.live_session(), night.latest().new_session_id, "who is behind the door")


def _raising_once(use: Callable[..., Any]) -> Callable[..., Any]:
    """A use of the door that raises, the first time, what nobody foresaw."""
    raised: list[bool] = []

    def using(*arguments: Any, **named: Any) -> Any:
        if not raised:
            raised.append(True)
            raise MemoryError("out of memory")
        return use(*arguments, **named)

    return using


def _asked(folder: Path, *faults: Fault) -> Night:
    folder.mkdir(exist_ok=True)
    night = Night(folder, faults=faults)
    night.talk(lambda talk: talk.user("可以换窗了"))
    night.ask_for_rebuild()
    night.world.run()
    return night


@proves("TR-071")
def test_a_candidate_that_somebody_goes_on_with_is_theirs_and_stays(tmp_path: Path) -> None:
    for goes_on in (False, True):
        night = _asked(tmp_path / str(goes_on))
        night.host.lives = [1.0, None]
        in_state(night, "activating", lambda night=night: night.world.start(night.world.process("person"), speak, 3.0))  # type: ignore[misc]

        def speak(night: Night = night, goes_on: bool = goes_on) -> None:
            if goes_on:
                night.talk(lambda talk: talk.user("喂"), night.latest().new_session_id or "")

        night.end_turn()
        night.world.run()
        ended = night.latest()
        session = ended.new_session_id or ""
        kept = night.house.store.artifacts(ended.id) / f"{session}.jsonl"
        expect_equal("TR-088", ended.state, "rolled_back", f"end of a switch whose new session dies ({ended.error})")
        expect_equal("TR-071", night.host.transcript(session).exists(), goes_on, "it lies in the project folder still")
        expect("TR-071", kept.exists(), "what was switched to is kept as evidence")
        expect("TR-071", [name for name, _ in night.published] == [f"{session}.jsonl"], "it was published")


@proves("TR-065")
def test_nothing_new_lies_in_the_project_folder_before_the_switch(tmp_path: Path) -> None:
    night = _asked(tmp_path)
    seen: list[tuple[str, bool]] = []
    save = night.house.store.save

    def saving(operation: Operation) -> None:
        save(operation)
        seen.append((str(operation.state), night.host.transcript(operation.new_session_id or "").exists()))

    night.house.store.save = saving  # type: ignore[method-assign]
    night.end_turn()
    night.world.run()
    expect("TR-065", ("activated", True) in seen, f"it was not published in the end: {seen}")
    early = [state for state, there in seen if there and state not in ("activating", "activated")]
    expect_equal("TR-065", early, [], "states in which a host with --continue would take the candidate")
