"""One chat whose answers go through the gate: the user's phone, a host that can die, a scripted model, a reviewer.

house = ReviewHouse(folder, Setting(past=["大橘是英短蓝猫。"], names=["大橘"]))
house.outside(lambda: house.say("大橘是什么品种来着？"))
house.world.run()

Whoever acts for the model names no turn: it is the one that the model was given last. What a reader should see goes out
as lines, and oracle and invariants judge by these alone.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Literal

from harness.runlog import RunLog
from harness.world.doubles import SimulatedClock
from harness.world.kernel import Fault, Process, World
from harness.world.past import SlowHistory
from harness.world.phone import Phone, ToolBox, Upstream
from harness.world.review_setting import Lines, Place, Setting
from harness.world.reviewer import ScriptedModels
from threadrebuild.database import open_database
from threadrebuild.review.gate import Doors, open_gate
from threadrebuild.review.history import PastTalk
from threadrebuild.review.paths import app_hook, official_pending
from threadrebuild.review.rollout import PATHS, PROMPT, Rollout, hash_of
from threadrebuild.review.states import ENDS, State
from threadrebuild.review.store import Turn, TurnStore
from threadrebuild.review.tools import Called, Dispatcher

BEFORE = "before"
"""The message id of everything that was said before the story."""
ANOTHER = hash_of("another prompt")
WRITES_MS = 400
"""How long the model writes a text."""


class ReviewHouse:
    """The household; `gate`, `store` and `tools` are those of the host process that runs now."""

    def __init__(
        self,
        folder: Path,
        setting: Setting | None = None,
        seed: int = 0,
        faults: tuple[Fault, ...] = (),
        log: RunLog | None = None,
        number: int = 0,
    ) -> None:
        self.setting = setting or Setting()
        self.world = World(seed, log, faults)
        self.lines = Lines(self.world, log, number)
        self.phone = Phone(self.world, self.lines)
        self.upstream = Upstream(self.world, self.lines)
        self.toolbox = ToolBox(self.world, self.lines, self.upstream, lambda: self.at_work)
        answers = {(label, "review"): verdict for label, verdict in self.setting.reviews.items()}
        pinned = self._pinned("relay")
        self.models = ScriptedModels(self.world, pinned, answers)
        self.given: list[str] = []
        """The system prompts that the model got, one for each turn."""
        self.opinions: dict[str, str] = {}
        """The opinion that the model got, by message id."""
        self.took_ms: dict[str, int] = {}
        """How long the gate took to answer for the text that was handed in last, by message id."""
        self.called: list[str] = []
        """What each tool call came to."""
        self.permits: dict[str, int] = {}
        self.stuck: set[str] = set()
        """Messages that never reach the model."""
        self.at_work = ""
        """The message that the model was given last."""
        self._path = folder / "review.db"
        self._unread: list[tuple[str, str, str]] = []
        self._introduced: dict[str, Sequence[str]] = {}
        self._kept: set[str] = set()
        self._messages = 0
        self._busy = 0
        self.host = self.world.process("host")
        self._open()
        self._furnish()
        self.first_step = self.world.step + 1
        """The first step of the story; those before it are the house being furnished."""

    # ---------------------------------------------------------------- the host

    def start_host(self) -> None:
        """Somebody starts the host again, where it is down."""
        if self.host.alive:
            return
        self.store.database.close()
        self.host = self.world.process("host")
        self._busy = 0
        self.lines.add("host", "starts")
        self._open()
        self._in_host(self._recover)

    def kill_host(self) -> None:
        """The host dies at once."""
        self.lines.add("host", "dies")
        self.world.kill(self.host)

    def try_again(self) -> None:
        """The host's clockwork: what could not be sent is tried again."""

        def deliver() -> None:
            self.gate.deliver()
            self._serve()

        self._in_host(deliver)

    def outside(self, action: Callable[[], object]) -> None:
        """Let somebody outside of every process do something."""
        self.world.start(self.nobody(), action)

    def nobody(self) -> Process:
        """A process that is none of this machine's."""
        return self.world.process("outside", outside=True)

    def quiet(self, seconds: float = 600.0) -> None:
        """Wait until the host has nothing left to do, or is dead."""
        self.world.wait_until(lambda: not self._busy or not self.host.alive, seconds)

    def turn_of(self, message_id: str) -> Turn:
        """The turn of a message. Raises LookupError."""
        return self.store.of_message(message_id)

    # ---------------------------------------------------------------- the user

    def say(self, text: str, label: str = "", path: str = "app hook", introduces: Sequence[str] = ()) -> str:
        """The user sends a message; the phone keeps it until the host has taken it in. Returns its id."""
        self._messages += 1
        message_id = label or str(self._messages)
        self.models.labels[message_id] = label
        self._introduced[message_id] = introduces
        self._unread.append((message_id, path, text))
        self.lines.add("user", "says", text, message_id)
        self._in_host(self._read)
        return message_id

    def stop(self, message_id: str) -> None:
        """The user presses stop."""

        def stop() -> None:
            arrived = [turn.id for turn in self.store.every() if turn.message_id == message_id]
            stopped = any(self.gate.stop(turn) for turn in arrived)
            self.lines.add("user", "stops" if stopped else "stops too late", where=message_id)
            self._serve()

        self._in_host(stop)

    def cancel(self, message_id: str) -> None:
        """A person cancels by hand what hangs."""
        self.stuck.discard(message_id)
        self.stop(message_id)

    def put_up(self, note: str) -> None:
        """The user writes a fridge note."""
        self.lines.add("user", "puts up a note", note)
        self._in_host(lambda: self.store.write_note(note))

    # ---------------------------------------------------------------- the model

    def grant(self, tool: str, name: str) -> None:
        """A call of a tool is permitted, to be made later."""
        self._as_model(lambda turn: self.permits.update({name: self.store.permit(turn.id, tool)}))

    def call(self, tool: str, arguments: str = "", permit: str = "") -> None:
        """The model calls a tool, with a permit granted before or, if there can be one, a new one."""

        def call(turn: Turn) -> None:
            sealed = self.store.is_sealed(turn.id)
            given = self.permits.get(permit) or (0 if sealed else self.store.permit(turn.id, tool))
            done: Called = self.tools.call(turn.id, tool, arguments, given)
            self.called.append(done.outcome)
            self.lines.add("model", f"calls: {done.outcome}", f"{tool} {arguments}", turn.message_id)
            self._serve()

        self._as_model(call)

    def write(self, text: str, did: Literal["drafts", "revises"] = "drafts", goes_on: bool = False) -> None:
        """The model writes a text and hands it in by the message's path; if it passes, the turn ends."""

        def write(turn: Turn) -> None:
            self.world.sleep(WRITES_MS / 1000)
            # A model writes a draft where it was asked for one, and a revision where it got an opinion.
            if self.store.get(turn.id).state is not (State.DRAFTING if did == "drafts" else State.REVISION):
                return
            self.lines.add("model", did, text, turn.message_id)
            given = {"message_id": turn.message_id, "text": text}
            begun = self.world.now
            if turn.path == "app hook":
                opinion = app_hook(self.gate, given).get("reason", "")
            else:
                opinion = official_pending(self.gate, given).get("opinion", "")
            self.took_ms[turn.message_id] = (self.world.now - begun) // timedelta(milliseconds=1)
            if opinion:
                self.opinions[turn.message_id] = opinion
                self.lines.add("gate", "advises", opinion, turn.message_id)
            elif not goes_on:
                self.gate.ended(turn.id)
            self._serve()

        self._as_model(write)

    def end(self) -> None:
        """The model ends its turn."""

        def end(turn: Turn) -> None:
            self.gate.ended(turn.id)
            self._serve()

        self._as_model(end)

    # ---------------------------------------------------------------- within

    def _open(self) -> None:
        step = lambda name: self.world.take_step("database", name)  # noqa: E731
        database = open_database(self._path, "threadrebuild.review", step)
        self.store = TurnStore(database)
        self.past = PastTalk(database)
        self.tools = Dispatcher(self.store, self.toolbox)
        takes, keeps = self.setting.searches_take_ms, self.setting.history_keeps_limit
        self.history = SlowHistory(self.world, self.past, takes, keeps, getattr(self, "searched", []))
        self.searched = self.history.asked
        doors = Doors(self.models, self.history, self.phone, self.upstream, SimulatedClock(self.world))
        self.gate = open_gate(self.store, doors, self._rollout(), self._pinned("review client"))
        self.off = self.gate.off
        self.lines.add("host", "reviews nothing" if self.off else "reviews")

    def _rollout(self) -> Rollout:
        keys = ("search_limit_ms", "search_first_ms", "search_follow_up_ms")
        return Rollout(
            review_prompt_sha256=self._pinned("rollout"),
            review_model=self.setting.model,
            tested={path: ANOTHER if path in self.setting.untested else hash_of(PROMPT) for path in PATHS},
            **dict(zip(keys, self.setting.limit_ms or (), strict=False)),
        )

    def _pinned(self, place: Place) -> str:
        return ANOTHER if place in self.setting.old_hash else hash_of(PROMPT)

    def _furnish(self) -> None:
        for number, text in enumerate(self.setting.past):
            self.past.keep(f"{BEFORE} {number}", text)
        for name in self.setting.names:
            self.past.learn(name, BEFORE)
        for text in self.setting.notes:
            self.store.write_note(text)

    def _in_host(self, action: Callable[[], object]) -> None:
        if not self.host.alive:
            return
        process: Process = self.host
        self._busy += 1

        def act() -> None:
            try:
                action()
            finally:
                if process is self.host:
                    self._busy -= 1

        self.world.start(process, act)

    def _as_model(self, action: Callable[[Turn], object]) -> None:
        def act() -> None:
            if self.at_work:
                action(self.turn_of(self.at_work))

        self._in_host(act)

    def _recover(self) -> None:
        self.gate.recover()
        self._read()

    def _read(self) -> None:
        for message in list(self._unread):
            message_id, path, text = message
            self.world.take_step("inbound", "take", message=message_id)
            self.store.take(message_id, "chat", path, text)
            for name in self._introduced.get(message_id, ()):
                self.past.learn(name, message_id)
            self._unread.remove(message)
        self._serve()

    def _serve(self) -> None:
        """What is over becomes history; what waits is given to the model."""
        for ended in self.store.every(*ENDS):
            if ended.message_id not in self._kept:
                self.past.keep(ended.message_id, "\n".join([ended.said, ended.final or ""]))
                self._kept.add(ended.message_id)
        turn = self.store.next("chat")
        if turn is not None and turn.message_id not in self.stuck:
            self.at_work = turn.message_id
            self.given.append(self.gate.begin(turn.id).system)
