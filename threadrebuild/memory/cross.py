"""The fifth hop: the structured profile of the customer's other recent sessions, never a word of their talk.

It exists only where the channel carries a platform user id. Where it does not, the hop was not reached, which says
nothing about whether there are earlier sessions.
"""

from dataclasses import replace

from threadrebuild.database import Database
from threadrebuild.memory.recollection import Arrival, Came, Recollection

EARLIER_SESSIONS = 3  # MC-08
MATCHED = (
    "platform_user = :platform_user",
    "tenant = :tenant",  # MC-08
    "id IS NOT :session",
)
"""The sessions that count. The same platform user id in another tenant is somebody else's customer."""


def cross(store: Database, arrival: Arrival, known: Recollection) -> tuple[Recollection, Came]:
    """Fill what the profile still lacks; of two earlier sessions the later one counts."""
    customer = arrival.customer
    if not customer.platform_user:  # MC-11
        return known, Came("not reached")
    if not customer.tenant:  # MC-10
        return known, Came("no tenant")
    sessions = store.rows(
        f"SELECT id FROM sessions WHERE {' AND '.join(MATCHED)} ORDER BY latest DESC, id DESC LIMIT :limit",
        platform_user=customer.platform_user,
        tenant=customer.tenant,
        session=known.session,
        limit=EARLIER_SESSIONS,
    )
    profile = {field: value for field, value in known.profile.items() if value}
    for earlier in sessions:
        rows = store.rows("SELECT field, value FROM profile_fields WHERE session = ? AND value <> ''", earlier["id"])
        profile = {**dict(map(tuple, rows)), **profile}
    return replace(known, profile=profile), Came("carried" if sessions else "no earlier sessions", len(sessions))
