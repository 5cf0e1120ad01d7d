"""The first hop: which session a message lands in, and what that session holds of its customer, in one read.

The identity is normalised and hashed here, on the server, and nowhere else: a client that hashed a spelling of its own
would make two people of one.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from threadrebuild.database import Database
from threadrebuild.memory.recollection import Arrival, Came, Customer, Recollection, millis

CLAIMED = {  # MC-02
    "profile": "(SELECT json_group_object(field, value) FROM profile_fields WHERE session = sessions.id)",
    "summary": "summary",
    "watermark": "watermark",
}
"""What a claim returns beside the session, and where it is read."""


def claim(store: Database, arrival: Arrival, known: Recollection) -> tuple[Recollection, Came]:
    """Put a message into its session, a new one where its customer has none."""
    came = "new session" if find_session(store, arrival.customer) is None else "known customer"
    session = session_of(store, arrival.customer, arrival.at)
    keep(store, session, "customer", arrival.text, arrival.at)
    columns = ", ".join(f"{sql} AS {name}" for name, sql in CLAIMED.items())
    row = store.row(f"SELECT {columns} FROM sessions WHERE id = ?", session)
    assert row is not None
    found = dict(row)
    if "profile" in found:
        found["profile"] = json.loads(found["profile"])
    return replace(known, session=session, **found), Came(came, 1)


def find_session(store: Database, customer: Customer) -> int | None:
    """The session of a customer, if there is one."""
    found: int | None = store.value(
        "SELECT id FROM sessions WHERE (tenant, channel, identity) = (?, ?, ?)",
        *(customer.tenant, customer.channel, identity_of(customer)),
    )
    return found


def session_of(store: Database, customer: Customer, at: datetime) -> int:
    """The session of a customer, a new one where there is none. One person has one, however the key is spelled."""
    store.write(
        "INSERT INTO sessions (tenant, channel, identity, platform_user, latest) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET latest = excluded.latest,"
        " platform_user = coalesce(nullif(excluded.platform_user, ''), platform_user)",
        *(customer.tenant, customer.channel, identity_of(customer), customer.platform_user, millis(at)),
    )
    session = find_session(store, customer)
    assert session is not None
    return session


def keep(store: Database, session: int, role: str, content: str, at: datetime) -> None:
    """Store what was said in a session."""
    store.write(
        "INSERT INTO messages (session, role, content, created) VALUES (?, ?, ?, ?)", session, role, content, millis(at)
    )


def learn(store: Database, session: int, field: str, value: str) -> None:
    """The customer said something about themselves; what was said last counts."""
    store.write(
        "INSERT INTO profile_fields (session, field, value, origin) VALUES (?, ?, ?, 'said')"
        " ON CONFLICT DO UPDATE SET value = excluded.value, origin = 'said'",
        *(session, field, value),
    )


def sum_up(store: Database, session: int, summary: str, watermark: int) -> None:
    """Replace the rolling summary of a session, and how far it reaches."""
    store.write("UPDATE sessions SET summary = ?, watermark = ? WHERE id = ?", summary, watermark, session)


def identity_of(customer: Customer) -> str:
    """The identity by which a customer is known within a channel of a tenant: 64 hexadecimal digits.

    Raises ValueError for a key with nothing in it: all who have none would be one customer.
    """
    key = customer.key
    for normalised in NORMALISED:
        key = normalised(key, customer.channel)
    if not key:
        raise ValueError(f"{customer.key!r} is nobody's identity")
    return sha256(key.encode()).hexdigest()


def _without_spaces(key: str, channel: str) -> str:
    return "".join(key.split())


def _in_one_case(key: str, channel: str) -> str:
    return key.casefold()


def _without_channel(key: str, channel: str) -> str:
    return key.removeprefix(f"{channel.casefold()}:")


NORMALISED: tuple[Callable[[str, str], str], ...] = (  # MC-03
    _without_spaces,
    _in_one_case,
    _without_channel,
)
"""What is done to a key, in this order, before it is hashed."""
