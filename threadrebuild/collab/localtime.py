"""Times as people of the household read them: by the user's own clock."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from threadrebuild.database import Database


def shown(db: Database, at: int) -> str:
    """A time in ms as month, day, hour and minute."""
    zone = ZoneInfo(db.value("SELECT zone FROM meta"))
    return datetime.fromtimestamp(at / 1000, UTC).astimezone(zone).strftime("%m-%d %H:%M")
