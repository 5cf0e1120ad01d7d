"""Households for checks of doors: a night through each door, and ways to let something happen in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from harness.world.night import DoorKind, Night
from threadrebuild.operation.record import Operation

DOORS: tuple[DoorKind, ...] = ("tmux", "systemd", "pointer")

T = TypeVar("T")


def night_of(folder: Path, door: DoorKind, **settings: Any) -> Night:
    """A night in a folder of its own."""
    return Night(folder / door, door=door, **settings)


def asked(night: Night) -> Night:
    """The user agrees, the model asks for the rebuild and says its last word."""
    night.talk(lambda talk: talk.user("可以换窗了"))
    night.talk(lambda talk: talk.assistant("好，说完这句就换。"))
    night.ask_for_rebuild("夜里换窗")
    return night


def rebuilt(night: Night) -> Operation:
    """Ask, end the turn, and let everything come to its end."""
    asked(night).end_turn()
    night.world.run()
    return night.latest()


def in_world(night: Night, action: Callable[[], T]) -> T:
    """What an action answers that may wait."""
    answers: list[T] = []
    night.world.start(night.world.process("check"), lambda: answers.append(action()))
    night.world.run()
    return answers[0]


def in_state(night: Night, state: str, action: Callable[[], object]) -> None:
    """Let something happen once, right after the operation has come to a state."""
    store = night.house.store
    save, waiting = store.save, [action]

    def saving(operation: Operation) -> None:
        save(operation)
        if operation.state == state and waiting:
            waiting.pop()()

    store.save = saving  # type: ignore[method-assign]
