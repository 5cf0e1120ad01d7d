"""What the oracle of held work sees in hand-made steps, and what it lets pass."""

from typing import Any

import pytest

from harness.oracle.held import faults

Step = dict[str, Any]
NOBODY: Step = dict.fromkeys(("bot", "session", "plan", "ticket", "turn"))
PLAN: Step = {"kind": "act", "what": "plan", "plan": 7, "session": 3}


def opens(turn: int, bot: int, session: int = 1, *, opened_by: int | None = None, **more: Any) -> Step:
    """A segment opens."""
    where = {"plan": None, "ticket": None, "mode": "work", **more}
    return {
        "kind": "act",
        "what": "opens",
        "turn": turn,
        "bot": bot,
        "session": session,
        "opened_by": opened_by,
        **where,
    }


def does(what: str, turn: int, **more: Any) -> Step:
    """A segment does something."""
    return {"kind": "act", "what": what, "turn": turn, **more}


def holds(
    scope: str, hold: int = 1, *, let_go: tuple[int, ...] = (), source: str = "user_button", **names: Any
) -> Step:
    """A hold is made, or is another one from now on."""
    made = {"kind": "act", "what": "holds", "hold": hold, "scope": scope, "source": source, "let_go": list(let_go)}
    return NOBODY | made | names


def user(what: str = "Line") -> Step:
    """The user says or does something."""
    return {"kind": "event", "what": what}


LIFTS: Step = {"kind": "act", "what": "lifts", "hold": 1}
SHELL: Step = does("calls", 1, tool="shell")


@pytest.mark.parametrize(
    ("hold", "more"),
    [
        (holds("everything"), {}),
        (holds("bot", bot=4), {}),
        (holds("session", session=1), {}),
        (holds("session", session=3), {"plan": 7}),
        (holds("plan", plan=7), {"plan": 7}),
        (holds("ticket", plan=7, ticket=2), {"plan": 7, "ticket": 2}),
        (holds("bot_in_plan", bot=4, plan=7), {"plan": 7}),
        (holds("turn", turn=1), {}),
    ],
)
def test_what_each_scope_is_over(hold: Step, more: Step) -> None:
    opened = opens(1, 4, **more)
    assert faults([PLAN, opened, hold, SHELL]) == ["turn 1 uses shell under holds [1]"]
    assert faults([PLAN, opened, hold, does("says", 1)]) == ["turn 1 speaks under holds [1]"]
    assert faults([PLAN, opened, SHELL, does("says", 1), hold, does("ends", 1)]) == []
    assert faults([PLAN, opened, hold, does("calls", 1, tool="read_file"), does("calls", 1, tool="list_dir")]) == []
    assert faults([PLAN, opened, hold, user(), LIFTS, SHELL]) == []
    elsewhere = opens(1, 5, 2, plan=8, ticket=9)
    if hold["scope"] not in ("everything", "turn"):
        assert faults([PLAN, elsewhere, hold, SHELL]) == []
    if hold["scope"] != "turn":
        assert faults([PLAN, hold, opened]) == ["turn 1 opens under holds [1]"]


def test_a_segment_that_takes_up_what_is_held() -> None:
    moves = does("moves", 1, bot=4, session=1, plan=7, ticket=None, mode="work", opened_by=None)
    steps = [opens(1, 4, mode="desk"), holds("plan", plan=7), moves]
    assert faults(steps) == ["turn 1 takes up what is held under holds [1]"]


def test_a_read_only_answer_may_speak_and_change_nothing() -> None:
    answer = opens(1, 4, mode="readonly")
    assert faults([holds("bot", bot=4), answer, does("says", 1), does("calls", 1, tool="mcp+read:job.look")]) == []
    assert faults([holds("bot", bot=4), answer, SHELL]) == ["turn 1 only answers, and uses shell"]


def test_a_hold_does_not_end_by_itself() -> None:
    ends = ["hold 1 ends, and the user has said and done nothing"]
    assert faults([user(), holds("everything"), LIFTS]) == ends
    assert faults([holds("everything"), {"kind": "event", "what": "Organized"}, LIFTS]) == ends
    assert faults([holds("everything"), user("HoldLifted"), LIFTS]) == []


def test_work_that_was_handed_off_is_held_three_levels_down() -> None:
    chain = [opens(1, 1), *(opens(each, each, 10 + each, opened_by=each - 1) for each in (2, 3, 4, 5))]
    for turn, held in ((2, True), (4, True), (5, False)):
        seen = faults([*chain, holds("bot", bot=1), does("says", turn)])
        assert seen == ([f"turn {turn} speaks under holds [1]"] if held else []), turn
    assert faults([*chain, holds("bot", bot=1, source="legacy"), does("says", 2)]) == []
    assert faults([*chain, holds("bot", bot=3), does("says", 1)]) == []


def test_what_lines_of_held_work_wake_is_held_but_not_who_works_already() -> None:
    chain = [opens(1, 1), opens(2, 2, 12, opened_by=1)]
    later = opens(3, 3, 13, opened_by=2)
    assert faults([*chain, holds("bot", bot=1), later]) == ["turn 3 opens under holds [1]"]
    assert faults([*chain, later, holds("bot", bot=2), does("says", 1)]) == []


def test_whom_an_older_version_let_go_may_act() -> None:
    assert faults([opens(1, 4), holds("everything", let_go=(4,)), SHELL]) == []
    assert faults([opens(1, 4), holds("everything"), holds("everything", let_go=(4,)), SHELL]) == []
    assert faults([opens(1, 4), holds("everything", let_go=(5,)), SHELL]) == ["turn 1 uses shell under holds [1]"]
