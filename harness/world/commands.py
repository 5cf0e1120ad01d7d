"""The commands that run outside: each a group of processes, some of which leave when they are asked and some do not.

They outlive the application that has begun them, and carry the number of what asked for them: by that they are found.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Manners = Literal["polite", "stubborn", "stuck"]
"""Leaves when asked; only when killed; not even then."""


@dataclass
class Running:
    """A process of a group, and when it is gone (ms); None for one that never ends by itself."""

    name: str
    manners: Manners
    gone: int | None

    def is_alive(self, at: int) -> bool:
        return self.gone is None or self.gone > at


@dataclass
class Group:
    """The processes that a command has begun, the command itself first."""

    number: int
    running: list[Running]


@dataclass
class Commands:
    """All commands that were begun, by the effect that asked for each."""

    groups: dict[int, Group] = field(default_factory=dict)

    def begin(self, effect: int, processes: Mapping[str, Manners], gone: int | None) -> Group:
        """Begin a command, whose processes end by themselves at a time."""
        running = [Running(name, manners, gone) for name, manners in processes.items()]
        self.groups[effect] = Group(1000 + effect, running)
        return self.groups[effect]

    def end(self, effect: int, at: int, grace_ms: int) -> tuple[int, list[int]]:
        """Ask a command's processes to exit, and kill those that have not after the grace.

        Returns how many ms that takes, and which are left.
        """
        found = self.groups.get(effect)
        if found is None:
            return 0, []
        alive = [each for each in found.running if each.is_alive(at)]
        for each in alive:
            if each.manners == "polite":
                each.gone = at
            elif each.manners == "stubborn":
                each.gone = at + grace_ms if each.gone is None else min(each.gone, at + grace_ms)
        takes = max((each.gone - at for each in alive if each.manners == "stubborn" and each.gone), default=0)
        left = [found.number + place for place, each in enumerate(found.running) if each.manners == "stuck"]
        return (takes, left) if alive else (0, [])

    def alive(self, command: str, at: int) -> list[str]:
        """The processes that live at a time, of the commands that begin so."""
        groups = (group for group in self.groups.values() if group.running[0].name.startswith(command))
        return [each.name for group in groups for each in group.running if each.is_alive(at)]

    def running(self, at: int) -> list[int]:
        """The effects of the commands of which something lives at a time."""
        return [effect for effect, group in self.groups.items() if any(each.is_alive(at) for each in group.running)]
