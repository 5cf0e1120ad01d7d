"""The installed CLI: the words that start it, the file behind them with every link followed, and its version.

An upgrade puts another program behind the same name, so that neither the name nor the configuration tells of it.
"""

import re
from pathlib import Path, PurePath
from typing import NamedTuple

from threadrebuild.config import SESSION_PLACE, Settings
from threadrebuild.doors.host_process import HOST
from threadrebuild.ports import Processes

VERSION_SECONDS = 20.0
"""How long the program may take to tell its version; on a machine at work JavaScript takes seconds."""
_SCRIPT = "cli.js"
_VERSION = re.compile(rb"\d+\.\d+\.\d+\S*")


class InstalledCli(NamedTuple):
    """A program that is there: `command` are the first words of what runs it."""

    command: tuple[str, ...]
    file: Path
    version: str


def installed_cli(settings: Settings, processes: Processes) -> InstalledCli | str:
    """What the household's resume command would start by now; a sentence where it cannot be told."""
    words = _words(settings)
    found = [processes.find_program(words[0]), *words[1:]]
    last = found[-1]
    if last is None or not last.startswith("/") or not Path(last).is_file():
        return f"{words[-1]} is no program that can be found"
    command = tuple(word for word in found if word is not None)
    answer = processes.call([*command, "--version"], limit_seconds=VERSION_SECONDS)
    version = _VERSION.match(answer.output.strip())
    if answer.code is None:
        return f"{words[-1]} --version did not run to its end within {VERSION_SECONDS:g} s"
    if answer.code != 0 or version is None:
        return f"{words[-1]} --version tells no version"
    return InstalledCli(command, Path(last).resolve(), version[0].decode("ascii", "replace"))


def _words(settings: Settings) -> tuple[str, ...]:
    """The words of the resume command up to the program; interpreters and wrappers stand before it."""
    command = settings.resume_command or (HOST, SESSION_PLACE)
    names = [PurePath(word).name for word in command]
    at = next((place for place, name in enumerate(names) if name in (HOST, _SCRIPT)), 0)
    return command[: at + 1]
