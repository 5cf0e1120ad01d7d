"""The order of talk: within a message as its parts stood, between messages as parents lead; every break is told."""

from pathlib import Path
from typing import Any

from carrying import Carried, carry

from harness.expect import expect, expect_equal, proves
from harness.world.talk import ABSENT, Talk


def codes(carried: Carried) -> list[tuple[str, int]]:
    """Code and line of the warnings about order."""
    about = ("fork", "extra-root", "dangling-parent", "cycle", "duplicate-uuid")
    return [(warning.code, warning.line) for warning in carried.candidate.warnings if warning.code in about]


def texts(carried: Carried) -> list[str]:
    """What the candidate says somebody said, in order."""
    return [text for _, text in carried.said]


def abandoned(carried: Carried) -> list[str]:
    """What the report lists as said on branches that were rewound."""
    return [each["text"] for each in carried.summary["abandoned"]]


def superseded(carried: Carried) -> list[str]:
    """What the report lists as said in rows that a later one replaced."""
    return [each["text"] for each in carried.summary["superseded"]]


def lines_of(talk: Talk) -> list[bytes]:
    """The rows of a talk, to be put in another order."""
    return talk.bytes().splitlines(keepends=True)


def parts(*blocks: dict[str, Any]) -> Talk:
    """A talk whose answer is one row of several blocks."""
    talk = Talk()
    talk.user("question")
    message = {"role": "assistant", "id": "msg_1", "model": "claude", "content": list(blocks)}
    talk.row(
        type="assistant",
        uuid=talk.new_id(),
        parentUuid=talk.mark(),
        sessionId=talk.session,
        message=message,
    )
    return talk


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def reply(words: str, number: int) -> dict[str, Any]:
    given = {"chat_id": "me", "text": words}
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "mcp__companion__reply", "input": given}


@proves("TR-L10")
def test_text_and_replies_of_one_record_keep_their_order(tmp_path: Path) -> None:
    wanted = {
        "reply-text": [reply("sent", 1), text("written")],
        "text-reply": [text("written"), reply("sent", 1)],
        "mixed": [
            text("a"),
            reply("b", 1),
            {"type": "thinking", "thinking": "hm"},
            text("c"),
            reply("d", 2),
            text("e"),
        ],
    }
    for name, blocks in wanted.items():
        carried = carry(parts(*blocks), tmp_path / name)
        answer = [(origin, text) for role, origin, text in carried.planned if role == "assistant"]
        order = [
            ("speech", block["text"]) if block["type"] == "text" else ("reply", block["input"]["text"])
            for block in blocks
            if block["type"] != "thinking"
        ]
        expect_equal("TR-L10", answer, order, f"parts and what each went over ({name})")


