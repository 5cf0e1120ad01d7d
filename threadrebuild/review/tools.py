"""Every tool call of a turn goes through here: run with a permit, refused under a seal, or kept for later.

The two mailbox tools record what was said, so they never run by themselves: what they would record is kept until it is
known what really was said.
"""

from dataclasses import dataclass
from typing import Literal

from threadrebuild.ports import Tools
from threadrebuild.review.states import AT_WORK
from threadrebuild.review.store import TurnStore

MAILBOX_TOOLS = frozenset({"mailbox_say", "mailbox_reply"})
"""The official side's two tools by which the model records what it said."""
SEALED_CALL = "a tool was called after the review"


@dataclass(frozen=True, slots=True)
class Called:
    """What became of a call. `kept`: the mailbox will record it when the answer is out."""

    outcome: Literal["ran", "went wrong", "kept", "sealed", "no permit", "over"]
    result: str = ""


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Runs tools for the turns of a store."""

    store: TurnStore
    tools: Tools

    def call(self, turn: int, tool: str, arguments: str, permit: int = 0, call: str | None = None) -> Called:
        """Run a tool for a turn. A call under the seal fails that turn, and nothing else (RV-09).

        `call` is the id that the session's record has for it.
        """
        if self.store.get(turn).state not in AT_WORK:
            return Called("over")
        if tool in MAILBOX_TOOLS:  # RV-05 RV-34
            self.store.intend(turn, tool, arguments)
            return Called("kept")
        if self.store.is_sealed(turn):  # RV-02
            # Going on without the tool would let the turn end as if nothing had been.
            self.store.fail(turn, SEALED_CALL, call)  # RV-09 RV-10
            return Called("sealed")
        if not self.store.permits_call(permit, turn, tool):  # RV-04
            return Called("no permit")
        row = self.store.call(turn, tool, permit)
        try:
            done = Called("ran", self.tools.run(tool, arguments))
        except OSError as error:
            done = Called("went wrong", str(error))
        self.store.called(row, done.result)
        return done
