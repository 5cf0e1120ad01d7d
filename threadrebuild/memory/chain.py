"""Remembering a customer: six hops, one after the other, each of which leaves an event of what it came to.

"It does not remember" is six different failures. The events tell them apart: a hop that did not run left none, and one
that ran says what it found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from threadrebuild.database import Database
from threadrebuild.memory.base import fill
from threadrebuild.memory.claim import claim
from threadrebuild.memory.counts import note
from threadrebuild.memory.cross import cross
from threadrebuild.memory.earlier import prepend
from threadrebuild.memory.originals import pull
from threadrebuild.memory.prompt import assemble
from threadrebuild.memory.recollection import Arrival, Came, Recollection


@dataclass(frozen=True, slots=True)
class Hop:
    """One hop: its name, where it runs, and what it adds to what is remembered."""

    name: str
    side: Literal["server", "client", "LLM"]
    run: Callable[[Database, Arrival, Recollection], tuple[Recollection, Came]]


HOPS = (  # MC-01
    Hop("claim session", "server", claim),
    Hop("pull originals", "server", pull),
    Hop("prepend earlier history", "client", prepend),
    Hop("profile base", "server", fill),
    Hop("cross-session", "server", cross),
    Hop("prompt assembly", "LLM", assemble),
)


def remember(store: Database, arrival: Arrival, hops: Sequence[Hop] = HOPS) -> Recollection:
    """Take a message in and remember its customer, all of it or nothing."""
    known = Recollection()
    with store.transaction():
        for hop in hops:
            known, came = hop.run(store, arrival, known)
            note(store, hop.name, came, known.session, arrival.at)
    return known
