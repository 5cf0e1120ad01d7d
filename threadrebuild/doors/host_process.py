"""Which process is the host: the program that was started, or what a shell or wrapper under it runs by now."""

from pathlib import PurePath

from threadrebuild.ports import Processes

HOST = "claude"


def host_under(pid: int, program: str, processes: Processes) -> int | None:
    """The first process, from `pid` downwards, whose program is `program` or Claude itself; None where there is none.

    Interpreters count by their script (`node …/claude`).
    """
    for each in (pid, *processes.descendants(pid)):
        if is_host(processes.command_line(each), program):
            return each
    return None


def is_in_turn_of(host: int, program: str, processes: Processes) -> bool:
    """Whether this very process was started by a host, and by no other that runs under it."""
    line = processes.lineage()[1:]
    return next((each for each in line if each == host or is_host(processes.command_line(each), program)), None) == host


def is_host(command_line: list[str], program: str) -> bool:
    """Whether a command line starts the host, by the names of its first two words."""
    return not {HOST, PurePath(program).name}.isdisjoint(PurePath(word).name for word in command_line[:2])
