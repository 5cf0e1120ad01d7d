"""Doctor: read-only checks before anything is asked for; each has its own field, and one that fails makes `ok` false.

It looks at what is there (the pane, the process, the folder) and never at what the configuration says of itself.
"""

import os
from pathlib import Path
from typing import Any

import click
import msgspec

from threadrebuild import start_command
from threadrebuild.cli_version import CliVersion, cli_version
from threadrebuild.config import ConfigError, Settings, find_config, load_settings
from threadrebuild.console import REFUSED, UNUSABLE, config_option, json_option, leave, print_json
from threadrebuild.doors.claims import claims_of
from threadrebuild.doors.door import Identity
from threadrebuild.doors.host_process import HOST, host_under
from threadrebuild.doors.pointer_file import NoPointer, PointerFile, session_in
from threadrebuild.host_settings import hook_fault, hooked_configurations
from threadrebuild.opening import household
from threadrebuild.operation.household import Household
from threadrebuild.operation.store import StoreError
from threadrebuild.outliving import outliving
from threadrebuild.ports import Pane
from threadrebuild.project_folder import folder_fault, folder_name


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at, and what was seen."""

    name: str
    ok: bool
    detail: str


class Report(msgspec.Struct, kw_only=True):
    """What `doctor` saw. Fields of doors that the household does not use are None (TR-L30)."""

    ok: bool = False
    activation: str
    checks: list[Check] = []
    first_failure: str | None = None
    project_dir_exists: bool = False
    transcript_count: int = 0
    workdir_matches_project: bool = False
    project_folder_expected: str = ""
    project_folder_actual: str = ""
    claude_binary: str | None = None
    identity: Identity | None = None
    tmux_target_alive: bool | None = None
    tmux_pane_pid: int | None = None
    claude_found_in: list[str] = []
    """Other panes in which the host runs, where the configured one does not hold it (TR-183)."""
    service_main_pid: int | None = None
    pointer_session: str | None = None
    host_pid: int | None = None
    resume_command_missing: list[str] = []
    """Flags of the running process that the resume command lacks or gives other words (TR-L21)."""
    resume_command_new: list[str] = []
    """Flags of the resume command that the running process was not started with."""
    single_consumers: list[str] = []
    """Channels and plugins of which only one process may poll; keep them off in a drill (TR-169)."""
    single_consumers_elsewhere: list[str] = []
    left_running: list[int] = []
    """Processes of sessions that an operation switched away from or to, and that are not behind the door (TR-170)."""
    stop_hook_installed: bool | None = None
    """Whether the host's Stop hook calls this configuration; nothing starts without it."""
    shared_with: list[str] = []
    """Other configurations in the host's Stop hooks that name the same target, project or pointer (TR-L34)."""
    cli: CliVersion | None = None
    """The version of the CLI: pinned, installed and serving (WN-05)."""
    state_dir_shared_with: list[str] = []
    """Configurations of other households that keep their operations in the same folder (TR-154)."""
    active_operation: dict[str, Any] | None = None
    cannot_prove: list[str] = []


def doctor(house: Household) -> Report:
    """Look at everything a switch depends on; changes nothing (TR-132, TR-137, TR-155)."""
    report = Report(activation=house.settings.activation, cannot_prove=list(house.door.cannot_prove))
    _look_at_project(house, report)
    _look_at_door(house, report)
    _look_at_start(house, report)
    _look_at_hook(house, report)
    _look_at_sharing(house, report)
    _look_at_version(house, report)
    _look_at_what_is_left(house, report)
    active = house.store.active()
    if active is not None:
        report.active_operation = {"id": active.id, "state": active.state, "stale": house.is_stale(active)}
    failures = [check.name for check in report.checks if not check.ok]
    report.first_failure = next(iter(failures), None)
    report.ok = not failures  # TR-137
    return report


def missing_hook(house: Household) -> str | None:
    """Why no turn's end would start the worker; None where one would, and for a door that has no use for a hook."""
    if house.config is None or house.settings.activation == "pointer":
        return None
    return hook_fault(_host_settings(house), house.config)


@click.command("doctor")
@config_option
@json_option
def command(config: Path | None, as_json: bool) -> None:
    """Check, reading only, that everything a switch depends on is as the configuration says."""
    found = find_config(config, os.environ)
    if found is None:
        leave(UNUSABLE, "configuration", "no configuration: name one with --config, or write one with init", as_json)
    try:
        report = doctor(household(found))
    except ConfigError as error:
        leave(UNUSABLE, "configuration", str(error), as_json)
    except StoreError as error:
        leave(REFUSED, "store", str(error), as_json)
    show(report, as_json)
    raise SystemExit(0 if report.ok else REFUSED)


