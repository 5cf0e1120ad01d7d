"""Times as people of the household read them: by the user's own clock."""

from datetime import datetime
from zoneinfo import ZoneInfo

from threadrebuild.database import Database


def shown(db: Database, at: int) -> str:
    """A time in ms as month, day, hour and minute."""
    zone = ZoneInfo(db.value("SELECT zone FROM meta"))
    then = datetime.fromtimestamp(at / 1000, zone)
    return f"{then.month:02}-{then.day:02} {then.hour:02}:{then.minute:02}"
