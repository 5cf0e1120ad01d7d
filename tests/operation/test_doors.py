"""Doors: who is behind them, what a switch does, and what counts as healthy."""

import errno
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from unittest.mock import patch

import msgspec
from households import DOORS, asked, in_state, in_world, night_of, rebuilt

from harness.expect import expect, expect_equal, proves
from harness.world.doubles import SimulatedSpawner
from harness.world.kernel import Fault
from harness.world.night import COMMAND, OLD_SESSION, PANE, TARGET, UNIT, Night
from threadrebuild.config import ConfigError, Settings, load_settings
from threadrebuild.doors import open_door
from threadrebuild.doors.claims import claims_of
from threadrebuild.doors.door import Door, Holder, Identity
from threadrebuild.doors.pointer_file import PointerFile
from threadrebuild.operation import coordinator
from threadrebuild.operation.household import Household
from threadrebuild.operation.states import State
from threadrebuild.operation.store import Store
from threadrebuild.operation.worker import run_worker
from threadrebuild.system import Systemd, Tmux, system_ports, worker_command

NEW = "bbbbbbbb-0000-4000-8000-000000000002"
NOBODY = Identity("", "")
BAD_IDS = ("../etc/passwd", "a b", "x;y", "$(id)", "", "a\nb", "a" * 65, f"{NEW}\n")


def refusal(tmp_path: Path, text: str) -> str | None:
    """Why a configuration is refused on loading; None where it is not."""
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    try:
        load_settings(path)
    except ConfigError as error:
        return str(error)
    return None


def says(tmp_path: Path, text: str, words: str) -> bool:
    """Whether a configuration is refused in just these words."""
    return words in (refusal(tmp_path, text) or "")


def expect_good_id_is_written(night: Night) -> None:
    """A pointer that is there takes an id of the right shape."""
    path = night.pointer.with_name("good")
    path.write_text(f"{OLD_SESSION}\n", encoding="ascii")
    written = in_world(night, lambda: PointerFile(path, night.files).write(NEW, f"{OLD_SESSION}\n"))
    expect("TR-111", written.ok, f"a good id is written: {written.detail}")
    path.unlink()


@proves("TR-110")
def test_the_door_is_one_of_three_and_all_carry_the_same(tmp_path: Path) -> None:
    default = next(field.default for field in msgspec.structs.fields(Settings) if field.name == "activation")
    expect_equal("TR-110", default, "tmux", "the door without a word on it")
    facts = 'systemd_unit = "a.service"\nresume_pointer_path = "/p"\n'
    for word in DOORS:
        expect_equal("TR-110", refusal(tmp_path, f'{facts}activation = "{word}"'), None, f"activation {word}")
    expect("TR-110", refusal(tmp_path, f'{facts}activation = "screen"'), "an unknown door must be refused")
    built = {door: rebuilt(night_of(tmp_path, door)).candidate for door in DOORS}
    digests = {door: each.sha256 if each else None for door, each in built.items()}
    expect("TR-110", len(set(digests.values())) == 1 and None not in digests.values(), f"candidates differ: {digests}")


