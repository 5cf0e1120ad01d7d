"""What must be true of a reviewed chat, read off the lines of its run log alone: who said, wrote, saw and ran what.

Shares nothing with the gate. A turn under review is sealed from the moment its draft was handed in, whoever records it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Course:
    """What the lines say about one message: the texts written for it, what was seen, called and pressed, in order."""

    message: str
    wrote: list[tuple[int, str]] = field(default_factory=list)
    saw: list[tuple[int, str]] = field(default_factory=list)
    ran: list[tuple[int, str]] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    stopped: int | None = None
    failed: int | None = None
    advised: list[int] = field(default_factory=list)
    sealed: int | None = None
    """The line at which its draft was handed in, where review is on."""


def courses_of(steps: Sequence[dict[str, Any]]) -> dict[str, Course]:
    """The course of every message, by its id."""
    found: dict[str, Course] = {}
    reviews = True
    for at, step in enumerate(steps):
        if step["kind"] == "line" and step["who"] == "host":
            reviews = {"reviews": True, "reviews nothing": False}.get(step["did"], reviews)
        if step["kind"] != "line" or step["who"] == "mailbox" or not step["where"]:
            continue
        course = found.setdefault(step["where"], Course(step["where"]))
        match step["who"], step["did"]:
            case "model", "drafts" | "revises":
                course.wrote.append((at, step["text"]))
                course.sealed = at if reviews and course.sealed is None else course.sealed
            case "phone", "shows":
                course.saw.append((at, step["text"]))
            case "tool", "runs":
                course.ran.append((at, step["text"]))
            case "model", "calls: kept":
                course.kept.add(step["text"].split(" ")[0])
            case "model", "calls: sealed":
                course.failed = at
            case "user", "stops":
                course.stopped = at
            case "gate", "advises":
                course.advised.append(at)
            case _:
                pass
    return found


def unsettled_shown(steps: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What the user saw that was not the last text written for a message, was stopped or failed, or came twice."""
    for course in courses_of(steps).values():
        if len(course.saw) > 1:
            yield f"for message {course.message} the phone showed {len(course.saw)} texts"
        for at, text in course.saw:
            written = [wrote for when, wrote in course.wrote if when < at]
            if not written or text != written[-1]:
                yield f"message {course.message} was answered by {text[:40]!r} before it was settled"
            if course.advised and len(written) < 2:
                yield f"message {course.message}: the draft was shown although it was to be revised"
            if course.stopped is not None and course.stopped < at:
                yield f"message {course.message} was answered after it was stopped"
            if course.failed is not None and course.failed < at:
                yield f"message {course.message} was answered after its turn had failed"


def tools_under_seal(steps: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Tools that ran for a message after its draft was handed in."""
    for course in courses_of(steps).values():
        for at, tool in course.ran:
            if course.sealed is not None and course.sealed < at:
                yield f"{tool} ran for message {course.message} after its draft"


def mailbox_differs(steps: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Where the mailbox does not hold what was shown, and that alone, for each message it was meant to record."""
    wanted = Counter(
        (tool, course.saw[0][1]) for course in courses_of(steps).values() if course.saw for tool in course.kept
    )
    seen: Counter[tuple[str, str]] = Counter()
    shown: set[str] = set()
    for step in steps:
        if step["kind"] != "line":
            continue
        if (step["who"], step["did"]) == ("phone", "shows"):
            shown.add(step["text"])
        if (step["who"], step["did"]) == ("mailbox", "records"):
            seen[step["where"], step["text"]] += 1
            if step["text"] not in shown:
                yield f"the mailbox records {step['text'][:40]!r}, which nobody was shown"
    for tool, text in sorted(wanted - seen):
        yield f"{tool} never recorded {text[:40]!r}, which was shown"
    for tool, text in sorted(seen - wanted):
        yield f"{tool} recorded {text[:40]!r} without having to"


def revised_too_often(steps: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Messages with more than one opinion."""
    for course in courses_of(steps).values():
        if len(course.advised) > 1:
            yield f"message {course.message} got {len(course.advised)} opinions"
