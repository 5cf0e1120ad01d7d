"""What the page shows, as plain values: one `Transcript` for each transcript of the run, the red ones first.

Each block keeps the number of the step it came from. What is derived here are words and states, and doubts:
where the run log speaks against its own verdict.
"""

import shlex
from dataclasses import dataclass, field
from typing import Any

from harness.report import words
from harness.report.bytediff import Side

Step = dict[str, Any]


@dataclass(frozen=True)
class Block:
    """One step of the run log; `said` holds its fields."""

    step: int
    said: Step


@dataclass(frozen=True)
class Left(Block):
    """What tools had read and run, and stays behind."""

    @property
    def lists(self) -> list[tuple[str, str, str, list[str]]]:
        """Title, one of it, many of it, and the list, where there is any."""
        return [(*named, found) for name, *named in words.LEFT if (found := self.said.get(name))]


@dataclass(frozen=True)
class Segment:
    """One class of the ledger; `start` and `width` are shares of the bar in percent."""

    name: str
    bytes: int
    reason: str
    tone: str
    start: float
    width: float


@dataclass(frozen=True)
class Ledger:
    step: int
    segments: list[Segment]
    sum: int
    size: int


@dataclass(frozen=True)
class Item:
    """One utterance; `origin` in words, `step` that of the `turns` or `abandoned` list it stands in."""

    step: int
    role: str
    origin: str
    carried: bool
    text: str
    said: Step


@dataclass(frozen=True)
class Turn:
    number: int
    open: bool
    tokens: int | None
    items: list[Item]


@dataclass(frozen=True)
class Talk:
    """The turns, in chunks (one chunk if the talk is short), and what stands beside them."""

    step: int
    count: int
    chunks: list[list[Turn]]
    startup: Step
    left: list[Item]
    abandoned: list[Item]


@dataclass(frozen=True)
class Difference:
    step: int
    where: str
    source: Side
    candidate: Side | None


@dataclass
class Transcript:
    """All that the run log says of one transcript. A part that the log lacks is None or empty."""

    index: int
    source: Block | None = None
    story: Block | None = None
    ledger: Ledger | None = None
    talk: Talk | None = None
    chain: Block | None = None
    dirty: Block | None = None
    left: Left | None = None
    candidate: Block | None = None
    window: Block | None = None
    wire: Block | None = None
    verdict: Block | None = None
    warnings: list[tuple[int, Step]] = field(default_factory=list)
    checks: list[Block] = field(default_factory=list)
    lines: list[Block] = field(default_factory=list)
    turns: list[Block] = field(default_factory=list)
    """Of a story of rooms: the Bots' turns, what each line came to for each Bot, and every event."""
    woke: list[Block] = field(default_factory=list)
    holds: list[Block] = field(default_factory=list)
    events: list[Block] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    open: bool = False

    @property
    def name(self) -> str:
        return str(_said(self.source, "name") or _said(self.story, "name") or f"transcript {self.index}")

    @property
    def failed(self) -> list[Block]:
        return [check for check in self.checks if not check.said.get("ok")]

    @property
    def doubts(self) -> list[str]:
        """Where the run log speaks against its own green verdict."""
        if _said(self.verdict, "verdict") != "green":
            return []
        found = []
        if self.failed:
            found.append("The log calls this green although a check failed. Do not rely on it.")
        if self.ledger and self.ledger.sum != self.ledger.size:
            found.append("The log calls this green although bytes are unaccounted for. Do not rely on it.")
        return found

    @property
    def state(self) -> str:
        if self.verdict is None:
            return "open"
        return "green" if _said(self.verdict, "verdict") == "green" and not self.doubts else "red"

    @property
    def headline(self) -> str:
        judged = None if self.verdict is None else self.state
        candidate, expected = _said(self.candidate, "verdict"), bool(_said(self.source, "expected"))
        if self.state == "green" and candidate == "carried" and self.reported:
            return words.REPORTED
        return words.headline(judged, candidate, expected, bool(self.failed or self.differences or self.doubts))

    @property
    def reported(self) -> bool:
        """Whether what is shown was carried with `--malformed report`, after a refusal that was expected."""
        return any(check.said.get("name") == "with_report" for check in self.checks)

    @property
    def why(self) -> list[str]:
        return [*(_said(self.verdict, "why") or []), *self.doubts]

    @property
    def refusal(self) -> tuple[str, str]:
        """The code of the reason for refusing, and the sentence after it; either may be empty."""
        code, _, detail = str(_said(self.candidate, "reason") or "").partition(": ")
        return code, detail

    @property
    def passed_by(self) -> list[tuple[str, list[Block]]]:
        """The checks that hold, by who made them, in the order of `words.JUDGES`."""
        good = [check for check in self.checks if check.said.get("ok")]
        makers = dict.fromkeys([*words.JUDGES, *(str(check.said.get("by")) for check in good)])
        groups = [(maker, [check for check in good if check.said.get("by") == maker]) for maker in makers]
        return [(words.JUDGES.get(maker, maker), group) for maker, group in groups if group]

    @property
    def command(self) -> str:
        return _argv(_said(self.source, "command") or _said(self.story, "command"))