@proves("TR-142")
def test_what_a_door_cannot_do_without_is_asked_for_on_loading(tmp_path: Path) -> None:
    expect("TR-114", not says(tmp_path, "", "session, window and pane"), "no target is no fault")
    expect("TR-115", not says(tmp_path, "", "list of arguments"), "no resume command is no fault")
    unit, pointer = 'systemd_unit = "cc.service"\n', 'resume_pointer_path = "/var/lib/cc/session"\n'
    for text, wanted in [
        (f'activation = "systemd"\n{unit}{pointer}', None),
        (f'activation = "systemd"\n{pointer}', "systemd_unit"),
        (f'activation = "systemd"\n{unit}', "resume_pointer_path"),
        (f'activation = "pointer"\n{pointer}', None),
        ('activation = "pointer"\n', "resume_pointer_path"),
        ('systemd_unit = "cc"\n', "systemd_unit"),
        ('systemd_unit = "cc.timer"\n', "systemd_unit"),
        ('systemd_unit = ".service"\n', "systemd_unit"),
        ('resume_pointer_path = "session"\n', "resume_pointer_path"),
        ('resume_command = ["claude", "--resume", "{session_id}"]\n', None),
        ('resume_command = ["claude", "{session_id}"]\n', None),
        ('resume_command = ["claude", "--continue"]\n', "resume_command"),
        ('resume_command = ["claude", "--resume={session_id}"]\n', "resume_command"),
        ('resume_command = ["{session_id}"]\n', "resume_command"),
    ]:
        said = refusal(tmp_path, text)
        holds = said is None if wanted is None else said is not None and wanted in said
        expect("TR-142", holds, f"{text!r}: wanted {wanted or 'no refusal'}, saw {said!r}")


@proves("TR-114")
def test_a_target_names_session_window_and_pane(tmp_path: Path) -> None:
    expect("TR-002", not says(tmp_path, "", "absolute"), "no path is no relative path")
    for target in ("cc:0.0", "my-bot:1.12", "%7"):
        refused = says(tmp_path, f'tmux_target = "{target}"', "session, window and pane")
        expect("TR-114", not refused, f"{target} is refused")
    for target in ("", "cc", "cc:0", ":0.0", "cc:0.0\\n", "cc:0.0\\ncc:0.1", "*:0.0", "c?:0.0", "cc:.", "=cc:0.0", "%"):
        refused = says(tmp_path, f'tmux_target = "{target}"', "session, window and pane")
        expect("TR-114", refused, f"{target!r} must be refused: it could hit another pane, or none")


@proves("TR-114")
def test_a_pane_is_found_by_its_whole_place_only() -> None:
    shown = "cc-work:0.0\t%3\t31\t0\tclaude\t\ncc:0.1\t%7\t37\t0\tclaude\tclaude --continue\n"
    with patch("threadrebuild.system.subprocess.run", lambda command, **rest: CompletedProcess(command, 0, shown, "")):
        tmux = Tmux("no-such-socket")
        found = {target: tmux.find(target) for target in ("cc:0.1", "%7", "cc:0.0", "cc-wor:0.0", "cc", "%", "")}
    ids = {target: pane and pane.id for target, pane in found.items()}
    wanted = {"cc:0.1": "%7", "%7": "%7", "cc:0.0": None, "cc-wor:0.0": None, "cc": None, "%": None, "": None}
    expect_equal("TR-114", ids, wanted, "panes found by target")


@proves("TR-115")
def test_the_resume_command_is_the_real_one_with_only_the_id_put_in(tmp_path: Path) -> None:
    good = 'resume_command = ["claude", "--resume", "{session_id}", "a|b"]'
    expect("TR-142", not says(tmp_path, good, "of its own"), "the id is an argument of its own")
    expect("TR-115", not says(tmp_path, good, "list of arguments"), "a|b is a word and no pipe")
    for word in ("|", ";", "&&", ">"):
        text = f'resume_command = ["claude", "--resume", "{{session_id}}", "{word}", "tee"]'
        expect("TR-115", says(tmp_path, text, "list of arguments"), f"{word} must be refused: there is no shell")
    flags = (
        "--thinking-display",
        "summarized",
        "--channels",
        "plugin:telegram@claude-plugins-official",
        "a {session_id}",
    )
    night = night_of(tmp_path, "tmux", resume_command=(COMMAND[0], "--resume", "{session_id}", *flags))
    night.tmux.replace(PANE, COMMAND[0], "--continue", *flags)
    operation = rebuilt(night)
    wanted = (COMMAND[0], "--resume", operation.new_session_id, *flags)
    expect_equal("TR-115", night.tmux.process_in(PANE).command, wanted, "how the new session was started")


