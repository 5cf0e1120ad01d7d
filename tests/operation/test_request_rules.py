"""What a request stores, which moves are refused, and that one operation is worked on by one worker.

Also how long that worker waits before it acts. What a refusal must not change is compared as bytes on the disk.
"""

from datetime import datetime
from pathlib import Path

from households import in_world
from test_configuration import expect_bounds, loaded

from harness.expect import expect, expect_equal, proves
from harness.world.night import Night
from threadrebuild import actions
from threadrebuild.config import Settings
from threadrebuild.operation import coordinator
from threadrebuild.operation.household import Refused
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import Event, State
from threadrebuild.operation.worker import run_worker

# TR-080…TR-091 and TR-L25, event by event: from where it may come.
LISTED = {
    Event.REQUEST: {State.PENDING},
    Event.CANCEL: {State.PENDING},
    Event.SCHEDULE: {State.PENDING, State.ROLLBACK_PENDING},
    Event.UNSCHEDULE: {State.SCHEDULED, State.ROLLBACK_SCHEDULED},
    Event.PREPARE: {State.PENDING, State.SCHEDULED},
    Event.PREPARED: {State.RUNNING},
    Event.ACTIVATE: {State.VERIFYING},
    Event.SWITCHED: {State.ACTIVATING},
    Event.RESTORED: {State.ACTIVATING, State.ROLLBACK_SCHEDULED},
    Event.ROLLBACK: {State.ACTIVATED},
    Event.FAIL: {State.SCHEDULED, State.RUNNING, State.VERIFYING, State.ACTIVATING, State.ROLLBACK_SCHEDULED},
}


@proves("TR-079")
def test_a_request_stores_its_reason_cut_to_size(tmp_path: Path) -> None:
    for number, (given, stored) in enumerate(
        [
            ("夜里换窗", "夜里换窗"),
            ("", "manual request"),
            (" \n\t", "manual request"),
            ("长" * 499, "长" * 499),
            ("长" * 500, "长" * 500),
            ("长" * 501, "长" * 500),
        ]
    ):
        night = Night(tmp_path / str(number))
        for word in ("rebuild", "yes", "REBUILD "):
            expect_equal("TR-133", _refused(night, given, word), "wrong-word", f"answer to the word {word!r}")
            expect_equal("TR-079", night.house.store.latest(), None, f"operation stored for the word {word!r}")
        expect_equal("TR-079", _refused(night, given, "REBUILD"), None, "answer to the word REBUILD")
        expect_equal("TR-079", night.latest().reasons, [stored], f"reason stored for {given!r}")
        expect_equal("TR-079", night.latest().state, State.PENDING, "state after a request")
        expect_equal("TR-079", night.spawner.started, [], "workers started by a request")


@proves("TR-L23")
def test_nobody_is_asked_where_nobody_can_be_told_to_be_behind_the_door(tmp_path: Path) -> None:
    night = Night(tmp_path)
    night.tmux.answers = False
    expect_equal("TR-L23", _refused(night, "one", "REBUILD"), "no-identity", "answer where nobody can be told")
    expect_equal("TR-L23", night.house.store.all(), [], "operations on record")
    night.tmux.answers = True
    expect_equal("TR-L23", _refused(night, "one", "REBUILD"), None, "answer to the same request, with tmux back")
    waiting = night.latest()
    expect("TR-L23", waiting.cas_identity is not None, "who was asked is on record")
    night.tmux.answers = False
    expect_equal("TR-L23", _refused(night, "two", "REBUILD"), "no-identity", "answer to a further one")
    expect_equal("TR-L23", night.house.store.all(), [waiting], "the one that waits")