@proves("TR-L15")
def test_a_rewound_branch_is_listed_and_the_other_carried(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("write a poem")
    talk.assistant("about what?")
    before = talk.mark()
    talk.user("the sea")
    talk.assistant("waves")
    talk.user("more")
    talk.rewind(before)
    talk.user("the moon")
    talk.assistant("silver")
    carried = carry(talk, tmp_path)
    expect_equal("TR-L15", carried.said, talk.said, "what was said on the branch that went on")
    expect_equal("TR-L15", abandoned(carried), ["the sea", "waves", "more"], "what is listed")
    expect_equal("TR-L15", codes(carried), [("fork", 3)], "warnings")


@proves("TR-L15")
def test_going_on_in_the_older_branch_makes_it_the_one_that_is_carried(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("write a poem")
    top = talk.mark()
    talk.assistant("waves")
    old = talk.mark()
    talk.rewind(top)
    talk.assistant("silver")
    talk.rewind(old)
    talk.user("more waves")
    carried = carry(talk, tmp_path)
    expect_equal("TR-L15", texts(carried), ["write a poem", "waves", "more waves"], "what was said")
    expect_equal("TR-L15", abandoned(carried), ["silver"], "what is listed")
    expect_equal("TR-L15", codes(carried), [("fork", 3)], "warnings")


@proves("TR-L15")
def test_what_hangs_beside_the_path_is_no_rewind(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("go")
    talk.tool("Bash", {"command": "ls"}, result="files")
    stay = talk.mark()
    talk.queued("and hurry")
    talk.system("informational", content="note")
    talk.progress("1%", "2%")
    talk.rewind(stay)
    talk.sidechain("look there", "nothing")
    talk.assistant("done")
    carried = carry(talk, tmp_path)
    expect_equal("TR-L15", texts(carried), ["go", "and hurry", "done"], "what was said")
    expect_equal("TR-L15", codes(carried), [], "warnings")


@proves("TR-L15")
def test_rows_of_one_message_are_one_node(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("compare")
    top = talk.mark()
    talk.assistant("I look at both")
    message = talk.message
    talk.tool("Bash", {"command": "cat a"}, message=message)
    talk.assistant("and then", message=message)
    talk.rewind(top)
    talk.assistant("tell you", message=message)
    talk.user("well?")
    talk.assistant("elsewhere, under the old id", message=message)
    carried = carry(talk, tmp_path)
    expect_equal("TR-L15", codes(carried), [], "warnings")
    answer = ["I look at both", "and then", "tell you"]
    wanted = ["compare", *answer, "well?", "elsewhere, under the old id"]
    expect_equal("TR-L15", texts(carried), wanted, "what was said")
    rows = [{block.line for block in carried.blocks if block.text in some} for some in (answer, wanted[-1:])]
    expect_equal("TR-L15", [len(each) for each in rows], [1, 1], "rows of each message")
    expect("TR-L15", rows[0].isdisjoint(rows[1]), "an id seen before and elsewhere is a message of its own")


@proves("TR-L15")
def test_a_dangling_parent_is_bridged_to_the_row_before(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("one")
    talk.assistant("two")
    talk.user("three", parentUuid="00000000-0000-4000-8000-000000000000")
    talk.assistant("four")
    carried = carry(talk, tmp_path)
    expect_equal("TR-L15", texts(carried), ["one", "two", "three", "four"], "what was said")
    expect_equal("TR-L15", codes(carried), [("dangling-parent", 3)], "warnings")


@proves("TR-L15")
def test_a_further_root_goes_on_in_file_order(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("one")
    talk.assistant("two")
    talk.user("three", parentUuid=None)
    talk.assistant("four")
    carried = carry(talk, tmp_path / "root")
    expect_equal("TR-L15", texts(carried), ["one", "two", "three", "four"], "what was said")
    expect_equal("TR-L15", codes(carried), [("extra-root", 3)], "warnings")

    talk.compact("a summary of the talk")
    talk.user("five")
    carried = carry(talk, tmp_path / "boundary")
    expect_equal("TR-L15", texts(carried), ["one", "two", "three", "four", "five"], "what was said, compacted")
    expect_equal("TR-L15", codes(carried), [("extra-root", 3)], "a compaction boundary is no further root")


@proves("TR-L15")
def test_the_first_root_is_no_break_even_where_it_dangles(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("one", parentUuid="00000000-0000-4000-8000-000000000000")
    talk.assistant("two")
    carried = carry(talk, tmp_path)
    expect_equal("TR-L15", texts(carried), ["one", "two"], "what was said")
    expect_equal("TR-L15", codes(carried), [], "warnings")


@proves("TR-L15")
def test_a_row_that_is_its_own_parent(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("one")
    talk.assistant("two")
    own = "00000000-0000-4000-8000-000000000001"
    talk.user("three", uuid=own, parentUuid=own)
    talk.row(**answer_to(own, "00000000-0000-4000-8000-000000000002", talk))
    carried = carry(talk, tmp_path)
    expect_equal("TR-L15", texts(carried), ["one", "two", "three", "four"], "what was said")
    expect_equal("TR-L15", codes(carried), [("cycle", 3)], "warnings")


def answer_to(parent: str, own: str, talk: Talk) -> dict[str, Any]:
    """The row of an answer "four"."""
    message = {"role": "assistant", "id": "msg_4", "model": "claude", "content": [text("four")]}
    return {"type": "assistant", "uuid": own, "parentUuid": parent, "sessionId": talk.session, "message": message}


@proves("TR-L15")
def test_parents_that_lead_in_a_circle(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("one")
    talk.assistant("two")
    first, last = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000003"
    talk.user("three", uuid=first, parentUuid=last)
    talk.row(**answer_to(first, "00000000-0000-4000-8000-000000000002", talk))
    talk.user("five", uuid=last)
    carried = carry(talk, tmp_path)
    expect_equal("TR-L15", texts(carried), ["one", "two", "three", "four", "five"], "what was said")
    expect_equal("TR-L15", codes(carried), [("cycle", 3)], "warnings")


@proves("TR-L15")
def test_rows_out_of_file_order_are_carried_in_order_of_talk(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("one")
    talk.assistant("two")
    talk.user("three")
    talk.assistant("four")
    one, two, three, four = lines_of(talk)
    for name, data in {"an-answer-first": [one, three, two, four], "question-last": [two, one, three, four]}.items():
        carried = carry(b"".join(data), tmp_path / name)
        expect_equal("TR-L15", carried.said, talk.said, f"what was said ({name})")
        expect_equal("TR-L15", codes(carried), [], f"warnings ({name})")


@proves("TR-L15")
def test_a_row_written_twice_is_carried_once(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("one")
    talk.assistant("two")
    lines = lines_of(talk)
    carried = carry(b"".join([*lines, lines[0], lines[1]]), tmp_path)
    expect_equal("TR-L15", carried.said, talk.said, "what was said")
    expect_equal("TR-L15", codes(carried), [("duplicate-uuid", 3), ("duplicate-uuid", 4)], "warnings")
    expect_equal("TR-L15", superseded(carried), [], "rows that were replaced")
    expect_equal("TR-L15", carried.summary["ledger"].get("duplicate"), sum(map(len, lines)) - 2, "bytes listed")


@proves("TR-L15")
def test_of_two_rows_with_one_uuid_that_differ_the_last_is_carried(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("one")
    talk.assistant("too")
    talk.user("three")
    lines = lines_of(talk)
    anew = lines[1].replace(b'"too"', b'"two"')
    carried = carry(b"".join([*lines, anew]), tmp_path)
    expect_equal("TR-L15", texts(carried), ["one", "two", "three"], "what was said, at the first row's place")
    expect_equal("TR-L15", superseded(carried), ["too"], "rows that were replaced")
    expect_equal("TR-L15", codes(carried), [("duplicate-uuid", 4)], "warnings")
    said = next(each.detail for each in carried.candidate.warnings if each.code == "duplicate-uuid")
    expect("TR-L15", "line 2" in said and "this one is carried" in said, "the warning says which one is carried")


@proves("TR-L15")
def test_rows_without_ids_are_carried_in_file_order(tmp_path: Path) -> None:
    talk = Talk()
    for words in ("one", "two", "three"):
        talk.user(words, uuid=ABSENT, parentUuid=ABSENT)
        talk.assistant(f"to {words}", uuid=ABSENT, parentUuid=ABSENT)
    carried = carry(talk, tmp_path)
    wanted = [words for each in ("one", "two", "three") for words in (each, f"to {each}")]
    expect_equal("TR-L15", texts(carried), wanted, "what was said")
