"""Who said what, whom it was for, who read it and which turn lived when: decided from what came in and went out alone.

Only the run log's steps are read, never the core's tables: a Bot has read what stands among the new lines that its
model was given, a tool has run where it was begun outside, a turn lives from its first hop on.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Step = dict[str, Any]
EVERYONE = ("everyone", "所有人")
LEADS_FROM_LEVEL = 2
HOLDS_FROM_LEVEL = 1
ONLY_ANSWERS = "You may only answer this line."
_NEW = re.compile(r"^\[(\d+)\] ", re.MULTILINE)
_SELF = re.compile(r"^You are (.+)\.$", re.MULTILINE)
_FOLDER = re.compile(r"work/(\d+)-")
_PLAN = re.compile(r"^Plan (\d+): ", re.MULTILINE)


@dataclass
class Line:
    """A line of the user: where it was said, its words (all of them, where it was changed), and whom it is for."""

    session: int
    words: list[str]
    at: int
    message: int | None = None
    receivers: set[str] | None = None
    """None where nobody can tell from outside: a name that is shortened, or a lead that changes meanwhile."""
    gone: bool = False
    """Whether it was taken back, or cleared with its session."""


@dataclass
class Turn:
    """A turn of a Bot: its plan where it has one, when it was seen alive, what it read (copy → words), how it ended."""

    number: int
    bot: str
    first: int
    last: int
    plans: set[int] = field(default_factory=set)
    plan_since: int | None = None
    read: dict[int, str] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    """What came back to it for its calls."""
    said: list[str] = field(default_factory=list)
    spoke_last: bool = False
    """Whether it ended with words of its own."""
    open: bool = True
    asked: bool = True
    """Whether something is under way outside for it."""
    may_wait: bool = False
    """Whether it may wait for the user: it has asked, or used what has to be allowed."""
    continues: bool = False
    transcript: str = ""
    """What had been said before, as it was given when it began."""
    only_answers: bool = False
    """Whether it was told that it may only answer."""


@dataclass
class Seen:
    """All that can be told from outside."""

    level: int
    numbered: dict[int, str] = field(default_factory=dict)
    """The Bots; they are numbered in the order in which they were made."""
    asks_first: dict[str, tuple[str, ...]] = field(default_factory=dict)
    retired: set[str] = field(default_factory=set)
    members: dict[int, list[str]] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    leads: dict[int, list[tuple[int, str | None]]] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    turns: dict[int, Turn] = field(default_factory=dict)
    joined: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    """Who judged to step in, by message."""
    judged: set[int] = field(default_factory=set)
    stops: set[int] = field(default_factory=set)
    """The lines that were read as a mere stop: they are for nobody."""
    questions: set[int] = field(default_factory=set)
    """The lines that were read as a mere question how far things are: one Bot is enough for them."""
    judging: set[tuple[int, int]] = field(default_factory=set)
    """Messages and the Bots that have not judged them yet."""
    begun: list[int] = field(default_factory=list)
    """The calls whose tools were begun outside."""
    standing: dict[int, Step] = field(default_factory=dict)
    """The holds that were made and not lifted."""
    interrupted: bool = False
    """Whether the application came up again: then a turn may have ended unseen."""


def seen_in(steps: Iterable[Step], level: int) -> Seen:
    """Read a story's `event` and `effect` steps in order, and of its `act` steps which holds stand."""
    seen = Seen(level)
    asked: dict[int, Step] = {}
    latest: dict[int, int] = {}
    """The newest effect of each turn: what comes back from an older one counts no more."""
    for step in steps:
        if step["kind"] == "effect":
            asked[step["effect"]] = step
            if step["turn"] is not None:
                latest[step["turn"]] = step["effect"]
            _asked(seen, step)
        elif step["kind"] == "event":
            effect = asked.get(step.get("effect", -1))
            if effect is None:
                _happened(seen, step)
            elif effect["turn"] is None or latest[effect["turn"]] == step["effect"]:
                _came(seen, step, effect)
        elif step["kind"] == "act" and step["what"] == "holds":
            seen.standing[step["hold"]] = step
        elif step["kind"] == "act" and step["what"] == "lifts":
            del seen.standing[step["hold"]]
    _decide_receivers(seen)
    return seen


