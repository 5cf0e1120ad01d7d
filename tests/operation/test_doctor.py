"""Doctor: it looks at what is there, and `ok` is true only where every check holds."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from households import DOORS, in_world, night_of

from harness.expect import expect, expect_equal, proves
from harness.world.night import COMMAND, OLD_SESSION, PANE, UNIT, Night
from threadrebuild.actions import request
from threadrebuild.doctor import Report, doctor
from threadrebuild.start_command import arguments_of, missing_in, resume_command_of, words_of

CHANNELS = ("--channels", "plugin:telegram@claude-plugins-official")
LOADS = ("--dangerously-load-development-channels", "server:companion")


def examined(night: Night) -> Report:
    """The report on a night's household."""
    return in_world(night, lambda: doctor(night.house))


def holds(report: Report, name: str) -> bool | None:
    """Whether a check held; None where it was not made."""
    return next((check.ok for check in report.checks if check.name == name), None)


def with_start(folder: Path, running: tuple[str, ...], intended: tuple[str, ...]) -> Report:
    """The report on a pane whose host runs with some flags, under a resume command with some."""
    night = Night(folder, resume_command=(COMMAND[0], "--resume", "{session_id}", *intended))
    night.tmux.replace(PANE, COMMAND[0], "--continue", *running)
    return examined(night)


@proves("TR-137")
def test_doctor_tells_the_truth(tmp_path: Path) -> None:
    for door in DOORS:
        report = examined(night_of(tmp_path, door))
        expect("TR-183", holds(report, "tmux_target_alive") is not False, "a pane that is up is alive")
        expect("TR-L21", holds(report, "resume_command") is not False, "nothing is missing in the resume command")
        expect("TR-169", holds(report, "single_consumers_free") is not False, "nobody else polls")
        failed = [check.name for check in report.checks if not check.ok]
        expect_equal("TR-137", (report.ok, failed, report.first_failure), (True, [], None), f"a {door} household")
    dead = night_of(tmp_path / "dead", "tmux")
    dead.world.kill(dead.tmux.process_in(PANE))
    no_program = night_of(tmp_path / "no program", "tmux")
    no_program.processes.missing = {"false"}
    empty = night_of(tmp_path / "empty", "tmux")
    empty.host.transcript(OLD_SESSION).unlink()
    (empty.project_dir / "agent-1.jsonl").write_text("{}\n")
    gone = night_of(tmp_path / "gone", "tmux")
    gone.host.transcript(OLD_SESSION).unlink()
    gone.project_dir.rmdir()
    down = night_of(tmp_path / "down", "systemd")
    down.world.kill(down.systemd.process_in(UNIT))
    odd = night_of(tmp_path / "odd", "pointer")
    odd.pointer.write_text("no session\n")
    wrong = night_of(tmp_path / "wrong", "tmux", claude_workdir="/home/user")
    for night, name, field, wanted in [
        (dead, "tmux_target_alive", "tmux_target_alive", False),
        (no_program, "claude_binary", "claude_binary", None),
        (empty, "transcript_count", "transcript_count", 0),
        (gone, "project_dir_exists", "project_dir_exists", False),
        (down, "service_alive", "service_main_pid", 0),
        (odd, "pointer_readable", "pointer_session", None),
        (wrong, "workdir_matches_project", "workdir_matches_project", False),
    ]:
        report = examined(night)
        expect_equal("TR-137", (report.ok, holds(report, name)), (False, False), f"ok, and the check {name}")
        expect_equal("TR-137", getattr(report, field), wanted, f"the field {field}")
    night = night_of(tmp_path / "asked", "tmux")
    night.ask_for_rebuild()
    night.world.run()
    active = examined(night).active_operation or {}
    wanted_operation = {"id": night.latest().id, "state": "pending", "stale": False}
    expect_equal("TR-137", active, wanted_operation, "the unfinished operation")
    pids = (examined(night).tmux_pane_pid, night.tmux.process_in(PANE).pid)
    expect_equal("TR-137", pids[0], pids[1], "the pane's process")


@proves("TR-L30")
def test_a_pointer_household_is_not_asked_for_panes_or_services(tmp_path: Path) -> None:
    seen = {door: {check.name for check in examined(night_of(tmp_path, door)).checks} for door in DOORS}
    foreign = {"tmux_target_alive", "host_in_pane", "service_alive"}
    expect_equal("TR-L30", seen["pointer"] & foreign, set(), "checks of other doors for a pointer household")
    expect("TR-L30", "service_alive" in seen["systemd"], "a service is looked at where there is one")


