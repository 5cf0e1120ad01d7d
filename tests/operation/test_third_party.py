"""A third party that takes the door while a switch is being checked is left alone."""

from collections.abc import Callable
from pathlib import Path

from households import asked, in_state, night_of

from harness.expect import expect, expect_equal, proves
from harness.world.kernel import Process
from harness.world.night import PANE, UNIT, Night
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
