"""The redacted export: a secret planted in every field of an operation gets out of none of them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from calling import activated, call

from harness.expect import expect, expect_equal, proves
from harness.world.night import Night
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import State

SECRETS = ("sk-ant-api03-Qz7", "我的密码是彩虹桥", "hunter2", "/home/mara/.claude/x", "13800138000")


@proves("TR-L32")
def test_a_secret_in_every_field_stays_inside(tmp_path: Path) -> None:
    planted = 0
    for number, secret in enumerate(SECRETS):
        night = activated(tmp_path / str(number))
        operation = night.latest()
        record = msgspec.to_builtins(operation)
        texts, keys = _places(record)
        for place in texts:
            planted += _expect_kept_in(night, operation, _with_text(record, place, secret), secret, place)
        for place in keys:
            planted += _expect_kept_in(night, operation, _with_key(record, place, secret), secret, place)
    expect("TR-L32", planted > 100, f"places in which a secret was planted: {planted}")


@proves("TR-L32")
def test_without_redaction_nothing_leaves(tmp_path: Path) -> None:
    night = activated(tmp_path)
    bare = call(night, "export", night.latest().id)
    expect_equal("TR-L32", (bare.exit_code, bare.stdout), (1, ""), "exit and output without --redact")
    whole = call(night, "export", night.latest().id, "--redact")
    expect_equal("TR-L32", whole.exit_code, 0, f"exit with --redact ({whole.stderr})")
    for private in ("夜里换窗", "可以换窗了", str(tmp_path), "DO-NOT-CREATE", str(night.latest().new_session_id)):
        expect("TR-L32", private not in _as_read(whole.stdout), f"{private!r} is in the bundle")


@proves("TR-L32")
def test_what_helps_is_still_there(tmp_path: Path) -> None:
    night = activated(tmp_path)
    operation = night.latest()
    operation.door_command = ["/usr/bin/claude", "--resume", "abc", "--token=sk-1", "--channels", "plugin:mail@home"]
    operation.error = "pane %7 was respawned by somebody else"
    night.house.store.save(operation)
    bundle = json.loads(call(night, "export", operation.id, "--redact").stdout)["operation"]
    expect_equal("TR-L32", bundle["state"], State.ACTIVATED, "state")
    expect_equal("TR-L32", bundle["source"]["sha256"], operation.source and operation.source.sha256, "digest")
    expect_equal("TR-L32", bundle["activated_at"], operation.activated_at, "time")
    expect_equal("TR-L32", bundle["verification"], operation.verification, "what was verified")
    command = bundle["door_command"]
    expect_equal("TR-L32", [part for part in command if part[0] == "-"][0::2], ["--resume", "--channels"], "flags")
    expect("TR-L32", command[3].startswith("--token=<value"), f"a flag keeps its name and loses its value: {command}")
    expect("TR-L32", command[0].startswith("<path"), f"a path is called a path: {command}")
    expect("TR-L32", bundle["error"].endswith("was respawned by somebody else"), f"own sentences: {bundle['error']}")
    expect_equal("TR-L32", bundle["source"]["path"], bundle["transcript_path"], "one path has one placeholder")
    expect("TR-L32", bundle["source"]["path"] != bundle["source"]["backup"], "two paths have two")


@proves("TR-L32")
def test_settings_lose_their_local_facts(tmp_path: Path) -> None:
    night = activated(tmp_path)
    settings = msgspec.structs.replace(
        night.house.settings,
        tmux_socket="mara-laptop",
        private_lines=("13800138000",),
        poison_pattern="hunter2",
        resume_command=("claude", "--settings", '{"token": "sk-ant-1"}', "{session_id}"),
    )
    night.house = replace(night.house, settings=settings)
    out = _as_read(call(night, "export", night.latest().id, "--redact").stdout)
    for private in ("mara-laptop", "13800138000", "hunter2", "sk-ant-1"):
        expect("TR-L32", private not in out, f"{private!r} of the settings is in the bundle")
    expect("TR-L32", '"activation": "tmux"' in out, "which door it is can be read")


def test_an_unknown_operation_is_refused(tmp_path: Path) -> None:
    night = Night(tmp_path)
    assert call(night, "export", "abcdef", "--redact").exit_code == 1
    assert call(night, "export", "../etc", "--redact").exit_code == 1


def _expect_kept_in(night: Night, operation: Operation, record: Any, secret: str, place: tuple[Any, ...]) -> int:
    """1 where the record with the secret can be an operation and its export holds nothing of it, 0 where it cannot."""
    try:
        changed = msgspec.convert(record, Operation)
    except msgspec.ValidationError:
        return 0  # a state is one of the known ones, or the file is no operation
    changed.id = operation.id
    night.house.store.save(changed)
    done = call(night, "export", operation.id, "--redact")
    expect_equal("TR-L32", done.exit_code, 0, f"exit with a secret at {place} ({done.output})")
    expect("TR-L32", secret not in _as_read(done.stdout), f"{secret!r} planted at {place} is in the bundle")
    return 1


def _as_read(printed: str) -> str:
    return json.dumps(json.loads(printed), ensure_ascii=False)


def _places(record: Any, here: tuple[Any, ...] = ()) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The places of all texts in a record, and of all keys of its free dictionaries."""
    if isinstance(record, str) or record is None:
        return [here], []
    texts: list[tuple[Any, ...]] = []
    keys: list[tuple[Any, ...]] = []
    children = record.items() if isinstance(record, dict) else enumerate(record) if isinstance(record, list) else ()
    for key, value in children:
        inner = _places(value, (*here, key))
        texts += inner[0]
        keys += inner[1]
        if isinstance(record, dict) and here:
            keys.append((*here, key))
    return texts, keys


def _with_text(record: Any, place: tuple[Any, ...], text: str) -> Any:
    if not place:
        return text
    changed = record.copy()
    changed[place[0]] = _with_text(record[place[0]], place[1:], text)
    return changed


def _with_key(record: Any, place: tuple[Any, ...], text: str) -> Any:
    changed = record.copy()
    if len(place) == 1:
        changed[text] = changed.pop(place[0])
    else:
        changed[place[0]] = _with_key(record[place[0]], place[1:], text)
    return changed
