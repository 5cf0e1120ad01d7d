"""Rows of a candidate: new envelopes, and within them the source's own bytes, in order, with nothing put between."""

import json
import uuid
from hashlib import sha256
from pathlib import Path
from typing import Any

from carrying import SESSION, Carried, carry, expect_talk_is_found

from harness.expect import expect, expect_equal, proves
from harness.oracle.candidate import resume_faults
from harness.world.talk import Talk
from threadrebuild.carry.manifest import read_manifest
from threadrebuild.carry.plan import plan_file
from threadrebuild.carry.rows import NewRow, rows_of
from threadrebuild.carry.verification import Check, verify_candidate
from threadrebuild.config import ConfigError, Settings, load_settings

OTHER_SESSION = "99999999-8888-4777-a666-555555555555"


def rows(talk: Talk, folder: Path, session: str = SESSION, **settings: Any) -> list[NewRow]:
    """The rows of a candidate before anything of them is written or verified."""
    folder.mkdir(exist_ok=True)
    return list(rows_of(plan_file(talk.write(folder / "source.jsonl"), Settings(**settings)), session))


def verified(lines: list[bytes], folder: Path, session: str = SESSION) -> dict[str, Check]:
    """What verification says of these rows, by the name of the check."""
    path = folder / f"{session}.jsonl"
    path.write_bytes(b"".join(lines))
    return {check.name: check for check in verify_candidate(path, session, None).checks}


def changed(line: bytes, **fields: object) -> bytes:
    """A row with other fields on its top level."""
    return json.dumps(json.loads(line) | fields).encode() + b"\n"


def small_talk() -> Talk:
    talk = Talk()
    talk.user("first")
    talk.user("second")
    talk.assistant("one")
    talk.assistant("two")
    talk.user("third")
    talk.assistant("three")
    return talk


def stamps(carried: Carried) -> list[tuple[str, str]]:
    """Each stamp with the text that it stands before."""
    blocks = carried.blocks
    return [(block.text, blocks[place + 1].text) for place, block in enumerate(blocks) if block.word == "stamp"]


@proves("TR-032")
def test_the_first_user_message_of_a_turn_gets_its_time_in_front(tmp_path: Path) -> None:
    talk = Talk()
    talk.assistant("an opening turn waits for no time")
    talk.user("one", timestamp="2026-08-14T10:00:00.000Z")
    talk.user("two", timestamp="2026-08-14T10:00:05.000Z")
    talk.assistant("answer")
    talk.user("of unknown time", timestamp=None)
    talk.user("of known time", timestamp="2026-08-14T11:00:00.000Z")
    talk.assistant("answer")
    talk.user("three", timestamp="2026-08-14T12:00:00.000Z")
    carried = carry(talk, tmp_path / "on", stamp_turns=True)
    expect_equal("TR-017", carried.said, talk.said, "what was said")
    wanted = [("[2026-08-14T10:00:00.000Z]", "one"), ("[2026-08-14T12:00:00.000Z]", "three")]
    expect_equal("TR-032", stamps(carried), wanted, "stamps and what they stand before")
    expect_equal("TR-032", stamps(carry(talk, tmp_path / "off")), [], "stamps by default")


