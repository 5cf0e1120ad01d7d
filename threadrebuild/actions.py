"""The seven actions that model and person share: what the tools and the commands of the same names answer.

Four only read; three write, each only with its own word. An answer is one plain object, short enough for a window.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from threadrebuild.carry.plan import plan_file
from threadrebuild.carry.summary import dirty_summary, plan_summary
from threadrebuild.doctor import doctor as examine
from threadrebuild.doctor import missing_hook
from threadrebuild.operation import coordinator
from threadrebuild.operation.coordinator import NEXT_STEP
from threadrebuild.operation.household import Household, Refused
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import WORDS, Event
from threadrebuild.project import source_in
from threadrebuild.transcript.dirty import dirty_ledger
from threadrebuild.transcript.reading import read_transcript

LISTED_MOST = 20
"""Entries of a list that an answer shows; the rest is counted."""
TEXTS = ("abandoned", "superseded", "runtime_texts")
"""Figures that hold texts of the talk: an answer counts them and does not repeat them."""


class Tool(NamedTuple):
    """One action by its tool name, and the word it has to be confirmed with; None for one that only reads."""

    name: str
    answer: Callable[..., dict[str, Any]]
    word: str | None = None


def doctor(house: Household) -> dict[str, Any]:
    """Whether the household is fit for a switch, check by check (TR-137)."""
    report: dict[str, Any] = msgspec.to_builtins(examine(house))
    return report


def dirty(house: Household) -> dict[str, Any]:
    """The dirty ledger of the newest transcript; it advises and decides nothing (TR-058)."""
    source = read_transcript(source_in(house.settings, None), house.settings)
    return {"ok": True, "transcript": str(source.path), **dirty_summary(dirty_ledger(source, house.settings))}


def plan(house: Household) -> dict[str, Any]:
    """What a carry of the newest transcript would do."""
    planned = plan_file(source_in(house.settings, None), house.settings)
    return {"ok": planned.refusal is None, **_brief(plan_summary(planned))}


def status(house: Household, operation_id: str | None = None) -> dict[str, Any]:
    """The named operation or the latest, with its evidence, from its own file (TR-093, TR-171)."""
    seen = coordinator.status(house, operation_id)
    if operation_id and seen["operation"] is None:
        raise Refused("no-operation", f"no operation {operation_id}")
    operation = seen["operation"]
    return {
        "ok": True,
        **msgspec.to_builtins(seen),
        "operation": None if operation is None else shown(operation),  # TR-093 TR-171
    }


def request(house: Household, reason: str, confirmation: str) -> dict[str, Any]:
    """Put a rebuild on record; it happens when the turn has ended (TR-095, TR-134)."""
    before = house.store.active()
    operation = coordinator.request(house, reason, confirmation)
    answer = {**_moved(operation), "next_step": NEXT_STEP}
    if before is not None and before.id == operation.id:
        added = len(operation.reasons) > len(before.reasons)
        answer["joined"] = f"already {operation.state}; {'reason added' if added else 'the reason is known'}"
    fault = missing_hook(house)
    return answer if fault is None else {**answer, "warning": fault}


def cancel(house: Household, confirmation: str, operation_id: str | None = None) -> dict[str, Any]:
    """Take back a request that still waits."""
    return _moved(coordinator.cancel(house, confirmation, operation_id))


def rollback_request(house: Household, confirmation: str, operation_id: str | None = None) -> dict[str, Any]:
    """Ask for the old session back; it happens when the turn has ended (TR-134)."""
    return {**_moved(coordinator.request_rollback(house, confirmation, operation_id)), "next_step": NEXT_STEP}


TOOLS = (  # TR-131
    Tool("thread_rebuild_doctor", doctor),
    Tool("thread_rebuild_dirty", dirty),
    Tool("thread_rebuild_plan", plan),
    Tool("thread_rebuild_status", status),
    Tool("thread_rebuild_request", request, WORDS[Event.REQUEST]),
    Tool("thread_rebuild_cancel", cancel, WORDS[Event.CANCEL]),
    Tool("thread_rebuild_rollback_request", rollback_request, WORDS[Event.ROLLBACK]),
)

ALLOWED_WITHOUT_ASKING = tuple(tool.name for tool in TOOLS if tool.word is None)  # TR-122
"""The only tools that a host's allow list may name: those that write keep their prompt."""


def shown(operation: Operation) -> dict[str, Any]:
    """An operation as an answer shows it: long lists of digests are counted, the rest is as it lies in its file."""
    value: dict[str, Any] = msgspec.to_builtins(operation)
    value["neighbours"] = len(operation.neighbours)
    value["stats"] = _brief(value["stats"])
    if operation.candidate is not None:
        value["candidate"]["items"] = len(operation.candidate.items)
    return value


def _moved(operation: Operation) -> dict[str, Any]:
    return {"ok": True, "operation": operation.id, "state": operation.state.value, "reasons": operation.reasons}


def _brief(figures: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    for name, value in figures.items():
        if name in TEXTS and isinstance(value, list):
            answer[name] = len(value)
        elif isinstance(value, list) and len(value) > LISTED_MOST:
            answer[name] = value[:LISTED_MOST]
            answer[f"{name}_left_out"] = len(value) - LISTED_MOST
        else:
            answer[name] = value
    return answer
