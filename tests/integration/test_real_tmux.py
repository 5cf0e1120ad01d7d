"""The real adapters against a real tmux server on a socket of its own: what the fakes are taken to do, it does."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from tmux_server import OLD_SESSION, ROOT, SOCKET, Server, eventually, is_alive

from threadrebuild.doctor import doctor
from threadrebuild.doors.door import Holder, Identity
from threadrebuild.host_settings import hooked_configurations, install_hook
from threadrebuild.init import Chosen, config_text, hook_command, look
from threadrebuild.operation import coordinator
from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import State
from threadrebuild.system import SystemClock, SystemLocks, system_ports

NEW = "bbbbbbbb-0000-4000-8000-000000000002"

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server of this test's own, with a home of its own; nothing of it is left afterwards."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("TMUX", raising=False)
    started = Server(tmp_path)
    yield started
    started.stop()


class LaterClock(SystemClock):
    """The machine's clock, an hour on: every lease has run out."""

    def now(self) -> datetime:
        return super().now() + timedelta(hours=1)


def latest(house: Household) -> Operation:
    """The latest operation as it lies on the disk."""
    found = house.store.latest()
    assert found is not None
    return found


def test_a_real_pane_is_respawned_onto_the_new_session_and_its_sibling_is_not(server: Server) -> None:
    pane = server.session("cc", *server.host(OLD_SESSION))
    sibling = server.split("cc:0.0", *server.host("somebody"))
    words = ("a b", "$HOME", "x;", ";", "#{pane_id}", '"quoted"', "'", "*", "--flag=1")
    words += ("~", "~root", "{", "}", "%if", "%1", "\\", "\\n", "# no", "a\n  # b", "换窗", "$(id)", "", "`id`")
    plain = [word for word in words if word != ";"]
    house = server.household("cc:0.0", *plain)
    assert server.tmux.find("cc:0.1") == server.tmux.find(sibling), "the sibling is the active pane"
    beside = server.tmux.find(sibling)
    identity = house.door.identity()
    assert identity is not None and identity.target == pane
    assert house.door.holder(identity, NEW) is Holder.UNCHANGED
    assert house.door.switch(identity, NEW).ok
    healthy = house.door.healthy(identity, NEW)
    assert healthy.ok, healthy.detail
    screen = eventually(lambda: server.screen(pane) if NEW in server.screen(pane) else "", "the new session's id")
    assert NEW in screen and OLD_SESSION not in screen
    assert house.door.holder(identity, NEW) is Holder.WANTED
    after = house.door.identity()
    assert after is not None and after.target == pane and after.proof != identity.proof
    running = house.ports.processes.command_line(int(after.proof))
    assert running == server.host(NEW, *plain), "every argument reached the program as it was"
    assert house.ports.processes.folder(int(after.proof)) == server.workdir
    assert server.tmux.find(sibling) == beside, "the sibling was not touched"
    assert not is_alive(int(identity.proof))


def test_who_comes_before_the_respawn_itself_is_not_overwritten(server: Server) -> None:
    pane = server.session("cc", *server.host(OLD_SESSION))
    sibling = server.split("cc:0.0", *server.host("beside"))
    house = server.household("cc:0.0")
    identity = house.door.identity()
    beside = server.tmux.find(sibling)
    assert identity is not None and beside is not None
    server.run("respawn-pane", "-k", "-t", pane, *server.host("somebody"))
    somebody = server.tmux.find(pane)
    assert somebody is not None and somebody.pid != int(identity.proof)
    command = house.door.command(NEW)
    for pane_id, pid in [(pane, int(identity.proof)), (pane, beside.pid), ("%99", somebody.pid)]:
        done = server.tmux.respawn(pane_id, pid, command, str(server.workdir))
        assert done.changed and not done.ok, done
        assert server.tmux.find(pane) == somebody and server.tmux.find(sibling) == beside
    assert house.door.switch(identity, NEW).changed
    again = server.tmux.respawn(pane, somebody.pid, command, str(server.workdir))
    assert again.ok and not again.changed, again
    assert server.tmux.find(sibling) == beside
    eventually(lambda: not is_alive(somebody.pid), "the one that was named is replaced")