def read_by(seen: Seen, line: Line) -> list[tuple[str, int]]:
    """Which Bots read a line, each with the turn, as often as it stood among what was new."""
    return [
        (turn.bot, turn.number) for turn in seen.turns.values() for words in turn.read.values() if is_of(words, line)
    ]


# ---------------------------------------------------------------- reading the log


def _asked(seen: Seen, step: Step) -> None:
    body = step["body"]
    match step["what"]:
        case "read" if step["subject"].startswith("user words:"):
            message = int(step["subject"].split(":")[1])
            if all(line.message != message for line in seen.lines):
                new = (line for line in seen.lines if line.message is None and line.words[0] == body["line"])
                first = next(new, None)
                if first is not None:
                    first.message = message
        case "judge":
            message = int(step["subject"].split(":")[1])
            seen.judged.add(message)
            seen.judging.add((message, body["bot"]))
        case "run_tool":
            seen.begun.append(body["call"])
            _live(seen, step)
            _works_on(seen.turns[step["turn"]], _FOLDER.match(body["folder"]), step["ms"])
        case "hop":
            _hop(seen, step)


def _hop(seen: Seen, step: Step) -> None:
    text = step["body"]["context"]
    found = _SELF.search(text)
    assert found is not None, "a hop says whose it is"
    turn = seen.turns.setdefault(step["turn"], Turn(step["turn"], found[1], step["ms"], step["ms"]))
    _live(seen, step)
    _works_on(turn, _PLAN.search(text), step["ms"])
    turn.transcript = turn.transcript or text.partition("# Transcript\n")[2].partition("\n\n# ")[0]
    turn.only_answers |= ONLY_ANSWERS in text
    new = text.partition("# New\n")[2].partition("\n\n# Are you stuck?")[0]
    parts = _NEW.split(new)
    for copy, words in zip(parts[1::2], parts[2::2], strict=True):
        turn.read.setdefault(int(copy), words.rstrip("\n"))
        turn.continues |= "Your last segment was cut off." in words
    turn.answers += [str(result["result"]) for result in step["body"]["results"] if result["result"]]


def _works_on(turn: Turn, plan: re.Match[str] | None, at: int) -> None:
    """Note the plan that a turn is seen to work on, by what it is told or by the folder that it works in."""
    if plan is not None:
        turn.plans.add(int(plan[1]))
        turn.plan_since = at if turn.plan_since is None else turn.plan_since


def _live(seen: Seen, step: Step) -> None:
    turn = seen.turns[step["turn"]]
    turn.last, turn.asked = max(turn.last, step["ms"]), True


def _came(seen: Seen, step: Step, effect: Step) -> None:
    match step["what"]:
        case "Read" if effect["subject"].startswith("user words:"):
            _was_read(seen, int(effect["subject"].split(":")[1]), step.get("raw"))
        case "Judged":
            bot = seen.numbered[effect["body"]["bot"]]
            seen.judging.discard((int(effect["subject"].split(":")[1]), effect["body"]["bot"]))
            if _joins(step.get("raw")):
                seen.joined.setdefault(int(effect["subject"].split(":")[1]), []).append((step["effect"], bot))
        case "Hopped":
            turn = seen.turns[effect["turn"]]
            turn.last, turn.asked = max(turn.last, step["ms"]), False
            ends = any(call["name"] == "end_turn" for call in step["calls"])
            names = {call["name"] for call in step["calls"]}
            turn.may_wait = bool(names & {"ask_user", *seen.asks_first.get(turn.bot, ())})
            if step["failure"] is not None or not step["calls"] or ends:
                turn.open = False
            if step["failure"] is None and not step["calls"] and step["text"].strip():
                turn.said.append(step["text"])
                turn.spoke_last = True
        case "Ran":
            turn = seen.turns[effect["turn"]]
            turn.last, turn.asked = max(turn.last, step["ms"]), False


