"""What a drill leaves behind: processes that outlived their session, sockets, and files outside of its folder.

Looked for twice: inside, where the namespace shows only what the drill started, and outside, by the drill's mark.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SHOWN = 200
"""Characters of a command line that are shown."""


@dataclass(frozen=True)
class Left:
    """What is left: command lines of processes, names of sockets, and places where files may have been left."""

    processes: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    places: tuple[str, ...] = ()

    def said(self) -> list[str]:
        """Each of them in words; empty where nothing is left (TR-162)."""
        return [
            *(f"still running: {each}" for each in self.processes),
            *(f"a socket: {each}" for each in self.sockets),
            *(f"files can be written outside of its folder: in {each}" for each in self.places),
        ]


def others() -> Iterator[tuple[int, str]]:
    """Every living process that is not this one: its id and command line."""
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda each: int(each.name)):
        if int(folder.name) != os.getpid() and (line := _command_line(folder)):
            yield int(folder.name), line


def marked(variable: str, value: str) -> list[str]:
    """The command lines of processes that were started with `variable=value`, as far as this user may see them."""
    wanted = f"{variable}={value}".encode()
    found = []
    for pid, line in others():
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        if wanted in environment.split(b"\0"):
            found.append(f"process {pid}: {line}")
    return found


def listening() -> list[str]:
    """The names of the sockets that processes of this network namespace hold, of files or not."""
    lines = Path("/proc/net/unix").read_text(encoding="utf-8").splitlines()[1:]
    return sorted({words[7] for line in lines if len(words := line.split(maxsplit=7)) == 8})


def writable(folder: Path) -> list[str]:
    """Of the places where the CLI, tmux and the cores would write, those outside of a folder where this process could.

    Each is tried with a file that is taken away again. In the lab none is: only the folder can be written to.
    """
    places = [Path(each).resolve() for each in ("/", "/tmp", "/var/tmp", "/run", folder.parent, Path.cwd())]
    found = []
    for place in dict.fromkeys(places):
        trial = place / f".{folder.name}-trial"
        if place.is_dir() and folder.resolve() not in (place, *place.parents):
            try:
                trial.touch(exist_ok=False)
            except OSError:
                continue
            trial.unlink()
            found.append(str(place))
    return found


def _command_line(process: Path) -> str:
    """Empty for a process that has ended, also where nobody has collected it yet."""
    try:
        return process.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()[:SHOWN]
    except OSError:
        return ""
