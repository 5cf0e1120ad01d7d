"""The past of a chat, searched by a name: passages that hold it, the newest first, as far as there is room.

A name is found as a substring, since tokenising indexes miss Chinese names of two characters. What is no known name
counts as a question in many words, whose result gets little room.
"""

from dataclasses import dataclass

from threadrebuild.database import Database

NAME_ROOM = 2_000
OTHER_ROOM = 60
"""Characters of a result, for a name alone and for anything else."""


@dataclass(frozen=True, slots=True)
class PastTalk:
    """The store of what was said, in the gate's database."""

    database: Database

    def keep(self, message_id: str, text: str) -> None:
        """Store what was said, once for each message."""
        self.database.write("INSERT OR IGNORE INTO passages (message_id, text) VALUES (?, ?)", message_id, text)

    def learn(self, name: str, message_id: str) -> None:
        """Store a name with the message that told it, unless it was told before."""
        self.database.write("INSERT OR IGNORE INTO names (name, message_id) VALUES (?, ?)", name, message_id)

    def names(self) -> dict[str, str]:
        """The names known, each with the id of the message that first told it."""
        return {row["name"]: row["message_id"] for row in self.database.rows("SELECT * FROM names ORDER BY rowid")}

    def search(self, words: str) -> list[str]:
        """Passages that hold the name, or each of several words."""
        parts = words.split()
        hold = " AND ".join(["instr(text, ?) > 0"] * len(parts))
        rows = self.database.rows(f"SELECT text FROM passages WHERE {hold or 'FALSE'} ORDER BY id DESC", *parts)
        room = NAME_ROOM if words in self.names() else OTHER_ROOM
        found: list[str] = []
        for row in rows:
            room -= len(row["text"])
            if room < 0:
                break
            found.append(row["text"])
        return found