@proves("TR-111")
def test_an_id_of_another_shape_reaches_no_door(tmp_path: Path) -> None:
    for door in DOORS:
        night = night_of(tmp_path, door)
        before = [night.pointer.read_bytes() if door != "tmux" else b"", night.world.now]
        identity = in_world(night, night.house.door.identity)
        assert identity is not None
        for bad in BAD_IDS:
            answer = in_world(
                night, lambda night=night, bad=bad, identity=identity: night.house.door.switch(identity, bad)
            )
            expect("TR-111", not answer.ok, f"{door}: {bad!r} was taken for a session id")
        after = [night.pointer.read_bytes() if door != "tmux" else b"", night.world.now]
        expect_equal("TR-111", after, before, f"{door}: pointer and time after refused ids")
        expect("TR-111", not night.systemd.restarts, "a unit was restarted for a refused id")
        good = in_world(night, lambda night=night, identity=identity: night.house.door.switch(identity, NEW))
        expect("TR-111", good.ok, f"{door}: a good id was refused: {good.detail}")


@proves("TR-112")
def test_a_door_reports_failure_and_never_raises(tmp_path: Path) -> None:
    steps = 8
    for step in range(1, steps):
        night = Night(tmp_path / str(step), door="pointer", faults=(Fault(step, "eio"),))
        file = PointerFile(night.pointer, night.files)
        try:
            written = in_world(night, lambda file=file: file.write(NEW, f"{OLD_SESSION}\n"))
        except IndexError:
            expect("TR-112", False, f"writing raised {night.world.failures} at step {step}")
        left = night.pointer.read_text(encoding="ascii")
        expect(
            "TR-112", left in (f"{OLD_SESSION}\n", f"{NEW}\n"), f"half a pointer after a fault at step {step}: {left!r}"
        )
        wanted = night.world.step < step
        expect_equal("TR-112", written.ok, wanted, f"answer with a fault at step {step} of {night.world.step}")
    limits: list[tuple[str, float]] = []

    def hangs(command: list[str], *, timeout: float, **rest: Any) -> None:
        limits.append((command[1], timeout))
        raise TimeoutError if len(limits) % 2 else FileNotFoundError

    with patch("threadrebuild.system.subprocess.run", hangs):
        try:
            seen = [
                Tmux("no-such-socket").find("DO-NOT-CREATE:0.0"),
                Tmux("no-such-socket").respawn("%99", 1, ["/bin/false"], "/").ok,
                Systemd().main_pid("do-not-create.service"),
                Systemd().start_command("do-not-create.service"),
                Systemd().restart("do-not-create.service", 11.0).ok,
            ]
        except OSError as error:
            expect("TR-112", False, f"an adapter raised {error!r}")
    expect_equal("TR-112", seen, [None, False, 0, [], False], "answers of programs that are missing or hang")
    wanted_limits = [("-L", 3.0), ("-L", 10.0), ("show", 5.0), ("show", 5.0), ("restart", 11.0)]
    expect_equal("TR-112", limits, wanted_limits, "time limits")


@proves("TR-113")
def test_tmux_healthy_is_a_pane_that_stays_alive_for_the_whole_check_time(tmp_path: Path) -> None:
    for life, wanted in [(2.0, False), (4.9, False), (5.1, True)]:
        night = night_of(tmp_path / str(life), "tmux")
        identity = in_world(night, night.house.door.identity)
        pid = night.tmux.process_in(PANE).pid
        expect("TR-183", identity is not None, "a pane with the host in it has an identity")
        expect_equal("TR-113", identity, Identity(PANE, str(pid)), "identity")
        assert identity is not None
        sibling = night.tmux.open("%8", "DO-NOT-CREATE:0.1", *COMMAND)
        night.host.lives = [life]

        def switch(night: Night = night, identity: Identity = identity) -> bool:
            done = night.house.door.switch(identity, NEW)
            return done.ok and night.house.door.healthy(identity, NEW).ok

        expect_equal("TR-113", in_world(night, switch), wanted, f"healthy with a new session that lives {life} s")
        expect("TR-113", sibling.alive, "a sibling pane was touched")


