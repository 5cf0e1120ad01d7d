"""A third party that takes the door while a switch is being checked is left alone."""

from collections.abc import Callable
from pathlib import Path

from households import asked, in_state, night_of

from harness.expect import expect, expect_equal, proves
from harness.world.kernel import Fault, Process
from harness.world.night import PANE, UNIT, DoorKind, Night
from threadrebuild.operation.states import State

SOMEBODY = "cccccccc-0000-4000-8000-000000000003"
TAKES_OVER_SECONDS = 3.0


def takes_pane(night: Night) -> Process:
    """Somebody respawns the pane by hand."""
    return night.tmux.replace(PANE, "claude", "--resume", SOMEBODY)


def takes_unit(night: Night) -> Process:
    """Somebody points the unit at another session and restarts it."""
    night.pointer.write_text(f"{SOMEBODY}\n", encoding="ascii")
    night.systemd.start_again(UNIT)
    return night.systemd.process_in(UNIT)


@proves("TR-107")
def test_whoever_takes_the_door_during_the_health_check_keeps_it(tmp_path: Path) -> None:
    takers: dict[str, Callable[[Night], Process]] = {"tmux": takes_pane, "systemd": takes_unit}
    for door, take in takers.items():
        night = night_of(tmp_path, "tmux" if door == "tmux" else "systemd")
        taken: list[Process] = []

        def later(night: Night = night, take: Callable[[Night], Process] = take, taken: list[Process] = taken) -> None:
            taken.append(take(night))

        def begin(night: Night = night, later: Callable[[], None] = later) -> None:
            night.world.start(night.world.process("somebody"), later, after=TAKES_OVER_SECONDS)

        asked(night)
        in_state(night, "activating", begin)
        night.end_turn()
        night.world.run()
        ended = night.latest()
        expect("TR-065", "was not verified" not in (ended.error or ""), f"{door}: the candidate was verified")
        expect("TR-107", taken and taken[0].alive, f"{door}: the third party's process was killed")
        seen = (ended.state, ended.session_conflict)
        expect_equal("TR-107", seen, (State.FAILED, True), f"{door}: end after somebody took the door ({ended.error})")
    for door in takers:
        night = Night(tmp_path / f"{door} alone", door="tmux" if door == "tmux" else "systemd")
        night.host.lives = [2.0]
        asked(night).end_turn()
        night.world.run()
        ended = night.latest()
        seen = (ended.state, ended.session_conflict)
        expect_equal(
            "TR-107", seen, (State.ROLLED_BACK, False), f"{door}: a new session that dies by itself ({ended.error})"
        )


def points(night: Night) -> str:
    """Somebody makes the pointer name another session."""
    night.pointer.write_text(f"{SOMEBODY}\n", encoding="ascii")
    return SOMEBODY


@proves("TR-107")
def test_whoever_takes_the_door_at_any_step_of_the_switch_keeps_it(tmp_path: Path) -> None:
    takers: dict[DoorKind, Callable[[Night], object]] = {"tmux": takes_pane, "systemd": takes_unit, "pointer": points}
    # What has no compare-and-set of its own is named in `cannot_prove`.
    uses: dict[DoorKind, set[tuple[str, str]]] = {
        "tmux": set(),
        "systemd": {("services", "restart"), ("files", "replace")},
        "pointer": {("files", "replace")},
    }
    for door, take in takers.items():
        undisturbed = night_of(tmp_path, door)
        begun: list[int] = []
        in_state(undisturbed, "activating", lambda night=undisturbed, begun=begun: begun.append(night.world.step))  # type: ignore[misc]
        asked(undisturbed).end_turn()
        undisturbed.world.run()
        expect_equal("TR-107", undisturbed.latest().state, State.ACTIVATED, f"{door}: end without a third party")
        calls, tried = undisturbed.world.calls, 0
        for step in range(begun[0] + 1, len(calls) + 1):
            if calls[step - 1] in uses[door]:
                continue
            night = night_of(tmp_path / str(step), door, faults=(Fault(step, "taken"),))
            taken: list[object] = []
            night.world.others = {"taken": lambda night=night, take=take, taken=taken: taken.append(take(night))}  # type: ignore[misc]
            asked(night).end_turn()
            night.world.run()
            seen, ended = night.live_session(), night.latest()
            tried += 1
            alive = not isinstance(taken[0], Process) or taken[0].alive
            expect("TR-107", alive, f"{door}: taken before step {step} {calls[step - 1]}, and killed")
            expect_equal("TR-107", seen, SOMEBODY, f"{door}: behind the door, taken before step {step} ({ended.error})")
            expect("TR-107", ended.state in (State.FAILED, State.ACTIVATED), f"{door}: {ended.state} at step {step}")
        expect("TR-107", tried > 5, f"{door}: only {tried} steps of a switch were tried")
