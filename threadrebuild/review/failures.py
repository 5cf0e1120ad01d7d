"""The host's own record of failed turns, as a window change takes it for proof that a fragment may be left out."""

import msgspec

from threadrebuild.carry.failures import FailedTurn
from threadrebuild.review.states import State
from threadrebuild.review.store import TurnStore


def failed_turns(store: TurnStore) -> bytes:
    """All turns whose failure is on record with its prompt and its cause, as JSON."""
    failed: list[FailedTurn] = []
    for turn in store.every(State.FAILED):
        if turn.prompt is not None and turn.call is not None:
            failed.append(FailedTurn(cause="sealed", prompt=turn.prompt, call=turn.call))
        elif turn.prompt is not None and turn.failed_at is not None:
            failed.append(FailedTurn(cause="restarted", prompt=turn.prompt, at=turn.failed_at))
    return msgspec.json.encode(failed)
