"""Commands outside and the application that began them: whatever is left running is found and ended."""

from pathlib import Path

import pytest
from evening import Evening, shell
from holding import hold, home_of, open_effects
from outside import hopped, ran

from threadrebuild.collab import events
from threadrebuild.collab.aborting import GRACE_MS
from threadrebuild.collab.change import Missing


def rendering(folder: Path) -> tuple[Evening, int]:
    """A director whose command runs outside; and the effect that it was begun for."""
    home = home_of(folder, "导演")
    home.say("出一版", to="导演", files=[home.opened("新品片", to="导演")])
    hopped(home, "导演", shell("render a"))
    return home, next(effect.id for effect in home.engine.open_effects() if effect.kind == "run_tool")


def kills(home: Evening) -> list[dict[str, object]]:
    """What is to be ended outside."""
    return [{key: body.get(key) for key in ("effect", "how", "group", "mark")} for body in open_effects(home, "kill")]


def test_a_command_that_comes_up_only_after_the_stop_is_ended_too(tmp_path: Path) -> None:
    home, run = rendering(tmp_path)
    hold(home, "everything")
    assert kills(home) == [{"effect": run, "how": "exit", "group": None, "mark": None}]
    home.happens(events.Spawned, effect=run, group=4711, mark="a")
    assert kills(home)[1:] == [{"effect": run, "how": "exit", "group": 4711, "mark": "a"}]
    assert {body["grace_ms"] for body in open_effects(home, "kill")} == {GRACE_MS}


@pytest.mark.parametrize("on_record", [True, False])
def test_the_next_application_ends_what_the_last_one_left(tmp_path: Path, on_record: bool) -> None:
    home, run = rendering(tmp_path)
    if on_record:
        home.happens(events.Spawned, effect=run, group=4711, mark="a")
    for _ in range(2):
        home.crash()
        assert [each["effect"] for each in kills(home)] == [run]
        assert kills(home)[0]["group"] == (4711 if on_record else None)
    kill = next(effect for effect in home.engine.open_effects() if effect.kind == "kill")
    home.happens(events.Killed, effect=kill.id)
    home.crash()
    assert kills(home) == []


def test_what_has_ended_is_no_longer_on_record_as_running(tmp_path: Path) -> None:
    home, run = rendering(tmp_path)
    home.happens(events.Spawned, effect=run, group=4711, mark="a")
    assert home.value("SELECT count(*) FROM processes WHERE ended = 0") == 1
    ran(home, "导演")
    assert home.value("SELECT count(*) FROM processes WHERE ended = 0") == 0
    home.crash()
    assert kills(home) == []


def test_a_command_that_nobody_asked_for_is_turned_down(tmp_path: Path) -> None:
    home, _ = rendering(tmp_path)
    with pytest.raises(Missing):
        home.happens(events.Spawned, effect=10_000, group=4711)
    assert home.value("SELECT count(*) FROM processes") == 0
