"""An evening of a household on one engine: the user speaks, and what the engine asks for is answered step by step.

Readings are answered as soon as a line is said; hops wait for `hop`, so that a test says what a Bot does and when.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.world import blank
from threadrebuild.collab import attribution, events, plans, stages
from threadrebuild.collab.change import Change
from threadrebuild.collab.engine import Effect, Engine
from threadrebuild.collab.store import NEWEST_LEVEL, open_store
from threadrebuild.collab.target import Target
from threadrebuild.collab.tickets import open_ticket

NINE = 1_786_842_000_000
MINUTE = 60_000
DOWN = None


def write(path: str) -> events.Call:
    """A call with a side effect: a file is written."""
    return events.Call("write_file", {"path": path})


def shell(command: str) -> events.Call:
    """A call with a side effect: a command runs."""
    return events.Call("shell", {"command": command})


def work_on(**arguments: Any) -> events.Call:
    """A Bot's choice of what it works on."""
    return events.Call("work_on", arguments)


class Evening:
    """Each Bot has a direct chat, and sessions are named by their title."""

    def __init__(
        self,
        folder: Path,
        *,
        bots: Mapping[str, Any] | Sequence[str] = (),
        rooms: Mapping[str, Sequence[str]] | None = None,
        level: int = NEWEST_LEVEL,
    ) -> None:
        self.path = folder / "evening.db"
        blank.lay(self.path, level)
        self.db = open_store(self.path, level, durable=False)
        self.engine = Engine(self.db)
        self.now = NINE
        self.ran: list[dict[str, Any]] = []
        """The tools that really ran: their effects' bodies."""
        self.words: dict[str, Any] | None = {}
        """What each Bot's words are read to say; with None nobody reads them yet."""
        self.nod: bool | None = False
        """Whether what a Bot asks the user is read as only asking for a nod; None where that is left to the test."""
        self.reads_size = False
        """Whether it is read how large a matter is."""
        self._keys = 0
        limits = dict(bots) if isinstance(bots, Mapping) else dict.fromkeys(bots)
        for name, limit in limits.items():
            self.happens(events.BotAdded, name=name, parallel_limit=limit)
            self.happens(events.SessionOpened, session="direct", title=name, members=(name,))
        for room, members in (rooms or {}).items():
            self.happens(events.SessionOpened, session="group", title=room, members=tuple(members))

    # ---------------------------------------------------------------- what happens

    def happens(self, kind: type[events.Event], /, **fields: Any) -> None:
        """An event, one second after the last."""
        self.now += 1000
        for effect in self.engine.handle(kind(key=self._key(), at=self.now, **fields)):
            self.engine.begin(effect.id)
            if effect.body.get("reads") == "Bot words":
                self._read_words(effect)
        self._leave_unread()

    def _leave_unread(self) -> None:
        """Nobody reads how large a matter is, unless a test says what comes of that."""
        if not self.reads_size:
            self.sql("UPDATE effects SET state = 'void' WHERE kind = 'read' AND subject LIKE 'large job:%'")

    def _read_words(self, effect: Effect) -> None:
        """What a Bot says or asks is read, unless that is left to the test."""
        asks = "options" in effect.body
        if self.nod is not None if asks else self.words is not None:
            self.happens(events.Read, effect=effect.id, raw=json.dumps({"nod": self.nod} if asks else self.words))

    def say(
        self,
        text: str,
        *,
        to: str,
        files: str | Sequence[int | tuple[int, int]] | None = "unclear",
        attach: Sequence[str] = (),
        reply_to: int | None = None,
        read: bool = True,
    ) -> int:
        """The user says something in a direct chat or room; `files` is what it is read to be about, or `DOWN`.

        With `read=False` its readings do not come back yet.
        """
        self.happens(events.Line, session=self.session(to), text=text, files=tuple(attach), reply_to=reply_to)
        message: int = self.value("SELECT max(id) FROM messages WHERE author = 'user'")
        if read:
            self.read(message, files)
        return message

    def read(self, message: int, files: str | Sequence[int | tuple[int, int]] | None = "unclear") -> None:
        """The readings of a line come back, one after the other as they are asked."""
        while effect := self._open("read", f"%:{message}:%"):
            failure = "timeout" if files is DOWN else None
            about = effect.subject.startswith("filing:")
            raw = json.dumps(self._filing(files) if about else {}) if failure is None else None
            self.happens(events.Read, effect=effect.id, raw=raw, failure=failure)

    def judge(self, message: int, says: Mapping[str, str | None]) -> None:
        """What each Bot's model says when it judges a line; None where that fails."""
        for bot, raw in says.items():
            effect = self._open("judge", f"judge:{message}:{self.bot(bot)}")
            assert effect is not None, f"{bot} does not judge line {message}"
            self.happens(events.Judged, effect=effect.id, raw=raw, failure=None if raw else "error")

    def hop(
        self,
        bot: str,
        *calls: events.Call,
        text: str = "",
        plan: int | None = None,
        turn: int | None = None,
        run: bool = True,
    ) -> bool:
        """A Bot's model answers, and its tools run (with `run=False` the first goes on running).

        False where no hop of that Bot (on that plan, of that turn) is open.
        """
        for effect in self.engine.open_effects():
            of_plan = plan is None or self.value("SELECT plan FROM turns WHERE id = ?", effect.turn) == plan
            if effect.kind == "hop" and self._is_of(effect, bot) and of_plan and turn in (None, effect.turn):
                self.happens(events.Hopped, effect=effect.id, text=text, calls=calls)
                while run and self.run(bot):
                    pass
                self.end_again(effect.turn)
                return True
        return False

    def end_again(self, turn: int | None) -> None:
        """Whose words are sent back because something is still owed says no more, and so ends."""
        for effect in self.engine.open_effects():
            bounced = "SELECT 1 FROM bounces WHERE turn = ? AND code = 'open_duties'"
            if effect.kind == "hop" and effect.turn == turn and self.value(bounced, turn):
                self.happens(events.Hopped, effect=effect.id)

    def run(self, bot: str) -> bool:
        """The tool that a Bot has running comes to its end; False where there is none."""
        for effect in self.engine.open_effects():
            if effect.kind == "run_tool" and self.value("SELECT bot FROM turns WHERE id = ?", effect.turn) == self.bot(
                bot
            ):
                self.ran.append(effect.body)
                path = effect.body["arguments"].get("path")
                self.happens(events.Ran, effect=effect.id, ok=True, written=(path,) if path else ())
                return True
        return False

    def fail(self, bot: str) -> None:
        """A Bot's model call fails."""
        effect = next(each for each in self.engine.open_effects() if each.kind == "hop" and self._is_of(each, bot))
        self.happens(events.Hopped, effect=effect.id, failure="the endpoint is gone")

    def crash(self) -> None:
        """The application comes up again after a crash."""
        self.happens(events.Started, cause="crash")

    def later(self, minutes: float) -> None:
        """Time passes, and what is waited for until then comes, each at its time."""
        until = self.now + round(minutes * MINUTE)
        while due := [
            each for each in self.engine.open_effects() if each.kind == "timer" and each.body["due"] <= until
        ]:
            first = min(due, key=lambda each: (each.body["due"], each.id))
            self.now = max(self.now, first.body["due"] - 1000)
            self.happens(events.TimerRang, effect=first.id)
        self.now = until

    def lead(self, bot: str, room: str) -> None:
        """The user confirms a group's lead."""
        self.happens(events.LeadSet, session=self.session(room), bot=self.bot(bot), confirmed=True)

    def press(self, turn: int) -> None:
        """The user presses continue on a segment."""
        self.happens(events.Continued, turn=turn)

    def opened(self, name: str, *, to: str, tickets: Sequence[tuple[str, str]] = ()) -> int:
        """A plan that is there already, with its tickets and their owners."""
        at, key = self.now, self._key()
        with self.db.transaction():
            event = self.db.write("INSERT INTO events (key, kind, at, body) VALUES (?, 'Line', ?, '{}')", key, at)
            line = self.db.write(
                "INSERT INTO messages (session, author, seq, at, text, state) VALUES (?, 'user', ?, ?, ?, 'delivered')",
                self.session(to),
                event,
                at,
                name,
            )
            change = Change(self.db, event, at, self.value("SELECT level FROM meta"))
            opening = self.db.row("SELECT * FROM messages WHERE id = ?", line)
            assert opening is not None
            plan = plans.open_plan(change, title=name, opening=opening)
            attribution.put(change, line, [Target(plan)], locked=False, by="desk")
            for title, owner in tickets:
                open_ticket(change, plan, title, self.bot(owner))
        for effect in self.engine.open_effects():
            if effect.kind == "mirror":
                self.engine.begin(effect.id)
        self._leave_unread()
        return plan

    def sql(self, statement: str, *values: Any) -> None:
        """Something that another part of the application, or time, has brought about."""
        self.db.write(statement, *values)

    def stands(self, ticket: int, stage: str, mover: str = "review") -> None:
        """A ticket stands at a stage, as a submission of it or its review have brought about; before there were any
        stages, at a status of that name."""
        if self.value("SELECT level FROM meta") < stages.FROM_LEVEL:
            self.sql("UPDATE tickets SET status = ? WHERE id = ?", stage, ticket)
            return
        event = self.value("SELECT max(seq) FROM events")
        self.sql(
            "INSERT INTO ticket_moves (ticket, event, stage, mover) VALUES (?, ?, ?, ?)", ticket, event, stage, mover
        )
        update = "UPDATE tickets SET stage = ?, status = ? WHERE id = ?"
        self.sql(update, stage, stages.STATUS_OF[stage], ticket)

    def requires(self, number: int, span: str, plan: int, *, quote: int | None = None, **more: Any) -> None:
        """An entry of the ledger, as the scribe would have recorded it: on the newest quote, or one named."""
        given = {
            "number": number,
            "quote": quote or self.value("SELECT max(id) FROM quotes"),
            "span": span,
            "plan": plan,
            "source": "scribe",
            "scope": "plan" if more.get("ticket") is None else "ticket",
            "state": "active",
            "at": self.now,
            **more,
        }
        marks = ", ".join("?" for _ in given)
        self.sql(f"INSERT INTO requirements ({', '.join(given)}) VALUES ({marks})", *given.values())

    # ---------------------------------------------------------------- what is seen

    def value(self, sql: str, *values: Any) -> Any:
        """The first value of a query."""
        return self.db.value(sql, *values)

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return [tuple(row) for row in self.db.rows(sql, *values)]

    def turns(self, bot: str) -> list[sqlite3.Row]:
        """A Bot's turns, in order."""
        return self.db.rows("SELECT * FROM turns WHERE bot = ? ORDER BY id", self.bot(bot))

    def live(self, bot: str) -> list[sqlite3.Row]:
        """A Bot's live turns, in order."""
        return self.db.rows("SELECT * FROM live_turns WHERE bot = ? ORDER BY id", self.bot(bot))

    def turn(self, bot: str) -> sqlite3.Row:
        """A Bot's newest turn."""
        return self.turns(bot)[-1]

    def read_in(self, message: int, bot: str) -> list[int]:
        """The turns of a Bot that have read a line."""
        found = self.rows(
            "SELECT t.id FROM inbox_items i JOIN turns t ON t.id = i.read_by_turn WHERE i.message = ? AND t.bot = ?"
            " ORDER BY i.id",
            message,
            self.bot(bot),
        )
        return [turn for (turn,) in found]

    def context(self, turn: int) -> str:
        """What a turn's model was given last."""
        body = self.value("SELECT body FROM effects WHERE turn = ? AND kind = 'hop' ORDER BY id DESC", turn)
        return str(json.loads(body)["context"]) if body else ""

    def results(self, turn: int) -> list[tuple[str, str, str]]:
        """A turn's calls in order: tool, state and what its Bot read."""
        rows = self.db.rows("SELECT * FROM calls WHERE turn = ? ORDER BY hop, ord", turn)
        return [(row["name"], row["state"], row["result"] or "") for row in rows]

    def plans(self) -> list[str]:
        """The plans' names, in order."""
        return [name for (name,) in self.rows("SELECT name FROM plans ORDER BY id")]

    def filed(self, message: int) -> list[tuple[int, int | None]]:
        """Plans and tickets that a line is filed to, in order."""
        return self.rows("SELECT plan, ticket FROM message_filings WHERE message = ? ORDER BY ord", message)

    def said(self, by: str = "app") -> list[str]:
        """What the application, the user or the Bots have said, in order."""
        return [text for (text,) in self.rows("SELECT text FROM messages WHERE author = ? ORDER BY id", by)]

    def bot(self, name: str) -> int:
        """A Bot's number."""
        return int(self.value("SELECT id FROM bots WHERE name = ?", name))

    def session(self, title: str) -> int:
        """A session's number."""
        return int(self.value("SELECT id FROM sessions WHERE title = ?", title))

    # ---------------------------------------------------------------- within

    def _key(self) -> str:
        self._keys += 1
        return f"key:{self._keys}"

    def _open(self, kind: str, subject: str) -> Effect | None:
        found = self.value(
            "SELECT id FROM effects WHERE kind = ? AND subject LIKE ? AND state IN ('pending', 'started')",
            kind,
            subject,
        )
        return next((each for each in self.engine.open_effects() if each.id == found), None)

    def _is_of(self, effect: Effect, bot: str) -> bool:
        return bool(self.value("SELECT bot FROM turns WHERE id = ?", effect.turn) == self.bot(bot))

    def _filing(self, files: str | Sequence[int | tuple[int, int]] | None) -> dict[str, Any]:
        kinds = {"new": "new_work", "spot": "on_the_spot", "unclear": "unclear"}
        if isinstance(files, str):
            return {"kind": kinds[files]}
        about = [(each, None) if isinstance(each, int) else each for each in files or ()]
        return {"kind": "plans", "about": [{"plan": plan, "ticket": ticket} for plan, ticket in about]}