@proves("TR-109")
def test_every_door_says_that_its_identity_is_an_approximation(tmp_path: Path) -> None:
    for door in DOORS:
        said = night_of(tmp_path, door).house.door.cannot_prove
        honest = any("approximation" in each and "no session lock" in each for each in said)
        expect("TR-109", honest, f"{door} says {said}")


@proves("TR-116")
def test_systemd_identity_is_the_main_process(tmp_path: Path) -> None:
    night = night_of(tmp_path, "systemd")
    expect("TR-117", night.house.door.leaves_service, "a worker within the service would die with a restart by others")
    pid = night.systemd.process_in(UNIT).pid
    identity = in_world(night, night.house.door.identity)
    expect_equal("TR-116", identity, Identity(UNIT, str(pid), f"{OLD_SESSION}\n"), "identity")
    assert identity is not None
    holder = in_world(night, lambda: night.house.door.holder(identity, NEW))
    expect_equal("TR-116", holder, Holder.UNCHANGED, "holder before anything happened")
    asked(night)
    in_state(night, "verifying", lambda: night.systemd.start_again(UNIT))
    night.end_turn()
    night.world.run()
    ended = night.latest()
    expect_equal("TR-116", (ended.state, ended.session_conflict), (State.FAILED, True), "end after a restart by others")
    expect_equal("TR-116", night.systemd.restarts, [], "restarts by the worker")
    night.world.kill(night.systemd.process_in(UNIT))
    expect_equal("TR-116", in_world(night, night.house.door.identity), None, "identity of a unit without a process")


@proves("TR-117")
def test_the_worker_leaves_the_service_that_it_restarts(tmp_path: Path) -> None:
    night = night_of(tmp_path, "systemd")
    expect("TR-116", in_world(night, night.house.door.identity) is not None, "a unit that is up has an identity")
    operation = rebuilt(night)
    expect_equal("TR-117", operation.state, State.ACTIVATED, f"end of a switch through systemd ({operation.error})")
    night = Night(tmp_path / "stays", door="systemd")
    spawner = night.spawner.start_worker
    night.spawner.start_worker = lambda operation_id, leave_service: spawner(operation_id, False)  # type: ignore[method-assign]
    hung = rebuilt(night)
    expect_equal("TR-117", hung.state, State.ACTIVATING, "a worker within the service dies with its own restart")
    command = worker_command(Path("/c.toml"), "1-2", leave_service=True)
    plain = worker_command(Path("/c.toml"), "1-2", leave_service=False)
    expect("TR-117", "systemd-run" not in plain, f"a plain worker is started with {plain}")
    wanted = ["systemd-run", "--scope", "--property", "KillMode=process"]
    expect_equal("TR-117", [word for word in command if word in wanted], wanted, f"start of the worker: {command}")


@proves("TR-118")
def test_systemd_resumes_by_the_pointer_not_by_the_newest_file(tmp_path: Path) -> None:
    night = night_of(tmp_path, "systemd")
    held = in_world(night, lambda: night.house.door.holder(night.house.door.identity() or NOBODY, NEW))
    expect_equal("TR-116", held, Holder.UNCHANGED, "holder before anything happened")
    dying = night.systemd.process_in(UNIT)

    def last_words() -> None:
        while dying.alive:
            night.world.sleep(0.1)
        night.talk(lambda talk: talk.system("turn_duration"))

    night.world.start(night.world.process("dying"), last_words)
    operation = rebuilt(night)
    command = night.systemd.process_in(UNIT).command
    expect_equal(
        "TR-118", command, night.resumed(operation.new_session_id or ""), "what the unit runs after the switch"
    )
    expect_equal("TR-118", night.pointer.read_text(encoding="ascii"), f"{operation.new_session_id}\n", "the pointer")
    full = Night(tmp_path / "full", door="systemd")
    identity = in_world(full, full.house.door.identity)
    assert identity is not None
    full.files.create = _no_room  # type: ignore[method-assign]
    answer = in_world(full, lambda: full.house.door.switch(identity, NEW))
    expect_equal("TR-118", (answer.ok, full.systemd.restarts), (False, []), "a switch whose pointer cannot be written")


