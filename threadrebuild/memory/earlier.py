"""The third hop, on the client: what was said before the takeover goes in front of what was said since.

Behind it, a remark of months ago would look like the customer's latest word.
"""

from dataclasses import replace

from threadrebuild.database import Database
from threadrebuild.memory.recollection import Arrival, Came, Line, Recollection


def prepend(store: Database, arrival: Arrival, known: Recollection) -> tuple[Recollection, Came]:
    """Put the stored history of the session before its talk. Pages show what stands above the takeover, so that
    nothing is in both.
    """
    rows = store.rows("SELECT role, content, NULL, id FROM history WHERE session = ? ORDER BY place, id", known.session)
    talk = list(known.talk)
    talk[0:0] = [Line(*row) for row in rows]  # MC-05
    return replace(known, talk=tuple(talk)), Came("prepended" if rows else "no history", len(rows))