@proves("TR-150")
def test_nothing_starts_by_itself_before_a_person_has_agreed(tmp_path: Path) -> None:
    night = Night(tmp_path, dirty_budget_bytes=1000)
    night.talk(lambda talk: talk.tool("Bash", {"command": "cat log"}, result="x" * 4000))
    night.talk(lambda talk: talk.assistant("日志看过了。"))
    advice = in_world(night, lambda: actions.dirty(night.house))
    expect("TR-053", advice["should_rebuild"], "the budget is reached, and the advice is to rebuild")
    for look in (actions.doctor, actions.dirty, actions.plan, actions.status):
        in_world(night, lambda look=look: look(night.house))  # type: ignore[misc]
    night.end_turn()
    night.world.run()
    expect_equal("TR-150", night.house.store.latest(), None, "what the advice alone leads to")
    for word in ("", "yes", "rebuild", "CANCEL"):
        refused = _refused(night, "夜里换窗", word)
        expect_equal("TR-150", refused, "wrong-word", f"answer to {word!r}, with which nobody has agreed")
        night.end_turn()
        night.world.run()
        expect_equal("TR-150", night.house.store.latest(), None, f"what {word!r} leads to")
    expect_equal("TR-150", (night.tmux.respawned, night.spawner.started), (0, []), "uses of the door, and workers")
    expect_equal(
        "TR-150", _refused(night, "夜里换窗", "REBUILD"), None, "answer to the one signature that is asked for"
    )
    night.end_turn()
    night.world.run()
    expect_equal("TR-150", night.latest().state, State.ACTIVATED, "what it leads to")


@proves("TR-094")
def test_what_is_not_listed_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    night = Night(tmp_path)
    in_world(night, lambda: coordinator.request(night.house, "夜里换窗", "REBUILD"))
    operation = night.latest()
    file = next(path for path in Path(night.settings.state_dir).rglob("*.json") if path.stem == operation.id)
    for event, origins in LISTED.items():
        for state in State:
            operation.state = state
            night.house.store.save(operation)
            before = file.read_bytes()
            moved = _moved(night, night.latest(), event)
            expect_equal("TR-094", moved, state in origins, f"{event} from {state} is taken")
            expect_equal("TR-094", file.read_bytes() != before, state in origins, f"{event} from {state} is stored")


@proves("TR-099")
def test_a_second_worker_is_turned_away_while_the_first_still_waits(tmp_path: Path) -> None:
    night = _scheduled(tmp_path)
    operation, said = night.latest().id, dict[str, str]()

    def work(worker: str) -> None:
        try:
            said[worker] = str(run_worker(night.house, operation, worker).state)
        except Refused as refused:
            said[worker] = str(refused)

    night.world.start(night.world.process("worker"), lambda: work("first"))
    night.world.start(night.world.process("worker"), lambda: work("second"), after=0.5)
    night.world.run()
    first, second = said.get("first", ""), said.get("second", "")
    expect("TR-095", f"{operation} is scheduled" not in first, f"the turn has ended: {said}")
    expect_equal("TR-099", first, State.ACTIVATED, "what the first worker came to")
    expect("TR-099", second.startswith(f"operation {operation} "), f"the second was not turned away: {said}")


@proves("TR-102")
def test_the_worker_waits_before_it_acts(tmp_path: Path) -> None:
    expect("TR-069", isinstance(loaded(tmp_path, "carry_max_tokens = 0"), Settings), "no cap is no cap out of bounds")
    expect_bounds("TR-102", tmp_path, "activation_delay_seconds", [1.0, 1.1, 3.0], [0, 0.9])
    for given, wanted in [(None, 3.0), (1.0, 1.0), (9.0, 9.0)]:
        settings = {} if given is None else {"activation_delay_seconds": given}
        night = _scheduled(tmp_path / str(wanted), **settings)
        begun = night.world.now
        in_world(night, lambda night=night: run_worker(night.house, night.latest().id, "worker"))
        steps = {step.event: step.at for step in night.latest().steps}
        expect("TR-099", Event.PREPARE in steps, f"the worker was let in: {night.latest().state}")
        waited = (datetime.fromisoformat(steps[Event.PREPARE]) - begun).total_seconds()
        expect_equal("TR-102", round(waited, 1), wanted, f"seconds until a worker acts, with {given} configured")


def _scheduled(folder: Path, **settings: object) -> Night:
    """A night whose turn has ended, and whose worker has not begun."""
    night = Night(folder, **settings)
    night.spawner._run = lambda operation, worker: None
    night.talk(lambda talk: talk.user("可以换窗了"))
    night.ask_for_rebuild("夜里换窗")
    night.end_turn()
    night.world.run()
    assert night.latest().state is State.SCHEDULED
    return night


def _refused(night: Night, reason: str, word: str) -> str | None:
    def ask() -> str | None:
        try:
            coordinator.request(night.house, reason, word)
        except Refused as refused:
            return refused.reason
        return None

    return in_world(night, ask)


def _moved(night: Night, operation: Operation, event: Event) -> bool:
    def move() -> bool:
        try:
            night.house.move(operation, event)
        except Refused:
            return False
        return True

    return in_world(night, move)
