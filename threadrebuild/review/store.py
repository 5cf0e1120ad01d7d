"""The gate's turns in its own store: taken in, moved, sealed, and what was called, searched, settled and recorded.

Each function is one transaction; what the schema forbids raises `sqlite3.IntegrityError`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Row

from threadrebuild.database import Database
from threadrebuild.review.search import Search
from threadrebuild.review.states import ENDS, MOVES, RUNNING, State


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it stands."""

    id: int
    message_id: str
    chat: str
    path: str
    said: str
    state: State
    draft: str | None
    final: str | None
    prompt: str | None
    why: str | None
    call: str | None
    failed_at: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What the mailbox is to record: under which id, through which tool, and the text that was sent."""

    id: int
    tool: str
    text: str


class IllegalMove(ValueError):
    """A turn cannot become that from where it is."""


class TurnStore:
    """All turns of a host."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def take(self, message_id: str, chat: str, path: str, said: str) -> Turn:
        """Take in a message, once however often it comes."""
        self.database.write(
            "INSERT OR IGNORE INTO turns (message_id, chat, path, said) VALUES (?, ?, ?, ?)",
            *(message_id, chat, path, said),
        )
        return self.of_message(message_id)

    def get(self, turn: int) -> Turn:
        """A turn by its number. Raises LookupError."""
        return self._one("id", turn)

    def of_message(self, message_id: str) -> Turn:
        """The turn of a message. Raises LookupError."""
        return self._one("message_id", message_id)

    def every(self, *states: State) -> list[Turn]:
        """The turns in some states, or all, in the order in which their messages came."""
        wanted = states or tuple(State)
        places = ", ".join("?" * len(wanted))
        rows = self.database.rows(f"SELECT * FROM turns WHERE state IN ({places}) ORDER BY id", *map(str, wanted))
        return [_turn(row) for row in rows]

    def before(self, turn: Turn, most: int) -> list[Turn]:
        """The last turns of its chat before one, oldest first."""
        sql = "SELECT * FROM turns WHERE chat = ? AND id < ? ORDER BY id DESC LIMIT ?"
        return [_turn(row) for row in reversed(self.database.rows(sql, turn.chat, turn.id, most))]

    def next(self, chat: str) -> Turn | None:
        """The turn that the model is to get now: the oldest that waits, where none is at work."""
        live = [turn for turn in self.every(*(each for each in State if each not in ENDS)) if turn.chat == chat]
        at_work = any(turn.state is not State.WAITING for turn in live)
        return live[0] if live and not at_work else None

    def move(self, turn: int, state: State, why: str | None = None) -> None:
        """Let a turn become something. Raises IllegalMove, and then nothing has changed."""
        with self.database.transaction():
            old = self.get(turn).state
            if (old, state) not in MOVES:
                raise IllegalMove(f"a turn in {old} does not become {state}")
            self.database.write("UPDATE turns SET state = ?, why = ? WHERE id = ?", state, why, turn)

    def begin(self, turn: int, prompt: str | None) -> None:
        """The model has the turn; its prompt is the row of that uuid in the session's record."""
        with self.database.transaction():
            self.move(turn, State.DRAFTING)
            self.database.write("UPDATE turns SET prompt = ? WHERE id = ?", prompt, turn)

    def fail(self, turn: int, why: str, call: str | None = None, at: datetime | None = None) -> None:
        """Mark a turn as failed: by the tool call that met the seal, or by the restart at a time."""
        with self.database.transaction():
            self.move(turn, State.FAILED, why)
            time = None if at is None else at.isoformat()
            self.database.write("UPDATE turns SET call = ?, failed_at = ? WHERE id = ?", call, time, turn)

    def fail_running(self, why: str, at: datetime) -> None:
        """Mark each turn that was at work when the server went down as failed, by itself."""
        for turn in self.every(*RUNNING):
            self.fail(turn.id, why, at=at)

    # ---------------------------------------------------------------- tools

    def seal(self, turn: int) -> None:
        """No tool runs any more in this turn."""
        self.database.write("INSERT INTO tools_sealed (turn) VALUES (?)", turn)

    def is_sealed(self, turn: int) -> bool:
        """Whether the tools of a turn are sealed."""
        return self.database.row("SELECT 1 FROM tools_sealed WHERE turn = ?", turn) is not None

    def permit(self, turn: int, tool: str) -> int:
        """Grant one call of a tool in a turn. Raises `sqlite3.IntegrityError` under a seal."""
        return self.database.write("INSERT INTO permits (turn, tool) VALUES (?, ?)", turn, tool)

    def permits_call(self, permit: int, turn: int, tool: str) -> bool:
        """Whether a permit is for this call, and not used yet."""
        row = self.database.row("SELECT turn, tool FROM permits WHERE id = ?", permit)
        used = self.database.row("SELECT 1 FROM tool_calls WHERE permit = ?", permit)
        return row is not None and tuple(row) == (turn, tool) and used is None

    def call(self, turn: int, tool: str, permit: int) -> int:
        """Write down a call that is about to be made."""
        return self.database.write("INSERT INTO tool_calls (turn, tool, permit) VALUES (?, ?, ?)", turn, tool, permit)

    def called(self, call: int, result: str) -> None:
        """Write down what a call came to."""
        self.database.write("UPDATE tool_calls SET result = ? WHERE id = ?", result, call)

    def intend(self, turn: int, tool: str, text: str) -> None:
        """Keep what the model means to record as said; what it says last counts."""
        self.database.write(
            "INSERT INTO intents (turn, tool, text) VALUES (?, ?, ?)"
            " ON CONFLICT (turn, tool) DO UPDATE SET text = excluded.text",
            *(turn, tool, text),
        )

    # ---------------------------------------------------------------- review

    def enter_review(self, turn: int, draft: str) -> None:
        """The draft is there: its turn is under review, and sealed, at once."""
        with self.database.transaction():
            self.move(turn, State.REVIEW)
            self.database.write("UPDATE turns SET draft = ? WHERE id = ?", draft, turn)
            self.seal(turn)  # RV-01

    def reviewed(self, turn: int, answered: bool, opinion: str, searches: Iterable[Search]) -> None:
        """Write down what the review came to: an opinion, or nothing where the draft passes."""
        with self.database.transaction():
            self.database.write(
                "INSERT INTO reviews (turn, answered, opinion) VALUES (?, ?, ?)", turn, int(answered), opinion
            )
            for each in searches:
                self.database.write(
                    "INSERT INTO searches (turn, name, outcome, took_ms) VALUES (?, ?, ?, ?)",
                    *(turn, each.name, each.outcome, each.took_ms),
                )

    def revised(self, turn: int, text: str) -> None:
        """Write down the revised text."""
        self.database.write("INSERT INTO revisions (turn, text) VALUES (?, ?)", turn, text)

    def notes(self) -> list[str]:
        """The fridge notes, as the user wrote them, in the order of writing."""
        return [row["text"] for row in self.database.rows("SELECT text FROM fridge_notes ORDER BY id")]

    def write_note(self, text: str) -> None:
        """The user puts up a note."""
        self.database.write("INSERT INTO fridge_notes (text, author) VALUES (?, 'user')", text)

    # ---------------------------------------------------------------- sending

    def settle(self, turn: int, text: str) -> None:
        """This is the text that goes out."""
        with self.database.transaction():
            self.database.write("UPDATE turns SET final = ? WHERE id = ?", text, turn)
            self.move(turn, State.FINAL)

    def begin_sending(self, turn: Turn) -> None:
        """From here on the text may be on the phone; the turn can no longer be stopped."""
        with self.database.transaction():
            self.move(turn.id, State.SENDING)
            self.database.write("INSERT INTO shown (turn, text) VALUES (?, ?)", turn.id, turn.final)

    def sent(self, turn: int, text: str) -> None:
        """The phone has it: what the model meant to record as said is now due, with the text that was sent."""
        with self.database.transaction():
            if self.get(turn).state is State.SENT:
                return
            self.move(turn, State.SENT)
            due = "INSERT INTO mailbox_entries (turn, tool, text) SELECT turn, tool, ? FROM intents WHERE turn = ?"
            self.database.write(due, text, turn)  # RV-06

    def due(self) -> list[Entry]:
        """What the mailbox has still to record."""
        rows = self.database.rows("SELECT id, tool, text FROM mailbox_entries WHERE NOT committed ORDER BY id")
        return [Entry(*row) for row in rows]

    def committed(self, entry: Entry) -> None:
        """The mailbox has recorded it."""
        self.database.write("UPDATE mailbox_entries SET committed = 1 WHERE id = ?", entry.id)

    def _one(self, column: str, value: object) -> Turn:
        row = self.database.row(f"SELECT * FROM turns WHERE {column} = ?", value)
        if row is None:
            raise LookupError(f"there is no turn with the {column} {value}")
        return _turn(row)


def _turn(row: Row) -> Turn:
    return Turn(**dict(row) | {"state": State(row["state"])})
