"""What is told of rooms from outside gets a fault planted in what came in and went out, and has to see it."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.expect import expect, expect_equal, noted, proves
from harness.runlog import RunLog
from harness.scenario.collab import KIND
from harness.scenario.collab.play import Played, play
from harness.scenario.stories.loading import load_stories

STORY = Path(__file__).parents[2] / "scenarios" / "collab" / "work" / "two-slots-and-a-queue.toml"
Course = list[dict[str, Any]]


def unread(course: Course) -> None:
    """A line that no Bot is given."""
    for hop in _hops(course):
        hop["body"]["context"] = hop["body"]["context"].replace("user: 做一张海报", "user: 别的")


def answered_twice(course: Course) -> None:
    """A line that two turns of one plan are given, and answer."""
    _one_plan(course)
    for hop in _hops(course):
        hop["body"]["context"] = hop["body"]["context"].replace("user: 做一张海报", "user: 做一支新品片")


def beside(course: Course) -> None:
    """Two turns of a Bot that are at work on one plan at once."""
    for step in course:
        if step["kind"] == "effect" and step["what"] == "run_tool":
            step["body"]["folder"] = step["body"]["folder"].replace("work/002-", "work/001-")


def begun_twice(course: Course) -> None:
    """A tool that is begun a second time."""
    tool = next(step for step in course if step["kind"] == "effect" and step["what"] == "run_tool")
    course.append(tool)


def for_another(course: Course) -> None:
    """A line that names another than the one who has received it."""
    line = next(step for step in course if step.get("what") == "Line" and "@文案" in step["text"])
    line["text"] = line["text"].replace("@文案", "@导演")
    for step in course:
        if step["kind"] == "effect" and step["what"] == "read":
            step["body"]["line"] = str(step["body"]["line"]).replace("@文案", "@导演")


def under_a_hold(course: Course) -> None:
    """A segment that says something while all is held."""
    says = next(step for step in course if step["kind"] == "act" and step["what"] == "says")
    nothing = dict.fromkeys(("bot", "session", "plan", "ticket", "turn"))
    hold = {"kind": "act", "what": "holds", "hold": 1, "scope": "everything", "source": "user_button", "let_go": []}
    course.insert(course.index(says), hold | nothing)


PLANTS: dict[str, Callable[[Course], None]] = {
    "whom a line is for reads it, and nobody else does but at work": unread,
    "nobody answers a line twice": answered_twice,
    "no two turns of a Bot are beside each other on one plan": beside,
    "a tool is begun once for a call": begun_twice,
    "the store says the same of who receives a line": for_another,
    "nothing that is held acts": under_a_hold,
}
"""By what is demanded."""


def played(folder: Path) -> Played:
    """An evening with two slots and a queue."""
    folder.mkdir()
    return play(load_stories(STORY)[0], folder, 0, RunLog(io.StringIO()), 0)


@proves("CR-04")
def test_whatever_is_told_from_outside_sees_what_is_planted(tmp_path: Path) -> None:
    demands = {each.name: each for each in KIND.invariants if each.by == "oracle"}
    expect_equal("CR-04", set(PLANTS), set(demands), "what has a plant")
    for number, (name, plant) in enumerate(PLANTS.items()):
        demand = demands[name]
        before = played(tmp_path / f"{number}-before")
        expect_equal("CR-04", list(demand.faults(before)), [], f"{name}, before")
        after = played(tmp_path / f"{number}-after")
        plant(after.rooms.course)
        seen = noted("collab", demand.rule, name, demand.faults(after))
        expect("CR-04", seen, f"{name}: planted, not seen")
        before.rooms.close()
        after.rooms.close()


def _hops(course: Course) -> Course:
    return [step for step in course if step["kind"] == "effect" and step["what"] == "hop"]


def _one_plan(course: Course) -> None:
    for step in course:
        if step["kind"] == "effect":
            said = json.dumps(step["body"]).replace("Plan 2:", "Plan 1:").replace("/002-", "/001-")
            step["body"] = json.loads(said)
