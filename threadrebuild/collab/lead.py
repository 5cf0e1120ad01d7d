"""The group lead, whom the user confirms and who receives what nobody is mentioned in; and each plan's own lead."""

from collections.abc import Sequence

from threadrebuild.collab import household
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import LeadSet
from threadrebuild.database import Database


def confirm(change: Change, event: LeadSet) -> None:
    """Write the lead that the user has confirmed, or clear it. Raises ValueError for one who is not present."""
    household.session_of(change.db, event.session)
    if event.bot is not None and event.bot not in household.members(change.db, event.session).values():
        raise ValueError(f"Bot {event.bot} is not present in session {event.session}")
    change.db.write("UPDATE session_participants SET is_lead = 0 WHERE session = ?", event.session)
    if event.bot is not None:
        change.db.write(
            "UPDATE session_participants SET is_lead = 1 WHERE session = ? AND bot = ?", event.session, event.bot
        )
    change.log("group_lead.confirmed", bot=event.bot, session=event.session)


def receiver(db: Database, session: int, plans: Sequence[int]) -> tuple[int, str] | None:
    """Who receives a line of a group that mentions nobody: a present lead of its plan, else the group's lead."""
    present = household.members(db, session).values()
    for plan in plans:
        leading = db.value("SELECT lead FROM plans WHERE id = ?", plan)
        if leading in present:
            return leading, "plan_lead"  # LEAD-01
    confirmed = db.value("SELECT bot FROM session_participants WHERE session = ? AND is_lead = 1", session)
    return (confirmed, "group_lead") if confirmed in present else None
