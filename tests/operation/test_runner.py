"""The reference runner: a turn at a time, and a switch falls between two calls."""

from pathlib import Path

from households import in_state

from harness.expect import expect, expect_equal, proves
from harness.world.kernel import Killed
from harness.world.night import OLD_SESSION, Night
from harness.world.runner import Turns
from threadrebuild.operation.states import ENDS, State

FAR = "cccccccc-0000-4000-8000-000000000003"


@proves("TR-121")
def test_the_runner_waits_for_the_operation_before_it_reads_the_pointer(tmp_path: Path) -> None:
    night = Night(tmp_path, door="pointer")
    turns = Turns(night)
    coordinator_request(night)
    ended: list[float] = []
    in_state(night, "activated", lambda: ended.append((night.world.now - turns._began).total_seconds()))
    turns.take("可以换窗了", "我们在做什么？")
    night.world.run()
    operation = night.latest()
    expect_equal("TR-121", operation.state, State.ACTIVATED, f"end of the operation ({operation.error})")
    sessions = [session for _, session in turns.calls]
    expect_equal("TR-121", sessions, [OLD_SESSION, operation.new_session_id], "sessions of the two calls")
    expect("TR-121", ended and turns.calls[1][0] >= ended[0], f"called at {turns.calls[1][0]} s, ended at {ended} s")
    words = turns.transcript(operation.new_session_id or "").read_text(encoding="utf-8")
    expect("TR-121", "可以换窗了" in words and "我们在做什么？" in words, "a turn is missing in the new session")
    old = turns.transcript(OLD_SESSION).read_text(encoding="utf-8")
    expect("TR-121", "我们在做什么？" not in old, "the second turn went to the old session")
    expect("TR-121", turns.process.alive and not night.world.failures, f"the runner ended: {night.world.failures}")


@proves("TR-121")
def test_a_dead_worker_does_not_hold_the_runner_for_ever(tmp_path: Path) -> None:
    for state in ("scheduled", "running", "verifying", "activating"):
        night = Night(tmp_path / state, door="pointer")
        turns = Turns(night)
        coordinator_request(night)
        # Whatever process comes to that state is the worker, but for the hook's, which starts one that never works.
        if state == "scheduled":
            night.house.ports.spawner._run = lambda operation, worker: None  # type: ignore[attr-defined]
        else:
            in_state(night, state, lambda night=night: die(night))
        turns.take("可以换窗了", "还在吗？")
        night.world.run()
        end = night.latest()
        expect("TR-121", end.state in ENDS, f"a worker that died in {state} leaves {end.state}")
        expect_equal("TR-121", len(turns.calls), 2, f"calls after a worker died in {state}")
        behind = night.pointer.read_text(encoding="ascii").strip()
        expect_equal("TR-121", turns.calls[1][1], behind, f"session of the second call after {state}")


@proves("TR-121")
def test_a_failed_call_ends_no_turn_and_a_moved_pointer_is_followed(tmp_path: Path) -> None:
    night = Night(tmp_path, door="pointer")
    turns = Turns(night)
    coordinator_request(night)
    turns.failures = 1
    turns.take("喂")
    night.world.run()
    expect_equal("TR-121", night.latest().state, State.PENDING, "state after a call that failed")
    night.pointer.write_text(f"{FAR}\n", encoding="ascii")
    turns.take("你好")
    night.world.run()
    expect_equal("TR-121", turns.calls[-1][1], FAR, "session of the next call")


def die(night: Night) -> None:
    """The process at work ends at once."""
    process = night.world.running()
    assert process is not None
    night.world.kill(process)
    raise Killed


def coordinator_request(night: Night) -> None:
    """The request, in a process of its own: the host is not up between two turns."""
    night.ask_for_rebuild("夜里换窗")
    night.world.run()
