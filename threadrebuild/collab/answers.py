"""A model's answer in the form that it was asked for, or the word that it is none: it is untrusted."""

from typing import TypeVar

import msgspec

Form = TypeVar("Form", bound=msgspec.Struct)


class Unreadable(ValueError):
    """What a model said is not in the form that was asked for."""


def read(said: str | None, form: type[Form]) -> Form:
    """What a model said, read as JSON. Raises `Unreadable`."""
    try:
        return msgspec.json.decode(said or "", type=form)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unreadable(str(error)) from None
