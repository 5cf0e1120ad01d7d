"""A process killed, the power cut, or a file's write failing at every step of a switch: no message is ever lost."""

from pathlib import Path

from gap import GapNight

from harness.world.kernel import Fault
from harness.world.night import OLD_SESSION, PANE
from threadrebuild.operation import coordinator
from threadrebuild.operation.states import ENDS, State


def told(folder: Path, *faults: Fault) -> GapNight:
    """The night: messages come in the hold, at the moment of the kill, and after the switch."""
    night = GapNight(folder, faults=faults)
    night.begin_switch()
    for tenths in (52, 130):
        night.chat.at(tenths / 10, f"第 {tenths} 句")
    night.chat.on_start.append(lambda: night.chat.say("窗刚换"))
    night.world.run()
    return night


def recovered(night: GapNight) -> str:
    """What people do an hour later: resume what is dead, recover; and the session that lives then."""
    pane = night.tmux.process_in(PANE)
    if not pane.alive:
        session = night.host.session_of(pane)
        assert session is not None
        night.tmux.replace(PANE, *night.resumed(session))
    person = night.world.process("person")

    def recover() -> None:
        night.world.sleep(3600)
        coordinator.recover(night.house)

    night.world.start(person, recover)
    night.world.run()
    session = night.host.session_of(night.tmux.process_in(PANE))
    assert session is not None
    return session


def steps_of_a_quiet_night(folder: Path) -> int:
    night = told(folder)
    assert night.latest().state is State.ACTIVATED
    assert night.chat.missing(night.new_session) == []
    return night.world.step


def check_every_step(folder: Path, do: str) -> None:
    lost, ended = [], 0
    steps = steps_of_a_quiet_night(folder / "quiet")
    for step in range(1, steps + 1):
        try:
            night = told(folder / str(step), Fault(step, do))
        except AssertionError:  # the fault fell before the night began
            continue
        session = recovered(night)
        operation = night.house.store.latest()
        ended += operation is not None and operation.state in ENDS
        if missing := night.chat.missing(session):
            lost.append((step, operation and operation.state, session == OLD_SESSION, missing))
    assert lost == []
    assert ended > steps / 2


def test_a_process_killed_at_any_step_loses_no_message(tmp_path: Path) -> None:
    check_every_step(tmp_path, "kill")


def test_a_power_cut_at_any_step_loses_no_message(tmp_path: Path) -> None:
    check_every_step(tmp_path, "power")


def test_a_call_that_fails_at_any_step_loses_no_message(tmp_path: Path) -> None:
    check_every_step(tmp_path, "enospc")
