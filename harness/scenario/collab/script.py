"""Who answers for models and tools in a story: each answer stands with what it answers, and serves nothing else."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from harness.scenario.collab import checking, scribing
from harness.scenario.collab.scene import CALL_KEYS, Defaults, Filed, Hop, Reading, Say, Words, span_of
from harness.world.rooms import Reply, Rooms, Unscripted, plain
from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect

ARGUMENT = {"shell": "command", "read_file": "path", "write_file": "path", "list_dir": "path"}
"""What a scripted tool's text is an argument for."""
HOP_SECONDS = 10.0
TOOL_SECONDS = 1.0
HASH_SECONDS = 1.0
JUDGE_SECONDS = 1.0
WORDS_SECONDS = 1.0
ORGANIZER_SECONDS = 2.0
AGAIN = " (again)"
"""Behind the label of the line that opened a turn: the next turn that it opens."""
EACH = "*"
"""Instead of such a label: every turn of the Bot that has no answers of its own."""
NOTHING = 0
"""A number that nothing has."""
NO_ANSWER = ("timeout", "no model", "error")


@dataclass(frozen=True, slots=True)
class Done:
    """A tool that really ran: when (ms), whose turn, which tool with what, and whether it changes anything."""

    at: int
    turn: int
    tool: str
    what: str


@dataclass(frozen=True, slots=True)
class Aborted:
    """Something under way outside that was ended: when (ms), how, and the effect that it was begun for."""

    at: int
    how: str
    effect: int


