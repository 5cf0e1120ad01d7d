"""What the page shows, as plain values: one `Transcript` for each transcript of the run, the red ones first.

Everything is taken from the run log as it stands; each block keeps the number of the step it came from. Only
the order, the widths of the bar and the words are made here.
"""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.report import words
from harness.report.bytediff import Side, sides

Step = dict[str, Any]

LONG_TALK = 50  # turns; longer talks are folded into chunks of as many
OPEN_RED = 3  # so many red transcripts are open from the start
STATES = ("red", "open", "green")  # the order on the page; `open` was never judged


@dataclass(frozen=True)
class Block:
    """One step of the run log; `said` holds its fields."""

    step: int
    said: Step


@dataclass(frozen=True)
class Segment:
    """One class of the ledger; `start` and `width` are shares of the bar in percent."""

    name: str
    bytes: int
    lines: int | None
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
    ledger: Ledger | None = None
    talk: Talk | None = None
    chain: Block | None = None
    dirty: Block | None = None
    left: Block | None = None
    candidate: Block | None = None
    verdict: Block | None = None
    warnings: list[tuple[int, Step]] = field(default_factory=list)
    checks: list[Block] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    open: bool = False

    @property
    def name(self) -> str:
        return str(_said(self.source, "name") or f"transcript {self.index}")

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
        return words.headline(judged, _said(self.candidate, "verdict"), bool(_said(self.source, "expected")))

    @property
    def why(self) -> list[str]:
        return [*(_said(self.verdict, "why") or []), *self.doubts]

    @property
    def passed_by(self) -> list[tuple[str, list[Block]]]:
        """The checks that hold, by who made them, in the order of `words.JUDGES`."""
        good = [check for check in self.checks if check.said.get("ok")]
        makers = dict.fromkeys([*words.JUDGES, *(str(check.said.get("by")) for check in good)])
        groups = [(maker, [check for check in good if check.said.get("by") == maker]) for maker in makers]
        return [(words.JUDGES.get(maker, maker), group) for maker, group in groups if group]

    @property
    def command(self) -> str:
        return _argv(_said(self.source, "command"))


@dataclass(frozen=True)
class Run:
    """The whole run. `last` is the last step's number, `torn` whether the log breaks off inside a line."""

    run: Block | None
    end: Block | None
    transcripts: list[Transcript]
    last: int
    torn: bool

    @property
    def command(self) -> str:
        return _argv(_said(self.run, "command"))

    def of_state(self, state: str) -> list[Transcript]:
        return [each for each in self.transcripts if each.state == state]

    @property
    def doubts(self) -> list[str]:
        """Where the last step says otherwise than the steps before it."""
        if self.end is None:
            return []
        found = []
        if _said(self.end, "verdict") == "green" and self.of_state("red"):
            found.append("The last step calls the run green although a transcript is red. Do not rely on it.")
        if self.of_state("open"):
            found.append("The run ended although not every transcript was judged.")
        return found


def view_of(steps: Sequence[Step], torn: bool = False) -> Run:
    """The run that `steps` tell of. Kinds that this page does not know are ignored."""
    by_index: dict[int, Transcript] = {}
    single: dict[str, Block] = {}
    for step in steps:
        index = step.get("transcript")
        if isinstance(index, int):
            _note(by_index.setdefault(index, Transcript(index)), step)
        elif step["kind"] in ("run", "end"):
            single[step["kind"]] = Block(step["step"], step)
    transcripts = sorted(by_index.values(), key=lambda each: (STATES.index(each.state), each.index))
    for place, each in enumerate(transcripts):
        each.open = len(transcripts) == 1 or (each.state == "red" and place < OPEN_RED)
    last = steps[-1]["step"] if steps else 0
    return Run(single.get("run"), single.get("end"), transcripts, last, torn)


def _note(transcript: Transcript, step: Step) -> None:
    number = step["step"]
    match step["kind"]:
        case "source" | "chain" | "dirty" | "left" | "candidate" | "verdict" as kind:
            setattr(transcript, kind, Block(number, step))
        case "ledger":
            transcript.ledger = _ledger(step)
        case "turns":
            transcript.talk = _talk(step)
        case "warnings":
            transcript.warnings += [(number, warning) for warning in step.get("warnings") or []]
        case "check":
            transcript.checks.append(Block(number, step))
        case "difference":
            source, candidate = sides(step.get("source") or {}, step.get("candidate"))
            transcript.differences.append(Difference(number, str(step.get("where")), source, candidate))


def _ledger(step: Step) -> Ledger:
    segments: list[Segment] = []
    start, greys = 0.0, 0
    for row in step.get("classes") or []:
        width = 100 * row["bytes"] / max(step["sum"], 1)
        tone = _tone(row["name"]) or f"grey{greys % 5}"
        greys += tone.startswith("grey")
        lines, reason = row.get("lines"), row.get("reason") or ""
        segments.append(
            Segment(row["name"], row["bytes"], lines, reason, tone, round(start, 4), round(width, 4))
        )
        start += width
    return Ledger(step["step"], segments, step["sum"], step["size"])


def _tone(name: str) -> str:
    if name.startswith(("carried", "startup")):
        return name[:7]
    return "bad" if name.startswith(("unreadable", "malformed", "torn")) else ""


def _talk(step: Step) -> Talk:
    number = step["step"]
    turns = [
        Turn(turn["number"], bool(turn.get("open")), turn.get("tokens"), _items(number, turn["items"]))
        for turn in step.get("turns") or []
    ]
    return Talk(
        step=number,
        count=len(turns),
        chunks=[turns[at : at + LONG_TALK] for at in range(0, len(turns), LONG_TALK)],
        startup=step.get("startup") or {},
        left=[item for turn in turns for item in turn.items if not item.carried],
        abandoned=_items(number, step.get("abandoned") or []),
    )


def _items(number: int, items: Iterable[Step]) -> list[Item]:
    return [
        Item(
            step=number,
            role=str(item.get("role")),
            origin=words.ORIGINS.get(item.get("origin") or "", str(item.get("origin") or "")),
            carried=bool(item.get("carried")),
            text=str(item["text"]),
            said=item,
        )
        for item in items
    ]


def _said(block: Block | None, name: str) -> Any:
    return None if block is None else block.said.get(name)


def _argv(command: Any) -> str:
    return shlex.join(command) if isinstance(command, list) else str(command or "")