@proves("TR-L21")
def test_a_flag_of_the_running_process_that_would_be_lost_is_named(tmp_path: Path) -> None:
    expect("TR-169", with_start(tmp_path / "plain", (), ()).single_consumers == [], "no channels, no consumers")
    for number, (running, intended, missing, new) in enumerate(
        [
            ((), (), [], []),
            (CHANNELS, CHANNELS, [], []),
            ((*CHANNELS, *LOADS), (*LOADS, *CHANNELS), [], []),
            ((*CHANNELS, *LOADS), CHANNELS, [LOADS[0]], []),
            (("--model", "one"), ("--model", "two"), ["--model"], ["--model"]),
            (("--model=one",), ("--model", "one"), [], []),
            ((), CHANNELS, [], [CHANNELS[0]]),
            (("hello",), (), ["an argument without a flag"], []),
        ]
    ):
        report = with_start(tmp_path / str(number), running, intended)
        said = f"started with {running}, to be resumed with {intended}"
        expect_equal("TR-L21", report.resume_command_missing, missing, f"missing flags: {said}")
        expect_equal("TR-L21", report.resume_command_new, new, f"new flags: {said}")
        expect_equal("TR-L21", holds(report, "resume_command"), not missing, f"the check: {said}")
        expect("TR-L21", report.ok is not True or not missing, f"ok in spite of a missing flag: {said}")
    bare = Night(tmp_path / "bare", resume_command=(COMMAND[0], "--resume", "{session_id}"))
    shell = bare.tmux.replace(PANE, "sh", "-c", f"exec env A=1 {COMMAND[0]} --continue {' '.join(LOADS)}")
    # Some hosts show their name alone; the pane's start command still knows the flags.
    bare.processes.children[shell.pid] = [bare.world.process("claude").pid]
    expect_equal("TR-L21", examined(bare).resume_command_missing, [LOADS[0]], "missing by the pane's start command")


@proves("TR-L21")
def test_only_the_way_to_a_session_may_differ() -> None:
    real = ["node", "/usr/bin/claude", "--model", "opus", "-c", "--verbose"]
    resumed = resume_command_of(real, "claude") or []
    wanted = ["node", "/usr/bin/claude", "--resume", "{session_id}", "--model", "opus", "--verbose"]
    expect_equal("TR-L21", resumed, wanted, "the resume command that follows from a start")
    for words in (
        real,
        ["claude", "--resume", OLD_SESSION, "--model", "opus", "--verbose"],
        ["claude", f"--resume={OLD_SESSION}", "--verbose", "--model=opus"],
        words_of(f"'exec env -i claude -r {OLD_SESSION} --model opus --verbose'"),
    ):
        intended, running = arguments_of(resumed, "claude"), arguments_of(words, "claude")
        assert intended is not None and running is not None
        both = (missing_in(intended, running), missing_in(running, intended))
        expect_equal("TR-L21", both, ([], []), f"what {words} lacks and has more")
    expect_equal("TR-L21", arguments_of(["bash", "-l"], "claude"), None, "flags of something that is not the host")


@proves("TR-166")
def test_the_deaf_window_is_seen_before_the_switch(tmp_path: Path) -> None:
    deaf = with_start(tmp_path / "deaf", (*CHANNELS, *LOADS), ())
    check = holds(deaf, "resume_command")
    expect_equal("TR-166", (check, deaf.ok), (False, False), "the default command on a host started with channels")
    expect_equal("TR-166", deaf.resume_command_missing, [CHANNELS[0], LOADS[0]], "the flags that would make it deaf")
    hears = with_start(tmp_path / "hears", (*CHANNELS, *LOADS), (*CHANNELS, *LOADS))
    expect_equal("TR-166", holds(hears, "resume_command"), True, "the real command with its flags")


@proves("TR-169")
def test_single_consumers_are_named_and_a_second_one_is_seen(tmp_path: Path) -> None:
    for name, beside, wanted in [
        ("alone", None, []),
        (
            "a drill beside the main session",
            (COMMAND[0], "--resume", "x", *CHANNELS),
            [f"{CHANNELS[1]} in DO-NOT-CREATE:0.1"],
        ),
        ("a session without channels beside it", (COMMAND[0], "--resume", "x"), []),
        ("another program", ("vim", *CHANNELS), []),
    ]:
        night = Night(tmp_path / name, resume_command=(COMMAND[0], "--resume", "{session_id}", *CHANNELS, *LOADS))
        if beside is not None:
            night.tmux.open("%9", "DO-NOT-CREATE:0.1", *beside)
        report = examined(night)
        consumers = sorted(report.single_consumers)
        expect_equal("TR-169", consumers, [CHANNELS[1], LOADS[1]], f"{name}: consumers named")
        expect_equal("TR-169", report.single_consumers_elsewhere, wanted, f"{name}: who else polls")
        expect_equal("TR-169", holds(report, "single_consumers_free"), not wanted, f"{name}: the check")


