"""A demand at a time: the store is looked at as it was then, and what was done outside by then."""

from functools import cache
from typing import Any, cast

import msgspec

from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import time_of
from harness.scenario.forms import Met


@cache
def at_times(form: type[CollabForm]) -> type[CollabForm]:
    """A form that may also say `at` which time of the user's clock it holds; without, it holds at the end."""

    def met(self: Any, seen: Played) -> Met:
        return form.met(self, seen if self.at is None else seen.at(self.at))

    def __post_init__(self: Any) -> None:
        if hasattr(form, "__post_init__"):
            form.__post_init__(self)
        if self.at is not None:
            time_of(self.at)

    def __reduce__(self: Any) -> tuple[Any, ...]:
        # Whoever unpickles it makes the class again, which stands in no module.
        return _again, (form, {name: getattr(self, name) for name in self.__struct_fields__})

    # The key that names a form stays its second field: `at` comes last.
    made = msgspec.defstruct(
        form.__name__,
        [("at", str | None, None)],
        bases=(form,),
        namespace={"met": met, "__post_init__": __post_init__, "__reduce__": __reduce__, "__doc__": form.__doc__},
        module=form.__module__,
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )
    return cast(type[CollabForm], made)


def _again(form: type[CollabForm], values: dict[str, Any]) -> CollabForm:
    return at_times(form)(**values)
