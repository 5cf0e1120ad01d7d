"""Nothing that is held acts: told from the run log's `act` steps alone, of which this decides what each hold is over.

From the step that makes a hold until the one that lifts it, a segment under it may not open, speak, or use a tool that
changes anything; a read-only answer may open and speak. Nothing ends a hold but what the user says or does after it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from harness.oracle.holds import Held, Home, Segment

Step = dict[str, Any]
READS = ("read_file", "list_dir", "read_skill", "end_turn", "work_on")
"""Tools that change nothing outside the segment that uses them."""
READING = ("list_", "mcp+read:")
USERS = (
    *("Line", "Edited", "Inserted", "Withdrawn", "BoardEdited", "TicketEdited", "Merged", "Continued", "Answered"),
    "WorkAnswered",
    "PlanRenamed",
    *("Approved", "HoldLifted", "ControlPressed", "WorkResumed"),
)
"""Events by which the user says or does something."""
BY_THE_USER = ("user_text", "user_button")


@dataclass
class Standing:
    """A hold that stands, what it covers besides its scope, whom an older version let go, and what was after it."""

    held: Held
    let_go: frozenset[str]
    made: int
    spoken: bool = False


@dataclass
class Judge:
    """Reads `event` and `act` steps in order, and says what of them ought not to be."""

    home: Home = field(default_factory=lambda: Home({}))
    standing: dict[int, Standing] = field(default_factory=dict)
    _plans: dict[str, str] = field(default_factory=dict)
    _opened: dict[int, int] = field(default_factory=dict)
    """When each segment opened, in steps."""
    _live: set[int] = field(default_factory=set)
    _answers: set[int] = field(default_factory=set)
    """The segments that are read-only answers."""
    _steps: int = 0

    def __post_init__(self) -> None:
        self.home.plans = self._plans

    def take(self, step: Step) -> list[str]:
        """Take one step in; returns what is wrong with it, in words."""
        self._steps += 1
        if step["kind"] == "event":
            if step["what"] in USERS:
                for each in self.standing.values():
                    each.spoken = True
            return []
        match step["what"]:
            case "plan":
                # Out of the reach of a hold on its group once that is deleted (HOLD-97).
                self._plans[str(step["plan"])] = _name(step["session"]) or ""
            case "opens" | "moves":
                return self._opens(step)
            case "ends":
                self._live.discard(step["turn"])
            case "calls" if not _only_reads(step["tool"]):
                return self._acts(step["turn"], f"uses {step['tool']}", answers_too=True)
            case "says":
                return self._acts(step["turn"], "speaks", answers_too=False)
            case "holds":
                self._holds(step)
            case "lifts":
                hold = self.standing.pop(step["hold"])
                return [] if hold.spoken else [f"hold {step['hold']} ends, and the user has said and done nothing"]
        return []

    def _opens(self, step: Step) -> list[str]:
        turn = step["turn"]
        self.home.segments[turn] = Segment(
            _name(step["bot"]) or "", str(step["session"]), _name(step["plan"]), step["ticket"], turn, step["opened_by"]
        )
        self._opened.setdefault(turn, self._steps)
        self._live.add(turn)
        if step["mode"] == "readonly":
            self._answers.add(turn)
        does = "opens" if step["what"] == "opens" else "takes up what is held"
        return self._acts(turn, does, answers_too=False)

    def _acts(self, turn: int, does: str, *, answers_too: bool) -> list[str]:
        if turn not in self.home.segments:
            return []
        answers = turn in self._answers
        if answers and answers_too:
            return [f"turn {turn} only answers, and {does}"]
        over = [] if answers else [hold for hold, each in self.standing.items() if self._is_over(each, turn)]
        return [f"turn {turn} {does} under holds {over}"] if over else []

    def _holds(self, step: Step) -> None:
        let_go = frozenset(str(bot) for bot in step["let_go"])
        if step["hold"] in self.standing:
            self.standing[step["hold"]].let_go = let_go
            return
        held = Held(
            step["scope"], _name(step["bot"]), _name(step["session"]), _name(step["plan"]), step["ticket"], step["turn"]
        )
        if step["source"] in BY_THE_USER:
            held = replace(held, besides=self.home.below(held, self._live))
        self.standing[step["hold"]] = Standing(held, let_go, self._steps)

    def _is_over(self, hold: Standing, turn: int) -> bool:
        segment = self.home.segments[turn]
        if segment.bot in hold.let_go:
            return False
        scope = replace(hold.held, besides=frozenset())
        return (
            self.home.covers(scope, segment)
            or turn in hold.held.besides
            # What its lines would wake: not who works on one already.
            or (segment.opened_by in hold.held.besides and self._opened[turn] > hold.made)
        )


def faults(steps: Iterable[Step]) -> list[str]:
    """What of a story's `event` and `act` steps ought not to be."""
    judge = Judge()
    return [fault for step in steps if step["kind"] in ("event", "act") for fault in judge.take(step)]


def _name(number: int | None) -> str | None:
    return None if number is None else str(number)


def _only_reads(tool: str) -> bool:
    return tool in READS or tool.startswith(READING)
