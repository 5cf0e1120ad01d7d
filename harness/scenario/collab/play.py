"""A story of rooms played: its people in their rooms, what it says scheduled, and what is left to look at."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from harness.invariants.collab import Broken
from harness.runlog import RunLog
from harness.scenario.collab import checking, holding, past, scribing
from harness.scenario.collab.answers import check_times, hops_of, label_of, lines_of
from harness.scenario.collab.later import Later, event_of
from harness.scenario.collab.orders import pace, told
from harness.scenario.collab.scene import (
    AddCheck,
    Allow,
    AnswerCard,
    Board,
    BotTurn,
    Checked,
    Clear,
    ConfirmCheck,
    Continue,
    Crash,
    Delete,
    DeleteCheck,
    Edit,
    EditCheck,
    Happening,
    Hold,
    Insert,
    Lead,
    Lift,
    Merge,
    Rename,
    Retire,
    RunChecks,
    Say,
    Scene,
    SeamJudged,
    Stop,
    Until,
    Withdraw,
    span_of,
    time_of,
)
from harness.scenario.collab.script import StoryScript
from harness.scenario.seen import ScenarioFault
from harness.scenario.stories.loading import Story, Unfinished
from harness.world.kernel import Fault
from harness.world.rooms import LOCAL, Rooms, Unscripted
from threadrebuild.collab import events

STEPS_MOST = 3_000
"""More than the longest story takes; each looks at the whole store, so that many more of them take minutes."""
ENDLESS_SECONDS = 1e7
SETTLE_SECONDS = 1e-3


@dataclass(eq=False)
class Played:
    """A story that is over, as expectations look at it."""

    story: Story
    rooms: Rooms
    script: StoryScript
    set_up: int = 0
    """The last step before the story begins."""
    moments: dict[str, sqlite3.Connection] = field(default_factory=dict)
    """The store as it was at the times that expectations name."""
    moment: str = ""
    """At which of them it is looked at; empty for the end."""

    def rows(self, sql: str, *values: Any) -> list[Any]:
        """Look into the store as it is at the end, or was at a time."""
        return (
            self.moments[self.moment].execute(sql, values).fetchall() if self.moment else self.rooms.ask(sql, *values)
        )

    def at(self, moment: str) -> "Played":
        """The story as it was at a time. Raises `ScenarioFault` where it was over by then."""
        if moment not in self.moments:
            raise ScenarioFault(f"the story is over before {moment}; let it go on with `until`")
        until = _moment(moment).timestamp() * 1000
        done = [each for each in self.script.done if each.at <= until]
        aborted = [each for each in self.script.aborted if each.at <= until]
        return replace(self, script=replace(self.script, done=done, aborted=aborted), moment=moment)

    @property
    def now(self) -> int:
        """The time (ms) at which it is looked at."""
        return int(_moment(self.moment).timestamp() * 1000) if self.moment else self.rooms.now()

    @property
    def broken(self) -> list[Broken]:
        """What did not hold while it was played."""
        return self.rooms.watch.broken

    def message(self, label: str) -> int:
        """The message that a label names. Raises KeyError."""
        return next(number for number, each in self.script.messages.items() if each == label)


def play(story: Story, folder: Path, seed: int, log: RunLog, number: int, faults: tuple[Fault, ...] = ()) -> Played:
    """Let a story happen in a new folder. Raises `ScenarioError` for an answer that is missing, or not asked for."""
    scene: Scene = story.scene
    lines = lines_of(story)
    check_times(story)
    nobody = StoryScript(scene.defaults, {}, {})
    rooms = Rooms(folder, nobody, scene.level, seed, log, faults, number, steps_most=STEPS_MOST)
    told_otherwise = bool(faults or story.order)
    script = StoryScript(
        scene.defaults,
        lines,
        hops_of(story),
        checks=checking.results_of(story),
        scribe=scribing.answers_of(story),
        lenient=told_otherwise,
    )
    rooms.script = script
    rooms.pace = pace(rooms, story)
    played = Played(story, rooms, script)
    _set(rooms, scene)
    played.set_up = rooms.world.step
    for moment in dict.fromkeys(at for form in story.expect if (at := getattr(form, "at", None))):
        seconds = (_moment(moment) - rooms.world.now).total_seconds() + SETTLE_SECONDS / 2
        rooms.world.at(seconds, partial(_look, played, moment))
    telling = rooms.world.process("user", outside=True)
    rooms.world.start(telling, partial(_tell, played, log, number))
    rooms.world.run(ENDLESS_SECONDS)
    refused = [] if told_otherwise else [error for _, error in rooms.refused]
    for error in [*refused, *(error for _, error in rooms.world.failures)]:
        if not isinstance(error, Unscripted):
            raise story.error(f"story: {error}", "story") from error
    missing = [str(error) for _, error in rooms.world.failures] or ([] if told_otherwise else script.unused())
    if missing:
        raise Unfinished(story.error(f"story: {missing[0]}", "story"), played)
    return played


def _look(played: Played, moment: str) -> None:
    played.moments[moment] = played.rooms.watch.snapshot()


def _set(rooms: Rooms, scene: Scene) -> None:
    """Make Bots, direct chats and groups, before the story begins."""
    handle, at = rooms.begins_with, rooms.now()
    names = dict.fromkeys([*scene.bots, *(name for room in scene.rooms.values() for name in room)])
    for name in names:
        bot = scene.bots.get(name)
        known = {} if bot is None else msgspec.structs.asdict(bot)
        handle(msgspec.convert({"key": f"bot:{name}", "at": at, "name": name, **known}, events.BotAdded))
        handle(events.SessionOpened(key=f"direct:{name}", at=at, session="direct", title=name, members=(name,)))
    for room, members in scene.rooms.items():
        handle(events.SessionOpened(key=f"group:{room}", at=at, session="group", title=room, members=tuple(members)))
    if scene.engine != "general":
        handle(events.EngineChosen(key="engine", at=at, engine=scene.engine))
    if scene.scribe is not None:
        handle(events.StepSwitched(key="scribe", at=at, step="scribe", on=scene.scribe))
    for name, place in scene.plans.items():
        past.open_plan(rooms, name, place)
    for name, rules in scene.old_rules.items():
        past.write_old_rules(rooms, name, rules)


def _tell(played: Played, log: RunLog, number: int) -> None:
    rooms = played.rooms
    begins = _moment(played.story.scene.begins)
    rooms.world.sleep(max(0.0, (begins - rooms.world.now).total_seconds()))
    for entry in told(played.story):
        if isinstance(entry, Happening):
            if entry.at is not None:
                rooms.world.sleep(max(0.0, (_moment(entry.at) - rooms.world.now).total_seconds()))
            if entry.after is not None:
                rooms.world.sleep(span_of(entry.after))
        if isinstance(entry, Until):
            rooms.world.sleep(max(0.0, (_moment(entry.until) - rooms.world.now).total_seconds()))
        elif not isinstance(entry, BotTurn | Checked | SeamJudged):
            _happen(played, entry)


def _happen(played: Played, entry: Happening) -> None:
    try:
        _HAPPEN[type(entry)](played, entry)
    except (Unscripted, StopIteration):
        # A fault may have ended what would have brought about what this is done to, or it comes before that.
        if not played.script.lenient:
            raise


def _moment(text: str) -> datetime:
    """The time of the story that a text names; its first day is the one after the world begins."""
    midnight = datetime(2026, 8, 15, tzinfo=UTC) - LOCAL
    return midnight + timedelta(seconds=time_of(text))


def _say(played: Played, line: Say) -> None:
    rooms = played.rooms
    label = label_of(line)
    session = _session(rooms, line)
    replied = played.message(line.reply_to) if line.reply_to is not None else None

    def make(key: str, at: int) -> events.Event:
        return events.Line(
            key=f"line:{label}", at=at, session=session, text=line.say, files=tuple(line.attach), reply_to=replied
        )

    taken = rooms.does(make, partial(_note_label, played, label))
    rooms.world.wait_until(lambda: taken[0], ENDLESS_SECONDS)


def _note_label(played: Played, label: str) -> None:
    found = played.rooms.ask(
        "SELECT m.id FROM messages m JOIN events e ON e.seq = m.seq WHERE e.key = ?", f"line:{label}"
    )
    if found:
        played.script.messages[found[0][0]] = label


def _lead(played: Played, entry: Lead) -> None:
    rooms = played.rooms
    session = rooms.ask("SELECT id FROM sessions WHERE title = ? AND kind = 'group'", entry.room)[0][0]
    bot = rooms.ask("SELECT id FROM bots WHERE name = ?", entry.lead)[0][0] if entry.lead else None
    rooms.does(lambda key, at: events.LeadSet(key=key, at=at, session=session, bot=bot, confirmed=True))
    rooms.world.sleep(SETTLE_SECONDS)


def _answer(played: Played, entry: AnswerCard) -> None:
    work = played.rooms.ask(
        "SELECT card FROM work_questions WHERE instr(question, ?) ORDER BY id DESC LIMIT 1", entry.answer
    )
    for (card,) in work:
        played.rooms.does(partial(_keyed, partial(events.WorkAnswered, message=card, body=entry.words)))
        played.rooms.world.sleep(SETTLE_SECONDS)
    if work:
        return
    for card in _cards(played, "ask", entry.answer):
        said = partial(events.Answered, ask=card, chosen=tuple(entry.chosen), words=entry.words)
        played.rooms.does(partial(_keyed, said))
        played.rooms.world.sleep(SETTLE_SECONDS)


def _allow(played: Played, entry: Allow) -> None:
    for card in _cards(played, "approval", entry.allow):
        said = partial(events.Approved, ask=card, allowed=entry.may)
        played.rooms.does(partial(_keyed, said))
        played.rooms.world.sleep(SETTLE_SECONDS)


def _keyed(make: Callable[..., events.Event], key: str, at: int) -> events.Event:
    return make(key=key, at=at)


def _cards(played: Played, kind: str, shown: str) -> list[int]:
    """The newest open card that shows a text; none under faults, which may have ended what would have asked.

    Raises `Unscripted` where nobody asks otherwise.
    """
    found = played.rooms.ask(
        "SELECT id FROM asks WHERE kind = ? AND instr(question, ?) AND answer IS NULL AND closed = 0 ORDER BY id DESC",
        kind,
        shown,
    )
    if not found and not played.script.lenient:
        raise Unscripted(f"no open card shows {shown!r}")
    return [int(card) for (card,) in found[:1]]


def _continue(played: Played, entry: Continue) -> None:
    rooms = played.rooms
    turn = rooms.ask(
        "SELECT max(t.id) FROM turns t JOIN bots b ON b.id = t.bot WHERE b.name = ? AND t.trigger_message = ?",
        entry.by,
        played.message(entry.line),
    )[0][0]
    rooms.does(lambda key, at: events.Continued(key=key, at=at, turn=turn))
    rooms.world.sleep(SETTLE_SECONDS)


def _after_it_was_said(played: Played, entry: Later) -> None:
    played.rooms.does(event_of(played.rooms, entry, played.message))
    played.rooms.world.sleep(SETTLE_SECONDS)


def _stop_or_hold(played: Played, entry: Stop | Hold | Lift) -> None:
    played.rooms.does(holding.event_of(played.rooms, entry, played.message))
    played.rooms.world.sleep(SETTLE_SECONDS)
    if isinstance(entry, Hold) and entry.kept:
        holding.keep(played.rooms)


def _check(played: Played, entry: checking.Doing) -> None:
    played.rooms.does(checking.event_of(played.rooms, entry))
    played.rooms.world.sleep(SETTLE_SECONDS)


def _crash(played: Played, entry: Crash) -> None:
    del entry
    played.rooms.kill()


_HAPPEN: dict[type, Callable[[Played, Any], None]] = {
    Say: _say,
    Lead: _lead,
    AnswerCard: _answer,
    Allow: _allow,
    Continue: _continue,
    Edit: _after_it_was_said,
    Withdraw: _after_it_was_said,
    Insert: _after_it_was_said,
    Clear: _after_it_was_said,
    Delete: _after_it_was_said,
    Retire: _after_it_was_said,
    Board: _after_it_was_said,
    Rename: _after_it_was_said,
    Merge: _after_it_was_said,
    Stop: _stop_or_hold,
    Hold: _stop_or_hold,
    Lift: _stop_or_hold,
    AddCheck: _check,
    EditCheck: _check,
    ConfirmCheck: _check,
    DeleteCheck: _check,
    RunChecks: _check,
    Crash: _crash,
    Happening: lambda played, entry: None,
}
"""What each entry does; a mere `Happening` waits for its time."""


def _session(rooms: Rooms, line: Say) -> int:
    kind, title = ("group", line.room) if line.room is not None else ("direct", line.bot)
    return int(rooms.ask("SELECT id FROM sessions WHERE kind = ? AND title = ?", kind, title)[0][0])
