"""Turns: what belongs together, and that nothing said is lost between them."""

from pathlib import Path

from carrying import Carried, carry, expect_talk_is_found

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.carry.summary import plan_summary


def turns(carried: Carried) -> list[list[str]]:
    """Roles of the carried turns."""
    return [[said.role for said in turn.utterances] for turn in carried.plan.selected]


@proves("TR-017")
def test_every_closed_turn_is_carried_word_for_word(tmp_path: Path) -> None:
    talk = Talk()
    for number in range(1, 13):
        talk.user(f"嗯 {number}")
        talk.assistant(f"ok {number}")
    carried = carry(talk, tmp_path)
    expect_equal("TR-020", len(carried.plan.selected), len(carried.plan.turns), "turns that go along, of those found")
    expect_equal("TR-017", carried.summary["turns"], 12, "turns of small talk")
    expect_equal("TR-017", carried.said, talk.said, "words of small talk")


@proves("TR-018")
def test_a_turn_ends_where_the_next_user_message_begins(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("第一问")
    talk.assistant("第一答")
    talk.assistant("还有")
    talk.user("第二问")
    talk.assistant("第二答")
    carried = carry(talk, tmp_path)
    expect_equal("TR-018", turns(carried), [["user", "assistant", "assistant"], ["user", "assistant"]], "turns")
    expect_equal("TR-018", carried.summary["turns"], 2, "turns reported")


@proves("TR-019")
def test_user_messages_in_a_row_belong_to_one_turn(tmp_path: Path) -> None:
    talk = Talk()
    for text in ("等等", "还有一件事", "昨天说的那个", "好了吗?"):
        talk.user(text)
    talk.assistant("好了")
    carried = carry(talk, tmp_path)
    expect_equal("TR-019", turns(carried), [["user"] * 4 + ["assistant"]], "turns")
    expect_equal("TR-019", carried.said, talk.said, "what was said")


@proves("TR-020")
def test_an_unanswered_last_turn_is_carried_by_default(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("a")
    talk.assistant("b")
    closed = talk.said
    carried = carry(talk, tmp_path / "closed", include_open_tail=False)
    expect_talk_is_found(carried)
    expect_equal("TR-020", carried.said, closed, "a talk whose last turn is answered")
    expect_equal("TR-020", carried.summary["open_tail_turns"], 0, "open turns of an answered talk")

    talk.user("c")
    talk.user("d")
    carried = carry(talk, tmp_path / "open")
    expect_equal("TR-020", carried.said, talk.said, "a talk with an open tail")
    expect_equal("TR-020", carried.summary["open_tail_turns"], 1, "open turns")

    carried = carry(talk, tmp_path / "without", include_open_tail=False)
    expect_equal("TR-020", carried.said, closed, "the same without its open tail")
    expect_equal("TR-020", carried.summary["open_tail_turns"], 0, "open turns that go along")
    expect_equal("TR-020", (carried.summary["source_turns"], carried.summary["selected_turns"]), (2, 1), "turns")
    left_out = sum(len(f'"{text}"') for text in "cd")
    expect_equal("TR-020", carried.summary["ledger"].get("open_tail"), left_out, "bytes that the ledger lists")


@proves("TR-020")
def test_a_talk_that_is_only_an_open_tail(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("anybody there?")
    carried = carry(talk, tmp_path / "with")
    expect_talk_is_found(carried)
    expect_equal("TR-020", carried.said, talk.said, "the only turn")
    carried = carry(talk, tmp_path / "without", include_open_tail=False)
    expect_equal("TR-020", carried.summary["reason"], "nothing-to-carry", "without it")


@proves("TR-021")
def test_what_is_no_speech_does_not_end_a_turn(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("question")
    talk.assistant("first half")
    talk.reminder("the date is the 14th")
    talk.meta("the body of a skill")
    talk.tool("Bash", {"command": "ls"}, result="files")
    talk.thinking("hm")
    talk.system("informational", content="note")
    talk.attachment("hook_success", content="added context")
    talk.assistant("second half")
    carried = carry(talk, tmp_path)
    expect_equal("TR-021", turns(carried), [["user", "assistant", "assistant"]], "turns")
    expect_equal("TR-021", carried.said, talk.said, "both halves")

    talk.user("next question")
    expect_equal("TR-021", len(carry(talk, tmp_path / "twin").plan.turns), 2, "turns after a user message")


@proves("TR-L11")
def test_assistant_speech_before_the_first_user_message_is_an_opening_turn(tmp_path: Path) -> None:
    talk = Talk()
    talk.assistant("good morning")
    talk.assistant("the build is green")
    opening = talk.said
    carried = carry(talk, tmp_path / "alone")
    expect_equal("TR-L11", carried.said, opening, "a talk in which only the assistant spoke")

    talk.user("thanks")
    talk.assistant("welcome")
    carried = carry(talk, tmp_path / "answered")
    expect_equal("TR-L11", carried.said, talk.said, "what was said")
    expect("TR-018", all(roles[0] == "user" for roles in turns(carried)[1:]), "later turns begin with a user message")
    expect_equal("TR-L11", turns(carried), [["assistant", "assistant"], ["user", "assistant"]], "turns")
    expect_equal("TR-L11", carried.summary["open_tail_turns"], 0, "an opening turn waits for nobody")


@proves("TR-035")
def test_equal_counts_are_said_to_prove_no_recognition(tmp_path: Path) -> None:
    talk = Talk()
    for number in range(3):
        talk.user(f"typed {number}")
        talk.assistant("yes")
    for number in range(22):
        talk.channel(f"sent {number}")
        talk.assistant("yes")
    expect_equal("TR-024", len(carry(talk, tmp_path / "known").plan.turns), 25, "typed and channel turns")

    talk.row(type="new-kind-of-prompt", uuid=talk.new_id(), message={"role": "user", "content": "who reads this?"})
    talk.assistant("yes")
    carried = carry(talk, tmp_path / "unknown")
    summary = plan_summary(carried.plan)
    expect_equal("TR-035", summary["selected_turns"], summary["source_turns"], "turn counts, though a turn is missing")
    for name, notes in {"plan": summary["notes"], "candidate": carried.summary["notes"]}.items():
        said = [note for note in notes if "no recognised turn was dropped" in note]
        expect("TR-035", said and "not that every turn was recognised" in said[0], f"the {name} says what counts prove")
    expect("TR-L07", "unknown-shape" in carried.codes, "the text of unknown kind is reported")
