"""An acknowledgement of an acknowledgement wakes nobody, so that two Bots do not thank each other for ever.

Bare words decide, at every engine level: 「收到」 in a group with a mention, or as it is in a chat between two Bots.
"""

import re
import sqlite3
from collections.abc import Iterable

from threadrebuild.collab import household, mentions, runs
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

SAYS_SO = (
    *(
        "收到",
        "好的",
        "好",
        "明白",
        "了解",
        "知道",
        "清楚",
        "对齐",
        "同步",
        "确认",
        "没问题",
        "谢谢",
        "感谢",
        "辛苦",
        "可以",
        "行",
    ),
    *(
        "嗯",
        "got it",
        "okay",
        "ok",
        "noted",
        "aligned",
        "roger",
        "understood",
        "confirmed",
        "thanks",
        "thank you",
        "sure",
    ),
)
"""What acknowledges; one of them has to be there."""
BESIDE = ("了", "啦", "哈", "啊", "已", "都", "我", "你", "您", "we are", "i am", "all", "so much")
"""What may stand beside it."""


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word.replace(" ", "")) for word in words)


_SAYS_SO = re.compile(_any(SAYS_SO))
_BARE = re.compile(f"(?:{_any((*SAYS_SO, *BESIDE))})+")
_ASKS = re.compile(r"[?？]")
_PATH = re.compile(r"\w[/\\]\w")


def answers_one(change: Change, message: sqlite3.Row, bot: int) -> bool:
    """Whether a Bot's line is a bare acknowledgement of one by `bot` that woke its turn, and neither ran anything."""
    turn = change.db.row("SELECT * FROM turns WHERE id = ?", message["turn"])
    woken_by = turn and change.db.row("SELECT * FROM messages WHERE id = ?", turn["trigger_message"])
    return (
        turn is not None
        and woken_by is not None
        and woken_by["bot"] == bot  # MENT-15 MENT-21
        and is_bare(change.db, message)  # MENT-15 MENT-21
        and is_bare(change.db, woken_by)  # MENT-15 MENT-21
        and not runs.has_run_anything(change.db, turn["id"], woken_by["turn"])  # MENT-15 MENT-21
    )


def is_bare(db: Database, message: sqlite3.Row) -> bool:
    """Whether a line is nothing but an acknowledgement, whoever it mentions."""
    members = household.members(db, message["session"])
    found = mentions.mentions_in(message["text"], members, household.roster(db))
    if (
        found.unknown  # MENT-16
        or _ASKS.search(message["text"])  # MENT-16
        or _PATH.search(found.rest)  # MENT-16
        or db.value("SELECT 1 FROM message_files WHERE message = ?", message["id"])  # MENT-16
    ):
        return False
    return _acknowledges(found.rest)


def _acknowledges(text: str) -> bool:
    words = re.sub(r"[\W_]", "", text.casefold())
    return bool(_BARE.fullmatch(words)) and bool(_SAYS_SO.search(words))