@proves("TR-033")
def test_no_message_is_shortened_by_default(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("长" * 100_000 + "the middle" + "x" * 100_000)
    talk.assistant("y" * 200_000 + "end")
    expect("TR-033", "max_event_chars" not in refusal_of(tmp_path, ""), "the default is a length that may be set")
    carried = carry(talk, tmp_path)
    expect_talk_is_found(carried)
    expect_equal("TR-033", carried.said, talk.said, "two very long messages")
    expect("TR-033", "shortened" not in carried.codes, "nothing is reported as shortened")


@proves("TR-033")
def test_a_length_that_was_set_is_kept_to_and_is_at_least_500(tmp_path: Path) -> None:
    expect("TR-069", "carry_max_tokens" not in refusal_of(tmp_path, ""), "no cap is a cap that may be set")
    lengths = (-1, 0, 1, 2, 499, 500, 501)
    refused = [each for each in lengths if "max_event_chars" in refusal_of(tmp_path, f"max_event_chars = {each}")]
    expect_equal("TR-033", refused, [-1, 1, 2, 499], "lengths that are refused")

    talk = Talk()
    for length in (499, 500, 501, 502):
        talk.user("字" * (length - 3) + "end")
    talk.assistant("ok")
    carried = carry(talk, tmp_path, max_event_chars=500)
    expect_talk_is_found(carried)
    wanted = [text[:500] for _, text in talk.said]
    expect_equal("TR-033", [text for _, text in carried.said], wanted, "messages around the limit")
    lines = [warning.line for warning in carried.candidate.warnings if warning.code == "shortened"]
    expect_equal("TR-033", lines, [3, 4], "lines reported as shortened")

    blank = Talk()
    blank.user(" " * 500 + "the words begin late")
    blank.assistant("ok")
    late = carry(blank, tmp_path / "late", max_event_chars=500)
    expect_equal("TR-033", late.said, blank.said, "a text that shows nothing within the limit, left whole")


def refusal_of(folder: Path, settings: str) -> str:
    """Why a configuration is refused; empty where it is accepted."""
    path = folder / "settings.toml"
    path.write_text(settings, encoding="utf-8")
    try:
        load_settings(path)
    except ConfigError as error:
        return str(error)
    return ""


@proves("TR-034")
def test_neighbours_of_one_role_stay_as_they_are(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("look it up")
    talk.assistant("I look")
    talk.tool("Bash", {"command": "ls"}, result="files")
    talk.assistant("I look again")
    talk.tool("Bash", {"command": "ls -a"}, result="more files")
    talk.assistant("found")
    talk.user("thanks")
    talk.user("and now?")
    made = rows(talk, tmp_path)
    seen = [(block.role, json.loads(block.token)) for row in made for block in row.blocks]
    expect_equal("TR-034", seen, talk.said, "blocks of the candidate")
    roles = ["user", "assistant", "assistant", "assistant", "user"]
    expect_equal("TR-034", [json.loads(row.line)["type"] for row in made], roles, "rows of the candidate")
    messages = {json.loads(row.line)["message"]["id"] for row in made[1:4]}
    expect_equal("TR-034", len(messages), 3, "messages of three answers")
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(b"".join(row.line for row in made))
    expect_equal("TR-062", [fault for fault in resume_faults(path) if fault.code == "chain"], [], "faults of the chain")
    expect_equal("TR-034", [fault.code for fault in resume_faults(path)], [], "what resuming stumbles over")


@proves("TR-060")
def test_a_file_with_the_candidates_name_is_never_overwritten(tmp_path: Path) -> None:
    carried = carry(small_talk(), tmp_path)
    path = tmp_path / "out" / f"{SESSION}.jsonl"
    expect("TR-060", carried.summary["reason"] != "output-exists", "a free name may be used")
    expect("TR-064", carried.summary["reason"] != "verification-failed", "the candidate is a good one")
    expect("TR-067", carried.summary["reason"] != "cannot-write", "finished files get their final names")
    expect_equal("TR-060", carried.summary["candidate"], str(path), "the candidate")
    before = path.read_bytes()
    again = carry(small_talk(), tmp_path)
    expect_equal("TR-060", again.summary["reason"], "output-exists", "a second build of the same name")
    expect_equal("TR-060", path.read_bytes(), before, "the first candidate")

    taken = tmp_path / "elsewhere" / "out" / f"{SESSION}.jsonl"
    taken.parent.mkdir(parents=True)
    taken.symlink_to(tmp_path / "nowhere")
    linked = carry(small_talk(), tmp_path / "elsewhere")
    expect_equal("TR-060", linked.summary["reason"], "output-exists", "a name taken by a link that leads nowhere")
    expect("TR-060", not (tmp_path / "nowhere").exists(), "nothing is written through the link")


@proves("TR-060")
def test_rows_name_the_new_session_and_only_it(tmp_path: Path) -> None:
    talk = small_talk()
    made = [json.loads(row.line) for row in rows(talk, tmp_path)]
    expect_equal("TR-060", {row.get("sessionId") for row in made}, {SESSION}, "sessions named")
    expect_equal("TR-060", {row["type"] for row in made}, {"user", "assistant"}, "kinds of rows")


@proves("TR-060")
def test_verification_knows_the_session_and_the_kinds(tmp_path: Path) -> None:
    made = [changed(row.line, sessionId=SESSION) for row in rows(small_talk(), tmp_path)]
    checks = verified(made, tmp_path)
    expect("TR-060", checks["session_id"].ok, "a good candidate names one session")
    expect("TR-064", "not plain text" not in checks["kind"].detail, "a good candidate holds plain text")
    expect("TR-060", "a row of kind" not in checks["kind"].detail, "a good candidate holds user and assistant rows")

    two_sessions = verified([*made[:-1], changed(made[-1], sessionId=OTHER_SESSION)], tmp_path)
    expect("TR-060", not two_sessions["session_id"].ok, "a row of another session is noticed")
    other_name = verified(made, tmp_path, OTHER_SESSION)
    expect("TR-060", not other_name["session_id"].ok, "a file not named after its session is noticed")
    for kind in ("system", "attachment", "progress"):
        checks = verified([*made[:-1], changed(made[-1], type=kind)], tmp_path)
        expect("TR-060", "a row of kind" in checks["kind"].detail, f"a {kind} row is noticed")


@proves("TR-061")
def test_item_ids_are_derived_from_session_position_and_source(tmp_path: Path) -> None:
    talk = small_talk()
    talk.user(["two blocks", "of one row"])
    made = rows(talk, tmp_path)
    ids = [item for row in made for item in row.item_ids]
    sources = [block.source.uuid for row in made for block in row.blocks if block.source is not None]
    named = [f"{position}:{source}" for position, source in enumerate(sources)]
    wanted = [str(uuid.uuid5(uuid.UUID(SESSION), name)) for name in named]
    expect_equal("TR-061", ids, wanted, "ids of the items")
    expect_equal("TR-061", sources[-1], sources[-2], "source of two blocks of one row")
    expect_equal("TR-061", [row.uuid for row in made], [row.item_ids[0] for row in made], "ids of the rows")
    expect_equal("TR-061", [row.line for row in rows(talk, tmp_path)], [row.line for row in made], "a second build")
    others = {item for row in rows(talk, tmp_path, OTHER_SESSION) for item in row.item_ids}
    expect("TR-061", others.isdisjoint(ids), "another session has other ids")


@proves("TR-062")
def test_each_parent_is_the_row_before(tmp_path: Path) -> None:
    talk = small_talk()
    made = [json.loads(row.line) for row in rows(talk, tmp_path)]
    wanted = [None, *(row["uuid"] for row in made[:-1])]
    expect_equal("TR-062", [row.get("parentUuid", "absent") for row in made], wanted, "parents")
    old = [json.loads(line)["uuid"] for line in talk.bytes().splitlines()]
    candidate = b"".join(row.line for row in rows(talk, tmp_path))
    expect_equal("TR-062", [id_ for id_ in old if id_.encode() in candidate], [], "ids of the old session")


@proves("TR-062")
def test_verification_knows_the_parents(tmp_path: Path) -> None:
    made = [row.line for row in rows(small_talk(), tmp_path)]
    parents = [None, *(json.loads(line)["uuid"] for line in made[:-1])]
    good = [changed(line, parentUuid=parent) for line, parent in zip(made, parents, strict=True)]
    expect("TR-062", verified(good, tmp_path)["parent"].ok, "a good candidate's parents")
    for name, lines in {
        "a first row with a parent": [changed(good[0], parentUuid=OTHER_SESSION), *good[1:]],
        "a last row without one": [*good[:-1], changed(good[-1], parentUuid=None)],
        "a parent that is not the row before": [*good[:-1], changed(good[-1], parentUuid=parents[1])],
    }.items():
        expect("TR-062", not verified(lines, tmp_path)["parent"].ok, f"{name} is noticed")


UNUSUAL = (
    r'"  blanks around  "',
    r'"a line\r\nand its end\r\n"',
    '"five\\n\\n\\n\\n\\nblank lines\\n"',
    r'"\ttab and \u0041\u00e9\u4e2d escaped, \/ too"',
    '"line separator \u2028, no-break \u00a0, zero width \u200b, astral \U0001f600"',
    r'"astral escaped \ud83d\ude00 \uD83D\uDE00"',
    r'"e\u0301 and é, not composed"',
    r'"nul \u0000 and \u001b[31m"',
)


@proves("TR-L08")
def test_carried_text_is_the_sources_own_bytes(tmp_path: Path) -> None:
    talk = Talk()
    for token in UNUSUAL:
        talk.user(text_token=token)
        talk.assistant(text_token=token)
        talk.reply(text_token=token)
    carried = carry(talk, tmp_path)
    wanted = [token.encode() for token in UNUSUAL for _ in range(3)]
    expect_equal("TR-L08", [block.token for block in carried.blocks], wanted, "tokens of the candidate")

    source = talk.bytes()
    for item in read_manifest(tmp_path / "out" / "manifest.json").items:
        expect("TR-L08", item.source_offset is not None and item.source_length is not None, "every item has its place")
        token = source[item.source_offset or 0 :][: item.source_length]
        expect_equal("TR-L08", token, wanted[item.position], f"item {item.position} in the source")
        digests = {item.injected_sha256, item.source_sha256, sha256(token).hexdigest()}
        expect_equal("TR-L08", len(digests), 1, f"digests of item {item.position}")


@proves("TR-L08")
def test_a_text_that_was_cut_is_recorded_as_changed(tmp_path: Path) -> None:
    talk = Talk()
    talk.startup(["reminder"], "  first words\r\n\r\n\r\n\r\n", joined=True)
    talk.assistant("plain")
    carried = carry(talk, tmp_path)
    expect_equal("TR-L08", carried.summary["reason"], None, "refusal")
    changes = {
        item.word: item.injected_sha256 != item.source_sha256
        for item in read_manifest(tmp_path / "out" / "manifest.json").items
        if item.role == "user"
    }
    expect_equal("TR-L08", carried.said[0], ("user", "  first words\r\n\r\n\r\n\r\n"), "the words, whole")
    expect_equal("TR-L08", changes, {"startup": True, "speech": True}, "texts whose token got new quotes")


@proves("TR-L09")
def test_what_was_added_can_be_taken_away_again(tmp_path: Path) -> None:
    talk = Talk()
    talk.startup(["the instruction file"], "[2026-08-14T09:00:01.000Z] typed like a stamp")
    talk.assistant("[2026-08-14T09:00:02.000Z]")
    talk.user("[2026-08-14T09:00:03.000Z]")
    talk.assistant("<system-reminder>quoted</system-reminder>")
    made = rows(talk, tmp_path, stamp_turns=True)
    written = [json.loads(row.line) for row in made]
    marks = [row.get("threadrebuild", []) for row in written]
    blocks = [row["message"]["content"] for row in written]
    expect_equal("TR-L09", [len(each) for each in marks], [len(each) for each in blocks], "marks and blocks of a row")
    left = [
        (row["type"], block["text"])
        for row, words in zip(written, marks, strict=True)
        for word, block in zip(words, row["message"]["content"], strict=True)
        if word not in ("startup", "stamp")
    ]
    expect_equal("TR-L09", left, talk.said, "what is left without the marked blocks")
    added = [word for words in marks for word in words if word == "stamp"]
    expect_equal("TR-032", len(added), 2, "stamps that were put in front")

    candidate = tmp_path / "candidate.jsonl"
    candidate.write_bytes(b"".join(row.line for row in made))
    again = plan_file(candidate, Settings(stamp_turns=True))
    said = [(each.role, json.loads(each.token)) for each in again.carried]
    expect_equal("TR-L09", said, talk.said, "what was said, when the candidate is carried again")


@proves("TR-L09")
def test_a_shortened_text_has_no_marker_in_it(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("a" * 600)
    made = rows(talk, tmp_path, max_event_chars=500)
    row = json.loads(made[0].line)
    expect_equal("TR-L09", row["message"]["content"], [{"type": "text", "text": "a" * 500}], "the shortened text")
    expect_equal("TR-L09", row.get("threadrebuild"), ["speech"], "its mark")
