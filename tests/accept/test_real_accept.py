"""The example for once in the real world: a pane of a tmux server of its own, and the real CLI that resumes in the lab.

What stands in the pane is a stand-in all the same; the real program runs in the lab's namespace alone.
"""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from example import Example

from harness.cli import main
from harness.lab.namespace import missing
from harness.lab.versions import Unavailable, WrongBytes, program_of

VERSION = "2.1.199"
SOCKET = f"threadrebuild-accept-{os.getpid()}"
PROGRAM = """#!/bin/sh
case "$1" in
--version) echo "{version} (Claude Code)" ;;
-p) exec {real} "$@" ;;
*) tmux wait-for -S stands; read until_the_terminal_goes ;;
esac
"""

pytestmark = [pytest.mark.npm, pytest.mark.tmux]


@pytest.fixture
def living(tmp_path: Path) -> Iterator[Example]:
    """The example, with its stand-in in a real pane."""
    why = missing() or (None if shutil.which("tmux") else "tmux is not installed")
    if why is not None:
        pytest.skip(f"the lab cannot run here: {why}")
    try:
        real = program_of(VERSION)
    except WrongBytes:
        raise
    except Unavailable as error:
        pytest.skip(f"the real CLI cannot be had here: {error}")
    example = Example(tmp_path)
    example.program.write_text(PROGRAM.format(version=VERSION, real=shlex.join(real)))
    example.configure("^tmux_target = .*$", 'tmux_target = "garden:0.0"')
    example.configure("^tmux_socket = .*$", f'tmux_socket = "{SOCKET}"')
    started = ["new-session", "-d", "-s", "garden", "-c", str(example.workdir), *example.process["command"]]
    tmux("-f", "/dev/null", *started)
    tmux("wait-for", "stands")
    socket = tmux("display-message", "-p", "#{socket_path}")
    try:
        yield example
    finally:
        tmux("kill-server")
        Path(socket).unlink(missing_ok=True)


def tmux(*words: str) -> str:
    return subprocess.run(["tmux", "-L", SOCKET, *words], capture_output=True, text=True, timeout=10).stdout.strip()


def test_the_example_is_go_with_the_real_cli(living: Example) -> None:
    pane = tmux("display-message", "-p", "-t", "garden:0.0", "#{pane_pid}")
    result = CliRunner().invoke(main, ["accept", "--config", str(living.config), "-o", str(living.out), "--json"])
    told = json.loads(result.stdout)
    assert (result.exit_code, told["reasons"]) == (0, [])
    resumed = next(each for each in told["checks"] if each["name"] == "resumed in the lab")
    assert (resumed["state"], "0 were lost or are nobody's" in resumed["said"]) == ("holds", True)
    assert told["subject"]["cli_version"] == VERSION
    assert tmux("display-message", "-p", "-t", "garden:0.0", "#{pane_pid}") == pane, "the process was left alone"


def test_a_process_that_was_started_with_another_flag_is_no_go(living: Example) -> None:
    other = [*living.process["command"], "--dangerously-load-development-channels", "server:companion"]
    tmux("respawn-pane", "-k", "-t", "garden:0.0", "-c", str(living.workdir), *other)
    tmux("wait-for", "stands")
    result = CliRunner().invoke(main, ["accept", "--config", str(living.config), "-o", str(living.out), "--json"])
    told = json.loads(result.stdout)
    assert result.exit_code == 1
    assert "lacks --dangerously-load-development-channels" in told["reasons"][0]
