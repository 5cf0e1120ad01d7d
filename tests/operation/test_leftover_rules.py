"""Processes that outlive their session: whoever tears a session down has to look whether its process has gone."""

from pathlib import Path

from households import DOORS, night_of, rebuilt

from harness.expect import expect, expect_equal, proves
from harness.world.night import COMMAND, OLD_SESSION, PANE, UNIT, Night
from threadrebuild.doctor import Report, doctor
from threadrebuild.outliving import outliving


def left(report: Report) -> bool | None:
    """What the check of `doctor` says."""
    return next((check.ok for check in report.checks if check.name == "nothing_left_running"), None)


def expect_channels_free(report: Report) -> None:
    """Nobody polls what this household polls."""
    expect("TR-169", "single_consumers_free" not in failed(report), "no second consumer is there")


def failed(report: Report) -> list[str]:
    """The checks that fail."""
    return [check.name for check in report.checks if not check.ok]


@proves("TR-170")
def test_a_process_that_outlived_its_pane_is_found(tmp_path: Path) -> None:
    night = Night(tmp_path)
    before = doctor(night.house)
    expect_channels_free(before)
    expect_equal("TR-170", left(before), True, "before any switch nothing can be left")
    rebuilt(night)
    expect_equal("TR-170", (left(doctor(night.house)), doctor(night.house).ok), (True, True), "after a switch")
    resumed = night.tmux.process_in(PANE)
    night.tmux.close(PANE)
    report = doctor(night.house)
    expect_equal("TR-170", report.left_running, [resumed.pid], "the process whose pane is gone")
    expect_equal("TR-170", (left(report), report.ok), (False, False), "what doctor says to it")
    night.world.kill(resumed)
    expect_equal("TR-170", left(doctor(night.house)), True, "once it has ended")


def test_only_the_host_with_a_switched_session_counts(tmp_path: Path) -> None:
    for door in DOORS:
        night = night_of(tmp_path, door)
        new = rebuilt(night).new_session_id or ""
        world = night.world
        if door == "pointer":  # the call in which the rebuild was asked for has ended
            for process in [each for each in world.processes.values() if "--resume" in each.command]:
                world.kill(process)
        assert doctor(night.house).left_running == []
        for command in (
            (COMMAND[0], "--resume", "cccccccc-0000-4000-8000-000000000003"),
            ("less", f"{OLD_SESSION}.jsonl"),
            ("tail", "-f", f"{new}.jsonl"),
        ):
            world.process(*command)
        assert doctor(night.house).left_running == []
        behind = None if door == "pointer" else night.resident().pid
        kept = world.process("node", "/opt/bin/claude", f"--resume={OLD_SESSION}")
        called = world.process(COMMAND[0], "-p", "--resume", new)
        # Through the pointer a call for the session that it names is just what is meant to run.
        wanted = [kept.pid] if door == "pointer" else [kept.pid, called.pid]
        assert doctor(night.house).left_running == wanted, door
        pointer = new if door == "pointer" else None
        if behind is not None:
            night.processes.children[behind] = [called.pid]
            assert outliving(night.house, behind, pointer) == [kept.pid], door


def test_a_unit_that_is_down_leaves_nothing_by_itself(tmp_path: Path) -> None:
    night = night_of(tmp_path, "systemd")
    rebuilt(night)
    night.world.kill(night.systemd.process_in(UNIT))
    assert doctor(night.house).left_running == []
