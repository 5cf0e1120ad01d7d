"""What is so before a reviewed chat begins, and how what happens in it is told, line by line."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

import msgspec

from harness.runlog import RunLog
from harness.world.kernel import World
from harness.world.reviewer import Verdict

LOCAL = timedelta(hours=8)
"""The user's clock, in Asia/Shanghai; a story begins at 22:00."""
PathName = Literal["app hook", "official pending"]
Place = Literal["review client", "rollout", "relay"]
"""The three places that pin the review prompt."""


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is so before the story begins. `reviews` holds the review model's answers, by the label of a message."""

    past: list[str] = []
    names: list[str] = []
    notes: list[str] = []
    reviews: dict[str, Verdict] = {}
    searches_take_ms: dict[str, int] = {}
    history_keeps_limit: bool = True
    model: str = "small-and-fast"
    old_hash: list[Place] = []
    """The places that pin another prompt."""
    untested: list[PathName] = []
    limit_ms: tuple[int, int, int] | None = None
    """The limit that the rollout states: the whole, the first search's, the rest's; None: the expected one."""


@dataclass
class Lines:
    """What a reader sees happen, in order, and in the run log where there is one."""

    world: World
    log: RunLog | None
    number: int
    told: list[dict[str, Any]] = field(default_factory=list)

    def add(self, who: str, did: str, text: str = "", where: str = "") -> None:
        """Tell one line; `where` is the id of the message that it is about."""
        at = f"{self.world.now + LOCAL:%H:%M:%S}"
        line: dict[str, Any] = {"at": at, "who": who, "where": where, "did": did, "text": text}
        self.told.append({"kind": "line", **line})
        if self.log is not None:
            self.log.add("line", transcript=self.number, **line)