@dataclass(eq=False)
class StoryScript:
    """The answers of one story."""

    defaults: Defaults
    lines: dict[str, Say]
    """By label."""
    hops: dict[tuple[str, str], list[Hop]]
    """By Bot and the label of the line that opened its turn."""
    checks: dict[str, list[Any]] = field(default_factory=dict)
    """What the runs of each check come to."""
    scribe: dict[scribing.Key, Any] = field(default_factory=dict)
    """What the scribe answers to what."""
    messages: dict[int, str] = field(default_factory=dict)
    """The label of each message of the user."""
    lenient: bool = False
    """Whether what the story has no answer to is answered with nothing: where faults or another order of events change
    what is asked. Models then choose a number that nothing has where what they were to choose is not there."""
    scribed: set[scribing.Key] = field(default_factory=set)
    used: set[tuple[str, str, int]] = field(default_factory=set)
    done: list[Done] = field(default_factory=list)
    aborted: list[Aborted] = field(default_factory=list)

    def reply(self, rooms: Rooms, effect: Effect) -> Reply:
        """The answer to an effect. Raises `Unscripted` where the story has none."""
        return _ANSWERS[effect.kind](self, rooms, effect)

    def unused(self) -> list[str]:
        """The answers that nobody asked for, in words."""
        return (
            [
                f"{bot} was never asked for hop {number + 1} of the turn that {label!r} opens"
                for (bot, label), hops in self.hops.items()
                if label != EACH
                for number in range(len(hops))
                if (bot, label, number) not in self.used
            ]
            + [
                f"{name!r} was never run for the time {number + 1}"
                for name, results in self.checks.items()
                for number in range(len(results))
                if ("check", name, number) not in self.used
            ]
            + [
                f"the scribe was never asked about {key[1]!r} ({key[0]} {key[2] + 1})"
                for key in self.scribe
                if key not in self.scribed
            ]
        )

    # ---------------------------------------------------------------- by kind

    def read(self, rooms: Rooms, effect: Effect) -> Reply:
        """A reading of a line: what it means, or what it is about."""
        reads, _, rest = effect.subject.partition(":")
        if reads == "Bot words":
            return self._read_words(rooms, effect)
        if reads == "large job":
            return self._read_size(rooms, effect)
        message = rest.partition(":")[0]
        line = self.lines[self._label(rooms, int(message))]
        answer: Reading | Filed
        if reads == "user words":
            answer = self.defaults.read if line.read is None else line.read
        else:
            answer = self.defaults.files if line.files is None else line.files
        seconds = span_of(line.reads_in)
        limit = effect.body["limit_ms"] / 1000
        if answer == "timeout" or seconds > limit:
            return Reply(limit, lambda key, at: events.Read(key=key, at=at, effect=effect.id, failure="timeout"))
        if answer in NO_ANSWER:
            return Reply(0.0, lambda key, at: events.Read(key=key, at=at, effect=effect.id, failure=str(answer)))
        raw = "{" if answer == "unreadable" else plain(self._raw(effect, answer))
        return Reply(seconds, lambda key, at: events.Read(key=key, at=at, effect=effect.id, raw=raw, model="reader"))

    def _read_size(self, rooms: Rooms, effect: Effect) -> Reply:
        """A reading of whether a line wants a large job."""
        line = self.lines.get(self._label(rooms, effect.body["message"]))
        answer = self.defaults.large if line is None or line.large is None else line.large
        if answer == "timeout":
            limit = effect.body["limit_ms"] / 1000
            return Reply(limit, lambda key, at: events.Read(key=key, at=at, effect=effect.id, failure="timeout"))
        raw = "{" if answer == "unreadable" else plain({"large": answer})
        return Reply(
            WORDS_SECONDS, lambda key, at: events.Read(key=key, at=at, effect=effect.id, raw=raw, model="reader")
        )

    def _read_words(self, rooms: Rooms, effect: Effect) -> Reply:
        """A reading of a Bot's words, as the hop says in which they were said, or the call that asks."""
        hops = [each for each in self._hops(*self._turn(rooms, effect.turn)) if _says(each, effect.body["line"])]
        answer = next((each.words for each in hops if each.words is not None), self.defaults.words)
        nod = next((call["nod"] for each in hops for call in each.calls if "nod" in call), None)
        if isinstance(nod, bool):
            answer = Words(nod=nod)
        elif nod is not None:
            answer = nod
        if answer == "timeout":
            limit = effect.body["limit_ms"] / 1000
            return Reply(limit, lambda key, at: events.Read(key=key, at=at, effect=effect.id, failure="timeout"))
        if answer in NO_ANSWER:
            return Reply(0.0, lambda key, at: events.Read(key=key, at=at, effect=effect.id, failure=str(answer)))
        raw = plain(msgspec.to_builtins(answer)) if isinstance(answer, Words) else "{"
        return Reply(WORDS_SECONDS, lambda key, at: events.Read(key=key, at=at, effect=effect.id, raw=raw))

    def judge(self, rooms: Rooms, effect: Effect) -> Reply:
        """Whether a Bot steps in."""
        line = self.lines[self._label(rooms, int(effect.subject.split(":")[1]))]
        name = rooms.ask("SELECT name FROM bots WHERE id = ?", effect.body["bot"])[0][0]
        answer = line.judge.get(name, self.defaults.judge)
        if answer == "fails":
            return Reply(
                JUDGE_SECONDS, lambda key, at: events.Judged(key=key, at=at, effect=effect.id, failure="error")
            )
        raw = {"join": plain({"join": True}), "look_on": plain({"join": False})}.get(answer, answer)
        return Reply(JUDGE_SECONDS, lambda key, at: events.Judged(key=key, at=at, effect=effect.id, raw=raw))

    def hop(self, rooms: Rooms, effect: Effect) -> Reply:
        """What a Bot's model answers."""
        name, label = self._turn(rooms, effect.turn)
        number = effect.body["hop"] - 1
        hops = self._hops(name, label)
        hop = hops[number] if number < len(hops) else self.defaults.hop
        if hop is None and rooms.ask("SELECT 1 FROM bounces WHERE turn = ?", effect.turn):
            hop = self.defaults.bounced
        if hop is None and self.lenient:
            hop = Hop()
        if hop is None:
            raise Unscripted(f"{name} has no hop {number + 1} for the turn that {label!r} opened")
        self.used.add((name, label, number))
        calls = tuple(self._call(rooms, each, effect.turn) for each in hop.calls)
        seconds = span_of(hop.takes) if hop.takes else HOP_SECONDS

        def make(key: str, at: int) -> events.Event:
            return events.Hopped(
                key=key, at=at, effect=effect.id, text=hop.text, calls=calls, failure=hop.fails, cost=hop.cost
            )

        return Reply(seconds, make)

    def organize(self, rooms: Rooms, effect: Effect) -> Reply:
        """What the organizer has to add."""
        raw = plain(self.defaults.organizer)
        return Reply(ORGANIZER_SECONDS, lambda key, at: events.Organized(key=key, at=at, effect=effect.id, raw=raw))

    def scribes(self, rooms: Rooms, effect: Effect) -> Reply:
        """What the scribe says of words of the user."""
        label = self._label(rooms, scribing.line_of(rooms, effect))
        key = scribing.key_of(rooms, effect, label, [card for kind, card, _ in self.scribe if kind == "card"])
        self.scribed.add(key)
        return scribing.reply(effect, self.scribe.get(key, self.defaults.scribe), self.lenient)

    def check(self, rooms: Rooms, effect: Effect) -> Reply:
        """What a run of an acceptance check comes to."""
        name = checking.asked_of(effect)
        number = sum(name == each for kind, each, _ in self.used if kind == "check")
        results = self.checks.get(name, [])
        result = results[number] if number < len(results) else self.defaults.check
        if result is None and self.lenient:
            result = "error"
        if result is None:
            raise Unscripted(f"nothing is said of run {number + 1} of the check of {name!r}")
        self.used.add(("check", name, number))
        return checking.reply(effect, result)

    def hash_files(self, rooms: Rooms, effect: Effect) -> Reply:
        """What the bytes of files are, as they lie in the workspace once the answer comes."""

        def make(key: str, at: int) -> events.Event:
            return events.Hashed(key=key, at=at, effect=effect.id, files=rooms.workspace.hashes(effect.body))

        return Reply(HASH_SECONDS, make)

    def kill(self, rooms: Rooms, effect: Effect) -> Reply:
        """Something under way outside is ended: what it would still have done is not done."""
        asked = effect.body
        rooms.stop(asked["effect"])
        self.aborted.append(Aborted(rooms.now(), asked["how"], asked["effect"]))
        takes, left = rooms.commands.end(asked["effect"], rooms.now(), asked.get("grace_ms", 0))
        return Reply(takes / 1000, lambda key, at: events.Killed(key=key, at=at, effect=effect.id, left=tuple(left)))

    def run_tool(self, rooms: Rooms, effect: Effect) -> Reply:
        """What a tool does and gives."""
        ((hop, ord_),) = rooms.ask("SELECT hop, ord FROM calls WHERE id = ?", effect.body["call"])
        hops = self._hops(*self._turn(rooms, effect.turn))
        written = hops[hop - 1].calls[ord_] if hop <= len(hops) else {}
        what = str(next(iter(effect.body["arguments"].values()), ""))
        writes = written.get("writes", [what] if effect.body["tool"] == "write_file" else [])
        assert effect.turn is not None
        turn = effect.turn

        def does() -> None:
            self.done.append(Done(rooms.now(), turn, effect.body["tool"], what))
            for path in writes:
                content = effect.body["arguments"].get("content", f"{path}, by call {effect.body['call']}")
                rooms.workspace.write(path, str(content))

        def make(key: str, at: int) -> events.Event:
            return events.Ran(
                key=key,
                at=at,
                effect=effect.id,
                ok=not written.get("fails", False),
                output=str(written.get("output", "")),
                errors=str(written.get("errors", "")),
                exit_code=int(written.get("exit_code", 1 if written.get("fails") else 0)),
                duration_ms=int(seconds * 1000),
                written=tuple(writes),
            )

        seconds = span_of(str(written["takes"])) if "takes" in written else TOOL_SECONDS
        processes = {what: "polite", **written.get("spawns", {})} if effect.body["tool"] == "shell" else {}
        return Reply(seconds, None if written.get("hangs") else make, does, processes)

    # ---------------------------------------------------------------- what answers name

    def _hops(self, name: str, label: str) -> list[Hop]:
        return self.hops.get((name, label)) or self.hops.get((name, EACH), [])

    def _turn(self, rooms: Rooms, turn: int | None) -> tuple[str, str]:
        """A turn's Bot, and the label of the line that opened it; without a line, the words that did."""
        ((name, message, words, later),) = rooms.ask(
            "SELECT b.name, t.trigger_message, i.text, (SELECT count(*) FROM turns e WHERE e.bot = t.bot"
            " AND e.id < t.id AND e.trigger_message = t.trigger_message) FROM turns t JOIN bots b ON b.id = t.bot"
            " LEFT JOIN inbox_items i ON i.id = t.trigger_item WHERE t.id = ?",
            turn,
        )
        if message is None:
            return name, str(words)
        return name, self._label(rooms, message) + (AGAIN if later else "")

    def _label(self, rooms: Rooms, message: int | None) -> str:
        """The label of the line of the user that a message is; of another message its own text."""
        if message in self.messages:
            return self.messages[message]
        found = rooms.ask("SELECT text FROM messages WHERE id = ?", message)
        return str(found[0][0]) if found else ""

    def _call(self, rooms: Rooms, written: dict[str, Any], turn: int | None) -> events.Call:
        """A call as a Bot's model makes it: what the story calls by name, the model has read the number of."""
        name = next(iter(written))
        value = written[name]
        arguments = dict(value) if isinstance(value, dict) else {ARGUMENT.get(name, "text"): value}
        arguments |= {key: each for key, each in written.items() if key != name and key not in CALL_KEYS}
        for key, table in (("plan", "plans WHERE name"), ("session", "sessions WHERE title")):
            if isinstance(arguments.get(key), str):
                arguments[key] = self._number(rooms, f"SELECT max(id) FROM {table} = ?", arguments[key])
        if isinstance(arguments.get("ticket"), int) and "plan" in arguments:
            known = "SELECT id FROM tickets WHERE plan = ? AND number = ?"
            arguments["ticket"] = self._number(rooms, known, arguments["plan"], arguments["ticket"])
        if "quote" in arguments:
            label = arguments.pop("quote")
            said = (number for number, each in self.messages.items() if each == label)
            arguments["quote_message_id"] = next(said, NOTHING) if self.lenient else next(said)
        if isinstance(arguments.get("inbox"), dict):
            arguments["inbox"] = [self._settled(rooms, turn, *each) for each in arguments["inbox"].items()]
        return events.Call(name, arguments)

    def _settled(self, rooms: Rooms, turn: int | None, label: str, said: str | dict[str, str]) -> dict[str, Any]:
        """What became of a line that a turn has read, as its Bot says it: `done`, or `{ state, reason }`."""
        message = next((number for number, each in self.messages.items() if each == label), NOTHING)
        found = rooms.ask("SELECT max(id) FROM inbox_items WHERE message = ? AND read_by_turn = ?", message, turn)
        return {"id": found[0][0] or NOTHING, **({"state": said} if isinstance(said, str) else said)}

    def _number(self, rooms: Rooms, sql: str, *named: Any) -> Any:
        found = rooms.ask(sql, *named)
        if found and found[0][0] is not None:
            return found[0][0]
        if self.lenient:
            return NOTHING
        raise Unscripted(f"a Bot is to choose {named}, and there is none of that name")

    def _raw(self, effect: Effect, answer: Reading | Filed) -> dict[str, Any]:
        if isinstance(answer, Reading):
            return {
                "control": answer.control,
                "only": answer.only,
                "status": answer.status,
                "faults": answer.faults,
                "releases": answer.releases,
            }
        kinds = {"new": "new_work", "spot": "on_the_spot", "unclear": "unclear"}
        if isinstance(answer, str) and answer in kinds:
            return {"kind": kinds[answer]}
        shown = {plan["name"]: plan for plan in effect.body["candidates"]}
        named = [answer] if isinstance(answer, str) else answer
        return {"kind": "plans", "about": [about for each in named for about in self._about(each, shown)]}

    def _about(self, written: str | dict[str, Any], shown: dict[str, Any]) -> list[dict[str, Any]]:
        try:
            return [_about(written, shown)]
        except Unscripted:
            if self.lenient:
                return []
            raise