@dataclass(frozen=True)
class Run:
    """The whole run. `last` is the last step's number, `torn` whether the log breaks off inside a line."""

    run: Block | None
    end: Block | None
    transcripts: list[Transcript]
    last: int
    torn: bool
    lab: Block | None = None
    incident: Block | None = None
    acceptance: Block | None = None
    drill: Block | None = None
    alert: Block | None = None

    @property
    def command(self) -> str:
        return _argv(_said(self.run, "command"))

    @property
    def thing(self) -> str:
        """What the run judged, one of it: transcripts, or scenarios."""
        return "scenario" if self.command.split()[1:2] == ["run"] else "transcript"

    @property
    def state(self) -> str:
        if self.end is None or self.of_state("open") or not (self.transcripts or self.acceptance or self.drill):
            return "open"
        good = _said(self.end, "verdict") == "green" and _said(self.incident, "verdict") != "differs"
        return "green" if good and not self.doubts else "red"

    @property
    def headline(self) -> str:
        if self.end is None:
            return "This run did not finish"
        if self.acceptance and not self.doubts:
            return words.ACCEPTANCE[str(_said(self.acceptance, "verdict"))]
        if self.drill and not self.doubts:
            return words.DRILL[str(_said(self.drill, "verdict"))]
        if not self.transcripts:
            return "Nothing was judged"
        if self.incident is not None and not self.doubts and _said(self.end, "verdict") == "green":
            return words.INCIDENT[self.incident.said["verdict"]]
        if len(self.transcripts) == 1 and not self.doubts:
            return self.transcripts[0].headline
        if self.doubts:
            return "Not to be relied on"
        return "All green" if self.state == "green" else f"{len(self.of_state('red')):,} red"

    def of_state(self, state: str) -> list[Transcript]:
        return [each for each in self.transcripts if each.state == state]

    @property
    def doubts(self) -> list[str]:
        """Where the last step says otherwise than the steps before it."""
        if self.end is None:
            return []
        found = []
        green, red = _said(self.end, "verdict") == "green", bool(self.of_state("red"))
        red = red or _said(self.acceptance, "verdict") == "NO-GO" or _said(self.drill, "verdict") == "failed"
        if green == red:
            said, seen = ("green", f"a {self.thing} is") if green else ("red", f"no {self.thing} is")
            found.append(f"The last step calls the run {said} although {seen} red. Do not rely on it.")
        if self.of_state("open"):
            found.append(f"The run ended although not every {self.thing} was judged.")
        labels, count = _said(self.end, "labels"), _said(self.end, "red")
        if labels is not None and sum(labels.values()) != count:
            found.append(f"The labels add up to {sum(labels.values())}, and {count} are red. Do not rely on it.")
        return found


def _said(block: Block | None, name: str) -> Any:
    return None if block is None else block.said.get(name)


def _argv(command: Any) -> str:
    return shlex.join(command) if isinstance(command, list) else str(command or "")