def test_many_who_come_at_once_are_met_one_by_one(server: Server) -> None:
    pane = server.session("cc", *server.host(OLD_SESSION))
    for number in range(10):
        before = server.tmux.find(pane)
        assert before is not None
        sessions = [f"{number:08x}-0000-4000-8000-00000000000{each}" for each in range(4)]
        with ThreadPoolExecutor(len(sessions)) as pool:
            answers = list(
                pool.map(lambda each, pid=before.pid: server.tmux.respawn(pane, pid, server.host(each), "/"), sessions)  # type: ignore[misc]
            )
        winners = [session for session, answer in zip(sessions, answers, strict=True) if answer.ok]
        assert len(winners) == 1 and sum(answer.changed for answer in answers) == 3, answers
        now = server.tmux.find(pane)
        assert now is not None and winners[0] in now.started_with, "who came second has not overwritten the first"


def test_a_pane_that_has_another_number_by_now_is_still_the_same(server: Server) -> None:
    pane = server.session("cc", *server.host(OLD_SESSION))
    house = server.household("cc:0.0")
    identity = house.door.identity()
    assert identity is not None and identity.target == pane
    server.run("move-window", "-s", "cc:0", "-t", "cc:5")
    server.run("new-window", "-t", "cc:0", *server.host("somebody"))
    other = house.door.identity()
    assert other is not None and other != identity, "the configured place is somebody else's now"
    assert house.door.identity(identity.target) == identity
    assert house.door.switch(identity, NEW).ok
    healthy = house.door.healthy(identity, NEW)
    assert healthy.ok and healthy.identity is not None and healthy.identity.target == pane, healthy
    assert house.door.identity() == other, "who stands at the configured place was not touched"


def test_a_new_session_that_dies_is_not_healthy(server: Server) -> None:
    pane = server.session("cc", *server.host(OLD_SESSION))
    server.run("set-option", "-g", "remain-on-exit", "on")
    server.old_talk()
    house = server.household("cc:0.0", "--lives", "0.6")
    identity = house.door.identity()
    assert identity is not None
    assert house.door.switch(identity, NEW).ok
    assert not house.door.healthy(identity, NEW).ok
    dead = server.tmux.find(pane)
    assert dead is not None and dead.dead, "remain-on-exit keeps the dead pane"
    assert house.door.holder(identity, NEW) is Holder.NOBODY
    assert house.door.identity() is None
    report = doctor(house)
    assert not report.ok and report.tmux_target_alive is False and report.first_failure == "tmux_target_alive"


def test_a_killed_pane_and_a_missing_server_are_failures_in_words(server: Server) -> None:
    pane = server.session("cc", *server.host(OLD_SESSION))
    server.session("other", *server.host("somebody"))
    house = server.household("cc:0.0")
    identity = house.door.identity()
    assert identity is not None
    server.run("kill-pane", "-t", pane)
    assert house.door.identity() is None
    assert house.door.holder(identity, NEW) is Holder.OTHER
    assert not house.door.switch(identity, NEW).ok
    assert not house.door.healthy(identity, NEW).ok
    server.run("kill-server")
    assert house.door.identity() is None
    assert not house.door.switch(identity, NEW).ok
    assert server.tmux.every() == {}


def test_a_target_is_never_completed_to_another_sessions_name(server: Server) -> None:
    server.session("cc-work", *server.host("somebody"))
    assert server.tmux.find("cc-work:0.0") is not None
    for target in ("cc:0.0", "cc-wor:0.0", "cc-work:1.0", "cc-work:0.1", "*:0.0", "%99"):
        assert server.tmux.find(target) is None, target
    assert list(server.tmux.every()) == ["cc-work:0.0"]


