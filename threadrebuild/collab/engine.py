"""Events in, effects out: each event is handled in one transaction, and what is to be done outside is returned.

The engine never waits, calls no model and reads no clock. Its effects are an outbox in the store: they are started once
their event is committed, and each answer is an event again. A repeated event, known by its key, changes nothing.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from threadrebuild.collab import (
    aborting,
    asks,
    beat,
    buttons,
    checks,
    clearing,
    continuing,
    events,
    hashing,
    holds,
    household,
    judgement,
    large_jobs,
    lead,
    lifting,
    lines,
    messages,
    old_plans,
    organizer,
    plans,
    reader,
    record,
    requirement_actions,
    schedules,
    scribe,
    steps,
    stop,
    submission_checks,
    tickets,
    timers,
    turns,
    wakes,
    words,
    work,
    work_questions,
)
from threadrebuild.collab.change import Change
from threadrebuild.collab.wakes import Suppressed
from threadrebuild.database import Database


class Effect(NamedTuple):
    """Something to be done outside: `kind` says what, `body` with what; `turn` whose it is, if any's."""

    id: int
    kind: str
    turn: int | None
    subject: str
    body: dict[str, Any]


HANDLERS: dict[type[events.Event], Callable[[Change, Any], None]] = {
    events.BotAdded: household.add_bot,
    events.SessionOpened: household.open_session,
    events.Line: messages.arrive,
    events.BotRetired: household.retire,
    events.LeadSet: lead.confirm,
    events.Edited: lines.edit,
    events.Withdrawn: lines.withdraw,
    events.Inserted: lines.insert,
    events.Spawned: aborting.spawned,
    events.Killed: aborting.killed,
    events.SessionCleared: clearing.clear,
    events.SessionDeleted: clearing.delete,
    events.BoardEdited: plans.edit,
    events.PlanRenamed: plans.rename,
    events.TicketEdited: tickets.edit,
    events.PlanSized: large_jobs.size,
    events.RequirementActed: requirement_actions.act,
    events.ModelChosen: steps.choose,
    events.ModelMarked: steps.mark,
    events.EngineChosen: steps.choose_engine,
    events.StepSwitched: steps.switch,
    events.PromptChanged: steps.reword,
    events.AccountListed: steps.list_account,
    events.AccountRemoved: steps.remove_account,
    events.Read: reader.came,
    events.Judged: judgement.came,
    events.Hopped: turns.hopped,
    events.Ran: turns.ran,
    events.Organized: organizer.came,
    events.Scribed: scribe.came,
    events.CheckAdded: checks.add,
    events.CheckEdited: checks.edit,
    events.CheckDeleted: checks.delete,
    events.CheckConfirmed: words.confirm,
    events.ChecksRun: checks.run_all,
    events.CheckRan: checks.ran,
    events.JointJudged: checks.judged,
    events.Hashed: hashing.came,
    events.TimerRang: timers.rang,
    events.Started: turns.restarted,
    events.Answered: asks.answered,
    events.Approved: asks.approved,
    events.WorkAnswered: work_questions.answered,
    events.Continued: continuing.press,
    events.ControlPressed: buttons.press,
    events.WorkResumed: continuing.resume,
    events.ScheduleMade: schedules.add,
    events.StopPressed: stop.press,
    events.HoldMade: holds.press,
    events.HoldLifted: lifting.by_button,
}


class Engine:
    """The collaboration core on one store."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def handle(self, event: events.Event) -> list[Effect]:
        """Take one event in and return what is to be done now; nothing for one that was taken before.

        Raises ValueError where the event makes no sense of this store, and then nothing has changed.
        """
        event, body = record.on_record(event)
        try:
            return self._take_in(event, body)
        except Suppressed as refused:
            self._note(event, refused)
            raise

    def _take_in(self, event: events.Event, body: str) -> list[Effect]:
        with self.db.transaction():
            number = self._record(event, body)
            if number is None or not self._is_awaited(event):
                return []
            change = Change(self.db, number, event.at, self.db.value("SELECT level FROM meta"))
            old_plans.take_over(change)
            HANDLERS[type(event)](change, event)
            words.look(change)  # WORDS-01
            submission_checks.look(change)
            beat.look(change)
            work.start_what_can(change)
            scribe.go_on(change)  # SCRB-04
        return list(self._effects("event = ? AND state = 'pending'", number))

    def begin(self, effect: int) -> bool:
        """Mark an effect as started; False where it is not wanted any more. Nothing comes back from some."""
        with self.db.transaction():
            begun = (
                "UPDATE effects SET state = iif(kind IN ('push', 'mirror'), 'done', 'started')"
                " WHERE id = ? AND state = 'pending' RETURNING 1"
            )
            return bool(self.db.rows(begun, effect))

    def open_effects(self) -> list[Effect]:
        """What was asked for and has not been answered yet, oldest first."""
        return list(self._effects("state IN ('pending', 'started')"))

    def _effects(self, where: str, *values: Any) -> Iterator[Effect]:
        for row in self.db.rows(f"SELECT * FROM effects WHERE {where} ORDER BY id", *values):
            yield Effect(row["id"], row["kind"], row["turn"], row["subject"], msgspec.json.decode(row["body"]))

    def _note(self, event: events.Event, refused: Suppressed) -> None:
        """Put on record that a hold was in the way of what the user did, though nothing has come of it; once."""
        with self.db.transaction():
            key = f"{event.key}:refused"
            if self.db.value("SELECT 1 FROM events WHERE key = ?", key):
                return
            sql = "INSERT INTO events (key, kind, at, body) VALUES (?, 'Refused', ?, '{}')"
            number = self.db.write(sql, key, event.at)
            change = Change(self.db, number, event.at, self.db.value("SELECT level FROM meta"))
            wakes.suppress(change, refused.kind, refused.bot, refused.held)

    def _record(self, event: events.Event, body: str) -> int | None:
        if self.db.value("SELECT 1 FROM events WHERE key = ?", event.key):
            return None
        kind = type(event).__name__
        return self.db.write(
            "INSERT INTO events (key, kind, at, body) VALUES (?, ?, ?, ?)", event.key, kind, event.at, body
        )

    def _is_awaited(self, event: events.Event) -> bool:
        if not isinstance(event, events.Answer):
            return True
        if self.db.value("SELECT kind FROM effects WHERE id = ?", event.effect) not in (event.to, None):
            raise ValueError(f"effect {event.effect} is none that {type(event).__name__} is an answer to")
        # What comes back from something given up is on record as an event, and nothing more.
        came = "UPDATE effects SET state = 'done' WHERE id = ? AND state IN ('pending', 'started') RETURNING 1"
        return bool(self.db.rows(came, event.effect))
