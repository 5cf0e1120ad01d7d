"""The parts of the lab that need no real program: versions, kinds of rows, differences, the scripted model."""

import base64
import hashlib
import io
import json
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.lab.differences import Difference, differences
from harness.lab.model import Reply, Request, events
from harness.lab.records import KNOWN, Shape, shape_of
from harness.lab.versions import Unavailable, WrongBytes, check_integrity, program_of, unpack

GOLDEN = Path(__file__).parents[2] / "golden"


def test_only_the_bytes_that_the_registry_states_are_taken(tmp_path: Path) -> None:
    packed = tmp_path / "package.tgz"
    packed.write_bytes(b"the program")
    stated = "sha512-" + base64.b64encode(hashlib.sha512(b"the program").digest()).decode()
    check_integrity(packed, stated)
    packed.write_bytes(b"another program")
    with pytest.raises(WrongBytes):
        check_integrity(packed, stated)


def packed_with(path: Path, *names: str) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.mode, member.size = 0o755, 4
            archive.addfile(member, io.BytesIO(b"text"))
        link = tarfile.TarInfo("package/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return path


def test_only_regular_files_are_unpacked_and_only_below_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    unpack(packed_with(tmp_path / "good.tgz", "package/claude", "package/vendor/tool"), folder)
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
    assert files.keys() == {"package/claude", "package/vendor/tool"}
    assert files["package/claude"].stat().st_mode & 0o777 == 0o755
    for name in ("../outside", "/outside", "package/../../outside"):
        with pytest.raises(WrongBytes, match="outside of it"):
            unpack(packed_with(tmp_path / "bad.tgz", name), folder)
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("text", ["latest", "../2.1.199", "2.1", ""])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(Unavailable, match="no version"):
        program_of(text)
    assert CliRunner().invoke(main, ["cli-check", "--candidate", text]).exit_code == 2


def test_all_kinds_of_rows_that_were_recorded_are_known() -> None:
    recorded = shape_of(GOLDEN.joinpath("cli").rglob("*.jsonl"))
    assert recorded
    assert not recorded.keys() - KNOWN


def test_a_row_is_told_apart_by_what_it_holds(tmp_path: Path) -> None:
    rows = [
        {"type": "user", "uuid": "a", "message": {"role": "user", "content": "hello"}},
        {"type": "system", "subtype": "new"},
        {"type": "attachment", "attachment": {"type": "thing", "prompt": "p"}},
        {"type": "queue-operation", "operation": "enqueue"},
    ]
    path = tmp_path / "some.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    shape = shape_of([path])
    assert list(shape) == ["attachment:thing", "queue-operation:enqueue", "system:new", "user"]
    assert shape["user"] == {"type", "uuid", "message", ".role", ".content"}


@dataclass
class Seen:
    shape: Shape
    wire: list[str] = field(default_factory=list)
    hook: list[str] = field(default_factory=list)


def test_what_differs_between_versions_is_named() -> None:
    current = Seen({"user": frozenset({"type", "slug"}), "mode": frozenset({"type"})}, hook=["cwd"])
    candidate = Seen(
        {"user": frozenset({"type", "seat"}), "attachment:date": frozenset({"type"})}, ["added: a word"], ["cwd"]
    )
    assert differences(current, current) == []
    assert differences(current, candidate) == [
        Difference("kinds of rows", ["mode"], []),
        Difference("kinds of attachments", [], ["attachment:date"]),
        Difference("fields of user", ["slug"], ["seat"]),
        Difference("on the wire", [], ["added: a word"]),
    ]


def test_a_streamed_reply_says_what_the_script_says() -> None:
    text = "a text that is longer than what one event carries, 三个字"
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "echo"}}
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    streamed = list(events(Reply((thought, {"type": "text", "text": text}, call)), {}))
    deltas = [fields["delta"] for name, fields in streamed if name == "content_block_delta"]
    assert "".join(delta.get("text", "") for delta in deltas) == text
    assert "".join(delta.get("thinking", "") for delta in deltas) == "hm"
    assert json.loads("".join(delta.get("partial_json", "") for delta in deltas)) == call["input"]
    assert [fields["delta"]["stop_reason"] for name, fields in streamed if name == "message_delta"] == ["tool_use"]


def test_side_requests_do_not_use_up_the_script() -> None:
    tools = {"tools": [{"name": "Bash"}], "stream": True}
    assert Request("POST", "/v1/messages?beta=true", tools).is_main
    assert not Request("POST", "/v1/messages", {"stream": True}).is_main
    assert not Request("POST", "/v1/messages/count_tokens", tools).is_main
    assert not Request("HEAD", "/", None).is_main