def test_a_shell_beside_the_host_is_not_taken_for_it(server: Server) -> None:
    server.session("cc", "/bin/sh")
    server.split("cc:0.0", *server.host(OLD_SESSION))
    server.old_talk()
    house = server.household("cc:0.0")
    assert house.door.identity() is None
    report = doctor(house)
    assert not report.ok and report.claude_found_in == ["cc:0.1"]
    server.run("send-keys", "-t", "cc:0.0", shlex.join(server.host(OLD_SESSION)), "Enter")
    eventually(house.door.identity, "the host started by hand in the shell")
    assert doctor(house).first_failure == "stop_hook_installed"
    install_hook(server.host_folder / "settings.json", hook_command(server.config), house.ports.files)
    report = doctor(house)
    assert report.ok, [check for check in report.checks if not check.ok]


def asked(server: Server, house: Household) -> str:
    """The pane of the old session, which has been asked for a rebuild and is in the middle of its turn."""
    pane = server.session("cc", *server.ends_its_turn(OLD_SESSION))
    eventually(house.door.identity, "the old session behind the door")
    coordinator.request(house, "夜里换窗", "REBUILD")
    return pane


def worker_of(house: Household, state: State) -> int:
    """The process of the worker that holds the latest operation, once it is in a state."""

    def look() -> int:
        operation = house.store.latest()
        lease = operation.lease if operation is not None and operation.state is state else None
        return int(lease.worker.partition("-")[2]) if lease is not None and lease.worker.startswith("worker-") else 0

    return eventually(look, f"a worker in {state}: {house.store.latest()}")


def test_the_worker_outlives_the_pane_that_started_it(server: Server) -> None:
    house = server.household("cc:0.0")
    talk = server.old_talk()
    pane = asked(server, house)
    old = server.tmux.find(pane)
    assert old is not None
    server.end_turn(talk)
    before = (server.project_dir / f"{OLD_SESSION}.jsonl").read_bytes()
    worker = worker_of(house, State.SCHEDULED)
    operation = eventually(lambda: found if (found := latest(house)).lease is None else None, "an end")
    assert operation.state is State.ACTIVATED, operation.error
    assert not is_alive(old.pid), "the process that started the worker is gone"
    now = server.tmux.find(pane)
    assert now is not None and operation.new_session_id is not None and operation.new_session_id in now.started_with
    assert (server.project_dir / f"{OLD_SESSION}.jsonl").read_bytes() == before
    assert "可以换窗了" in (server.project_dir / f"{operation.new_session_id}.jsonl").read_text(encoding="utf-8")
    eventually(lambda: not is_alive(worker), "the worker gone")


def test_a_hook_that_runs_outside_of_the_pane_takes_nothing_up(server: Server) -> None:
    pane = server.session("cc", *server.host(OLD_SESSION))
    house = server.household("cc:0.0")
    coordinator.request(house, "夜里换窗", "REBUILD")
    assert coordinator.stop_hook(house, str(server.old_talk()))["scheduled"] is False
    server.end_turn(server.old_talk())
    within = server.split("cc:0.0", *server.ends_its_turn(NEW))
    other = server.tmux.find(within)
    assert other is not None
    eventually(lambda: house.ports.processes.descendants(other.pid), "the hook of the other pane")
    eventually(lambda: not house.ports.processes.descendants(other.pid), "the end of that hook")
    assert latest(house).state is State.PENDING
    now = server.tmux.find(pane)
    assert now is not None and latest(house).cas_identity == Identity(pane, str(now.pid))


