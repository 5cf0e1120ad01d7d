"""Builds a candidate: the new session's transcript, its manifest and the byte ledger, all in place or none.

Everything is written beside its final name, read back and verified, and only then published, the transcript last. A
refusal at any point leaves nothing behind.
"""

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from threadrebuild import __version__
from threadrebuild.carry.manifest import Item, ManifestWriter, read_manifest
from threadrebuild.carry.places import Place, Places, SourceChanged, WholeMessage
from threadrebuild.carry.plan import NOTES, Plan, Refusal
from threadrebuild.carry.rows import NewBlock, NewRow, rows_of
from threadrebuild.carry.verification import Verification, verify_candidate
from threadrebuild.carry.window import NOTES as WINDOW_NOTES
from threadrebuild.carry.window import heading_of
from threadrebuild.carry.window_proof import span_fault
from threadrebuild.carry.window_rows import window_rows
from threadrebuild.ports import Files
from threadrebuild.transcript.ledger import CARRIED_CLASSES, REASONS
from threadrebuild.transcript.lines import digest_of
from threadrebuild.transcript.speech import Warning

MANIFEST = "manifest.json"
LEDGER = "ledger.json"


@dataclass(slots=True)
class Candidate:
    """What was built, or why nothing was."""

    plan: Plan
    session_id: str
    path: Path
    refusal: Refusal | None = None
    rows: int = 0
    items: int = 0
    source_bytes: int = 0
    """How many bytes of the source stand in the items."""
    sha256: str = ""
    verification: Verification | None = None
    warnings: list[Warning] = field(default_factory=list)


