"""The manifest: one entry an item, in order, each with the digests of what was there and what was written."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from building import build, expect_built, small_talk
from carrying import SESSION

from harness.expect import expect, expect_equal, proves
from harness.oracle.candidate import blocks_of
from threadrebuild.carry.manifest import Manifest, read_manifest
from threadrebuild.carry.verification import verify_candidate
from threadrebuild.system import SystemFiles


@proves("TR-063")
def test_one_entry_an_item_with_source_and_digests(tmp_path: Path) -> None:
    candidate = build(small_talk(), tmp_path)
    expect_built("TR-063", candidate)
    expect("TR-067", candidate.path.exists(), "the candidate is published")
    source = (tmp_path / "project" / "source.jsonl").read_bytes()
    manifest: dict[str, Any] = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    items, blocks = manifest["items"], blocks_of(candidate.path)
    expect_equal("TR-063", [item["position"] for item in items], list(range(len(blocks))), "positions of the items")
    rows = [json.loads(line) for line in source.splitlines()]
    for item, block in zip(items, blocks, strict=True):
        place = slice(item["source_offset"], item["source_offset"] + item["source_length"])
        expect_equal("TR-063", item["role"], block.role, "an item's role")
        expect_equal("TR-063", item["injected_sha256"], sha256(block.token).hexdigest(), "digest of what was written")
        expect_equal("TR-063", item["source_sha256"], sha256(source[place]).hexdigest(), "digest of the source bytes")
        expect_equal("TR-063", source[place], block.token, "the bytes at the place that is named")
        row = rows[item["source_line"] - 1]
        expect_equal("TR-063", (item["source_uuid"], item["source_time"]), (row["uuid"], row["timestamp"]), "origin")
    expect_equal("TR-063", manifest["candidate_sha256"], sha256(candidate.path.read_bytes()).hexdigest(), "candidate")
    expect_equal("TR-063", manifest["source"]["sha256"], sha256(source).hexdigest(), "digest of the source")
    snapshot = b"\n".join(block.token for block in blocks if block.word == "startup")
    expect("TR-063", snapshot, "there is a startup snapshot")
    expect_equal("TR-063", manifest["startup_snapshot_sha256"], sha256(snapshot).hexdigest(), "startup snapshot")


@proves("TR-063")
def test_a_changed_character_is_noticed_in_its_item(tmp_path: Path) -> None:
    candidate = build(small_talk(), tmp_path)
    expect_built("TR-063", candidate)
    expect("TR-067", candidate.path.exists(), "the candidate is published")
    whole = candidate.path.read_bytes()
    manifest = read_manifest(tmp_path / "out" / "manifest.json")
    for old, new in (("第一问", "第二问"), ("the second answer", "the Second answer")):
        changed = whole.replace(old.encode(), new.encode())
        expect_equal("TR-063", len(changed), len(whole), "length of the changed file")
        path = tmp_path / f"{SESSION}.jsonl"
        path.write_bytes(changed)
        of_file, of_item = (
            next(check for check in verify_candidate(path, SESSION, each).checks if check.name == "digest")
            for each in (manifest, with_digest_of(manifest, changed))
        )
        expect("TR-063", not of_file.ok, "a changed character is noticed")
        expect("TR-063", not of_item.ok and "block" in of_item.detail, "also where only the item's digest can tell")


def with_digest_of(manifest: Manifest, candidate: bytes) -> Manifest:
    """A manifest that was fitted to other bytes, but for its items."""
    return msgspec.structs.replace(manifest, candidate_sha256=sha256(candidate).hexdigest())


@proves("TR-064")
def test_every_damage_to_a_candidate_is_noticed(tmp_path: Path) -> None:
    candidate = build(small_talk(), tmp_path)
    refused = candidate.refusal.detail if candidate.refusal else ""
    expect("TR-072", "model: " not in refused, f"the host loads what was built: {refused}")
    expect_built("TR-064", candidate)
    expect("TR-067", candidate.path.exists(), "the candidate is published")
    lines = candidate.path.read_bytes().splitlines(keepends=True)
    manifest = read_manifest(tmp_path / "out" / "manifest.json")
    good = faults(lines, manifest, tmp_path)
    expect_equal("TR-064", good, {}, "faults of the candidate as it was built")
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.txt"}
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    strange = {"type": "text", "text": "a", "b": 1}
    damages: dict[str, tuple[str, list[bytes]]] = {
        "a row removed": ("item_count", [*lines[:1], *lines[2:]]),
        "a row doubled": ("item_id", [*lines, lines[-1]]),
        "a parent changed": ("parent", [*lines[:-1], changed(lines[-1], parentUuid="00000000")]),
        "an id changed": ("item_id", [*lines[:-1], changed(lines[-1], uuid="00000000")]),
        "a foreign kind": ("kind", [*lines[:-1], changed(lines[-1], type="system")]),
        "a tool result": ("kind", [*lines[:-1], with_block(lines[-1], result)]),
        "a picture": ("kind", [*lines[:-1], with_block(lines[-1], picture)]),
        "a text with a key too many": (
            "kind",
            [*lines[:-1], with_block(lines[-1], strange)],
        ),
    }
    for what, (check, damaged) in damages.items():
        expect("TR-064", check in faults(damaged, manifest, tmp_path), f"{what} is noticed by the check {check!r}")
    for block in (result, picture):
        detail = faults([*lines[:-1], with_block(lines[-1], block)], manifest, tmp_path)["kind"]
        expect("TR-064", "not plain text" in detail, f"a block of kind {block['type']} is no plain text")


@proves("TR-064")
def test_a_candidate_that_came_back_damaged_from_the_disk_is_refused(tmp_path: Path) -> None:
    expect_built("TR-064", build(small_talk(), tmp_path, out="good"))
    refused = build(small_talk(), tmp_path, ForgetfulFiles(), out="bad")
    reason = refused.refusal.reason if refused.refusal else None
    expect_equal("TR-064", reason, "verification-failed", "a build whose last row did not reach the disk")


class ForgetfulFiles(SystemFiles):
    """A disk that says it has everything, and has lost the last row of the transcript."""

    def sync(self, file: Any) -> None:
        super().sync(file)
        file.seek(0)
        rows = file.read().splitlines(keepends=True)
        if b'"threadrebuild":' in rows[-1]:
            file.truncate(sum(map(len, rows[:-1])))


def faults(lines: list[bytes], manifest: Manifest, folder: Path) -> dict[str, str]:
    """The checks that fail for a candidate of these lines, with what they say."""
    path = folder / f"{SESSION}.jsonl"
    path.write_bytes(b"".join(lines))
    fitted = with_digest_of(manifest, path.read_bytes())
    return {check.name: check.detail for check in verify_candidate(path, SESSION, fitted).checks if check.ok is False}


def changed(line: bytes, **members: Any) -> bytes:
    return json.dumps(json.loads(line) | members, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def with_block(line: bytes, block: dict[str, Any]) -> bytes:
    row = json.loads(line)
    return changed(line, message=row["message"] | {"content": [*row["message"]["content"], block]})