def _happened(seen: Seen, step: Step) -> None:
    match step["what"]:
        case "BotAdded":
            seen.numbered[len(seen.numbered) + 1] = step["name"]
            seen.asks_first[step["name"]] = tuple(step["asks_first"])
        case "BotRetired":
            seen.retired.add(seen.numbered[step["bot"]])
        case "SessionOpened":
            session = len(seen.members) + 1
            seen.members[session] = list(step["members"])
            seen.kinds[session] = step["session"]
        case "LeadSet":
            lead = None if step["bot"] is None else seen.numbered[step["bot"]]
            seen.leads.setdefault(step["session"], []).append((step["ms"], lead))
        case "Line":
            seen.lines.append(Line(step["session"], [step["text"]], step["ms"]))
        case "Edited":
            if step["message"] not in seen.judged or any(line == step["message"] for line, _ in seen.judging):
                seen.questions.discard(step["message"])
            for line in _line(seen, step["message"]):
                line.words.append(step["text"])
        case "Withdrawn":
            for line in _line(seen, step["message"]):
                line.gone = True
        case "SessionCleared" | "SessionDeleted":
            for line in seen.lines:
                line.gone |= line.session == step["session"]
        case "Started":
            seen.interrupted = True
            for turn in seen.turns.values():
                turn.open &= not turn.asked


def _line(seen: Seen, message: int) -> list[Line]:
    return [line for line in seen.lines if line.message == message]


def _was_read(seen: Seen, message: int, raw: str | None) -> None:
    try:
        said = json.loads(raw or "")
    except (ValueError, RecursionError):
        return
    if not isinstance(said, dict):
        return
    if said.get("control") == "stop" and said.get("only") is True:
        seen.stops.add(message)
    if said.get("status") is True:
        seen.questions.add(message)


def _joins(raw: str | None) -> bool:
    try:
        return bool(json.loads(raw or "") == {"join": True})
    except (ValueError, RecursionError):
        return False


# ---------------------------------------------------------------- deciding


def _decide_receivers(seen: Seen) -> None:
    for line in seen.lines:
        if seen.level >= HOLDS_FROM_LEVEL and line.message in seen.stops:
            line.receivers = set()
            continue
        if line.session not in seen.kinds or seen.kinds[line.session] == "files":
            line.receivers = None
            continue
        present = seen.members[line.session]
        if seen.kinds[line.session] == "direct":
            line.receivers = set(present)
            continue
        bots = set(seen.numbered.values())
        named = _named(line.words[0], bots)
        if named is None:
            line.receivers = None
        elif named:
            seen.members[line.session] = list(dict.fromkeys([*present, *(each for each in named if each in bots)]))
            everyone = named & set(EVERYONE)
            line.receivers = set(seen.members[line.session]) if everyone else named & bots
        elif line.message in seen.judged:
            joined = [bot for _, bot in sorted(seen.joined.get(line.message or 0, []))]
            only_one = line.message in seen.questions
            line.receivers = set(joined[:1] if only_one else joined)
        else:
            line.receivers = _lead(seen, line)


def _lead(seen: Seen, line: Line) -> set[str] | None:
    """Who leads a group as the line is delivered; None where that changes so soon that nobody can tell."""
    before = [lead for at, lead in seen.leads.get(line.session, []) if at <= line.at]
    soon = [lead for at, lead in seen.leads.get(line.session, []) if line.at < at <= line.at + 120_000]
    if soon or seen.level < LEADS_FROM_LEVEL or not before or before[-1] is None:
        return None
    return {before[-1]}


def _named(text: str, bots: set[str]) -> set[str] | None:
    """Who is mentioned by a whole name; None where an @ stands before something else."""
    found: set[str] = set()
    for part in text.split("@")[1:]:
        names = [name for name in sorted((*bots, *EVERYONE), key=len, reverse=True) if part.startswith(name)]
        if not names or re.match(r"[\w/\\.-]", part[len(names[0]) : len(names[0]) + 1]):
            return None
        found.add(names[0])
    return None if found and re.search(r"[\w/\\.-]@", text) else found


def is_of(words: str, line: Line) -> bool:
    """Whether what a Bot read among the new is a line as it was said, whatever stands before and behind it."""
    said = re.sub(r" \[attached: [^\]]*\]| \(answer in session \d+\)", "", words)
    return said.startswith("user") and any(said.endswith(f": {each}") for each in line.words)
