"""A chat's history behind its port: the real search over stored passages, and a delay on the virtual clock.

A store that keeps to its limit gives up there; one that does not answers late, and it is for others to notice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.world.kernel import World
from threadrebuild.review.history import PastTalk


@dataclass
class SlowHistory:
    """`ports.History`. `delays_ms` says how long a search for a name takes, by name; any other takes no time."""

    world: World
    past: PastTalk
    delays_ms: dict[str, int] = field(default_factory=dict)
    keeps_limit: bool = True
    asked: list[tuple[str, int]] = field(default_factory=list)
    """Each search: the words and the limit in ms."""

    def names(self) -> dict[str, str]:
        self.world.take_step("history", "names")
        return self.past.names()

    def search(self, name: str, limit_ms: int) -> Sequence[str] | None:
        fault = self.world.take_step("history", "search", name=name, limit=limit_ms)
        self.asked.append((name, limit_ms))
        takes = self.delays_ms.get(name, 0)
        gives_up = self.keeps_limit and takes > limit_ms
        self.world.sleep((limit_ms if gives_up else takes) / 1000)
        return None if fault == "no" or gives_up else self.past.search(name)
