"""What the commands answer: a plan, a candidate or a dirty ledger as one plain object, with the rules' field names."""

from dataclasses import asdict
from typing import Any

from threadrebuild.carry.candidate import Candidate, notes_of
from threadrebuild.carry.plan import Plan, Refusal
from threadrebuild.carry.verification import Verification
from threadrebuild.carry.window import Window, heading_of
from threadrebuild.transcript.dirty import Dirty
from threadrebuild.transcript.speech import Utterance
from threadrebuild.transcript.tokens import decoded


def plan_summary(plan: Plan) -> dict[str, Any]:
    """Figures of a carry, the same for preview and operation (TR-073). Sizes are bytes."""
    return {
        **_verdict(plan.refusal),
        **figures(plan),
        **_texts(plan),
        "warnings": [asdict(warning) for warning in plan.warnings],
        "notes": [*notes_of(plan), *plan.dirty.notes],
    }


def candidate_summary(candidate: Candidate) -> dict[str, Any]:
    """What became of a carry: its verdict and, when carried, the file that holds it."""
    return {
        **_verdict(candidate.refusal),
        "candidate": None if candidate.refusal else str(candidate.path),
        "candidate_sha256": None if candidate.refusal else candidate.sha256,
        "session_id": candidate.session_id,
        "rows": candidate.rows,
        "items": candidate.items,
        "verification": verification_summary(candidate.verification) if candidate.verification else None,
        **figures(candidate.plan),
        **_texts(candidate.plan),
        "warnings": [asdict(warning) for warning in candidate.warnings],
        "notes": [*notes_of(candidate.plan), *candidate.plan.dirty.notes],
    }


def dirty_summary(dirty: Dirty) -> dict[str, Any]:
    """The dirty ledger, with each category by its name."""
    return asdict(dirty)


def verification_summary(verification: Verification) -> dict[str, Any]:
    """Every check of a candidate by name."""
    return {"ok": verification.ok, "checks": [asdict(check) for check in verification.checks]}


def _verdict(refusal: Refusal | None) -> dict[str, Any]:
    return {
        "verdict": "refused" if refusal else "carried",
        "reason": refusal.reason if refusal else None,
        "line": refusal.line if refusal else None,
        "detail": refusal.detail if refusal else None,
    }


def figures(plan: Plan) -> dict[str, Any]:
    """The figures that preview and operation share (TR-073); no word of the dialogue is among them (TR-146)."""
    source = plan.source
    carried = list(plan.carried)
    user = sum(said.role == "user" for said in carried)
    figures: dict[str, Any] = {
        "source": {
            "path": str(source.path),
            "bytes": source.size,
            "sha256": source.sha256,
            "lines": source.lines,
        },
        "source_session_id": source.session_id,
        "cli_versions": source.versions,
        "turns": len(plan.selected),
        "utterances": {"user": user, "assistant": len(carried) - user},
        "source_turns": len(plan.turns),
        "selected_turns": len(plan.selected),
        "open_tail_turns": plan.open_tail_turns,
        "dropped_oldest_turns": plan.dropped_oldest_turns,
        "estimated_tokens": plan.estimated_tokens,
        "startup_tokens": plan.startup_tokens,
        "fixed_load_tokens": plan.settings.fixed_load_tokens,
        "window_tokens": plan.window_tokens,
        "poison_score": plan.poison.score,
        "blocked_reason": plan.refusal.detail if plan.refusal else None,
        "startup_frozen": bool(source.startup),
        "startup": {"frozen": bool(source.startup), "sha256": plan.startup_sha256},
        "ledger": source.ledger.shares(),
        "noise_ratio": plan.dirty.noise_ratio,
        "malformed": [asdict(line) for line in source.malformed],
        "chain": {
            "roots": source.order.roots,
            "breaks": len(source.order.breaks),
            "abandoned_branches": len(set(source.order.abandoned.values())),
        },
        "left_behind": {"paths": len(source.left_behind.paths()), "checks": len(source.left_behind.checks())},
    }
    if plan.window is not None:
        figures["window"] = window_figures(plan.window)
    if plan.refusal and plan.refusal.reason == "over-budget":
        figures["choices"] = _choices(plan)  # TR-L27
    return figures


def window_figures(window: Window) -> dict[str, Any]:
    """What a window change keeps, and what it leaves out by proof."""
    rows = window.rows
    return {
        "due": window.due,
        "line_tokens": window.line_tokens,
        "context_tokens": window.context_tokens,
        "after_tokens": window.after_tokens,
        "retained_tokens": window.retained_tokens,
        "note_tokens": window.note.tokens,
        "rows": len(rows),
        "calls": sum(len(row.calls) for row in rows),
        "results": sum(len(row.results) for row in rows),
        "thinking_rows": sum(row.thinking for row in rows),
        "from_line": rows[0].line if rows else None,
        **heading_of(window),
    }


def _texts(plan: Plan) -> dict[str, Any]:
    """What a person looks at: the words that were found, and those that stay behind."""
    source = plan.source
    return {
        "poison_hits": [asdict(hit) for hit in plan.poison.hits],  # TR-L28
        "abandoned": [_listed(said) for said in source.abandoned],
        "superseded": [_listed(said) for said in source.superseded],
        "runtime_texts": [_listed(said) for said in source.runtime],
    }


def _listed(said: Utterance) -> dict[str, Any]:
    return {"role": said.role, "text": decoded(said.token), "line": said.line}


def _choices(plan: Plan) -> list[dict[str, int]]:
    """The turns a person can choose from, newest first, each with what carrying it and all newer ones takes."""
    total = plan.startup_tokens
    choices = []
    for turn in reversed(plan.selected):
        total += plan.tokens[turn.number] + plan.stamp_tokens(turn)
        line = turn.utterances[0].line
        choices.append({"turn": turn.number, "line": line, "tokens": plan.tokens[turn.number], "from_here": total})
    return choices