def _says(hop: Hop, words: str) -> bool:
    """Whether words stand in a hop: as what it says, or in one of its calls."""
    return words in (hop.text, hop.text.strip()) or any(words in str(call) for call in hop.calls)


def _name(written: str | dict[str, Any]) -> str:
    return written if isinstance(written, str) else str(written["plan"])


def _about(written: str | dict[str, Any], shown: dict[str, Any]) -> dict[str, Any]:
    named = {"plan": written} if isinstance(written, str) else written
    plan = shown.get(_name(written))
    if plan is None:
        raise Unscripted(f"the line was to be filed to {named['plan']!r}; the reading is shown {sorted(shown)}")
    about: dict[str, Any] = {"plan": plan["id"]}
    if "ticket" in named:
        numbers = {each["number"]: each["id"] for each in plan["tickets"]}
        if named["ticket"] not in numbers:
            raise Unscripted(
                f"the line was to be filed to ticket {named['ticket']} of {named['plan']!r}: there is none"
            )
        about["ticket"] = numbers[named["ticket"]]
    if "parts" in named:
        about["parts"] = named["parts"]
    return about


_ANSWERS: dict[str, Callable[[StoryScript, Rooms, Effect], Reply]] = {
    "read": StoryScript.read,
    "judge": StoryScript.judge,
    "hop": StoryScript.hop,
    "run_tool": StoryScript.run_tool,
    "organizer": StoryScript.organize,
    "kill": StoryScript.kill,
    "run_check": StoryScript.check,
    "scribe": StoryScript.scribes,
    "judge_joint": StoryScript.check,
    "hash_files": StoryScript.hash_files,
}
