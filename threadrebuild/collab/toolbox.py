"""The tools that the application carries out itself, each registered by the module whose concept it belongs to."""

import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec

from threadrebuild.collab.change import Change

Arguments = TypeVar("Arguments", bound=msgspec.Struct)


class SentBack(NamedTuple):
    """A call that is not carried out, and whose record stays; `said` is what the Bot reads."""

    said: str


Use = Callable[[Change, sqlite3.Row, dict[str, Any]], str | SentBack | None]
"""Carries a call out for a turn, and returns what its Bot reads; None where that comes later. Raises `Refused`."""


class Refused(Exception):
    """A call that is not carried out; the message is what the Bot reads."""


class Bounced(Refused):
    """A call that is not carried out because a contract is not met, and that costs a try; `code` names which."""

    def __init__(self, code: str, said: str) -> None:
        super().__init__(said)
        self.code = code


class Tool(NamedTuple):
    """A tool of the application. `effectful`: whether a held or unbound segment may not use it."""

    use: Use
    effectful: bool


OWN: dict[str, Tool] = {}
"""By name."""


def checked(arguments: dict[str, Any], kind: type[Arguments]) -> Arguments:
    """The arguments of a call, which are untrusted, as a tool wants them. Raises `Refused` where they are not so."""
    try:
        return msgspec.convert(arguments, kind)
    except msgspec.ValidationError as error:
        raise Refused(str(error)) from None


def tool(name: str, *, effectful: bool = False) -> Callable[[Use], Use]:
    """Register a tool of the application."""

    def register(use: Use) -> Use:
        OWN[name] = Tool(use, effectful)
        return use

    return register
