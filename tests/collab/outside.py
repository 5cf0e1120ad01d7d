"""What an evening's turns wait for from outside, answered in any way a test wants it."""

from typing import Any

from evening import Evening

from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect


def waits_for(evening: Evening, kind: str, bot: str) -> Effect:
    """The open `hop` or `run_tool` of a Bot's newest turn that has one."""
    of = "SELECT bot FROM turns WHERE id = ?"
    found = [each for each in evening.engine.open_effects() if each.kind == kind]
    return next(each for each in found[::-1] if evening.value(of, each.turn) == evening.bot(bot))


def hopped(evening: Evening, bot: str, *calls: events.Call, **came: Any) -> None:
    """A Bot's model answers; its tools are left to run."""
    effect = waits_for(evening, "hop", bot)
    evening.happens(events.Hopped, effect=effect.id, calls=calls, **came)
    evening.end_again(effect.turn)


def ran(evening: Evening, bot: str, **came: Any) -> None:
    """The tool that a Bot has running comes to this."""
    evening.happens(events.Ran, effect=waits_for(evening, "run_tool", bot).id, **{"ok": True, **came})
