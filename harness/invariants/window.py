"""What must hold of every window change, whatever the session: looked at from outside, on the disk."""

from pathlib import Path

from harness.invariants.carry import INVARIANTS, Carry, Invariant
from harness.oracle.candidate import chain_faults
from harness.oracle.reader import read_rows
from harness.oracle.values import value_bytes


def _resume_safe(carry: Carry) -> str | None:
    """The portable minimum, as far as whole messages leave it to the carry: ids, parents, times, the session."""
    if carry.summary["verdict"] != "carried":
        return None
    candidate = Path(carry.summary["candidate"])
    rows = read_rows(candidate)
    faults = chain_faults(rows)
    if faults:
        return f"line {faults[0].line}: {faults[0].sentence}"
    others = [row.line for row in rows if (row.value or {}).get("sessionId") != candidate.stem]
    if others:
        return f"line {others[0]}: names another session"
    side = [row.line for row in rows if (row.value or {}).get("isSidechain") is True]
    return f"line {side[0]}: a sub-agent's row" if side else None


def _stable_under_itself(carry: Carry) -> str | None:
    if carry.summary["verdict"] != "carried":
        return None
    candidate = Path(carry.summary["candidate"])
    second = carry.again(candidate, carry.out.with_name(carry.out.name + "-carried"))
    if second["verdict"] != "carried":
        return f"carried again it is refused: {second['detail']}"
    first, again = ([value_bytes(row) for row in read_rows(path)] for path in (candidate, Path(second["candidate"])))
    return None if first == again else "carried again it holds something else"


WINDOW_INVARIANTS = (
    *(each for each in INVARIANTS if each.rule not in ("TR-060", "TR-068")),
    Invariant("WN-01", "every row of the new session hangs on the one before it", _resume_safe),
    Invariant("WN-03", "carried again, it holds the same", _stable_under_itself),
)
