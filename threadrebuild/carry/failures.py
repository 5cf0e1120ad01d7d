"""Failed turns in the retained span: each kind with its own proof, and what cannot be proven stops the change.

A fragment is what the model did in the failed turn; what people said stays, and so does a reply that reached them. The
transcript itself proves a user's stop and what the host wrote in the assistant's place. That a call met the seal of a
review, or that the server restarted, is proven by the host's own record, and only where the transcript agrees.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from threadrebuild.carry.record_rows import RecordRow
from threadrebuild.carry.rows import parsed_time
from threadrebuild.transcript.lines import UnreadableInput

Cause = Literal["stopped", "host_reply", "sealed", "restarted"]


class FailedTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The host's record of a turn that it marked failed: the uuid of its prompt's row, and what happened.

    `sealed` names the call that the seal refused, `restarted` the time of the restart (ISO, with its zone).
    """

    cause: Literal["sealed", "restarted"]
    prompt: str
    call: str | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Excluded:
    """A fragment that is left out, and why (WN-18). `lines` are those of its rows, in order of talk."""

    cause: Cause
    reason: str
    lines: tuple[int, ...]


class Unproven(Exception):
    """A failure that nothing proves; a person has to look. `line` is where."""

    def __init__(self, line: int, detail: str) -> None:
        super().__init__(detail)
        self.line = line


def read_failures(path: Path) -> list[FailedTurn]:
    """The host's records of failed turns: a JSON list. Raises `UnreadableInput`."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[FailedTurn])
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror or error}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise UnreadableInput(f"{path}: no records of failed turns: {error}") from None


def excluded_from(rows: Sequence[RecordRow], replies: set[int], records: Iterable[FailedTurn]) -> list[Excluded]:
    """The proven fragments among rows in order of talk (WN-17, WN-18).

    `replies` are lines of calls that reached the user. Raises `Unproven` for a record that the rows contradict (WN-19).
    """
    by_prompt = {record.prompt: record for record in records}
    found: list[Excluded] = []
    for leg in legs(rows):
        by_host = [row for row in leg if row.by_host]
        found += [Excluded("host_reply", "the host wrote it in the assistant's place", (row.line,)) for row in by_host]
        rest = [row for row in leg if not row.human and not row.by_host]
        rest = rest[_after_replies(rest, replies) :]
        stops = [place + 1 for place, row in enumerate(rest) if row.interruption]
        lines = tuple(row.line for row in rest[: max(stops, default=0)])
        if lines:  # WN-17
            found.append(Excluded("stopped", "the user stopped the turn: the host's mark stands at its end", lines))
            continue
        record = by_prompt.get(leg[0].uuid or "") if leg[0].prompts else None
        if record is not None:
            found.append(_by_record(record, leg[0], rest, rows))
    return found


def legs(rows: Sequence[RecordRow]) -> Iterator[list[RecordRow]]:
    """A prompt and what followed, up to the next prompt; the first may begin without one."""
    leg: list[RecordRow] = []
    for row in rows:
        if row.prompts and leg:
            yield leg
            leg = []
        leg.append(row)
    if leg:
        yield leg


def _after_replies(rows: Sequence[RecordRow], replies: set[int]) -> int:
    """Behind the last reply that reached the user, and its result."""
    calls = {call for row in rows if row.line in replies for call in row.calls}
    places = [
        place for place, row in enumerate(rows) if row.line in replies or any(call in calls for call, _ in row.results)
    ]
    return max(places, default=-1) + 1


def _by_record(record: FailedTurn, prompt: RecordRow, rest: list[RecordRow], rows: Sequence[RecordRow]) -> Excluded:
    lines = tuple(row.line for row in rest)
    if record.cause == "sealed":
        refused = {call for row in rest for call, failed in row.results if failed}
        if record.call not in refused:  # WN-18
            raise Unproven(
                prompt.line, f"the host says that call {record.call} met the seal; no failed result shows it"
            )
        return Excluded("sealed", f"call {record.call} met the seal of the review", lines)
    at = parsed_time(record.at)
    times = [parsed_time(row.time) for row in (prompt, *rest)]
    behind = rows[rows.index(rest[-1] if rest else prompt) + 1 :]
    later = [parsed_time(row.time) for row in behind]
    in_time = (
        at is not None and all(time and time <= at for time in times) and all(time and time > at for time in later)
    )
    if not in_time or (rest and rest[-1].answers):  # WN-18
        raise Unproven(prompt.line, f"the host says that it restarted at {record.at} during this turn; its rows differ")
    return Excluded("restarted", f"the server restarted at {record.at} while the turn ran", lines)


def prove_whole(rows: Sequence[RecordRow], replies: set[int], excluded: Sequence[Excluded]) -> None:
    """Raises `Unproven` where what is left of the span is torn, and no proof says why (WN-19)."""
    calls: dict[str, RecordRow] = {}
    answered: set[str] = set()
    for row in rows:
        calls.update(dict.fromkeys(row.calls, row))
        for call, _ in row.results:
            if call not in calls or call in answered:
                raise Unproven(row.line, f"a result of call {call}, which is not open here")
            answered.add(call)
    unanswered = next((row.line for call, row in calls.items() if call not in answered), 0)
    if unanswered:  # WN-19
        raise Unproven(unanswered, "a call without a result, and nothing proves why")
    for leg in legs(rows):
        last = [row for row in leg if row.node == leg[-1].node and row.kind == "assistant"]
        if leg[-1].kind == "assistant" and last and all(row.silent for row in last):  # WN-19
            raise Unproven(leg[-1].line, "thinking alone at the end of a turn, and nothing proves why")
    if rows and rows[-1].results and not _is_known_end(rows, replies, excluded):  # WN-19
        raise Unproven(rows[-1].line, "the last turn has not ended: nobody answers the last result")


def _is_known_end(rows: Sequence[RecordRow], replies: set[int], excluded: Sequence[Excluded]) -> bool:
    """Whether a span may end with a result: of a reply that was sent, or before a fragment that is proven to fail."""
    sent = {call for row in rows if row.line in replies for call in row.calls}
    return any(call in sent for call, _ in rows[-1].results) or any(
        line > rows[-1].line for each in excluded for line in each.lines
    )
