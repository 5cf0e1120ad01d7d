"""What a carry is, as steps of the run log: the facts that a report shows, taken from the candidate and nothing else.

The fields are described in `harness.runlog`.
"""

from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.oracle.judge import Finding
from threadrebuild.carry.candidate import MANIFEST, Candidate
from threadrebuild.carry.manifest import Item, read_manifest
from threadrebuild.carry.summary import window_figures
from threadrebuild.transcript.ledger import REASONS
from threadrebuild.transcript.speech import Utterance
from threadrebuild.transcript.tokens import decoded

SHOWN_BYTES = 240
"""Bytes of each side that a difference shows."""

Step = tuple[str, dict[str, Any]]


def facts_of(candidate: Candidate) -> Iterator[Step]:
    """Each step's kind and its fields."""
    plan, source = candidate.plan, candidate.plan.source
    yield (
        "candidate",
        {
            "verdict": "refused" if candidate.refusal else "carried",
            "reason": f"{candidate.refusal.reason}: {candidate.refusal.detail}" if candidate.refusal else None,
            "path": None if candidate.refusal else str(candidate.path),
            "session_id": candidate.session_id,
            "rows": candidate.rows,
            "items": candidate.items,
            "bytes": 0 if candidate.refusal else candidate.path.stat().st_size,
            "sha256": candidate.sha256,
        },
    )
    shares = source.ledger.shares()
    classes = [{"name": name, "bytes": count, "reason": REASONS[name]} for name, count in shares.items()]
    yield "ledger", {"classes": classes, "sum": source.ledger.total(), "size": source.size}
    yield "turns", _turns(candidate)
    counts = source.warning_counts
    chain = {
        "roots": source.order.roots,
        "forks": counts["fork"],
        "dangling": counts["dangling-parent"],
        "duplicates": counts["duplicate-uuid"],
        "cycles": counts["cycle"],
    }
    yield "chain", {**chain, "rows": source.lines, "notes": []}
    yield "warnings", {"warnings": [asdict(warning) for warning in candidate.warnings]}
    dirty = plan.dirty
    yield (
        "dirty",
        {
            "categories": dirty.categories,
            "total_bytes": dirty.total_bytes,
            "conversation_bytes": dirty.conversation_bytes,
            "noise_ratio": dirty.noise_ratio,
            "should_rebuild": dirty.should_rebuild,
            "reasons": list(dirty.reasons),
        },
    )
    if plan.window is not None:
        note = {"note": plain(decoded(plan.window.note.token))}
        yield "window", {**note, **window_figures(plan.window)}
    yield "left", {"paths": source.left_behind.paths(), "commands": source.left_behind.checks()}


def difference_of(finding: Finding, source: Path, candidate: Path) -> dict[str, Any]:
    """The fields of a `difference`: what the oracle found, and the bytes at both places."""
    return {
        "where": f"{finding.code}: {finding.sentence}",
        "source": _bytes_at(source, finding.source),
        "candidate": _bytes_at(candidate, finding.candidate),
    }


def plain(value: Any) -> Any:
    """Text that any encoder takes: half a surrogate pair is written as its escape."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


def _turns(candidate: Candidate) -> dict[str, Any]:
    plan = candidate.plan
    listed: list[Item] = []
    if candidate.refusal is None:
        listed = read_manifest(candidate.path.with_name(MANIFEST)).items
    spoken = (item for item in listed if item.word not in ("startup", "runtime", "stamp"))
    messages = {item.source_line: item for item in listed}
    turns = []
    for turn in plan.turns:
        shown = []
        for each in turn.utterances:
            item = None
            if each.fate == "carried":
                # Behind a window note an item is a whole message, in which several texts may stand.
                item = next(spoken, None) if plan.window is None else messages.get(each.line)
            shown.append(_shown(each, item))
        turns.append({"number": turn.number, "open": turn.open, "tokens": plan.tokens[turn.number], "items": shown})
    startup = {
        "frozen": bool(plan.source.startup),
        "sha256": plan.startup_sha256,
        "texts": [plain(decoded(block.token)) for block in plan.source.startup],
    }
    abandoned = [
        {"role": each.role, "text": plain(decoded(each.token)), "line": each.line} for each in plan.source.abandoned
    ]
    return {"turns": turns, "startup": startup, "abandoned": abandoned}


def _shown(said: Utterance, item: Item | None) -> dict[str, Any]:
    return {
        "role": said.role,
        "origin": said.origin,
        "line": said.line,
        "offset": item.source_offset if item else None,
        "length": item.source_length if item else len(said.token),
        "text": plain(decoded(said.token)),
        "time": said.time,
        "sha256": sha256(said.token).hexdigest(),
        "carried": said.fate == "carried",
    }


def _bytes_at(path: Path, place: tuple[int, int] | None) -> dict[str, Any] | None:
    if place is None:
        return None
    line, offset = place
    with path.open("rb") as file:
        file.seek(offset)
        found = file.read(SHOWN_BYTES)
    return {
        "line": line,
        "offset": offset,
        "bytes": found.hex(),
        "text": found.decode("utf-8", "backslashreplace"),
    }
