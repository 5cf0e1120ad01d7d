"""The fourth hop: facts from stored history profiles become part of the profile, where it has nothing yet."""

from dataclasses import replace

from threadrebuild.database import Database
from threadrebuild.memory.recollection import Arrival, Came, Recollection


def fill(store: Database, arrival: Arrival, known: Recollection) -> tuple[Recollection, Came]:
    """Fill the empty fields of the profile, in the store as well; what a later page says counts."""
    rows = store.rows(
        "SELECT part, field, value FROM page_parts JOIN history_profiles USING (page) WHERE session = ? ORDER BY page",
        known.session,
    )
    facts = {
        row["field"]: row["value"]
        for row in rows
        if row["part"] == "fact"  # MC-07
    }
    filled = {
        field: value
        for field, value in facts.items()
        if not known.profile.get(field)  # MC-06
    }
    for field, value in filled.items():
        store.write(
            "INSERT INTO profile_fields (session, field, value, origin) VALUES (?, ?, ?, 'imported')"
            " ON CONFLICT DO UPDATE SET value = excluded.value, origin = 'imported'",
            *(known.session, field, value),
        )
    came = "filled" if filled else "nothing to fill" if facts else "nothing imported"
    return replace(known, profile={**known.profile, **filled}), Came(came, len(filled))
