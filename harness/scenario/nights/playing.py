"""A night played: in a folder, with the faults of one run, and afterwards whoever comes next."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from harness.runlog import RunLog
from harness.scenario.nights.loading import NightScenario
from harness.scenario.nights.play import Play
from harness.scenario.nights.somebody import SOMEBODY
from harness.scenario.nights.story import tell
from harness.scenario.story import tell as told
from harness.world.channel import Chat
from harness.world.kernel import Fault
from harness.world.night import Night
from harness.world.talk import Talk
from threadrebuild.config import ConfigError
from threadrebuild.operation import coordinator

NEXT_SECONDS = 4_000.0
"""When somebody comes by after a story: later than any lease lasts, earlier than who hangs goes on."""
LAST_SECONDS = 90_000.0
"""When a person runs `recover` at the very last, long after everybody has gone on."""
LONGEST_SECONDS = 1_000_000.0

Next = Literal["hook", "request", "recover"]
NEXT: tuple[Next, ...] = ("hook", "request", "recover")
"""Who may come by first after something went wrong."""


THIRD_PARTIES = {
    "taken": "respawns the pane with another session",
    "again": "respawns the pane with the old session",
    "opened": "opens another session",
    "beside": "opens another session",
    "typed": "types into the session that lives",
}
"""What somebody may do just before a step, by the word of its fault, in the words of a story.

With `beside` the other session was open before the night began, and goes on at that step.
"""


@dataclass(frozen=True, slots=True)
class Wrong:
    """What goes wrong in a run, at which step, and who comes by afterwards."""

    step: int
    do: str
    next: Next = "recover"

    def __str__(self) -> str:
        return f"{self.step}:{self.do}:{self.next}"


def play_night(
    scenario: NightScenario,
    folder: Path,
    wrong: Wrong | None = None,
    seed: int = 0,
    until: int | None = None,
    log: RunLog | None = None,
) -> Play:
    """Let the night happen in a new folder. Raises `ScenarioError` for settings that make no sense.

    With `until` it ends before the step after that one.
    """
    faults = (Fault(wrong.step, wrong.do),) if wrong else ()
    settings = scenario.settings | ({"channel_dir": str(folder / "channel")} if scenario.channel else {})
    try:
        night = Night(folder, seed, faults, log, scenario.door, _talk(scenario), **settings)
    except (ConfigError, ValueError, TypeError) as error:
        raise scenario.error(f"settings: {error}", "settings") from None
    play = Play(night, Chat(night) if scenario.channel else None)
    night.world.stop_after = until
    night.world.others = {word: partial(SOMEBODY[does], play) for word, does in THIRD_PARTIES.items()}
    if wrong is not None and wrong.do == "beside":
        SOMEBODY[THIRD_PARTIES["beside"]](play)
    night.world.start(night.outside(), lambda: _whole(play, scenario, wrong))
    night.world.run(LONGEST_SECONDS)
    return play


def _whole(play: Play, scenario: NightScenario, wrong: Wrong | None) -> None:
    tell(play, scenario.story)
    if wrong is None:
        return
    night = play.night
    night.world.sleep(NEXT_SECONDS)
    night.start_host()
    _come_by(play, wrong.next)
    night.world.sleep(LAST_SECONDS)
    night.start_host()
    _come_by(play, "recover")


def _come_by(play: Play, who: Next) -> None:
    night = play.night
    live = night.live_session()
    if who == "hook" and live:
        night.end_turn(live)
    elif who == "request" and live:
        play.ask(night.resident(), lambda: coordinator.request(night.house, "again", "REBUILD"), rebuild=True)
    else:
        play.ask(night.world.process("shell"), lambda: coordinator.recover(night.house))


def _talk(scenario: NightScenario) -> Talk | bytes | None:
    if isinstance(scenario.talk, Path):
        return scenario.talk.read_bytes()
    return told(scenario.talk) if scenario.talk else None