@pytest.mark.parametrize(
    ("killed_in", "delay", "wanted"),
    [
        (State.SCHEDULED, {"activation_delay_seconds": 20.0}, State.FAILED),
        (State.RUNNING, {"stable_file_seconds": 9.0}, State.FAILED),
        (State.ACTIVATING, {"healthcheck_seconds": 5.0}, State.ACTIVATED),
    ],
)
def test_a_worker_killed_between_the_phases_is_recovered(
    server: Server, killed_in: State, delay: dict[str, float], wanted: State
) -> None:
    house = server.household("cc:0.0", **delay)
    talk = server.old_talk()
    pane = asked(server, house)
    old = server.tmux.find(pane)
    assert old is not None
    server.end_turn(talk)
    worker = worker_of(house, killed_in)
    if killed_in is State.ACTIVATING:
        eventually(lambda: not is_alive(old.pid), "the old process replaced")
    os.kill(worker, signal.SIGKILL)
    eventually(lambda: not is_alive(worker), "the worker gone")
    assert latest(house).state is killed_in
    assert coordinator.recover(house) == [], "while its lease holds, nobody takes an operation over"
    quick = msgspec.structs.replace(house.settings, healthcheck_seconds=1.0)
    later = replace(house, settings=quick, ports=replace(house.ports, clock=LaterClock()))
    assert [each.state for each in coordinator.recover(later)] == [wanted]
    ended = latest(house)
    now = server.tmux.find(pane)
    assert now is not None and not now.dead
    switched = wanted is State.ACTIVATED
    assert (now.pid == old.pid) is not switched
    assert ended.new_session_id is None or (ended.new_session_id in now.started_with) is switched
    names = {path.name for path in server.project_dir.iterdir()}
    assert names == {f"{OLD_SESSION}.jsonl"} | ({f"{ended.new_session_id}.jsonl"} if switched else set())


def test_init_finds_a_real_household_by_looking(server: Server, tmp_path: Path) -> None:
    server.session("my-bot", "/bin/sh")
    server.split("my-bot:0.0", *server.host(OLD_SESSION, "--channels", "plugin:telegram@claude-plugins-official"))
    server.old_talk()
    found = look(system_ports(server.config, server.config, SOCKET), server.host_folder, Chosen(socket=SOCKET))
    values = {each.key: each.value for each in found}
    assert values["tmux_target"] == "my-bot:0.1"
    assert values["claude_workdir"] == str(server.workdir)
    assert values["project_dir"] == str(server.project_dir)
    assert values["resume_command"][-2:] == ("--channels", "plugin:telegram@claude-plugins-official")
    server.config.write_text(config_text(found), encoding="utf-8")
    house = server.household("my-bot:0.1", "--channels", "plugin:telegram@claude-plugins-official")
    install_hook(server.host_folder / "settings.json", hook_command(server.config), house.ports.files)
    assert hooked_configurations(server.host_folder / "settings.json") == [server.config]
    report = doctor(house)
    assert report.ok, [check for check in report.checks if not check.ok]
    deaf = server.household("my-bot:0.1")
    assert doctor(deaf).resume_command_missing == ["--channels"]


HOLDER = """
import sys
from pathlib import Path
from threadrebuild.system import SystemLocks
locks = SystemLocks(Path(sys.argv[2]))
with locks.hold(Path(sys.argv[1])), locks.claim(["pane default %7"]) as taken:
    print("held" if taken is None else "taken", flush=True)
    sys.stdin.read()
"""


def test_locks_on_a_real_disk_end_with_their_holder(tmp_path: Path) -> None:
    lock, claims = tmp_path / "coordinator.lock", tmp_path / "claims"
    locks = SystemLocks(claims)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock), str(claims)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with pytest.raises(TimeoutError), locks.hold(lock, 0.2):
            pass
        with locks.claim(["project /p", "pane default %7"]) as taken:
            assert taken == "pane default %7"
            with SystemLocks(claims).claim(["project /p"]) as other:
                assert other is None, "who got less than all holds nothing"
        with locks.claim(["pane default %8"]) as taken:
            assert taken is None
    finally:
        holder.kill()
        holder.communicate(timeout=10)
    with locks.hold(lock, 5.0), locks.claim(["pane default %7"]) as taken:
        assert taken is None, "a lock outlived its holder"
    assert (lock.stat().st_mode & 0o777, claims.stat().st_mode & 0o777) == (0o600, 0o700)
