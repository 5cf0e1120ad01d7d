"""Real programs, called to their end or to their limit: what is killed is killed with all that it started."""

from pathlib import Path

from tmux_server import eventually, is_alive

from threadrebuild.ports import Answer
from threadrebuild.system import SystemProcesses

ENDLESS = "sleep 1000 & echo $! $$; wait"
"""A program that has started another, which holds its output open."""


def test_a_program_is_given_its_input_and_answers(tmp_path: Path) -> None:
    call = SystemProcesses().call
    for limit in (None, 60.0):
        assert call(["sh", "-c", "cat; pwd; exit 3"], tmp_path, b"given\n", limit) == Answer(
            3, f"given\n{tmp_path}\n".encode()
        )
        assert call([str(tmp_path / "missing")], None, b"", limit) == Answer(None, b"")
        assert call(["true"], tmp_path / "missing", b"", limit) == Answer(None, b"")


def test_at_its_limit_a_program_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    answer = SystemProcesses().call(["sh", "-c", f"({ENDLESS}) | tee {pids}"], limit_seconds=1.0)
    assert answer == Answer(None, b"")
    started = [int(pid) for pid in pids.read_text().split()]
    assert len(started) == 2
    for pid in started:
        eventually(lambda pid=pid: not is_alive(pid), "an end")
