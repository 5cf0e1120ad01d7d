"""Pinning: a night in TOML, its recording beside it, that holds today's outcome of an incident fast.

It is written to be read: when things happened then, what differs today, the story, and a handful of demands.
"""

import re
from collections.abc import Iterator

from harness.incident.causes import Entry
from harness.incident.differing import Moved
from harness.incident.replaying import Replay
from harness.incident.toml import toml_of
from threadrebuild.operation.states import State

RECORDING = "recording.jsonl"
SCENARIO = "scenario.toml"
PINNED_MOST = 12
"""Items of one incident that are pinned by their words, from the first on."""
SHORTEST = 4
LONGEST = 40
"""Characters of a text that is looked for."""

_RULE_OF_WORD = {
    "speech": "TR-017",
    "channel": "TR-024",
    "queued": "TR-025",
    "reply": "TR-029",
    "startup": "TR-036",
    "stamp": "TR-032",
    "runtime": "TR-015",
}
_RULE_OF_STATE = {
    State.ACTIVATED: "TR-087",
    State.CANCELLED: "TR-082",
    State.ROLLED_BACK: "TR-088",
    State.FAILED: "TR-149",
}
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_LOCAL = re.compile(r"[^A-Za-z ,;:'_-]")


def scenario_of(replay: Replay, recording: str) -> str:
    """The scenario's text; its recording lies at `recording`, as `talk` of a scenario says it."""
    operation, day = replay.archive.operation, replay.archive.operation.created_at[:10]
    lines = [f"title = {toml_of(f'Incident of {day}: {_ended(replay)}')}", f"incident = {toml_of(day)}"]
    lines.append(f"talk = {toml_of(recording)}")
    if replay.archive.operation.door != "tmux":
        lines.append(f"door = {toml_of(operation.door)}")
    if replay.settings:
        lines.append(f"settings = {toml_of(replay.settings)}")
    lines += ["", "# What happened then:"]
    lines += [f"#   {step.at[:19]}  {step.event} → {step.state}" for step in operation.steps]
    if replay.differences or replay.moved:
        lines += ["# What is not as it was then:"]
        lines += [f"#   {_line(f'{each.what}: then {each.then}, now {each.now}')}" for each in replay.differences]
        counts = [sum(each.carried_now is now for each in replay.moved) for now in (True, False)]
        lines += [f"#   carried now and not then: {counts[0]} items"] if counts[0] else []
        lines += [f"#   carried then and not now: {counts[1]} items"] if counts[1] else []
    lines += [f"# {_line(note)}" for note in replay.notes]
    lines += ["", "story = [", *(f"  {toml_of(entry)}," for entry in replay.story), "]"]
    lines += ["", "expect = [", *(f"  {toml_of(entry)}," for entry in _demands(replay)), "]", ""]
    return "\n".join(lines)


def _ended(replay: Replay) -> str:
    then, now = replay.archive.operation, replay.today
    conflict = " by a conflict" if then.session_conflict else ""
    changed = "" if then.state == now.state else f", today {now.state}"
    what = f"{then.state}{conflict}{changed}"
    if replay.moved:
        return f"{what}; {len(replay.moved)} items are carried otherwise today"
    if replay.probes is not None and not (replay.probes.inbound and replay.probes.outbound):
        return f"{what} after an activation that nothing proves"
    return what


def _demands(replay: Replay) -> Iterator[Entry]:
    now = replay.today
    state: Entry = {"rule": _rule_of_end(replay), "state": str(now.state), "conflict": now.session_conflict}
    says = _LOCAL.split(now.error or "")[0].strip()
    yield state | ({"says": says} if says else {})
    rule = "TR-107" if now.session_conflict else state["rule"]
    yield {"rule": rule, "behind_the_door": replay.play.behind()}
    if "old transcript" not in replay.play.meddled:
        yield {"rule": "TR-148", "in": "old transcript", "unchanged": True}
    if now.stats:
        names = ("source_turns", "turns", "utterances", "open_tail_turns", "poison_score")
        yield {"rule": "TR-073", "recorded": {"stats": {name: now.stats[name] for name in names}}}
    yield from _words(replay)
    if now.proven:
        yield {"rule": "TR-L20", "recorded": {"proven": now.proven}}
    if now.later_dialogue:
        yield {"rule": "TR-L24", "recorded": {"later_dialogue": {"texts": now.later_dialogue["texts"]}}}


def _rule_of_end(replay: Replay) -> str:
    now = replay.today
    if now.session_conflict:
        return "TR-092"
    if now.stats.get("poison_score", 0) > 1 and now.state is State.FAILED:
        return "TR-074"
    asked = any(step.state is State.ROLLBACK_PENDING for step in now.steps)
    return "TR-091" if asked else _RULE_OF_STATE.get(now.state, "TR-L25")


def _words(replay: Replay) -> Iterator[Entry]:
    """Words that are carried today and were not then, or the other way round, looked for in the new session."""
    place = replay.play.place("new session")
    if place is None or not place.exists():
        return
    data = place.read_bytes()
    pinned: set[str] = set()
    for moved in replay.moved:
        text = _looked_for(replay, moved)
        if text is None or text in pinned or len(pinned) == PINNED_MOST:
            continue
        pinned.add(text)
        rule = _RULE_OF_WORD.get(moved.item.word, "TR-017") if moved.carried_now else "TR-152"
        times = data.count(text.encode())
        yield {"rule": rule, "in": "new session", "text": text} | ({} if times == 1 else {"times": times})


def _looked_for(replay: Replay, moved: Moved) -> str | None:
    """Some words of an item as they stand in the file, without escapes; None where it has none."""
    text = text_of(replay, moved)
    inside = text.partition(">\\n")[2].partition("\\n</channel>")[0] if text.startswith('"<channel') else text
    found = max(_ESCAPE.split(inside.removeprefix('"').removesuffix('"')), key=len)[:LONGEST].strip()
    return found if len(found) >= SHORTEST else None


def text_of(replay: Replay, moved: Moved) -> str:
    """The JSON token of an item, as it stands in the recording."""
    item = moved.item
    if item.source_offset is None or item.source_length is None:
        return ""
    with replay.archive.transcript.open("rb") as file:
        file.seek(item.source_offset)
        return file.read(item.source_length).decode("utf-8", "replace")


def _line(text: str) -> str:
    """A text on one line of a comment."""
    return "".join(char if char.isprintable() else " " for char in text)
