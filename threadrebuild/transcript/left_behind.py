"""Paths and checks that stay behind with tool traffic, so that reading or running them again is a choice (TR-L33)."""

REMEMBERED = 1000
"""How many of the latest paths, and of the latest checks, are listed."""


class LeftBehind:
    """The latest distinct paths and commands of tool calls, in the order of their last use."""

    def __init__(self) -> None:
        self.paths: dict[str, int] = {}
        self.checks: dict[str, int] = {}

    def path(self, name: str, line: int) -> None:
        """A tool read or wrote a file."""
        _latest(self.paths, name, line)

    def check(self, command: str, line: int) -> None:
        """A tool ran a command."""
        _latest(self.checks, command, line)


def _latest(seen: dict[str, int], name: str, line: int) -> None:
    seen.pop(name, None)
    seen[name] = line
    if len(seen) > REMEMBERED:
        del seen[next(iter(seen))]
