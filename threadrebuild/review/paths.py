"""The two paths by which a finished text reaches the gate; each only translates, the rules are the gate's.

The App's hook is answered as a Stop hook is: nothing, or a block with a reason. The official side asks about a pending
text and gets a word for it. That the model's turn has ended is told to the gate by itself, whatever the path.
"""

from typing import Any

from threadrebuild.review.gate import Answer, Gate


def app_hook(gate: Gate, given: dict[str, Any]) -> dict[str, str]:
    """Answer the App's hook. `given` has `message_id` and `text`; raises LookupError for a message nobody took in."""
    answer = _finished(gate, given)
    return {"decision": "block", "reason": answer.opinion} if answer.outcome == "revise" else {}


def official_pending(gate: Gate, given: dict[str, Any]) -> dict[str, str]:
    """Answer the official side about a pending text: `rewrite` with the opinion, `release`, or `over`."""
    answer = _finished(gate, given)
    if answer.outcome == "revise":
        return {"action": "rewrite", "opinion": answer.opinion}
    return {"action": "release" if answer.outcome == "passed" else "over"}


def _finished(gate: Gate, given: dict[str, Any]) -> Answer:
    return gate.finished(gate.store.of_message(given["message_id"]).id, given["text"])
