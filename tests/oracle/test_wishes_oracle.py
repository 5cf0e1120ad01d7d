"""What the oracle of wishes sees in hand-made steps, and what it lets pass."""

from typing import Any

import pytest

from harness.oracle.wishes import faults

Step = dict[str, Any]
SAID: Step = {"kind": "event", "what": "Line", "text": "背景要连贯，片长 约 2 分钟"}
MADE: Step = {"kind": "event", "what": "Scribed"}
CLEARED: Step = {"kind": "event", "what": "SessionCleared", "erase_quotes": True}
ENTRY: Step = {
    "kind": "act",
    "what": "wish",
    "entry": 1,
    "number": 1,
    "quote": 1,
    "words": "背景要连贯",
    "paraphrase": "",
    "category": "",
    "nature": None,
    "source": "scribe",
    "scope": "plan",
    "plan": 7,
    "ticket": None,
    "session": None,
    "state": "active",
    "item": None,
    "value": None,
    "bound": None,
    "replaces": None,
    "said": [],
    "aside": [],
}


def entry(**more: Any) -> Step:
    """An entry as it stands now."""
    return ENTRY | more


def acts(action: str, requirement: int = 1, plan: int = 7) -> Step:
    """The user presses a button of an entry."""
    return {"kind": "event", "what": "RequirementActed", "requirement": requirement, "plan": plan, "action": action}


def board(*rules: str, plan: int = 7) -> Step:
    """The user edits the rules of a plan."""
    return {"kind": "event", "what": "BoardEdited", "plan": plan, "rules": list(rules), "acceptance": None}


def presses(action: str) -> Step:
    """The user presses a button of a line."""
    return {"kind": "event", "what": "ControlPressed", "message": 3, "action": action}


OVER, OUT, PENDING, OLD = "no_longer_applies", "not_a_requirement", "pending", "legacy"
REPLACEMENT = entry(entry=2, number=2, words="约 2 分钟", state=PENDING, replaces=1)


@pytest.mark.parametrize(
    "then",
    [
        [MADE, entry(state=OVER)],
        [MADE, entry(state="superseded")],
        [MADE, entry(state="gone", words=None)],
        [SAID, entry(state=OUT)],
        [{"kind": "event", "what": "Organized"}, entry(state=OVER)],
        [acts("not_for_this_plan"), entry(state=OVER)],
        [acts(OVER, requirement=2), entry(state=OVER)],
        [acts(OVER), entry(state=OUT)],
        [board("别的"), entry(state=OVER)],
        [MADE, entry(aside=[7])],
        [acts("not_for_this_plan", plan=8), entry(aside=[7])],
        [acts(OVER), entry(aside=[7])],
        [MADE, entry(words="背景可以不连贯")],
        [MADE, entry(words=None, state=OVER)],
        [CLEARED | {"erase_quotes": False}, entry(words=None, state=OVER)],
        [CLEARED, entry(state=OVER)],
        [MADE, entry(scope="conversation", session=3)],
        [MADE, entry(value="180", item="duration", bound="bare")],
        [MADE, entry(quote=2)],
        [MADE, entry(category="other")],
        [MADE, entry(said=[3]), MADE, entry(said=[])],
        [MADE, REPLACEMENT, acts(OVER), entry(state="superseded")],
        [MADE, REPLACEMENT, acts("confirm", requirement=3), entry(state="superseded")],
        [MADE, REPLACEMENT, MADE, REPLACEMENT | {"state": "active"}],
    ],
)
def test_what_the_user_has_not_done_to_an_entry_is_seen(then: list[Step]) -> None:
    assert not faults([SAID, MADE, entry()])
    assert faults([SAID, MADE, entry(), *then])


@pytest.mark.parametrize(
    "then",
    [
        [acts(OVER), entry(state=OVER)],
        [acts("not_for_this_plan"), entry(aside=[7]), acts("restore"), entry()],
        [acts("not_for_this_plan"), entry(aside=[7]), MADE, entry(said=[3])],
        [acts("whole_conversation"), entry(scope="conversation", session=3)],
        [presses("make_standing"), entry(scope="standing")],
        [presses(OVER), entry(state=OVER)],
        [CLEARED, entry(words=None, state=OVER)],
        [{"kind": "event", "what": "Withdrawn", "message": 3}, entry(words=None, state=OVER)],
        [{"kind": "event", "what": "SessionDeleted", "erase_quotes": False}, entry(session=None)],
        [board("背景，要连贯"), board("别的"), entry(state=OVER)],
        [board("背景，要连贯"), board("别的"), entry(aside=[7])],
        [MADE, REPLACEMENT, acts("confirm", requirement=2), entry(state="superseded")],
        [MADE, REPLACEMENT, board("约2分钟"), entry(state="superseded"), REPLACEMENT | {"state": "active"}],
        [MADE, REPLACEMENT, acts(OUT, requirement=2), REPLACEMENT | {"state": OUT}],
        [MADE, entry(said=[4])],
    ],
)
def test_what_the_user_does_to_an_entry_passes(then: list[Step]) -> None:
    assert faults([SAID, MADE, entry(), *then]) == []


@pytest.mark.parametrize(
    "comes",
    [
        entry(words="背景不用连贯"),
        entry(words=""),
        entry(words="。。"),
        entry(state=OVER),
        entry(replaces=9),
    ],
)
def test_what_the_user_has_not_said_is_seen(comes: Step) -> None:
    assert len(faults([SAID, MADE, comes])) == 1


def test_old_rules_need_no_words_of_the_user_until_they_are_confirmed() -> None:
    old = entry(words="旁白不要抢戏", state=OLD, quote=None, source="import")
    assert faults([SAID, old, acts("confirm"), old | {"state": "active", "quote": 4}]) == []
    assert faults([SAID, old, presses("all_mine"), old | {"state": "active", "quote": 4}]) == []
    assert len(faults([SAID, old, MADE, old | {"state": "active"}])) == 1


@pytest.mark.parametrize(
    "event",
    [
        {"what": "Answered", "chosen": ["背景"], "words": "要连贯"},
        {"what": "Line", "text": "改", "annotations": [{"text": "背景要连贯"}]},
        {"what": "Edited", "text": "背景 要 连贯"},
        {"what": "WorkAnswered", "body": "背景要连贯"},
        {"what": "BoardEdited", "plan": 7, "rules": ["背景要连贯"]},
        {"what": "TicketEdited", "description": "背景要连贯"},
    ],
)
def test_the_user_says_things_in_many_places(event: Step) -> None:
    assert faults([{"kind": "event", **event}, entry()]) == []
    assert len(faults([entry()])) == 1
