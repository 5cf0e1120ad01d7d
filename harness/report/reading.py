"""From the steps of a run log to the view: nothing is computed again, and each block keeps its step's number.

Only the order of the transcripts, the chunks of a long talk and the widths of the bar are made here.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from harness.report import words
from harness.report.bytediff import sides
from harness.report.view import Block, Difference, Item, Ledger, Left, Run, Segment, Step, Talk, Transcript, Turn
from harness.runlog import read_begun

LONG_TALK = 50  # turns; longer talks are folded into chunks of as many
OPEN_RED = 3  # so many red transcripts are open from the start
SECTIONS = ("lab", "incident", "acceptance", "drill", "alert")  # kinds that speak of the whole run
STATES = ("red", "open", "green")  # the order on the page; `open` was never judged
# Kinds that are shown field by field.
WHOLE = {"source", "story", "chain", "dirty", "candidate", "window", "wire", "verdict"}
KINDS = WHOLE | {"left", "line", "turn", "woke", "held", "event", "ledger", "turns", "warnings", "check", "difference"}


def read_steps(run: Path) -> tuple[list[Step], bool]:
    """The steps of a run log that may still be being written, and whether its last line is torn."""
    try:
        return read_begun(run)
    except ValueError as wrong:
        raise ValueError(f"{run.name}, {wrong}") from None


def view_of(steps: Sequence[Step], torn: bool = False) -> Run:
    """The run that `steps` tell of. Kinds that this page does not know are ignored."""
    by_index: dict[int, Transcript] = {}
    single: dict[str, Block] = {}
    for step in steps:
        if step["kind"] in ("run", "end", *SECTIONS):
            single[step["kind"]] = Block(step["step"], step)
        elif step["kind"] in KINDS:
            index = step["transcript"]
            _note(by_index.setdefault(index, Transcript(index)), step)
    transcripts = sorted(by_index.values(), key=lambda each: (STATES.index(each.state), each.index))
    for place, each in enumerate(transcripts):
        each.open = len(transcripts) == 1 or (each.state == "red" and place < OPEN_RED)
    last = steps[-1]["step"] if steps else 0
    sections = {name: single.get(name) for name in SECTIONS}
    return Run(single.get("run"), single.get("end"), transcripts, last, torn, **sections)


def _note(transcript: Transcript, step: Step) -> None:
    number = step["step"]
    match step["kind"]:
        case kind if kind in WHOLE:
            setattr(transcript, kind, Block(number, step))
        case "left":
            transcript.left = Left(number, step)
        case "ledger":
            transcript.ledger = _ledger(step)
        case "turns":
            transcript.talk = _talk(step)
        case "warnings":
            transcript.warnings += [(number, warning) for warning in step.get("warnings") or []]
        case "check":
            transcript.checks.append(Block(number, step))
        case "line":
            transcript.lines.append(Block(number, step))
        case "turn":
            transcript.turns.append(Block(number, step))
        case "woke":
            transcript.woke.append(Block(number, step))
        case "held":
            transcript.holds.append(Block(number, step))
        case "event":
            transcript.events.append(Block(number, step))
        case "difference":
            source, candidate = sides(step.get("source") or {}, step.get("candidate"))
            transcript.differences.append(Difference(number, str(step.get("where")), source, candidate))


def _ledger(step: Step) -> Ledger:
    segments: list[Segment] = []
    start, greys = 0.0, 0
    for row in sorted(step.get("classes") or [], key=lambda row: -int(row["bytes"])):
        width = 100 * row["bytes"] / max(step["sum"], 1)
        tone = _tone(row["name"]) or f"grey{greys % 5}"
        greys += tone.startswith("grey")
        reason = row.get("reason") or ""
        segments.append(Segment(row["name"], row["bytes"], reason, tone, round(start, 4), round(width, 4)))
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
