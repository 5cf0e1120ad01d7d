"""Init: a configuration that is found by looking, not filled in from a template; every finding names where it is from.

It writes only what a person has seen: the configuration, and the Stop hook beside those that are there (TR-100). Run
again it changes nothing.
"""

import json
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click
import tomli

from threadrebuild.actions import ALLOWED_WITHOUT_ASKING
from threadrebuild.config import CONFIG_NAME, ConfigError, load_settings
from threadrebuild.console import REFUSED, UNUSABLE, leave, path_type
from threadrebuild.doctor import doctor, show
from threadrebuild.doors.host_process import HOST, host_under, is_host
from threadrebuild.host_settings import OddSettings, install_hook
from threadrebuild.opening import household
from threadrebuild.ports import Ports
from threadrebuild.project_folder import PROJECTS, folder_name
from threadrebuild.start_command import resume_command_of, words_of
from threadrebuild.system import system_ports

SERVER = "thread-rebuild"


class NotFound(Exception):
    """Something could not be found, or not for certain; nothing was written."""


class Finding(NamedTuple):
    """One key of the configuration, its value, and where it was found."""

    key: str
    value: str | tuple[str, ...]
    source: str


class Chosen(NamedTuple):
    """What the person named, where looking alone would not tell."""

    target: str | None = None
    unit: str | None = None
    pointer: Path | None = None
    workdir: Path | None = None
    socket: str | None = None


def look(ports: Ports, host_folder: Path, chosen: Chosen) -> list[Finding]:
    """Find the household's door, its working directory, its start command and its project folder.

    `host_folder` holds the host's settings and projects. Raises `NotFound` where there is none, or more than one.
    """
    pid: int | None = None
    if chosen.unit:
        found, pid = _service(ports, chosen)
    elif chosen.pointer:
        found = [Finding("activation", "pointer", "--pointer was named, and no --unit")]
    else:
        found, pid = _pane(ports, chosen)
    if chosen.pointer:
        found.append(Finding("resume_pointer_path", str(chosen.pointer.absolute()), "named with --pointer"))
    workdir = ports.processes.folder(pid) if pid else None
    source = f"working directory of process {pid}"
    if workdir is None:
        workdir, source = chosen.workdir, "named with --workdir"
    if workdir is None:
        raise NotFound("the host's working directory cannot be told: name it with --workdir")
    found.append(Finding("claude_workdir", str(workdir), source))
    folder = host_folder / PROJECTS / folder_name(str(workdir))
    transcripts = sum(not path.name.startswith("agent-") for path in folder.glob("*.jsonl"))
    if not transcripts:  # TR-002
        raise NotFound(f"{folder}: the host in {workdir} would write there, and no transcript lies there")
    found.append(Finding("project_dir", str(folder), f"belongs to {workdir}; transcripts there: {transcripts}"))
    return found


def config_text(found: list[Finding]) -> str:
    """The configuration file: each finding under a comment that says where it is from."""
    return "".join(f"# {each.source}\n{each.key} = {_toml(each.value)}\n" for each in found)


def host_folder_of(variables: Mapping[str, str], home: Path) -> Path:
    """Where the host keeps its settings and projects; `CLAUDE_CONFIG_DIR` decides where it is set (TR-003)."""
    named = variables.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else home / ".claude"


def hook_command(config: Path) -> str:
    """What the host's Stop hook runs."""
    return shlex.join([sys.executable, "-m", "threadrebuild.cli", "hook-stop", "--config", str(config)])


def next_steps(config: Path) -> list[str]:
    """What is left to the person: registering the tools, and the only ones that may go without a prompt (TR-122)."""
    serve = [sys.executable, "-m", "threadrebuild.cli", "mcp", "--config", str(config)]
    return [
        "register the tools: " + shlex.join([HOST, "mcp", "add", "--scope", "user", SERVER, "--", *serve]),
        "tools that may be allowed without asking, and no others: "
        + ", ".join(f"mcp__{SERVER}__{name}" for name in ALLOWED_WITHOUT_ASKING),
        "then look at /mcp and /hooks in the host: only what it shows is installed",
    ]


def write_configuration(path: Path, found: list[Finding], ports: Ports) -> bool:
    """Write the configuration; False where one that says all this is there. Raises `NotFound` where another one is.

    Keys that a person has added do not count, nor do the comments: processes change.
    """
    text = config_text(found)
    if path.exists():
        there, wanted = tomli.loads(path.read_text(encoding="utf-8")), tomli.loads(text)
        if all(there.get(key) == value for key, value in wanted.items()):
            return False
        raise NotFound(f"{path} is there already and says something else: move it away, or name another file")
    ports.files.make_folder(path.parent)
    with ports.files.create(path) as file:
        file.write(text.encode())
        ports.files.sync(file)
    ports.files.sync_folder(path.parent)
    load_settings(path)
    return True


