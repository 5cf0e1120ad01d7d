"""Lines that are no row: counted, with place and digest, and blocking unless a person says otherwise."""

import json
from hashlib import sha256
from pathlib import Path

from building import build, expect_built, small_talk
from carrying import carry

from harness.expect import expect, expect_equal, proves

CUT = b'{"type":"user","uuid":"cut","message":{"role":"user","con'
NO_UTF8 = b'{"type":"user","uuid":"latin","message":{"role":"user","content":"caf\xe9"}}'


@proves("TR-L05")
def test_a_half_written_line_blocks_or_is_listed_with_place_and_digest(tmp_path: Path) -> None:
    expect_built("TR-L05", build(small_talk(), tmp_path, out="whole"))
    lines = small_talk().bytes().splitlines(keepends=True)
    for name, bad, bad_byte in (("cut", CUT, None), ("latin", NO_UTF8, NO_UTF8.index(b"\xe9"))):
        data = b"".join([*lines[:2], bad + b"\n", *lines[2:]])
        offset = sum(map(len, lines[:2]))
        blocked = carry(data, tmp_path / name / "blocked").summary
        expect_equal("TR-L05", (blocked["reason"], blocked["line"]), ("unreadable-line", 3), "why nothing is carried")
        expect("TR-L05", f"line 3 at byte {offset}" in blocked["detail"], "the refusal names line and byte")

        listed = carry(data, tmp_path / name / "listed", malformed="report")
        expect_equal("TR-L05", listed.summary["verdict"], "carried", "verdict when unreadable lines are only reported")
        seen = [(each["line"], each["offset"], each["length"], each["sha256"]) for each in listed.summary["malformed"]]
        expect_equal("TR-L05", seen, [(3, offset, len(bad), sha256(bad).hexdigest())], "unreadable lines")
        if bad_byte is not None:
            first = listed.summary["malformed"][0]["bad_byte"]
            expect_equal("TR-L05", first, offset + bad_byte, "the first bad byte in the file")
        expect_equal("TR-L05", listed.summary["ledger"].get("unreadable"), len(bad), "bytes booked as unreadable")
        written = json.loads((tmp_path / name / "listed" / "out" / "ledger.json").read_bytes())
        expect_equal("TR-L05", len(written["malformed"]), 1, "unreadable lines in the written ledger")


@proves("TR-L05")
def test_every_unreadable_line_is_counted_and_the_torn_end_is_told_apart(tmp_path: Path) -> None:
    expect_built("TR-L05", build(small_talk(), tmp_path, out="whole"))
    data = small_talk().bytes() + (CUT + b"\n") * 60 + CUT
    carried = carry(data, tmp_path, malformed="report")
    codes = [each["code"] for each in carried.summary["malformed"]]
    expect_equal("TR-L05", codes, ["unreadable-line"] * 60 + ["torn-tail"], "unreadable lines")
    torn = [warning.line for warning in carried.plan.warnings if warning.code == "torn-tail"]
    rows = small_talk().bytes().count(b"\n")
    expect_equal("TR-L05", torn, [rows + 61], "line of the torn end")


@proves("TR-L07")
def test_a_new_shape_that_may_hold_speech_is_listed(tmp_path: Path) -> None:
    plain = carry(small_talk(), tmp_path / "plain")
    expect_equal("TR-006", plain.said, small_talk().said, "speech of the known shapes")
    expect("TR-L07", "unknown-shape" not in plain.codes, "known shapes are not listed")
    shapes = {
        "a row of a new kind": {"type": "spoken", "message": {"role": "user", "content": "new words"}},
        "a row of a new kind, its text elsewhere": {"type": "spoken", "body": {"words": "new words"}},
        "a row without a kind": {"message": {"role": "user", "content": "new words"}},
        "a block of a new kind": {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "spoken", "text": "new words"}]},
        },
        "a text that is no string": {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "text", "text": ["new words"]}]},
        },
        "a message without content": {"type": "user", "message": {"role": "user", "words": "new words"}},
    }
    for number, (what, row) in enumerate(shapes.items()):
        talk = small_talk()
        talk.row(**row, uuid=talk.new_id(), parentUuid=talk.mark(), sessionId=talk.session)
        carried = carry(talk, tmp_path / str(number))
        line = len(talk.bytes().splitlines())
        listed = [each.line for each in carried.plan.warnings if each.code == "unknown-shape"]
        expect_equal("TR-L07", listed, [line], f"lines listed for {what}")
        expect("TR-006", ("user", "new words") not in carried.said, f"{what} is not taken for speech")
