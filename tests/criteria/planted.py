"""Faults planted in what invariants look at: a carry on the disk, a night that is over, and the lines of a chat."""

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

from harness.carrying import NOTE, carry_file
from harness.faults import ended_of
from harness.invariants.carry import Carry
from harness.invariants.operation import Ended
from harness.runlog import RunLog
from harness.scenario.nights.loading import load_night
from harness.scenario.nights.play import Play
from harness.scenario.nights.playing import play_night
from harness.scenario.stories.kinds import kind_named
from harness.scenario.stories.loading import load_stories
from harness.world.night import OLD_SESSION
from harness.world.talk import Talk
from threadrebuild.carry.summary import candidate_summary
from threadrebuild.config import Settings

FOLDER = Path(__file__).parents[2] / "scenarios" / "rebuild" / "nights"
CHANGED = FOLDER / "a-window-is-changed.toml"
"""A night in which the window was changed as it should be."""
TAKEN = FOLDER / "the-pane-changes-hands.toml"
OPENED = FOLDER / "another-session-is-opened.toml"
OTHER_NIGHTS = {"TR-107": TAKEN, "TR-150": OPENED}
"""Nights with somebody else in them, by the rule whose invariant needs one."""


def carry_of(folder: Path, note: bool = False) -> Carry:
    """A small talk carried as it should be."""
    folder.mkdir()
    talk = Talk()
    talk.user("记得喂鱼")
    talk.assistant("好的。")
    talk.user("谢谢")
    talk.assistant("不客气。")
    source = talk.write(folder / "talk.jsonl")
    seen = source.stat().st_size, sha256(source.read_bytes()).hexdigest()

    def again(source: Path, out: Path) -> dict[str, Any]:
        made = carry_file(source, out, Settings(), "report", note=NOTE if note else None)
        return candidate_summary(made)

    return Carry(source, seen, seen, again(source, folder / "out"), folder / "out", again)


def candidate_of(carry: Carry) -> Path:
    return Path(carry.summary["candidate"])


def _cut(carry: Carry) -> Carry:
    path = candidate_of(carry)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    return carry


def _mislaid(carry: Carry) -> Carry:
    path = carry.out / "ledger.json"
    ledger = json.loads(path.read_bytes())
    ledger["classes"][0]["bytes"] += 1
    path.write_text(json.dumps(ledger))
    return carry


def _opened(carry: Carry) -> Carry:
    (carry.out / "manifest.json").chmod(0o644)
    return carry


def _otherwise(carry: Carry) -> Carry:
    """The same again says something else."""
    other = Talk()
    other.user("别的话")
    other.assistant("嗯。")

    def again(source: Path, out: Path) -> dict[str, Any]:
        return carry.again(other.write(carry.out.parent / "other.jsonl"), out)

    return replace(carry, again=again)


def _refused(carry: Carry) -> Carry:
    return replace(carry, summary={**carry.summary, "verdict": "refused"})


CARRIES: dict[str, Callable[[Carry], Carry]] = {
    "TR-148": lambda carry: replace(carry, after=(1, "other")),
    "TR-149": _refused,
    "TR-067": _opened,
    "TR-L06": _mislaid,
    "TR-060": _cut,
    "TR-061": _otherwise,
    "TR-068": _otherwise,
    "WN-01": _cut,
    "WN-03": _otherwise,
}
"""What to do to a carry, by the rule whose invariant it breaks."""


def night_of(folder: Path, file: Path = CHANGED) -> tuple[Play, Ended]:
    """A night, played, and as invariants look at it."""
    play = play_night(load_night(file), folder)
    return play, ended_of(play, False)


def overwrite(play: Play) -> None:
    """Whoever took the pane is replaced."""
    play.night.tmux.overwritten.append(play.night.strangers[0])


def _late(play: Play) -> None:
    play.night.published.append(("new.jsonl", ["verifying"]))


def _state(play: Play) -> Path:
    return Path(play.night.settings.state_dir)


def _backup(play: Play) -> Path:
    return next(_state(play).glob("artifacts/*/*.jsonl"))


def _old(play: Play) -> Path:
    return play.night.host.transcript(OLD_SESSION)


def _other(play: Play) -> Path:
    return next(play.night.host.transcript(each) for each in play.night.host.sessions() if each != OLD_SESSION)


def _written_to(path: Path, more: bytes) -> None:
    path.write_bytes((path.read_bytes() if path.exists() else b"") + more)


NIGHTS: dict[str, Callable[[Play], object]] = {
    "TR-148": lambda play: _written_to(_old(play), b"{}\n"),
    "TR-149": lambda play: _written_to(_state(play) / "x.part", b"half"),
    "TR-071": lambda play: _written_to(play.night.project_dir / "stray.jsonl", b"{}\n"),
    "TR-065": _late,
    "TR-107": overwrite,
    "TR-146": lambda play: _written_to(_state(play) / "worker.log", "可以换窗了".encode()),
    "TR-144": lambda play: _backup(play).unlink(),
    "TR-145": lambda play: _backup(play).chmod(0o644),
    "TR-150": lambda play: _written_to(_other(play), b"{}\n"),
}
"""What to do to the end of a night, by the rule whose invariant it breaks; the others break in sabotaged runs."""


def story_of(name: str, folder: Path) -> Any:
    """A story, played: what its invariants look at."""
    story = load_stories(FOLDER.parents[1] / name)[0]
    return kind_named(story.kind).play(story, folder, 0, RunLog(StringIO()), 0)
