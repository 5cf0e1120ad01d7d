"""An ending as its Bot wants it, and why it is sent back."""

from typing import NamedTuple

import msgspec

from threadrebuild.database import Id


class Settled(msgspec.Struct, frozen=True):
    """What became of an inbox item; `reason` why it is not done."""

    id: Id
    state: str
    reason: str = ""


class Draft(msgspec.Struct, frozen=True):
    """An ending as its Bot wants it: by words alone (`reason` None) or by `end_turn`."""

    text: str = ""
    reason: str | None = None
    answer: str = ""
    note: str = ""
    needs_from_user: str = ""
    inbox: tuple[Settled, ...] = ()


class Back(NamedTuple):
    """Why an ending is sent back: by what code, and what its Bot is told."""

    code: str
    said: str