@proves("TR-183")
def test_doctor_finds_the_pane_that_the_host_runs_in(tmp_path: Path) -> None:
    good = examined(night_of(tmp_path / "good", "tmux"))
    expect("TR-137", good.ok == all(check.ok for check in good.checks), "ok says what the checks say")
    expect_equal("TR-183", (good.tmux_target_alive, holds(good, "host_in_pane")), (True, True), "the host's own pane")
    night = night_of(tmp_path / "moved", "tmux")
    night.tmux.replace(PANE, "bash")
    night.tmux.open("%9", "DO-NOT-CREATE:0.1", "claude", "--continue")
    moved = examined(night)
    expect_equal("TR-183", holds(moved, "host_in_pane"), False, "a shell in the pane, the host beside it")
    expect_equal("TR-183", moved.claude_found_in, ["DO-NOT-CREATE:0.1"], "where the host was found")
    dead = night_of(tmp_path / "dead", "tmux")
    dead.world.kill(dead.tmux.process_in(PANE))
    seen = examined(dead)
    expect_equal("TR-183", (seen.tmux_target_alive, seen.tmux_pane_pid), (False, None), "a dead pane")


@proves("TR-L34")
def test_another_configuration_with_the_same_target_is_named(tmp_path: Path) -> None:
    for name, change, wanted in [
        ("the same pane", {}, True),
        ("the same project", {"tmux_target": "DO-NOT-CREATE:0.1"}, True),
        ("nothing in common", {"tmux_target": "DO-NOT-CREATE:0.1", "project_dir": str(tmp_path / "-elsewhere")}, False),
        ("the same store", {"state_dir": None}, False),
    ]:
        folder = tmp_path / name
        night = Night(folder)
        night.tmux.open("%9", "DO-NOT-CREATE:0.1", *COMMAND)
        other = folder / "other.toml"
        write_settings(other, night, {"state_dir": str(folder / "elsewhere"), **change})
        hook = {"type": "command", "command": f"threadrebuild hook-stop --config '{other}'"}
        settings = night.project_dir.parent.parent / "settings.json"
        settings.write_text(
            json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}, hook]}]}})
        )
        report = examined(night)
        expect_equal("TR-L34", report.shared_with, [str(other)] if wanted else [], f"{name}: configurations named")
        expect_equal("TR-L34", holds(report, "shared_with_nobody"), not wanted, f"{name}: the check")


def test_a_hook_that_does_not_call_this_configuration_is_missing(tmp_path: Path) -> None:
    for number, (door, named, disabled, wanted) in enumerate(
        [
            ("tmux", "own", False, True),
            ("systemd", "own", False, True),
            ("tmux", "own", True, False),
            ("tmux", "other", False, False),
            ("systemd", None, False, False),
            ("pointer", None, False, None),
        ]
    ):
        night = night_of(tmp_path / str(number), door)  # type: ignore[arg-type]
        config = tmp_path / str(number) / "own.toml"
        house = replace(night.house, config=config)
        hook = {"type": "command", "command": f"threadrebuild hook-stop --config '{config.with_stem(named or 'x')}'"}
        settings = {"disableAllHooks": disabled, "hooks": {"Stop": [{"hooks": [hook]}] if named else []}}
        (night.project_dir.parent.parent / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        report = in_world(night, lambda house=house: doctor(house))  # type: ignore[misc]
        assert (report.stop_hook_installed, holds(report, "stop_hook_installed")) == (wanted, wanted), number
        assert report.ok is (wanted is not False), number
        answer = in_world(night, lambda house=house: request(house, "", "REBUILD"))  # type: ignore[misc]
        assert ("warning" in answer) is (wanted is False), number
        assert disabled or "warning" not in answer or "run threadrebuild init" in answer["warning"], number


def write_settings(path: Path, night: Night, change: dict[str, Any]) -> None:
    """A configuration like a night's own but for some keys; None leaves a key as it is."""
    names = ("project_dir", "claude_workdir", "state_dir", "tmux_target", "resume_command")
    values = {name: change.get(name) or getattr(night.settings, name) for name in names}
    path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()), encoding="utf-8")


@proves("TR-109")
def test_the_report_says_what_a_green_check_does_not_prove(tmp_path: Path) -> None:
    for door in DOORS:
        report = msgspec.to_builtins(examined(night_of(tmp_path, door)))
        said = [each for each in report["cannot_prove"] if "approximation" in each]
        expect("TR-109", said, f"{door}: {report['cannot_prove']}")


def test_doctor_leaves_no_file_behind(tmp_path: Path) -> None:
    for door in DOORS:
        night = night_of(tmp_path, door)
        before = sorted(tmp_path.rglob("*"))
        examined(night)
        assert sorted(tmp_path.rglob("*")) == before