def _no_room(path: Path) -> Any:
    raise OSError(errno.ENOSPC, "no room")


@proves("TR-119")
def test_an_active_unit_that_ignores_the_pointer_is_a_failure(tmp_path: Path) -> None:
    plain = Night(tmp_path / "plain", door="systemd")
    in_world(plain, lambda: plain.house.door.switch(plain.house.door.identity() or NOBODY, NEW))
    expect_equal("TR-118", plain.systemd.restarts, [UNIT], "restarts by a switch")
    starts = {
        "deaf": (lambda night, count: ("/bin/false", "--continue"), State.FAILED),
        "deaf once": (
            lambda night, count: ("/bin/false",) if count == 1 else night.resumed(night.pointer.read_text().strip()),
            State.ROLLED_BACK,
        ),
        "obeys": (lambda night, count: night.resumed(night.pointer.read_text().strip()), State.ACTIVATED),
    }
    for name, (start, wanted) in starts.items():
        night = night_of(tmp_path / name, "systemd")
        counts = iter(range(1, 9))
        night.systemd.start_by(UNIT, lambda night=night, start=start, counts=counts: start(night, next(counts)))
        operation = rebuilt(night)
        expect_equal("TR-119", operation.state, wanted, f"end with a start script that {name} ({operation.error})")
    for life, wanted_end in [(2.0, State.ROLLED_BACK), (5.6, State.ACTIVATED)]:
        night = night_of(tmp_path / str(life), "systemd")
        night.host.lives = [life]
        operation = rebuilt(night)
        expect_equal("TR-119", operation.state, wanted_end, f"end with a main process that lives {life} s")
    slow = night_of(tmp_path / "slow", "systemd")
    slow.systemd.start_by(UNIT, lambda: ("/bin/sh", "/opt/start.sh"))

    def execs() -> None:
        main = slow.systemd.process_in(UNIT)
        while slow.systemd.process_in(UNIT) is main:
            slow.world.sleep(0.1)
        slow.world.sleep(3.0)
        slow.systemd.process_in(UNIT).command = slow.resumed(slow.pointer.read_text().strip())

    slow.world.start(slow.world.process("outside"), execs)
    expect_equal(
        "TR-119", rebuilt(slow).state, State.ACTIVATED, "end with a start script that takes 3 s before it execs"
    )


@proves("TR-120")
def test_the_pointer_door_writes_one_line_and_kills_nothing(tmp_path: Path) -> None:
    night = night_of(tmp_path, "pointer")
    expect_good_id_is_written(night)
    runner = night.world.process("runner")
    operation = rebuilt(night)
    expect_equal("TR-120", operation.state, State.ACTIVATED, f"end of a switch by pointer ({operation.error})")
    expect_equal("TR-120", night.pointer.read_text(encoding="ascii"), f"{operation.new_session_id}\n", "the pointer")
    expect("TR-120", runner.alive, "the runner was killed")
    parts = [path.name for path in night.pointer.parent.iterdir()]
    expect_equal("TR-120", parts, [night.pointer.name], "what lies beside the pointer")
    taken = Night(tmp_path / "taken", door="pointer")
    asked(taken)
    in_state(taken, "verifying", lambda: taken.pointer.write_text(f"{NEW}\n"))
    taken.end_turn()
    taken.world.run()
    ended = taken.latest()
    expect_equal(
        "TR-120", (ended.state, ended.session_conflict), (State.FAILED, True), "end after somebody else wrote it"
    )
    expect_equal("TR-120", taken.pointer.read_text(), f"{NEW}\n", "what somebody else wrote")


