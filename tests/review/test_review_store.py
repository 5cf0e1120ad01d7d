"""What the gate's store refuses to everybody: plain SQL on a store that the gate made, with the gate absent."""

from pathlib import Path

from reviewing import calls, chat, drafts, grants, only_turn, refusal, revises, says

from harness.expect import expect, expect_equal, proves
from harness.world.review import ReviewHouse
from harness.world.review_setting import Setting
from harness.world.reviewer import Verdict
from threadrebuild.review.states import MOVES, State

OBJECTS = Setting(notes=["别用感叹号。"], reviews={"m": Verdict(notes=[0])})
"""A reviewer that sends every draft back."""


def under_revision(folder: Path) -> ReviewHouse:
    """One turn that is being revised; before its review a tool ran, and another permit was granted."""
    return chat(
        folder, OBJECTS, says("在吗", label="m"), grants("搜索", "kept"), calls("搜索", "天气"), drafts("在的！")
    )


@proves("RV-01")
def test_a_seal_cannot_be_lifted_or_moved(tmp_path: Path) -> None:
    under_revision(tmp_path)
    said = refusal(tmp_path, "DELETE FROM tools_sealed")
    expect("RV-01", "the seal lasts" in said, f"a seal that is deleted is refused: {said or 'accepted'}")
    assert refusal(tmp_path, "UPDATE tools_sealed SET turn = turn + 1")


@proves("RV-03")
def test_a_tool_call_of_a_sealed_turn_is_refused_by_the_store(tmp_path: Path) -> None:
    house = under_revision(tmp_path)
    call = f"INSERT INTO tool_calls (turn, tool, permit) VALUES (1, '搜索', {house.permits['kept']})"
    said = refusal(tmp_path, call)
    expect("RV-03", "sealed" in said, f"a call under the seal, with a permit from before it: {said or 'accepted'}")
    assert "sealed" in refusal(tmp_path, "INSERT INTO permits (turn, tool) VALUES (1, '搜索')")
    open_turn = chat(tmp_path / "open", None, says("在吗"), grants("搜索", "new"))
    call = f"INSERT INTO tool_calls (turn, tool, permit) VALUES (1, '搜索', {open_turn.permits['new']})"
    expect_equal("RV-03", refusal(tmp_path / "open", call), "", "the same call in a turn that is not sealed")


@proves("RV-04")
def test_a_permit_is_good_for_one_call_of_its_own_turn_and_tool(tmp_path: Path) -> None:
    house = chat(
        tmp_path, None, says("在吗"), grants("搜索", "old"), drafts("在。"), says("天气"), grants("搜索", "new")
    )
    old, new = house.permits["old"], house.permits["new"]
    insert = "INSERT INTO tool_calls (turn, tool, permit) VALUES"
    expect_equal("RV-04", refusal(tmp_path, f"{insert} (2, '搜索', {new})"), "", "the permit's own call")
    said = refusal(tmp_path, f"{insert} (2, '搜索', {old})")
    expect("RV-04", "another call" in said, f"a permit of the turn before: {said or 'accepted'}")
    said = refusal(tmp_path, f"{insert} (2, '日历', {new})")
    expect("RV-04", "another call" in said, f"a permit for another tool: {said or 'accepted'}")
    assert refusal(tmp_path, f"{insert} (2, '搜索', {new})", f"{insert} (2, '搜索', {new})")


@proves("RV-12")
def test_a_turn_has_one_review_and_one_revision(tmp_path: Path) -> None:
    house = chat(tmp_path, None, says("在吗"))
    house.store.enter_review(only_turn(house).id, "在的。")
    review = "INSERT INTO reviews (turn, answered, opinion) VALUES (1, 1, '')"
    expect_equal("RV-12", refusal(tmp_path, review), "", "the first review")
    expect("RV-12", refusal(tmp_path, review, review), "a second review of a turn is refused")
    under_revision(tmp_path / "second")
    revision = "INSERT INTO revisions (turn, text) VALUES (1, '在。')"
    expect_equal("RV-12", refusal(tmp_path / "second", revision), "", "the first revision")
    expect("RV-12", refusal(tmp_path / "second", revision, revision), "a second revision of a turn is refused")
    assert refusal(tmp_path / "second", review), "a turn that was reviewed is not reviewed"


@proves("RV-33")
def test_a_new_store_holds_no_notes_and_takes_them_from_the_user_alone(tmp_path: Path) -> None:
    house = chat(tmp_path)
    expect_equal("RV-33", house.store.notes(), [], "notes of a fresh installation")
    note = "INSERT INTO fridge_notes (text, author) VALUES ('别熬夜', '{}')"
    expect_equal("RV-33", refusal(tmp_path, note.format("user")), "", "a note by the user")
    expect("RV-33", refusal(tmp_path, note.format("package")), "a note that the package brings is refused")