def show(report: Report, as_json: bool) -> None:
    """Print a report: one object, or a line for each check and what no check can prove."""
    if as_json:
        print_json(msgspec.to_builtins(report))
        return
    for check in report.checks:
        click.echo(f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {check.detail}")
    for name in report.single_consumers:
        click.echo(f"note: only one process may poll {name}: keep it off in a drill")
    for name in report.resume_command_new:
        click.echo(f"note: resume_command has {name}, which the running process was not started with")
    for said in report.cli.notes if report.cli else []:
        click.echo(f"note: {said}")
    if report.active_operation:
        click.echo(f"note: operation {report.active_operation['id']} is {report.active_operation['state']}")
    for said in report.cannot_prove:
        click.echo(f"not proven: {said}")


def _add(report: Report, name: str, ok: bool, detail: str) -> None:
    report.checks.append(Check(name, ok, detail))


def _look_at_project(house: Household, report: Report) -> None:
    folder, workdir = house.project_dir, house.settings.claude_workdir or ""
    report.project_dir_exists = folder.is_dir()
    _add(report, "project_dir_exists", report.project_dir_exists, str(folder))
    report.transcript_count = sum(not path.name.startswith("agent-") for path in folder.glob("*.jsonl"))
    _add(report, "transcript_count", report.transcript_count > 0, f"transcripts: {report.transcript_count}")
    report.project_folder_expected, report.project_folder_actual = folder_name(workdir), folder.name
    fault = folder_fault(house.settings)
    report.workdir_matches_project = fault is None
    _add(report, "workdir_matches_project", fault is None, fault or f"{workdir} and {folder.name} belong together")
    program = _program(house.settings)
    report.claude_binary = house.ports.processes.find_program(program)
    found = report.claude_binary is not None and report.claude_binary.startswith("/")
    _add(report, "claude_binary", found, report.claude_binary or f"{program} is not on the PATH")


def _look_at_door(house: Household, report: Report) -> None:
    settings = house.settings
    if settings.activation == "tmux":
        _look_at_pane(house, report)
    if settings.activation == "systemd":
        report.service_main_pid = house.ports.services.main_pid(settings.systemd_unit or "")
        report.host_pid = report.service_main_pid or None
        alive = f"{settings.systemd_unit} runs process {report.service_main_pid}"
        _add(report, "service_alive", report.service_main_pid > 0, alive)
    if settings.activation != "tmux":
        _look_at_pointer(house, report)
    report.identity = house.door.identity()
    said = f"{report.identity.target}, {report.identity.proof}" if report.identity else "cannot be told"
    _add(report, "identity", report.identity is not None, said)


def _look_at_pane(house: Household, report: Report) -> None:
    target, ports = house.settings.tmux_target or "", house.ports
    pane = ports.panes.find(target)
    alive: bool = pane is not None and not pane.dead  # TR-183
    report.tmux_target_alive = alive
    report.tmux_pane_pid = pane.pid if pane is not None and alive else None
    _add(report, "tmux_target_alive", alive, f"{target}: {_state_of(pane)}")
    if pane is not None and alive:
        report.host_pid = host_under(pane.pid, _program(house.settings), ports.processes)
    if report.host_pid is None:
        report.claude_found_in = [
            place
            for place, other in ports.panes.every().items()
            # One that came up in the pane itself since it was looked at is not elsewhere.
            if not other.dead and other.pid != report.tmux_pane_pid and _holds_claude(house, other)
        ]
    elsewhere = (
        f"; it runs in {', '.join(report.claude_found_in)}: correct tmux_target" if report.claude_found_in else ""
    )
    seen = "the host runs in it" if report.host_pid else f"no host in {target}{elsewhere}"
    _add(report, "host_in_pane", report.host_pid is not None, seen)  # TR-183


def _look_at_pointer(house: Household, report: Report) -> None:
    path = Path(house.settings.resume_pointer_path or "")
    try:
        content = PointerFile(path, house.ports.files).read()
    except NoPointer as error:
        _add(report, "pointer_readable", False, str(error))
        return
    report.pointer_session = session_in(content)
    state = "absent" if content is None else f"names {report.pointer_session}" if content.strip() else "empty"
    # Its folder takes the new file before it takes the old one's place.
    _add(report, "pointer_readable", os.access(path.parent, os.W_OK), f"{path}: {state}")


def _look_at_start(house: Household, report: Report) -> None:
    settings, processes = house.settings, house.ports.processes
    if report.host_pid is not None:
        folder, workdir = processes.folder(report.host_pid), settings.claude_workdir or ""
        if folder is not None:
            same = str(folder) == os.path.realpath(workdir)
            _add(report, "workdir_is_the_hosts", same, f"the host runs in {folder}, claude_workdir is {workdir}")
    intended = start_command.arguments_of(list(settings.resume_command), _program(settings))
    if intended is None or report.host_pid is None:
        return
    starts = [start_command.arguments_of(words, _program(settings)) for words in _real_starts(house, report.host_pid)]
    real = [start for start in starts if start]
    flags = [flag for start in real for flag in start_command.missing_in(intended, start)]
    report.resume_command_missing = list(dict.fromkeys(flags))
    report.resume_command_new = start_command.missing_in([group for start in real for group in start], intended)
    same_start: bool = not report.resume_command_missing  # TR-L21 TR-166
    said = "has all of its flags" if same_start else f"lacks {', '.join(report.resume_command_missing)}"
    _add(report, "resume_command", same_start, f"compared with the running process and its start command, it {said}")
    consumers = [name for start in [intended, *real] for name in start_command.single_consumers(start)]
    report.single_consumers = list(dict.fromkeys(consumers))
    _look_at_consumers(house, report)


def _look_at_consumers(house: Household, report: Report) -> None:
    """Whether another pane's host polls what this household's would poll: one of the two would fall silent (TR-169)."""
    mine = house.ports.panes.find(house.settings.tmux_target) if house.settings.tmux_target else None
    for place, pane in house.ports.panes.every().items():
        if pane.dead or (mine is not None and pane.id == mine.id):
            continue
        pid = host_under(pane.pid, _program(house.settings), house.ports.processes)
        words = house.ports.processes.command_line(pid) if pid else []
        others = start_command.single_consumers(start_command.arguments_of(words, _program(house.settings)) or [])
        report.single_consumers_elsewhere += [
            f"{name} in {place}" for name in others if name in report.single_consumers
        ]
    free: bool = not report.single_consumers_elsewhere  # TR-162 TR-169
    said = "nobody else polls this household's channels" if free else ", ".join(report.single_consumers_elsewhere)
    _add(report, "single_consumers_free", free, said)


def _look_at_what_is_left(house: Household, report: Report) -> None:
    report.left_running = outliving(house, report.host_pid, report.pointer_session)
    gone: bool = not report.left_running  # TR-162 TR-170
    shown = ", ".join(map(str, report.left_running))
    said = "no process has outlived its session" if gone else f"still running, and not behind the door: {shown}"
    _add(report, "nothing_left_running", gone, said)


def _look_at_hook(house: Household, report: Report) -> None:
    if house.config is None or house.settings.activation == "pointer":
        return
    fault = missing_hook(house)
    report.stop_hook_installed = fault is None
    _add(report, "stop_hook_installed", fault is None, fault or f"{_host_settings(house)} calls {house.config}")


def _host_settings(house: Household) -> Path:
    return house.project_dir.parent.parent / "settings.json"


def _look_at_sharing(house: Household, report: Report) -> None:
    if report.identity is None:
        return
    mine = set(claims_of(house.settings, report.identity.target))
    for config in hooked_configurations(_host_settings(house)):
        try:
            other = load_settings(config)
        except ConfigError:
            continue
        pane = house.ports.panes.find(other.tmux_target) if other.tmux_target else None
        claims = set(claims_of(other, pane.id if pane else other.systemd_unit or ""))
        if _state_folder(other) != _state_folder(house.settings):
            if not mine.isdisjoint(claims):  # TR-L34 TR-154
                report.shared_with.append(str(config))
        elif claims != mine:  # TR-154
            report.state_dir_shared_with.append(str(config))
    alone = not report.shared_with
    said = "no other configuration names this target" if alone else ", ".join(report.shared_with)
    _add(report, "shared_with_nobody", alone, said)
    own = not report.state_dir_shared_with
    theirs = f"{', '.join(report.state_dir_shared_with)}: its hook would take up what is asked for here; set state_dir"
    _add(report, "state_dir_its_own", own, "no other household keeps its operations here" if own else theirs)


def _state_folder(settings: Settings) -> str:
    return os.path.realpath(Path(settings.state_dir).expanduser())


def _look_at_version(house: Household, report: Report) -> None:
    report.cli = cli_version(house)
    if report.cli.locked or report.cli.fault:
        _add(report, "cli_version", report.cli.fault is None, report.cli.fault or f"{report.cli.locked} is locked")


def _real_starts(house: Household, pid: int) -> list[list[str]]:
    """How the host was started, by all that knows: its process, its pane, its unit."""
    starts = [house.ports.processes.command_line(pid)]
    if house.settings.activation == "tmux":
        pane = house.ports.panes.find(house.settings.tmux_target or "")
        starts.append(start_command.words_of(pane.started_with) if pane else [])
    if house.settings.activation == "systemd":
        starts.append(house.ports.services.start_command(house.settings.systemd_unit or ""))
    return starts


def _holds_claude(house: Household, pane: Pane) -> bool:
    return host_under(pane.pid, _program(house.settings), house.ports.processes) is not None


def _state_of(pane: Pane | None) -> str:
    if pane is None:
        return "no such pane, or no answer"
    return f"pane {pane.id} is dead" if pane.dead else f"pane {pane.id}, process {pane.pid}, runs {pane.command}"


def _program(settings: Settings) -> str:
    return settings.resume_command[0] if settings.resume_command else HOST
