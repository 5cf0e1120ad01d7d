"""The gate between a finished draft and the user: reviewed once, revised at most once, and only then sent.

Both paths come through `finished`. Everything that must survive a crash is a row before it is an act, so that
`recover` can go on from wherever the host went down: what was at work has failed, what was settled goes out, once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from threadrebuild.ports import Clock, History, Mailbox, Models, Outbox, Outcome
from threadrebuild.review.client import Client, Reply
from threadrebuild.review.opinion import opinion_of
from threadrebuild.review.rollout import PATHS, PROMPT_SHA256, Reason, Rollout, why_off
from threadrebuild.review.search import Searches
from threadrebuild.review.speech import Talk, claims, names_in
from threadrebuild.review.states import ENDS, MOVES, RUNNING, State
from threadrebuild.review.store import Turn, TurnStore

TOOLS_FIRST = "要用的工具先用完，再写草稿；草稿里不要承诺「待会去查」。"  # RV-11
"""Has to stand in the persona or system prompt of every turn."""
BEFORE_MOST = 20
"""How many turns back a pronoun may point."""
RESTARTED = "the server was restarted while this turn was at work"
NO_TEXT = "the model ended its turn without a finished text"
UNKNOWN_PATH = "the text came by a path that is not reviewed"


@dataclass(frozen=True, slots=True)
class Given:
    """What the model gets for a turn."""

    system: str
    said: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What becomes of a finished text. `passed`: it goes out when the turn ends; `revise`: it is to be written anew."""

    outcome: Literal["passed", "revise", "over"]
    opinion: str = ""


@dataclass(frozen=True, slots=True)
class Doors:
    """What the gate reaches of the outside."""

    models: Models
    history: History
    outbox: Outbox
    mailbox: Mailbox
    clock: Clock


def open_gate(store: TurnStore, doors: Doors, rollout: Rollout, pinned: str = PROMPT_SHA256) -> "Gate":
    """The gate of a host, with review on where everything agrees. `pinned`: the hash in the adapter's review client."""
    try:
        relay = doors.models.pinned_prompt()
    except OSError:
        relay = ""
    client = Client(doors.models, rollout.review_model)
    return Gate(store, client, doors, tuple(why_off(pinned, rollout, relay)))


@dataclass(frozen=True, slots=True)
class Gate:
    """One host's gate. `off`: why review is not on; then drafts go out as they are."""

    store: TurnStore
    client: Client
    doors: Doors
    off: tuple[Reason, ...] = ()

    def begin(self, turn: int, prompt: str | None = None) -> Given:
        """The turn has reached the model: what it gets. `prompt`: the uuid of its row in the session's record."""
        self.store.begin(turn, prompt)
        return Given(TOOLS_FIRST, self.store.get(turn).said)

    def finished(self, turn: int, text: str) -> Answer:
        """The model has finished a text: a draft, or the revision of one. At any other time it counts for nothing."""
        known = self.store.get(turn)
        if known.state not in (State.DRAFTING, State.REVISION):
            return Answer("over")
        if known.path not in PATHS:
            self.store.fail(turn, UNKNOWN_PATH)
            return Answer("over")
        if known.state is State.REVISION:  # RV-12
            return self._settle(turn, text, revised=True)
        if self.off:
            return self._settle(turn, text)
        return self._review(known, text)

    def ended(self, turn: int) -> bool:
        """The model's turn has ended: its settled text goes out. Returns whether the phone has it now."""
        if self.store.get(turn).state in RUNNING:
            self.store.fail(turn, NO_TEXT)
        return self._send(turn)

    def stop(self, turn: int) -> bool:
        """The user presses stop; returns whether it came in time."""
        with self.store.database.transaction():
            if (self.store.get(turn).state, State.STOPPED) not in MOVES:
                return False
            self.store.move(turn, State.STOPPED, "the user stopped it")
            return True

    def recover(self) -> None:
        """The host is up again: what was at work has failed, what was settled goes out."""
        self.store.fail_running(RESTARTED, self.doors.clock.now())
        for turn in self.store.every(State.FINAL):
            self._send(turn.id)
        self.deliver()

    def deliver(self) -> None:
        """Send what could not be sent yet, and have the mailbox record what was sent."""
        for turn in self.store.every(State.SENDING):
            self._send(turn.id)
        self._commit()

    def _review(self, turn: Turn, draft: str) -> Answer:
        self.store.enter_review(turn.id, draft)
        draft = self.store.get(turn.id).draft or ""
        searches = Searches(self.doors.history, self.doors.clock)
        talk = self._talk(turn)
        forced = claims(draft, talk)
        for claim in forced:  # RV-23
            searches.ask(claim.name)
        notes = self.store.notes()
        reply = self.client.ask(turn.message_id, draft, notes, list(searches.done.values()))
        answered = reply or Reply(problems=[], notes=[], look_up=[])
        asked: list[str] = []
        for question in answered.look_up:  # RV-08
            asked += names_in(question, talk.names)
        for name in asked:
            searches.ask(name)
        violated: list[str] = []
        for number in answered.notes:  # RV-31
            violated.append(notes[number])
        opinion = opinion_of(forced, asked, answered.problems, violated, searches.done)
        with self.store.database.transaction():
            if self.store.get(turn.id).state is not State.REVIEW:
                return Answer("over")
            self.store.reviewed(turn.id, reply is not None, opinion, searches.done.values())
            if opinion:
                self.store.move(turn.id, State.REVISION)
                return Answer("revise", opinion)
        return self._settle(turn.id, draft)

    def _talk(self, turn: Turn) -> Talk:
        before = [text for each in self.store.before(turn, BEFORE_MOST) for text in (each.said, each.final or "")]
        try:
            names = self.doors.history.names()
        except OSError:
            names = {}
        return Talk(turn.message_id, turn.said, before, names)

    def _settle(self, turn: int, text: str, revised: bool = False) -> Answer:
        with self.store.database.transaction():
            if self.store.get(turn).state in ENDS:
                return Answer("over")
            if revised:
                self.store.revised(turn, text)
            self.store.settle(turn, text)
        return Answer("passed")

    def _send(self, turn: int) -> bool:
        with self.store.database.transaction():
            settled = self.store.get(turn)
            if settled.state in ENDS:
                return settled.state is State.SENT
            if settled.state is State.FINAL:
                self.store.begin_sending(settled)
        text = settled.final or ""
        if not _done(lambda: self.doors.outbox.send(settled.message_id, text)):
            return False
        self.store.sent(settled.id, text)
        self._commit()
        return True

    def _commit(self) -> None:
        for entry in self.store.due():
            if _done(partial(self.doors.mailbox.commit, str(entry.id), entry.tool, entry.text)):
                self.store.committed(entry)


def _done(act: Callable[[], Outcome]) -> bool:
    try:
        return act().ok
    except OSError:
        return False
