"""A night as a reader of its report sees it: what people did, what they were answered, and how the operation went."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from harness.runlog import RunLog
from harness.scenario.nights.play import Play
from harness.scenario.nights.story import LOCAL, Claude, Event, Message, Until, User, Wait


class Line(NamedTuple):
    """One thing that happened."""

    at: datetime
    who: str
    did: str
    text: str


def write_course(play: Play, log: RunLog, number: int) -> None:
    """Add a `line` for each thing that happened, in the order in which it did."""
    # A pause is nothing that happens.
    lines = [_told(at, event, answers) for at, event, answers in play.told if not isinstance(event, Until | Wait)]
    for line in sorted([*lines, *_operations(play)], key=lambda each: each.at):
        clock = (line.at + LOCAL).strftime("%H:%M:%S")
        log.add("line", transcript=number, at=clock, who=line.who, where="", did=line.did, text=line.text)


def _told(at: datetime, event: Event, answers: list[str]) -> Line:
    answered = f" → {', '.join(answers)}" if answers else ""
    match event:
        case User():
            return Line(at, "user", "types", event.user)
        case Message():
            return Line(at, "user", "sends", event.message)
        case Claude():
            called = zip(event.calls.items(), answers, strict=False)
            calls = [f"{name} {arguments} → {answer}" for (name, arguments), answer in called]
            return Line(at, "assistant", "says", "\n".join([*calls, event.claude]).strip())
    name, value = _head(event)
    return Line(at, "story", name, f"{value}{answered}")


def _head(event: Event) -> tuple[str, Any]:
    """The key that names an entry of a story, and what it says."""
    name = next(name for name in event.__struct_fields__ if name not in Event.__struct_fields__)
    return name.replace("_", " "), getattr(event, name)


def _operations(play: Play) -> Iterator[Line]:
    for operation in play.operations():
        for step in operation.steps:
            detail = f": {step.detail}" if step.detail else ""
            yield Line(datetime.fromisoformat(step.at), "operation", f"is {step.state}", f"{step.event}{detail}")
