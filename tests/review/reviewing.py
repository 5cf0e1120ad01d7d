"""A reviewed chat for checks: what happens is said line by line, each when the host has nothing left to do."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.world.review import ReviewHouse
from harness.world.review_setting import Setting
from threadrebuild.review.store import Turn


def chat(folder: Path, setting: Setting | None = None, *acts: Callable[[ReviewHouse], object]) -> ReviewHouse:
    """A new house in which these things have happened, one after the other."""
    folder.mkdir(parents=True, exist_ok=True)
    house = ReviewHouse(folder, setting)
    goes_on(house, *acts)
    return house


def goes_on(house: ReviewHouse, *acts: Callable[[ReviewHouse], object]) -> None:
    """Let more happen."""

    def happen() -> None:
        for act in acts:
            house.quiet()
            act(house)
        house.quiet()

    house.outside(happen)
    house.world.run()


def says(text: str, **how: Any) -> Callable[[ReviewHouse], object]:
    return lambda house: house.say(text, **how)


def drafts(text: str, goes_on: bool = False) -> Callable[[ReviewHouse], object]:
    return lambda house: house.write(text, goes_on=goes_on)


def revises(text: str, goes_on: bool = False) -> Callable[[ReviewHouse], object]:
    return lambda house: house.write(text, "revises", goes_on)


def calls(tool: str, arguments: str = "", permit: str = "") -> Callable[[ReviewHouse], object]:
    return lambda house: house.call(tool, arguments, permit)


def grants(tool: str, name: str) -> Callable[[ReviewHouse], object]:
    return lambda house: house.grant(tool, name)


def only_turn(house: ReviewHouse) -> Turn:
    """The one turn there is."""
    (turn,) = house.store.every()
    return turn


def shown(house: ReviewHouse) -> list[str]:
    """What the phone shows."""
    return [text for _, text in house.phone.shown]


def refusal(folder: Path, *statements: str) -> str:
    """What the store in a folder says to these statements, run as one; nothing where it takes them. Undone either way.

    The engine has no part in it: plain SQL on the file that it left.
    """
    connection = sqlite3.connect(folder / "review.db", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    try:
        connection.execute("BEGIN")
        for statement in statements:
            connection.execute(statement)
        connection.execute("ROLLBACK")
        return ""
    except sqlite3.IntegrityError as error:
        return str(error)
    finally:
        connection.close()