@proves("TR-120")
def test_an_absent_pointer_and_an_empty_one_are_told_apart_and_put_back(tmp_path: Path) -> None:
    first = Night(tmp_path / "first", door="pointer")
    expect_good_id_is_written(first)
    for name, content in [("absent", None), ("empty", ""), ("old", OLD_SESSION)]:
        night = Night(tmp_path / name, door="pointer")
        if content is None:
            night.pointer.unlink()
        else:
            night.pointer.write_text(content)
        door, wrong = night.house.door, []

        def there_and_back(door: Door = door, content: str | None = content, wrong: list[str] = wrong) -> None:
            identity = door.identity()
            if identity is None or identity.pointer != content:
                wrong.append(f"identity {identity}")
                return
            if not door.switch(identity, NEW).ok or door.holder(identity, NEW) is not Holder.WANTED:
                wrong.append("not switched")
            door.undo(identity, NEW)
            if door.healthy(identity, NEW).ok:
                wrong.append("healthy after undoing")

        in_world(night, there_and_back)
        expect_equal("TR-120", wrong, [], f"what went wrong with a pointer that is {name}")
        left = night.pointer.read_text() if night.pointer.exists() else None
        expect_equal("TR-120", left, content, f"{name}: the pointer after undoing")
    odd = Night(tmp_path / "odd", door="pointer")
    for content_bytes in (b"root:x:0:0:root\n", b"\xff\xfe\n", b"a" * 2000, f"{NEW}\n{NEW}\n".encode()):
        odd.pointer.write_bytes(content_bytes)
        seen = in_world(odd, odd.house.door.identity)
        expect_equal("TR-120", seen, None, f"identity of a pointer that holds {content_bytes[:20]!r}")


FACTS = {
    "project_dir": "/home/user/.claude/projects/-home-user-project",
    "claude_workdir": "/home/user/project",
    "tmux_target": TARGET,
    "resume_command": COMMAND,
    "systemd_unit": UNIT,
    "resume_pointer_path": "/home/user/session",
}
NEEDED = {
    "tmux": ("project_dir", "claude_workdir", "tmux_target", "resume_command"),
    "systemd": ("project_dir", "claude_workdir"),
    "pointer": ("project_dir", "claude_workdir"),
}


@proves("TR-L30")
def test_local_facts_have_no_default_and_are_asked_for_by_name() -> None:
    for door, needed in NEEDED.items():
        expect_equal("TR-L30", refused_keys(activation=door, **FACTS), None, f"refusal of a complete {door} household")
        for name in needed:
            said = refused_keys(activation=door, **{key: value for key, value in FACTS.items() if key != name})
            expect("TR-L30", said is not None and name in said, f"{door} without {name}: {said}")


@proves("TR-163")
def test_no_pane_and_no_program_is_taken_by_default() -> None:
    # The incident: a test's configuration fell back on the live pane, and its worker had no fake.
    expect("TR-163", refused_keys() is not None, "without a target some pane is taken")
    expect_equal("TR-163", refused_keys(**FACTS), None, "refusal of a household with its facts")
    expect("TR-163", "DO-NOT-CREATE" in TARGET and COMMAND[0] == "/bin/false", f"nights name {TARGET} and {COMMAND}")


def refused_keys(**facts: Any) -> str | None:
    """What `open_door` refuses settings for; None where it does not. Nothing is asked of the real doors."""
    try:
        open_door(Settings(**facts), system_ports(Path("/nonexistent"), Path("/nonexistent")))
    except ConfigError as error:
        return str(error)
    return None


