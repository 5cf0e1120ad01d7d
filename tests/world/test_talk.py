"""The builder against the recordings: the same keys in the same order, a chain that holds, a true `said`."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.world.talk import ABSENT, Talk

GOLDEN = Path(__file__).parents[2] / "golden" / "cli"
# A prompt that waited in the queue has its own time beside the keys of a typed one.
EXTRA = {"sentAtMs"}
WANTED = ("user", "assistant", "attachment", "queue-operation")


def rows(talk: Talk) -> list[dict[str, Any]]:
    return [json.loads(line) for line in talk.bytes().splitlines()]


def kind(row: dict[str, Any]) -> tuple[str, ...]:
    content = row.get("message", {}).get("content")
    blocks = [block["type"] for block in content] if isinstance(content, list) else ["string"]
    return (row["type"], str(row.get("operation")), *blocks)


def keys(row: dict[str, Any]) -> list[Any]:
    message = row.get("message", {})
    content = message.get("content")
    blocks = [list(block) for block in content] if isinstance(content, list) else []
    usage = list(message.get("usage", {}))
    top = [key for key in row if key not in EXTRA]
    return [top, list(message), usage, blocks, list(row.get("attachment", {}))]


def recorded(version: str, name: str) -> list[dict[str, Any]]:
    lines = (GOLDEN / version / name).read_bytes().splitlines()
    return [row for row in map(json.loads, lines) if row["type"] in WANTED]


def everything(version: str) -> Talk:
    talk = Talk(version=version)
    talk.user("hello")
    talk.assistant("running")
    talk.tool("Bash", {"command": "ls"}, result="a", message=talk.message)
    talk.queued("wait")
    talk.thinking("hm")
    return talk


@pytest.mark.parametrize("version", ["1.0.128", "2.1.112", "2.1.199", "2.1.332"])
def test_rows_have_the_keys_of_an_interactive_recording(version: str) -> None:
    seen = {kind(row): keys(row) for row in rows(everything(version))}
    compared = set()
    for row in recorded(version, "interactive.jsonl"):
        content = row.get("message", {}).get("content")
        runtime = row.get("isMeta") or (isinstance(content, str) and content.startswith("<"))
        other = row["type"] == "attachment" and row["attachment"]["type"] != "queued_command"
        if runtime or other or kind(row) not in seen:
            continue
        compared.add(kind(row))
        assert keys(row) == seen[kind(row)], kind(row)
    kinds = {"user", "assistant"} if version.startswith("1.") else set(WANTED)
    assert {found[0] for found in compared} == kinds


def test_rows_have_the_keys_of_a_recording_without_screen() -> None:
    seen = {kind(row): keys(row) for row in rows(everything("2.0.42"))}
    compared = [row for row in recorded("2.0.42", "p-four-turns.jsonl") if kind(row) in seen]
    assert {row["type"] for row in compared} == {"user", "assistant", "queue-operation"}
    for row in compared:
        if row["type"] == "user" and row.get("toolUseResult") is None:
            assert keys(row) == seen[kind(row)]


@pytest.mark.parametrize("version", ["1.0.128", "2.0.42", "2.1.112", "2.1.199", "2.1.332"])
def test_thinking_rows_have_the_keys_of_the_recording(version: str) -> None:
    own = next(row for row in rows(everything(version)) if "thinking" in kind(row))
    theirs = next(row for row in recorded(version, "p-four-turns.jsonl") if "thinking" in kind(row))
    # Two keys are the interactive screen's own, and the recording with thinking was made without a screen.
    screen = ("serverClassifierRequest", "session_id")
    assert [key for key in keys(own)[0] if key not in screen] == keys(theirs)[0]
    assert keys(own)[1:] == keys(theirs)[1:]


def test_every_row_of_the_line_names_the_row_before() -> None:
    talk = everything("2.1.199")
    talk.sidechain("sub", "answer")
    talk.progress("one", "two")
    talk.user("on")
    made = rows(talk)
    line = [row for row in made if "uuid" in row and not row["isSidechain"] and row["type"] != "progress"]
    assert [row["parentUuid"] for row in line] == [None, *[row["uuid"] for row in line[:-1]]]
    question, answer = (row for row in made if row.get("isSidechain"))
    one, two = (row for row in made if row["type"] == "progress")
    assert question["parentUuid"] == one["parentUuid"] == line[-2]["uuid"]
    assert (answer["parentUuid"], two["parentUuid"]) == (question["uuid"], one["uuid"])


def test_ids_and_times_are_unique_and_ascend() -> None:
    made = rows(everything("2.1.332"))
    assert len({row["uuid"] for row in made if "uuid" in row}) == sum("uuid" in row for row in made)
    times = [row["timestamp"] for row in made]
    assert times == sorted(set(times))


def test_the_same_seed_gives_the_same_bytes() -> None:
    def told(seed: int) -> bytes:
        talk = Talk(seed=seed)
        talk.user("a")
        talk.tool("Bash", {}, result="b")
        return talk.bytes()

    assert told(1) == told(1)
    assert told(1) != told(2)


def test_said_holds_speech_only() -> None:
    talk = Talk()
    talk.startup(["be brief"], "first words")
    talk.thinking("secret")
    talk.tool("Bash", {"command": "ls"}, result="output", beside="stop")
    talk.meta("skill body")
    talk.reminder("date changed")
    talk.command("/model", "set")
    first = talk.channel("over the wire")
    second = talk.channel("while busy", idle=False)
    talk.reply("sent")
    talk.reply("not sent", error="unreachable")
    talk.queued("/clear", mode="command")
    talk.queued(["with", "a picture"], remove_first=True)
    talk.image("look")
    talk.image()
    talk.sidechain("sub", "answer")
    talk.system("informational", content="notice")
    talk.progress("one")
    talk.attachment("skill_listing", content="skills")
    talk.compact("they talked")
    talk.api_error("API Error: 529")
    talk.unasked()
    talk.interrupted(for_tool=True)
    talk.user(["two", "blocks"])
    talk.user("  ")
    assert talk.said == [
        ("user", "first words"),
        ("user", "stop"),
        ("user", first),
        ("user", second),
        ("assistant", "sent"),
        ("user", "with"),
        ("user", "a picture"),
        ("user", "look"),
        ("user", "two"),
        ("user", "blocks"),
    ]
    assert "\nover the wire\n" in first
    assert talk.startup_texts == ["<system-reminder>\nbe brief\n</system-reminder>"]
    assert talk.abandoned == []


def test_a_queued_prompt_is_three_rows() -> None:
    def told(remove_first: bool) -> list[str]:
        talk = Talk()
        talk.queued("wait", remove_first=remove_first)
        return [str(row.get("operation", row["type"])) for row in rows(talk)]

    assert told(False) == ["enqueue", "attachment", "remove"]
    assert told(True) == ["enqueue", "remove", "attachment"]


def test_a_rewind_leaves_words_behind() -> None:
    talk = Talk()
    talk.user("write a poem")
    back = talk.mark()
    talk.assistant("first")
    talk.user("again")
    assert talk.said[-1] == ("user", "again")
    talk.rewind(back)
    talk.assistant("second")
    assert talk.said == [("user", "write a poem"), ("assistant", "second")]
    assert talk.abandoned == [("assistant", "first"), ("user", "again")]


def test_what_waits_in_the_queue_comes_last() -> None:
    talk = Talk()
    talk.enqueue("one")
    talk.enqueue("two")
    talk.dequeue()
    talk.user("one")
    talk.assistant("answer")
    assert talk.said == [("user", "one"), ("assistant", "answer"), ("user", "two")]


def test_a_token_is_placed_byte_for_byte() -> None:
    token = r'"\u0041\/\ud83d é"'
    for speak in (Talk.user, Talk.assistant, Talk.reply):
        talk = Talk()
        speak(talk, text_token=token)
        assert talk.bytes().count(token.encode()) == 1
        assert talk.said[0][1] == "A/\ud83d é"


def test_text_is_escaped_as_the_cli_escapes_it() -> None:
    # JSON.stringify: short escapes and \u00XX for controls, lone surrogates as escapes, all else as it is.
    talk = Talk()
    talk.user('"\\\b\f\n\r\t\x00\x1f\x7f\u2028é\U0001f600\ud83d')
    assert rb'"\"\\\b\f\n\r\t\u0000\u001f' + "\x7f\u2028é\U0001f600".encode() + rb'\ud83d"' in talk.bytes()


def test_fields_replace_and_leave_out() -> None:
    talk = Talk()
    talk.user("a", timestamp=ABSENT, version=7, uuid="here")
    talk.assistant("b")
    talk.row(type="odd", uuid="odd")
    talk.raw(b"torn")
    first, second = (json.loads(line) for line in talk.bytes().splitlines()[:2])
    assert "timestamp" not in first and first["version"] == 7
    assert second["parentUuid"] == "here"
    assert talk.bytes().endswith(b'{"type":"odd","uuid":"odd"}\ntorn')
    assert talk.mark() == "odd"
    assert talk.said == [("user", "a"), ("assistant", "b")]


def test_write_gives_the_bytes(tmp_path: Path) -> None:
    talk = everything("2.1.199")
    assert talk.write(tmp_path / "talk.jsonl").read_bytes() == talk.bytes()
