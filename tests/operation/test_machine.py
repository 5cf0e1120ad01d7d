"""Random nights: commands, crashes and interlopers in any order, against a small model of what may follow what.

The model is written down here from TR-078…TR-094 and shares nothing with the table of the coordinator. What each event
met is counted: every legal transition has to occur, and few steps may come to nothing.
"""

import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from harness.expect import expect, expect_equal
from harness.faults import ended_of
from harness.invariants.operation import broken
from harness.scenario.nights.moments import MOMENTS
from harness.scenario.nights.play import Play
from harness.scenario.nights.story import SOMEBODY
from harness.world.night import OLD_SESSION, PANE, Night
from threadrebuild.operation import by_hand, coordinator

MOVES = {
    "none": {"pending": "TR-079"},
    "pending": {"pending": "TR-080", "cancelled": "TR-082", "scheduled": "TR-083", "running": "TR-084"},
    "scheduled": {"pending": "TR-083", "running": "TR-084", "failed": "TR-L25"},
    "running": {"verifying": "TR-085", "failed": "TR-085"},
    "verifying": {"activating": "TR-086", "failed": "TR-086"},
    "activating": {"activated": "TR-087", "rolled_back": "TR-088", "failed": "TR-089"},
    "activated": {"rollback_pending": "TR-090"},
    "rollback_pending": {"rollback_scheduled": "TR-091"},
    "rollback_scheduled": {"rollback_pending": "TR-091", "rolled_back": "TR-091", "failed": "TR-091"},
    "cancelled": {},
    "failed": {},
    "rolled_back": {},
}
"""What may follow what, and the rule that says so. Nothing follows an end but a rollback of `activated` (TR-078)."""
ENDS = {"none", "activated", "cancelled", "failed", "rolled_back"}
TAKES = {"request": ENDS | {"pending"}, "cancel": {"pending"}, "rollback": {"activated"}, "prepare": {"pending"}}
"""The states in which each command is taken; in any other it is refused and changes nothing."""
WORKING = ("scheduled", "running", "verifying", "activating", "rollback_scheduled")
INTERLOPERS = (
    *("typed", "opens another session", "changes the candidate"),
    *("respawns the pane with another session", "respawns the pane with the old session"),
)
NOTHING_MOST = 1 / 3
LATER_SECONDS = 4_000.0