@proves("TR-L23")
def test_no_identity_no_switch(tmp_path: Path) -> None:
    back = Night(tmp_path / "back")
    plain = rebuilt(back)
    expect("TR-003", plain.error != "None", "the project folder is the right one")
    expect("TR-L34", "when the turn ended" not in (plain.error or ""), f"nobody took the door: {plain.error}")
    expect_equal("TR-L23", plain.state, State.ACTIVATED, "end when the identity can be told")
    night = night_of(tmp_path, "tmux")
    asked(night)
    in_state(night, "scheduled", lambda: setattr(night.tmux, "answers", False))
    night.end_turn()
    old = night.tmux.process_in(PANE)
    night.world.run()
    expect_equal("TR-L23", night.latest().state, State.FAILED, "end when the identity cannot be told in prepare")
    expect("TR-L23", old.alive and night.tmux.process_in(PANE) is old, "the pane was touched")
    operation = back.latest()
    operation.cas_identity_after = None
    back.house.store.save(operation)
    new = back.tmux.process_in(PANE)
    in_world(back, lambda: coordinator.request_rollback(back.house, "ROLLBACK"))
    back.end_turn()
    back.world.run()
    expect_equal("TR-L23", back.latest().state, State.FAILED, "end of a rollback without a recorded identity")
    expect("TR-L23", back.tmux.process_in(PANE) is new and new.alive, "the rollback touched the pane")


@proves("TR-L23")
def test_no_identity_on_record_no_recovery_at_the_door(tmp_path: Path) -> None:
    for recorded in (True, False):
        night = Night(tmp_path / str(recorded))
        rebuilt(night)
        in_world(night, lambda night=night: coordinator.request_rollback(night.house, "ROLLBACK"))
        night.spawner._run = lambda operation, worker: None
        night.end_turn()
        night.world.run()
        operation = night.latest()
        if not recorded:
            operation.cas_identity_after = None
            night.house.store.save(operation)
        new = night.tmux.process_in(PANE)

        def an_hour_later(night: Night = night) -> None:
            night.world.sleep(3600)
            coordinator.recover(night.house)

        in_world(night, an_hour_later)
        ended = night.latest()
        expect("TR-L25", ended.state is not State.ROLLBACK_SCHEDULED, "a stale rollback was not brought to its end")
        unknown = "no identity is on record" in (ended.error or "")
        expect_equal(
            "TR-L23", unknown, not recorded, f"recovery with an identity on record: {recorded} ({ended.error})"
        )
        expect(
            "TR-L23", ended.state is State.FAILED and new.alive, f"recovery touched the pane, or ended {ended.state}"
        )


@proves("TR-183")
def test_a_pane_without_the_host_in_it_has_no_identity(tmp_path: Path) -> None:
    for name, command, child, wanted in [
        ("the host", COMMAND, None, True),
        ("a shell", ("-bash",), None, False),
        ("a shell with the host in it", ("-bash",), ("claude", "--continue"), True),
        ("a shell with an editor in it", ("-bash",), ("vim", "claude.md"), False),
    ]:
        night = night_of(tmp_path / name, "tmux")
        shell = night.tmux.replace(PANE, *command)
        if child is not None:
            night.processes.children[shell.pid] = [night.world.process(*child).pid]
        identity = in_world(night, night.house.door.identity)
        expect_equal("TR-183", identity is not None, wanted, f"a pane that holds {name} has an identity")
    dead = Night(tmp_path / "dead")
    dead.world.kill(dead.tmux.process_in(PANE))
    expect_equal("TR-183", in_world(dead, dead.house.door.identity), None, "identity of a dead pane")


def second_household(night: Night, folder: Path, delay: float) -> Household:
    """Another configuration, with a state folder of its own, that names the same pane and project."""
    settings = msgspec.structs.replace(night.settings, state_dir=str(folder), activation_delay_seconds=delay)
    spawner = SimulatedSpawner(night.world, lambda operation, worker: run_worker(other, operation, worker))
    ports = replace(night.house.ports, spawner=spawner)
    other = Household(settings, Store(folder, night.files, ports.locks), open_door(settings, ports), ports)
    return other