class _Refused(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


def build_candidate(plan: Plan, out: Path, session_id: str, files: Files, project: Path | None = None) -> Candidate:
    """Write `out/<session_id>.jsonl`, `manifest.json` and `ledger.json` for a plan that is not refused.

    Its ids are compared with the transcripts beside source and candidate, and with those of `project`, where it is to
    be published later. Files are private and appear whole or not at all (TR-060, TR-067). What goes wrong is a refusal
    in the result.
    """
    candidate = Candidate(plan, session_id, out / f"{session_id}.jsonl", plan.refusal, warnings=list(plan.warnings))
    if candidate.refusal is not None:
        return candidate
    if session_id == plan.source.session_id:  # TR-060
        candidate.refusal = Refusal("not-a-new-session", 0, f"{session_id} is the source's own session")
        return candidate
    finals = [out / MANIFEST, out / LEDGER, candidate.path]
    parts = {final: part_of(final, session_id) for final in finals}
    made: list[Path] = []
    try:
        taken = next((final for final in finals if final.exists() or final.is_symlink()), None)
        if taken is not None:  # TR-060
            raise _Refused(Refusal("output-exists", 0, f"{taken} is there already; nothing is overwritten"))
        made += _missing_folders(out)
        files.make_folder(out)
        made += parts.values()
        for part in parts.values():
            files.remove(part)
        _write(candidate, parts, files)
        _check(candidate, parts, project or out)
        for final in finals:  # TR-067 TR-068
            files.publish(parts[final], final)
            made.append(final)
        if digest_of(candidate.path, candidate.path.stat().st_size) != candidate.sha256:
            raise _Refused(Refusal("verification-failed", 0, "what was published is not what was verified"))
        for folder in dict.fromkeys(final.parent for final in finals):
            files.sync_folder(folder)
    except BaseException as error:
        _take_back(made, files)  # TR-068
        if not isinstance(error, _Refused | SourceChanged | OSError):
            raise
        candidate.refusal = _refusal_of(error)
    return candidate


def _missing_folders(folder: Path) -> list[Path]:
    return [each for each in (*reversed(folder.parents), folder) if not each.exists()]


def _take_back(made: list[Path], files: Files) -> None:
    """Remove what was made, the last first. What cannot be removed is not ours, or its disk is gone."""
    for path in reversed(made):
        with suppress(OSError):
            if path.is_dir():
                files.remove_folder(path)
            else:
                files.remove(path)


def part_of(final: Path, session_id: str) -> Path:
    """Where a file of a candidate is written before it gets its final name."""
    return final.with_name(f".{session_id}.{final.name}.part")


def _refusal_of(error: Exception) -> Refusal:
    if isinstance(error, _Refused):
        return error.refusal
    if isinstance(error, SourceChanged):
        return Refusal("source-changed", 0, str(error))
    if isinstance(error, FileExistsError):
        return Refusal("output-exists", 0, f"{error.filename2 or error.filename} is there already")
    return Refusal("cannot-write", 0, f"the output could not be written: {error}")


def _write(candidate: Candidate, parts: dict[Path, Path], files: Files) -> None:
    plan = candidate.plan
    manifest_part, ledger_part, rows_part = parts.values()
    digest = sha256()
    with (
        closing(Places(plan.source.path)) as places,
        files.create(rows_part) as rows_file,
        files.create(manifest_part) as manifest_file,
        files.create(ledger_part) as ledger_file,
    ):
        manifest = ManifestWriter(manifest_file)
        for row in _rows(candidate):
            rows_file.write(row.line)
            digest.update(row.line)
            for number, (block, item_id) in enumerate(zip(row.blocks, row.item_ids, strict=True)):
                item = _item(manifest.items, candidate.rows, number, block, item_id, places)
                whole = isinstance(block.source, WholeMessage)
                candidate.source_bytes += len(block.token) if whole else item.source_length or 0
                manifest.add(item)  # TR-063
            candidate.rows += 1
        candidate.items = manifest.items
        candidate.sha256 = digest.hexdigest()
        manifest.finish(_heading(candidate))
        ledger_file.write(json.dumps(ledger_of(plan), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace"))
        for file in (manifest_file, ledger_file, rows_file):
            files.sync(file)
        for line, keys in sorted(places.repeated_keys.items()):
            detail = f"keys that stand twice: {', '.join(keys)}; the last counts"
            candidate.warnings.append(Warning("duplicate-key", line, detail))


def _rows(candidate: Candidate) -> Iterator[NewRow]:
    plan = candidate.plan
    if plan.window is None:
        return rows_of(plan, candidate.session_id)
    return window_rows(plan, plan.window, candidate.session_id)


def _item(position: int, row: int, number: int, block: NewBlock, item_id: str, places: Places) -> Item:
    injected = sha256(block.token).hexdigest()
    if block.source is None:
        return Item(position, row, number, block.role, block.word, item_id, injected)
    if isinstance(block.source, WholeMessage):
        place = Place(block.source.offset, block.source.whole)
    else:
        place = places.find(block.source)
    return Item(
        position,
        row,
        number,
        block.role,
        block.word,
        item_id,
        injected,
        source_uuid=block.source.uuid,
        source_time=block.source.time,
        source_line=block.source.line,
        source_offset=place.offset,
        source_length=len(place.found),
        source_sha256=sha256(place.found).hexdigest(),
    )


def _heading(candidate: Candidate) -> dict[str, object]:
    plan = candidate.plan
    return {
        "made_by": f"threadrebuild {__version__}",
        "session_id": candidate.session_id,
        "rows": candidate.rows,
        "candidate_sha256": candidate.sha256,
        "source": {
            "session_id": plan.source.session_id,
            "bytes": plan.source.size,
            "sha256": plan.source.sha256,
            "lines": plan.source.lines,
        },
        "startup_snapshot_sha256": plan.startup_sha256,
        "notes": notes_of(plan),
        **(heading_of(plan.window) if plan.window is not None else {}),
    }


def notes_of(plan: Plan) -> list[str]:
    """What a report of this carry says in any case."""
    return list(NOTES if plan.window is None else WINDOW_NOTES)


def ledger_of(plan: Plan) -> dict[str, object]:
    """The content of `ledger.json`: where every byte of the source went, and what stayed behind by name."""
    source = plan.source
    return {
        "classes": [
            {"name": name, "bytes": count, "reason": REASONS[name]} for name, count in source.ledger.shares().items()
        ],
        "sum": source.ledger.total(),
        "size": source.size,
        "malformed": [asdict(line) for line in source.malformed],
        "warnings": [asdict(warning) for warning in plan.warnings],
        "left_behind": {"paths": source.left_behind.paths(), "checks": source.left_behind.checks()},  # TR-L33
    }


def _check(candidate: Candidate, parts: dict[Path, Path], project: Path) -> None:
    """Read everything back from the disk and prove it before anybody sees it (TR-064, TR-065)."""
    source = candidate.plan.source
    if source.ledger.total() != source.size:  # TR-L06
        raise _Refused(Refusal("ledger-gap", 0, f"{source.ledger.total()} of {source.size} bytes are accounted for"))
    booked = sum(source.ledger.bytes[name] for name in CARRIED_CLASSES)
    if booked != candidate.source_bytes:  # TR-L06
        raise _Refused(
            Refusal("ledger-gap", 0, f"{booked} bytes of the source had to be carried, {candidate.source_bytes} were")
        )
    try:
        digest = digest_of(source.path, source.size)
    except OSError as error:
        raise SourceChanged(f"{source.path}: {error.strerror or error}") from None
    if digest != source.sha256:  # TR-148
        raise SourceChanged("the source changed while it was carried")
    manifest_part, _, rows_part = parts.values()
    own = {rows_part.resolve(), candidate.path.resolve()}
    folders = {source.path.resolve().parent, candidate.path.resolve().parent, project.resolve()}
    found = (path for folder in folders for path in folder.glob("*.jsonl") if path.is_file())
    neighbours = sorted(path for path in found if path.resolve() not in own)
    manifest = read_manifest(manifest_part)
    if candidate.plan.window is not None:
        fault = span_fault(candidate.plan, candidate.plan.window, rows_part)
        if fault is not None:  # WN-03 WN-04
            raise _Refused(Refusal("span-differs", 0, fault))
    candidate.verification = verify_candidate(rows_part, candidate.session_id, manifest, neighbours)
    failed = [f"{check.name}: {check.detail}" for check in candidate.verification.checks if check.ok is False]
    if failed:  # TR-064
        raise _Refused(Refusal("verification-failed", 0, "; ".join(failed)))