@proves("RV-35")
def test_nothing_is_shown_that_is_not_settled(tmp_path: Path) -> None:
    house = under_revision(tmp_path)
    said = refusal(tmp_path, "INSERT INTO shown (turn, text) VALUES (1, '在的！')")
    expect("RV-35", "not before" in said, f"the draft is shown during its revision: {said or 'accepted'}")
    house.store.settle(1, "在。")
    to_phone = "UPDATE turns SET state = 'sending' WHERE id = 1"
    said = refusal(tmp_path, to_phone, "INSERT INTO shown (turn, text) VALUES (1, '在的！')")
    expect("RV-35", "settled" in said, f"the draft is shown in place of the revision: {said or 'accepted'}")
    said = refusal(tmp_path, to_phone, "INSERT INTO shown (turn, text) VALUES (1, '在。')")
    expect_equal("RV-35", said, "", "the settled text, when it is sent")


@proves("RV-07")
def test_the_mailbox_records_nothing_of_a_turn_that_was_not_sent(tmp_path: Path) -> None:
    house = chat(tmp_path, OBJECTS, says("在吗", label="m"), calls("mailbox_say", "在的！"), drafts("在的！"))
    entry = "INSERT INTO mailbox_entries (turn, tool, text) VALUES (1, 'mailbox_say', '在。')"
    said = refusal(tmp_path, entry)
    expect("RV-07", "not sent" in said, f"an entry during the revision: {said or 'accepted'}")
    house.store.settle(1, "在。")
    said = refusal(tmp_path, "UPDATE turns SET state = 'stopped' WHERE id = 1", entry)
    expect("RV-07", "not sent" in said, f"an entry of a stopped turn: {said or 'accepted'}")
    house.store.begin_sending(only_turn(house))
    said = refusal(tmp_path, entry)
    expect("RV-07", "not sent" in said, f"an entry before the phone has the text: {said or 'accepted'}")
    sent = "UPDATE turns SET state = 'sent' WHERE id = 1"
    expect_equal("RV-07", refusal(tmp_path, sent, entry), "", "an entry of what was sent")


@proves("RV-06")
def test_the_mailbox_records_no_other_text_than_was_sent(tmp_path: Path) -> None:
    house = chat(tmp_path, OBJECTS, says("在吗", label="m"), calls("mailbox_say", "在的！"), drafts("在的！"))
    house.store.settle(1, "在。")
    house.store.begin_sending(only_turn(house))
    sent = "UPDATE turns SET state = 'sent' WHERE id = 1"
    entry = "INSERT INTO mailbox_entries (turn, tool, text) VALUES (1, 'mailbox_say', '{}')"
    said = refusal(tmp_path, sent, entry.format("在的！"))
    expect("RV-06", "not what was sent" in said, f"the draft in place of what was sent: {said or 'accepted'}")
    expect_equal("RV-06", refusal(tmp_path, sent, entry.format("在。")), "", "what was sent")


def test_the_store_refuses_every_move_that_is_not_listed(tmp_path: Path) -> None:
    house = chat(tmp_path, None, lambda house: house.stuck.add("m"), says("在吗", label="m"))
    rows = house.store.database.rows("SELECT old, new FROM moves")
    assert {(row["old"], row["new"]) for row in rows} == {(str(old), str(new)) for old, new in MOVES}
    for old in State:
        way = _way_to(old)
        for new in State:
            steps = [f"UPDATE turns SET final = '在。', state = '{state}' WHERE id = 1" for state in (*way, new)]
            steps = [steps[0], *(step.replace("final = '在。', ", "") for step in steps[1:])]
            assert bool(refusal(tmp_path, *steps)) == ((old, new) not in MOVES), (old, new)


def test_a_settled_text_and_what_was_shown_and_recorded_stay(tmp_path: Path) -> None:
    chat(tmp_path, OBJECTS, says("在吗", label="m"), calls("mailbox_say", "在！"), drafts("在！"), revises("在。"))
    assert "settled" in refusal(tmp_path, "UPDATE turns SET final = '不在。' WHERE id = 1")
    assert "shown" in refusal(tmp_path, "UPDATE shown SET text = '不在。'")
    assert "stays" in refusal(tmp_path, "UPDATE mailbox_entries SET text = '不在。'")
    assert "waiting" in refusal(
        tmp_path, "INSERT INTO turns (message_id, chat, path, said, state) VALUES ('n', 'c', 'app hook', '', 'sent')"
    )


def test_a_chat_has_one_turn_at_work(tmp_path: Path) -> None:
    chat(tmp_path, None, says("在吗"), says("在吗？"))
    assert refusal(tmp_path, "UPDATE turns SET state = 'drafting' WHERE id = 2")


def _way_to(state: State) -> list[State]:
    """States from the first one to this one, both left out and in."""
    ways: list[list[State]] = [[State.WAITING]]
    for way in ways:
        if way[-1] is state:
            return way[1:]
        ways += [[*way, new] for old, new in MOVES if old is way[-1]]
    raise AssertionError(state)