@proves("TR-L34")
def test_two_configurations_with_one_target_do_not_both_switch(tmp_path: Path) -> None:
    alone = Night(tmp_path / "alone")
    error = rebuilt(alone).error or ""
    expect("TR-086", not alone.world.failures, f"a switch that nobody is in the way of: {alone.world.failures}")
    expect("TR-L23", "cannot be told" not in error, f"the identity can be told: {error}")
    for delay in (1.0, 2.9, 3.0, 3.1, 4.5, 7.0, 60.0):
        folder = tmp_path / str(delay)
        night = Night(folder)
        other = second_household(night, folder / "other state", delay)
        asked(night)
        night.world.start(night.resident(), lambda other=other: coordinator.request(other, "", "REBUILD"))

        def both(session: str, transcript: Path, night: Night = night, other: Household = other) -> None:
            coordinator.stop_hook(night.house, str(transcript))
            coordinator.stop_hook(other, str(transcript))

        night.host.on_stop = both
        night.end_turn()
        night.world.run()
        ends = [night.latest(), other.store.latest()]
        states = [(each.state, each.session_conflict) for each in ends if each is not None]
        wanted = [(State.ACTIVATED, False), (State.FAILED, True)]
        expect_equal("TR-L34", sorted(states), wanted, f"ends with the other worker {delay} s after the hook")
        winner = next(each for each in ends if each is not None and each.state is State.ACTIVATED)
        command = night.tmux.process_in(PANE).command
        expect_equal("TR-L34", command, night.resumed(winner.new_session_id or ""), "who is behind the door")
        expect_equal("TR-L34", night.tmux.respawned, 1, "respawns of the pane")


@proves("TR-L34")
def test_who_claims_the_same_target_project_or_pointer_waits_for_nobody(tmp_path: Path) -> None:
    tmux, pointer = night_of(tmp_path, "tmux").settings, night_of(tmp_path, "pointer").settings
    elsewhere = {"state_dir": "/elsewhere", "project_dir": "/elsewhere/-home-user-project"}
    link = tmp_path / "link"
    link.symlink_to(Path(str(pointer.resume_pointer_path)).parent)
    linked = str(link / Path(str(pointer.resume_pointer_path)).name)
    for name, one, two, shared in [
        ("one project", tmux, msgspec.structs.replace(pointer, project_dir=tmux.project_dir), True),
        ("one pane", tmux, msgspec.structs.replace(tmux, **elsewhere), True),
        ("one pane id on two servers", tmux, msgspec.structs.replace(tmux, **elsewhere, tmux_socket="other"), False),
        (
            "one pointer, by a link",
            pointer,
            msgspec.structs.replace(pointer, **elsewhere, resume_pointer_path=linked),
            True,
        ),
        ("nothing", tmux, msgspec.structs.replace(pointer, **elsewhere), False),
    ]:
        both = set(claims_of(one, PANE)) & set(claims_of(two, PANE))
        expect_equal("TR-L34", bool(both), shared, f"claims of two households with {name} in common: {both}")


@proves("TR-L34")
def test_a_rollback_keeps_off_what_somebody_else_is_switching(tmp_path: Path) -> None:
    for somebody, wanted in [(False, (State.ROLLED_BACK, False)), (True, (State.FAILED, True))]:
        night = Night(tmp_path / str(somebody))
        identity = rebuilt(night).cas_identity_after
        in_world(night, lambda night=night: coordinator.request_rollback(night.house, "ROLLBACK"))
        names = claims_of(night.settings, identity.target if identity else "")

        def hold(night: Night = night, names: tuple[str, ...] = names[-1:]) -> None:
            with night.house.ports.locks.claim(names):
                night.world.sleep(60)

        if somebody:
            night.world.start(night.world.process("somebody"), hold)
        night.end_turn()
        night.world.run()
        ended = night.latest()
        expect("TR-L23", "no identity" not in (ended.error or ""), f"an identity was recorded: {ended.error}")
        expect("TR-108", "changed hands" not in (ended.error or ""), f"nobody has the door: {ended.error}")
        seen = (ended.state, ended.session_conflict)
        expect_equal("TR-L34", seen, wanted, f"end of a rollback while somebody else switches: {somebody}")
