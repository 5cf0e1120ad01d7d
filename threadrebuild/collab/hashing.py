"""What the bytes of files are at a moment, by SHA-256: asked outside, since the core touches no disk.

What the effect "hash_files" is asked, for a segment:

    {"folder": path,            the folder that the segment works in, from the workspace's root
     "paths": [path]}           as its Bot named them: from the workspace's root, else from that folder

and its answer is `Hashed`, one `HashedFile` for each path, in that order.
"""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from threadrebuild.collab import speech
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Hashed

SAID = {
    "missing": "is not there",
    "outside": "is outside the workspace",
    "link": "leads out of the workspace",
    "no file": "is no file",
    "unreadable": "cannot be read",
    "changing": "was written to while it was read",
}
"""The reasons for which a file has no hash, in words for a Bot."""


class File(NamedTuple):
    """A file as its bytes were at a moment; `path` from the workspace's root."""

    path: str
    sha256: str
    size: int


def of(change: Change, turn: sqlite3.Row, paths: Sequence[str]) -> list[sqlite3.Row] | None:
    """Rows of `hashed_files` for paths that a segment names, in their order; None while they are being read.

    Once they are, the segment goes on where it was (`speech.go_on`): its open call is carried out anew, or its ending
    taken further, and this then returns the rows. The same paths are read once for each call or ending of a segment.
    """
    if not paths:
        return []
    digest = hashlib.sha256(json.dumps(list(paths)).encode()).hexdigest()[:16]
    settled = "SELECT count(*) FROM calls WHERE turn = ? AND state NOT IN ('asked', 'started')"
    subject = f"hash:{turn['id']}:{turn['hops']}:{change.db.value(settled, turn['id'])}:{digest}"
    asked = change.db.row("SELECT id, state FROM effects WHERE subject = ? AND state <> 'void'", subject)
    if asked is None:
        change.effect("hash_files", {"folder": turn["cwd"], "paths": list(paths)}, turn=turn["id"], subject=subject)
        return None
    if asked["state"] != "done":
        return None
    return change.db.rows("SELECT * FROM hashed_files WHERE effect = ? ORDER BY ord", asked["id"])


def came(change: Change, event: Hashed) -> None:
    """Keep what the files of a segment were, and let it go on where it was."""
    for ord_, each in enumerate(event.files):
        change.db.write(
            "INSERT INTO hashed_files (effect, ord, asked, path, sha256, size, reason) VALUES (?, ?, ?, ?, ?, ?, ?)",
            event.effect,
            ord_,
            each.asked,
            each.path,
            each.sha256,
            each.size,
            each.reason,
        )
    turn = change.db.row("SELECT t.* FROM live_turns t JOIN effects e ON e.turn = t.id WHERE e.id = ?", event.effect)
    if turn is not None:
        speech.go_on(change, turn)


def files(rows: Sequence[sqlite3.Row]) -> list[File]:
    """The files that have a hash, each once."""
    found = {row["path"]: File(row["path"], row["sha256"], row["size"]) for row in rows if not row["reason"]}
    return list(found.values())


def refusals(rows: Sequence[sqlite3.Row]) -> list[str]:
    """Why others have none, each in words for a Bot."""
    return [f"{row['asked']} {SAID[row['reason']]}" for row in rows if row["reason"]]