@click.command("init")
@click.option("--config", type=path_type, default=Path(CONFIG_NAME), show_default=True, help="Where to write it.")
@click.option("--target", help="The tmux pane, as in cc:0.0, where several hold the host.")
@click.option("--socket", help="Name of the tmux server's socket, where it is not the default one.")
@click.option("--unit", help="The service that starts the host; needs --pointer.")
@click.option("--pointer", type=path_type, help="The file that the start script or the runner reads the session from.")
@click.option("--workdir", type=path_type, help="The host's working directory, where no process shows it.")
@click.option("--yes", is_flag=True, help="Write without asking.")
def command(config: Path, yes: bool, **named: Any) -> None:
    """Find the household, show what was found and from where, and write the configuration and the Stop hook."""
    config, chosen = config.absolute(), Chosen(**named)
    ports = system_ports(config, config, chosen.socket)
    host_folder = host_folder_of(os.environ, Path.home())
    try:
        found = look(ports, host_folder, chosen)
        for each in found:
            click.echo(f"{each.key} = {_toml(each.value)}    ({each.source})")
        hooked = found[0].value != "pointer"
        settings = host_folder / "settings.json"
        click.echo(f"to be written: {config}" + (f", and a Stop hook in {settings}" if hooked else ""))
        if not yes and not click.confirm("Write it?"):
            leave(REFUSED, "declined", "nothing was written", as_json=False)
        click.echo("configuration written" if write_configuration(config, found, ports) else "configuration unchanged")
        if hooked:
            backup = install_hook(settings, hook_command(config), ports.files)
            click.echo(
                f"Stop hook in place; {f'the settings before are in {backup}' if backup else 'no backup needed'}"
            )
        else:
            runner = [sys.executable, "-m", "threadrebuild.doors.runner", "--config", str(config), "--", HOST, "-p"]
            click.echo(f"each turn: {shlex.join([*runner, '--output-format', 'json'])} < prompt")
        for step in next_steps(config):
            click.echo(step)
        report = doctor(household(config))
    except tomli.TOMLDecodeError as error:
        leave(UNUSABLE, "configuration", f"{config}: not TOML: {error}", as_json=False)
    except (NotFound, OddSettings) as error:
        leave(REFUSED, "not-found", str(error), as_json=False)
    except ConfigError as error:
        leave(UNUSABLE, "configuration", str(error), as_json=False)
    except OSError as error:
        leave(REFUSED, "system", str(error), as_json=False)
    show(report, as_json=False)
    raise SystemExit(0 if report.ok else REFUSED)


def _pane(ports: Ports, chosen: Chosen) -> tuple[list[Finding], int]:
    holding = {
        place: (pane, pid)
        for place, pane in ports.panes.every().items()
        if not pane.dead and (pid := host_under(pane.pid, HOST, ports.processes)) is not None
    }
    if chosen.target is not None:
        holding = {place: found for place, found in holding.items() if place == chosen.target}
    if len(holding) != 1:
        seen = ", ".join(holding) or "none"
        units = ", ".join(_units(ports)) or "none"
        raise NotFound(
            f"panes that hold the host: {seen}; services that do: {units}. Name one with --target or --unit, "
            "a tmux server with a socket of its own with --socket, or the runner's file with --pointer"
        )
    place, (pane, pid) = next(iter(holding.items()))
    starts = {
        f"command line of process {pid}": ports.processes.command_line(pid),
        f"start command of pane {place}": words_of(pane.started_with),
    }
    # A host may show itself without its arguments; then the pane still knows them.
    source, words = max(starts.items(), key=lambda each: len(resume_command_of(each[1], HOST) or ()))
    resume = resume_command_of(words, HOST)
    assert resume is not None
    found = [
        Finding("activation", "tmux", f"process {pid} runs the host in pane {place}"),
        Finding("tmux_target", place, f"the pane that holds process {pid}"),
        Finding("resume_command", tuple(resume), source),
    ]
    if chosen.socket:
        found.append(Finding("tmux_socket", chosen.socket, "named with --socket"))
    return found, pid


def _service(ports: Ports, chosen: Chosen) -> tuple[list[Finding], int]:
    unit = chosen.unit or ""
    pid = ports.services.main_pid(unit)
    if pid == 0:
        raise NotFound(f"{unit} has no main process, or gives no answer")
    if chosen.pointer is None:
        raise NotFound(f"{unit}: name the file that its start script reads the session from with --pointer")
    found = [
        Finding("activation", "systemd", f"{unit} runs process {pid}"),
        Finding("systemd_unit", unit, "named with --unit"),
    ]
    resume = resume_command_of(ports.processes.command_line(pid), HOST)
    if resume is not None:
        found.append(Finding("resume_command", tuple(resume), f"command line of process {pid}"))
    return found, pid


def _units(ports: Ports) -> list[str]:
    """Services in whose control group the host runs as the main process."""
    hosts = [pid for pid in ports.processes.every() if is_host(ports.processes.command_line(pid), HOST)]
    return [unit for pid in hosts if (unit := ports.processes.unit(pid)) and ports.services.main_pid(unit) == pid]


def _toml(value: str | tuple[str, ...]) -> str:
    return json.dumps(value, ensure_ascii=False)
