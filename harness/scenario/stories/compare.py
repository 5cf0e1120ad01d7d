"""A demand on two sources of one story: what one says, the other has to say too; and who decides is said beforehand."""

from typing import Annotated, Any

from msgspec import Meta

from harness.scenario.forms import Met
from harness.scenario.seen import ScenarioFault
from harness.scenario.stories.kinds import StoryForm


class Compared(StoryForm, frozen=True, kw_only=True):
    """Two of the kind's `sources` agree; `authority` is the one that is right where they do not (CR-02)."""

    compare: Annotated[list[str], Meta(min_length=2, max_length=2)]
    authority: str = ""

    def __post_init__(self) -> None:
        from harness.criteria.comparing import decide

        decide(self.authority, dict.fromkeys(self.compare))

    def met(self, seen: Any) -> Met:
        """Look. `seen.sources` are the sources by name, each what it says, in order."""
        from harness.criteria.comparing import decide

        unknown = [name for name in self.compare if name not in seen.sources]
        if unknown:
            raise ScenarioFault(f"{unknown[0]!r} is no source of this story; there are {', '.join(seen.sources)}")
        decided = decide(self.authority, {name: seen.sources[name] for name in self.compare})
        wanted = f"{' and '.join(self.compare)} agree; {decided.by} decides"
        said = "; ".join(f"{name} says {says}" for name, says in decided.said.items())
        return Met(not decided.against, wanted, f"{said}; wrong is {', '.join(decided.against) or 'nobody'}")