class Machine(RuleBasedStateMachine):
    """One household. Every rule lets the world play until nobody has anything left to do."""

    met: ClassVar[Counter[tuple[str, str]]] = Counter()
    moved: ClassVar[Counter[tuple[str, str]]] = Counter()
    steps: ClassVar[int] = 0
    idle_steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.play = Play(Night(Path(self.folder.name)))
        self.night = self.play.night
        self.useful = True
        """Whether the last step changed anything; two in a row need not come to nothing."""

    # ---------------------------------------------------------------- what may happen

    @precondition(lambda self: self.state in TAKES["request"])
    @rule(reason=st.sampled_from(["one", "two", ""]))
    def request(self, reason: str) -> None:
        self._step("request", lambda: self._ask("request", reason))

    @precondition(lambda self: self.state == "pending")
    @rule()
    def cancel(self) -> None:
        self._step("cancel", lambda: self._ask("cancel"))

    @precondition(lambda self: self.state == "activated")
    @rule()
    def roll_back(self) -> None:
        self._step("rollback", lambda: self._ask("rollback"))

    @precondition(lambda self: self.useful)
    @rule(command=st.sampled_from(["request", "cancel", "rollback", "prepare", "activate", "recover", "Stop"]))
    def ask_anything(self, command: str) -> None:
        self._step(command, lambda: self._ask(command))

    @precondition(lambda self: self.state in ("pending", "rollback_pending"))
    @rule()
    def stop_without_a_worker(self) -> None:
        def happen() -> None:
            self.night.spawner.works = False
            self._ask("Stop")
            self.night.world.sleep(10)
            self.night.spawner.works = True

        self._step("Stop, no worker", happen)

    @precondition(lambda self: self.state in ("pending", "rollback_pending"))
    @rule(lives=st.sampled_from([[], [], [1.0], [1.0, 1.0]]))
    def stop(self, lives: list[float]) -> None:
        self._stop_and_meanwhile("activating", "nothing", lives)

    @precondition(lambda self: self.state in ("pending", "rollback_pending"))
    @rule(at=st.sampled_from(WORKING), what=st.sampled_from(["kill", "power"]))
    def stop_and_crash(self, at: str, what: str) -> None:
        self._stop_and_meanwhile(at, what, [])

    @precondition(lambda self: self.state in ("pending", "rollback_pending"))
    @rule(at=st.sampled_from(WORKING), what=st.sampled_from(INTERLOPERS))
    def stop_and_interloper(self, at: str, what: str) -> None:
        self._stop_and_meanwhile(at, what, [])

    @precondition(lambda self: self.state in ("pending", "rollback_pending"))
    @rule(
        at=st.sampled_from(WORKING),
        what=st.sampled_from(["Stop", "request", "cancel", "rollback", "recover"]),
        lives=st.sampled_from([[], [1.0]]),
    )
    def stop_and_command(self, at: str, what: str, lives: list[float]) -> None:
        self._stop_and_meanwhile(at, what, lives)

    def _stop_and_meanwhile(self, at: str, what: str, lives: list[float]) -> None:
        def happen() -> None:
            self.night.host.lives = list(lives)
            self._ask("Stop")
            if self.night.world.wait_until(lambda: MOMENTS[at](self.play), 60):
                self._meddle(what)
            self.night.world.sleep(LATER_SECONDS)
            self.night.host.lives = []
            self.night.start_host()
            self._ask("recover")

        self._step("Stop", happen)
        self._hand_back()

    @precondition(lambda self: self.state == "verifying")
    @rule()
    def activate(self) -> None:
        self._step("activate", lambda: self._ask("activate"))

    @precondition(lambda self: self.state == "pending")
    @rule(goes_on=st.booleans())
    def by_hand(self, goes_on: bool) -> None:
        def happen() -> None:
            self._ask("prepare")
            if goes_on:
                self._ask("activate")
            else:
                self.night.world.sleep(LATER_SECONDS)
                self._ask("recover")

        self._step("prepare", happen)

    # ---------------------------------------------------------------- how it happens

    @property
    def state(self) -> str:
        latest = self.night.house.store.latest()
        return str(latest.state) if latest else "none"

    def _step(self, event: str, happen: Callable[[], None]) -> None:
        before = self._stored()
        self.met[event, self.state] += 1
        self.night.world.start(self.night.outside(), happen, after=1)
        self.night.world.run(1e6)
        Machine.steps += 1
        self.useful = self._stored() != before
        Machine.idle_steps += not self.useful
        self._check()

    def _ask(self, command: str, reason: str = "one") -> None:
        night = self.night
        if command == "Stop":
            live = night.live_session()
            if live:
                night.end_turn(live)
                night.world.sleep(1)
            return
        begin, seen, before = self.state, len(self._history()), self._stored()
        at_rest = MOMENTS["no worker is at work"](self.play)
        commands: dict[str, Callable[[], Any]] = {
            "request": lambda: coordinator.request(night.house, reason, "REBUILD"),
            "cancel": lambda: coordinator.cancel(night.house, "CANCEL"),
            "rollback": lambda: coordinator.request_rollback(night.house, "ROLLBACK"),
            "recover": lambda: coordinator.recover(night.house),
            "prepare": lambda: by_hand.prepare_by_hand(night.house, night.host.transcript(night.live_session() or "")),
            "activate": lambda: by_hand.activate_by_hand(night.house),
        }
        self.play.ask(night.world.process("shell"), commands[command])
        if command not in TAKES:
            return
        refused = self.play.answers[-1] in ("not-now", "in-progress", "no-operation")
        possible = {begin, *(to for _, to in self._history()[seen:])}
        rule_id = {"request": "TR-081", "cancel": "TR-082", "rollback": "TR-090", "prepare": "TR-084"}[command]
        if not refused:
            expect(rule_id, possible & TAKES[command], f"{command} was taken in {begin}")
        else:
            expect(rule_id, possible - TAKES[command], f"{command} was refused in {begin}")
            if at_rest:
                expect_equal("TR-094", self._stored(), before, f"operations after {command} was refused in {begin}")

    def _meddle(self, what: str) -> None:
        night = self.night
        self.met[what, self.state] += 1
        if what == "kill":
            for process in [each for each in night.world.processes.values() if each.command[0] == "worker"]:
                night.world.kill(process)
        elif what == "power":
            night.world.power_cut()
        elif what == "typed" and (live := night.live_session()):
            night.talk(lambda talk: talk.user("等一下"), live)
        elif what in SOMEBODY:
            SOMEBODY[what](self.play)
        elif what not in ("nothing", "typed"):
            self._ask(what)

    def _hand_back(self) -> None:
        """Whoever took the door is told, and puts the household's session back."""
        if not self.night.strangers:
            return
        lived: str | None = OLD_SESSION
        for each in self.night.house.store.all():
            lived = each.new_session_id if each.activated_at else lived
            lived = each.source.session_id if each.source and each.state == "rolled_back" else lived
        self.night.strangers.clear()
        self.night.taken_at = None
        self.play.meddled.discard("door")
        self.night.tmux.replace(PANE, *self.night.resumed(lived or ""))

    def _stored(self) -> list[bytes]:
        folder = Path(self.night.settings.state_dir) / "operations"
        return [path.read_bytes() for path in sorted(folder.glob("*.json"))]

    def _history(self) -> list[tuple[str, str]]:
        moves = []
        for operation in self.night.house.store.all():
            states = ["none", *(str(step.state) for step in operation.steps)]
            moves += list(pairwise(states))
        return moves

    def _check(self) -> None:
        for begin, end in self._history():
            expect("TR-094", end in MOVES[begin], f"an operation went from {begin} to {end}")
        faults = broken(ended_of(self.play, faulty=True))
        excused = {"TR-L25"} if self.state == "verifying" else set()  # prepared by hand, and waits for the person
        known = [f"{each.rule} {each.name}: {said}" for each, said in faults if each.rule not in excused]
        expect("TR-149", not known, "; ".join(known))

    def teardown(self) -> None:
        for move in self._history():
            self.moved[move] += 1
        self.folder.cleanup()


def test_random_nights_are_legal_histories(capsys: Any) -> None:
    Machine.met, Machine.moved, Machine.steps, Machine.idle_steps = Counter(), Counter(), 0, 0
    quiet = settings(
        max_examples=100,
        stateful_step_count=15,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Machine, settings=quiet)
    with capsys.disabled():
        print(f"\n{Machine.steps} steps, {Machine.idle_steps} of them came to nothing")
        for (event, state), count in sorted(Machine.met.items()):
            print(f"  {event:42} in {state:18} {count:5}")
    for begin, ends in MOVES.items():
        for end, rule_id in ends.items():
            expect(rule_id, Machine.moved[begin, end], f"no random night ever went from {begin} to {end}")
    expect("TR-094", Machine.idle_steps <= Machine.steps * NOTHING_MOST, f"{Machine.idle_steps} of {Machine.steps}")
