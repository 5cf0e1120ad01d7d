"""Which plans are about a film: those that have handed one in, and those where a tool for films was used."""

from threadrebuild.database import Database

ENDINGS = ("mp4", "mov", "m4v", "webm", "mkv", "avi")
_IS_FILM = " OR ".join(f"f.path LIKE '%.{ending}'" for ending in ENDINGS)
_DELIVERED = (
    "SELECT 1 FROM message_files f JOIN messages m ON m.id = f.message WHERE m.author = 'bot' AND (m.plan = ?1"
    f" OR m.id IN (SELECT message FROM message_filings WHERE plan = ?1)) AND ({_IS_FILM})"
    " UNION ALL SELECT 1 FROM submission_files f JOIN submissions s ON s.id = f.submission"
    f" JOIN tickets t ON t.id = s.ticket WHERE t.plan = ?1 AND ({_IS_FILM})"
)
_MADE = (
    "SELECT 1 FROM calls c JOIN turns t ON t.id = c.turn WHERE t.plan = ?"
    " AND c.name LIKE '%video%' AND c.state NOT IN ('asked', 'refused')"
)


def delivered(db: Database, plan: int) -> bool:
    """Whether a Bot has handed a film in for a plan."""
    return bool(db.value(_DELIVERED, plan))  # REQ-36


def makes(db: Database, plan: int) -> bool:
    """Whether a plan is about a film."""
    return (
        delivered(db, plan)  # REQ-38
        or bool(db.value(_MADE, plan))  # REQ-38
    )
