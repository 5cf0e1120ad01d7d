"""The wire against what was carried: what the CLI may do is named, and everything else is broken."""

from typing import Any

import pytest

from harness.lab.wire import Carried, behaviour, compare, sent_texts

CARRIED = [
    Carried("user", "first", 1),
    Carried("user", "second", 1),
    Carried("assistant", "reply", 2),
    Carried("user", "new prompt", 0),
]


def message(role: str, *texts: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}


SENT = [message("user", "first", "second"), message("assistant", "reply"), message("user", "new prompt")]


def states(messages: list[dict[str, Any]], carried: list[Carried] = CARRIED) -> list[str]:
    return [pair.state for pair in compare(carried, sent_texts(messages))]


def test_the_same_bytes_are_the_same_however_they_are_wrapped() -> None:
    cached = {"type": "text", "text": "new prompt", "cache_control": {"type": "ephemeral"}}
    wrapped = [SENT[0], {"role": "assistant", "content": "reply"}, {"role": "user", "content": [cached]}]
    pairs = compare(CARRIED, sent_texts(wrapped))
    assert [pair.state for pair in pairs] == ["same"] * 4
    assert behaviour(pairs) == []


@pytest.mark.parametrize(
    ("added", "what"),
    [
        (message("user", "<system-reminder>\nof today</system-reminder>"), "a reminder in a message of the user"),
        ({"role": "system", "content": []}, "an empty system message"),
        (message("system", "the agents"), "a system message"),
        (message("assistant", "No response requested."), "a reply of its own to what nobody had answered"),
    ],
)
def test_what_the_cli_adds_is_named(added: dict[str, Any], what: str) -> None:
    pairs = compare(CARRIED, sent_texts([*SENT[:2], added, SENT[2]]))
    assert [pair.state for pair in pairs] == ["same", "same", "same", "added", "same"]
    assert behaviour(pairs) == [f"added: {what}"]


def test_a_reminder_that_was_carried_is_no_addition() -> None:
    reminder = "<system-reminder>\nof the start</system-reminder>"
    carried = [Carried("user", reminder, 1), *CARRIED]
    assert states([message("user", reminder, "first", "second"), *SENT[1:]], carried) == ["same"] * 5
    assert states(SENT, carried) == ["lost", "same", "same", "same", "same"]


def test_a_line_break_at_the_border_of_merged_rows_is_named() -> None:
    carried = [Carried("user", "first", 1), Carried("user", "second", 2)]
    pairs = compare(carried, sent_texts([message("user", "first\n", "second")]))
    assert [pair.state for pair in pairs] == ["changed", "same"]
    merged = "changed: neighbouring rows are sent as one message"
    assert behaviour(pairs) == ["changed: a line break at the end of a row", merged]


@pytest.mark.parametrize(
    ("broken", "wanted"),
    [
        ([message("user", "first"), *SENT[1:]], ["same", "lost", "same", "same"]),
        ([message("user", "first", "second "), *SENT[1:]], ["same", "foreign", "lost", "same", "same"]),
        ([SENT[0], message("assistant", "reply", "and more"), SENT[2]], ["same"] * 3 + ["foreign", "same"]),
        ([SENT[0], message("user", "reply"), SENT[2]], ["same", "same", "foreign", "lost", "same"]),
        ([SENT[0], SENT[1], SENT[1], SENT[2]], ["same"] * 3 + ["foreign", "same"]),
        ([message("user", "second", "first"), *SENT[1:]], ["foreign", "same", "lost", "same", "same"]),
    ],
    ids=["left out", "a space more", "added to", "another's mouth", "twice", "another order"],
)
def test_everything_else_is_broken(broken: list[dict[str, Any]], wanted: list[str]) -> None:
    assert states(broken) == wanted


def test_a_block_that_is_no_text_is_nobodys() -> None:
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}
    assert states([SENT[0], call, *SENT[1:]]) == ["same", "same", "foreign", "same", "same"]
