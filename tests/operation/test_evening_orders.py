"""Every order, enumerated: what people ask in one evening, and what comes between while a worker is at work."""

import tempfile
from collections.abc import Callable
from itertools import combinations_with_replacement, permutations, product
from pathlib import Path
from typing import NamedTuple

from harness.faults import ended_of
from harness.invariants.operation import broken
from harness.scenario.nights.moments import MOMENTS
from harness.scenario.nights.play import Play
from harness.scenario.nights.story import SOMEBODY
from harness.world.night import Night
from threadrebuild.operation import coordinator

ASKED = ("request one", "request two", "cancel", "Stop", "Stop", "typed")
BETWEEN = (
    *("request two", "cancel", "Stop", "typed", "kill", "power"),
    *("opens another session", "respawns the pane with another session"),
)
MOMENTS_OF_WORK = ("scheduled", "running", "verifying", "activating")
LATER_SECONDS = 4_000.0


class Came(NamedTuple):
    """What a night came to: the states of its operations, what its hooks answered, how many workers were started."""

    states: list[str]
    hooks: list[str]
    workers: int


def test_every_order_of_what_people_ask() -> None:
    orders = sorted(set(permutations(ASKED)))
    assert len(orders) == 360
    ends = set()
    for order in orders:
        came = _played(lambda play, order=order: [_happen(play, event) for event in order])  # type: ignore[misc]
        states = came.states
        assert states.count("pending") <= 1, order
        assert came.workers == came.hooks.count("started"), order
        # The evening ends before the worker begins: what was cancelled before that never got one.
        assert len(states) <= 2, (order, states)
        ends.add(tuple(states))
    # The enumeration is worth something only where the orders differ.
    assert {("activated",), ("cancelled",), ("pending",), ("cancelled", "activated")} <= ends


def test_every_pair_of_interruptions_at_every_pair_of_moments() -> None:
    nights = 0
    ends = set()
    for (first, second), events in product(
        combinations_with_replacement(MOMENTS_OF_WORK, 2), product(BETWEEN, BETWEEN)
    ):

        def happen(play: Play, first: str = first, second: str = second, events: tuple[str, str] = events) -> None:
            _happen(play, "request one")
            _happen(play, "Stop")
            for moment, event in zip((first, second), events, strict=True):
                if play.night.world.wait_until(lambda moment=moment: MOMENTS[moment](play), 60):
                    _happen(play, event)

        ends.add(_played(happen).states[-1])
        nights += 1
    assert nights == 10 * len(BETWEEN) ** 2
    assert {"activated", "failed", "rolled_back"} <= ends


def _played(happen: Callable[[Play], object]) -> Came:
    """Play, let an hour go by, recover; the invariants hold, whatever happened."""
    with tempfile.TemporaryDirectory() as folder:
        night = Night(Path(folder))
        play, world = Play(night), night.world

        def whole() -> None:
            happen(play)
            world.sleep(LATER_SECONDS)
            night.start_host()
            play.ask(world.process("shell"), lambda: coordinator.recover(night.house))

        world.start(night.outside(), whole)
        world.run(1e6)
        faults = [f"{each.rule} {each.name}: {said}" for each, said in broken(ended_of(play, faulty=True))]
        assert not faults, faults
        return Came([str(each.state) for each in night.house.store.all()], play.hooks, len(night.spawner.started))


def _happen(play: Play, event: str) -> None:
    night = play.night
    live = night.live_session()
    if event.startswith("request"):
        reason = event.removeprefix("request ")
        play.ask(night.world.process("shell"), lambda: coordinator.request(night.house, reason, "REBUILD"))
    elif event == "cancel":
        play.ask(night.world.process("shell"), lambda: coordinator.cancel(night.house, "CANCEL"))
    elif event == "Stop" and live:
        night.end_turn(live)
        night.world.sleep(0.4)
    elif event == "typed" and live:
        night.talk(lambda talk: talk.user("等一下"), live)
    elif event == "kill":
        for process in [each for each in night.world.processes.values() if each.command[0] == "worker"]:
            night.world.kill(process)
    elif event == "power":
        night.world.power_cut()
    elif event in SOMEBODY:
        SOMEBODY[event](play)
