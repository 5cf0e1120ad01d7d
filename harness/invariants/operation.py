"""What must hold after every night, also after faults and recovery: seen from outside, on disk and behind the door.

Operation files are read as plain JSON. What the story itself damaged (`meddled`) is nobody else's fault.
"""

import json
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.oracle.settings import DEFAULTS
from harness.oracle.speech import said
from harness.world.channel import Chat
from harness.world.night import OLD_SESSION, Night
from threadrebuild.operation.fencing import LostLease
from threadrebuild.operation.household import Refused

ENDS = {"activated", "cancelled", "failed", "rolled_back"}
WAITING = {"pending", "rollback_pending"}
_SPOKEN: dict[str, tuple[bytes, tuple[str, ...]]] = {}
"""What was read last, by session: thousands of nights end with the very same bytes."""
WORDS_LEAST = 4
"""Characters of a sentence that is looked for where no dialogue may stand."""


@dataclass(frozen=True)
class Ended:
    """A night that is over.

    `words`: what was said; `meddled`: what the story damaged; `faulty`: something failed; `asked`: the steps after
    which somebody asked for a rebuild of who was behind the door; `chat`: the channel, where the household has one.
    """

    night: Night
    words: tuple[str, ...]
    meddled: frozenset[str] = frozenset()
    faulty: bool = False
    asked: tuple[int, ...] = ()
    chat: Chat | None = None

    @cached_property
    def operations(self) -> list[dict[str, Any]]:
        """The operation files, oldest first."""
        files = sorted((self.state / "operations").glob("*.json"))
        return sorted((json.loads(path.read_bytes()) for path in files), key=lambda each: str(each["created_at"]))

    @property
    def state(self) -> Path:
        """The state directory."""
        return Path(self.night.settings.state_dir)

    @cached_property
    def live(self) -> str | None:
        """The session behind the door."""
        return self.night.live_session()

    @property
    def taken(self) -> bool:
        """Whether somebody else has, or had, the door: then who is behind it says nothing."""
        return bool(self.night.strangers) or "door" in self.meddled

    @property
    def strangers_session(self) -> str | None:
        """The session of who took the door and was never asked; None where there is none, or in the gap of a door."""
        taken = self.night.taken_at
        if taken is None or self.night.in_the_gap or any(step >= taken[0] for step in self.asked):
            return None
        return taken[1]


@dataclass(frozen=True, slots=True)
class Invariant:
    """A rule's sentence, and a function that yields what breaks it."""

    rule: str
    name: str
    faults: Callable[[Ended], Iterator[str]]


def spoken(transcript: Path) -> tuple[str, ...]:
    """What was said in a transcript, in order, as the oracle reads it."""
    if transcript.stem not in _SPOKEN or _SPOKEN[transcript.stem][0] != transcript.read_bytes():
        texts = tuple(utterance.text for utterance in said(transcript, DEFAULTS).utterances)
        _SPOKEN[transcript.stem] = transcript.read_bytes(), texts
    return _SPOKEN[transcript.stem][1]


def broken(ended: Ended) -> list[tuple[Invariant, str]]:
    """Every invariant that does not hold, with what was seen."""
    return [(each, said) for each in OPERATION_INVARIANTS for said in each.faults(ended)]


def _old_untouched(ended: Ended) -> Iterator[str]:
    path = ended.night.host.transcript(OLD_SESSION)
    wrote = ended.night.host.wrote(OLD_SESSION)
    if "old transcript" in ended.meddled:
        return
    if not path.exists():
        yield "the old transcript is gone"
    elif path.read_bytes() != wrote:
        yield f"the host wrote {len(wrote)} bytes, and there are {path.stat().st_size} others"


def _one_live(ended: Ended) -> Iterator[str]:
    hosts = [each for each in ended.night.world.processes.values() if each.alive and "--resume" in each.command]
    if ended.night.settings.activation != "pointer" and len(hosts) != 1:
        yield f"{len(hosts)} processes of the host are alive: {[each.command[-1] for each in hosts]}"
    if ended.taken:
        return
    path = ended.night.host.transcript(ended.live or "nobody")
    if not path.exists() and not ended.meddled:
        yield f"the session behind the door, {ended.live}, has no transcript"


def _ended(ended: Ended) -> Iterator[str]:
    open_ones = [each for each in ended.operations if each["state"] not in ENDS]
    for each in open_ones:
        if each["state"] not in WAITING:
            yield f"operation {each['id']} is {each['state']} for ever"
    if len(open_ones) > 1:
        yield f"{len(open_ones)} operations are active at once"


def _nothing_half(ended: Ended) -> Iterator[str]:
    folders = {ended.night.project_dir, ended.state, ended.night.pointer.parent}
    for folder in sorted(folder for folder in folders if folder.exists()):
        for path in sorted(folder.rglob("*.part")):
            yield f"{path.relative_to(folder.parent)} was left half-written"


def _no_stray(ended: Ended) -> Iterator[str]:
    built = {each["new_session_id"]: each for each in ended.operations if each["new_session_id"]}
    for path in sorted(ended.night.project_dir.glob("*.jsonl")):
        operation = built.get(path.stem)
        if operation is None:
            if path.stem != OLD_SESSION and not _is_hosts(ended, path.stem):
                yield f"{path.name} belongs to no operation"
            continue
        candidate = operation["candidate"]
        kept = operation["activated_at"] is not None or (operation["switched"] and operation["state"] == "failed")
        if operation["state"] in ENDS and not kept and path.stem != ended.live:
            if not _is_hosts(ended, path.stem):
                yield f"{path.name} was never activated and lies where a host or a preview picks it up"
        elif candidate is None:
            yield f"{path.name} is there, and no candidate is on record"
        elif sha256(path.read_bytes()[: candidate["bytes"]]).hexdigest() != candidate["sha256"] and not ended.meddled:
            yield f"{path.name} is not the candidate that was verified"


def _published_late(ended: Ended) -> Iterator[str]:
    """Nothing lies in the project folder that is not about to be switched to."""
    for name, states in ended.night.published:
        if "activating" not in states:
            yield f"{name} was published while the operation was {', '.join(states) or 'unknown'}"


def _door_and_record(ended: Ended) -> Iterator[str]:
    """Activated is who is behind the door; whatever else ended left the session before it there."""
    expected: set[str | None] = {OLD_SESSION}
    for each in ended.operations:
        if each["activated_at"] is not None:
            expected = {each["new_session_id"]}
        if each["state"] == "rolled_back":
            expected = {each["source"]["session_id"]}
        if each["state"] == "failed" and each["rollback_ok"] is False:
            # The way back failed at the door: the record says itself that it does not know who is there.
            expected = {each["source"]["session_id"], each["new_session_id"]}
    if not ended.taken and ended.live not in expected:
        states = [each["state"] for each in ended.operations]
        named = " or ".join(sorted(_named(ended, each) for each in expected))
        yield f"behind the door is {_named(ended, ended.live)}, on record {named}: {states}"


def _no_stranger_overwritten(ended: Ended) -> Iterator[str]:
    if ended.strangers_session is None:
        return
    gone = ended.night.tmux.overwritten + ended.night.systemd.overwritten
    for each in ended.night.strangers:
        if each in gone:
            yield f"{' '.join(each.command)} was somebody else's and was replaced"
    if ended.live != ended.strangers_session:
        yield f"behind the door is {_named(ended, ended.live)}, and no more who took it"
    if ended.night.settings.activation != "tmux" and ended.strangers_session not in ended.night.pointer.read_text():
        yield "somebody else's pointer was replaced"


def _others_untouched(ended: Ended) -> Iterator[str]:
    for session in ended.night.host.sessions():
        path, wrote = ended.night.host.transcript(session), ended.night.host.wrote(session)
        if (
            session != OLD_SESSION
            and not ended.meddled - {"door"}
            and (not path.exists() or path.read_bytes() != wrote)
        ):
            yield f"{path.name} is not what the host wrote there"


def _no_words(ended: Ended) -> Iterator[str]:
    files = [*sorted((ended.state / "operations").glob("*")), ended.state / "worker.log"]
    for path in (path for path in files if path.exists()):
        data = path.read_bytes()
        for words in ended.words:
            if len(words) >= WORDS_LEAST and (words.encode() in data or json.dumps(words)[1:-1].encode() in data):
                yield f"{path.name} holds “{words[:40]}”"


def _backup(ended: Ended) -> Iterator[str]:
    wrote = ended.night.host.wrote(OLD_SESSION)
    for each in ended.operations:
        source = each["source"]
        if source is None or source["session_id"] != OLD_SESSION:
            continue
        path = ended.state / "artifacts" / each["id"] / f"{source['session_id']}.jsonl"
        if not path.exists():
            yield f"operation {each['id']} has no backup"
        elif path.read_bytes() != wrote[: source["bytes"]] and not ended.meddled:
            yield f"the backup of operation {each['id']} is not the first {source['bytes']} bytes of the old transcript"


def _private(ended: Ended) -> Iterator[str]:
    if not ended.state.exists():
        return
    for path in (ended.state, *sorted(ended.state.rglob("*"))):
        mode, wanted = stat.S_IMODE(path.stat().st_mode), 0o700 if path.is_dir() else 0o600
        if mode != wanted:
            yield f"{path.relative_to(ended.state.parent)} has the mode {mode:o}"


def _one_worker(ended: Ended) -> Iterator[str]:
    if ended.faulty:
        return  # a worker that was lost may be followed by another
    for each in ended.operations:
        scheduled = sum(step["event"] == "schedule" for step in each["steps"])
        started = ended.night.spawner.started.count(each["id"])
        if started > scheduled:
            yield f"operation {each['id']} was scheduled {scheduled} times and got {started} workers"


def _nothing_lost(ended: Ended) -> Iterator[str]:
    """Every word of the old session stands in the new one, if that is who lives on."""
    for each in ended.operations:
        if each["state"] != "activated" or each["source"]["session_id"] != OLD_SESSION or ended.meddled or ended.taken:
            continue
        path = ended.night.host.transcript(each["new_session_id"])
        if not path.exists():
            continue
        carried = list(spoken(path))
        # What somebody says in the old session later on was never meant for the new one.
        held = _spoken_in(ended, ended.night.old_when_activated[each["id"]])
        if ended.night.settings.carry == "note":
            yield from _cut_in_the_middle(held, carried)
            continue
        for text in held:
            if text in carried:
                carried.remove(text)
            else:
                yield f"“{text[:40]}” is not in the new session"


def _spoken_in(ended: Ended, held: bytes) -> tuple[str, ...]:
    """What is said in what the old transcript once held."""
    transcript = ended.night.host.transcript(OLD_SESSION)
    if transcript.read_bytes() == held:
        return spoken(transcript)
    with tempfile.TemporaryDirectory() as folder:
        earlier = Path(folder) / transcript.name
        earlier.write_bytes(held)
        return spoken(earlier)


def _cut_in_the_middle(old: tuple[str, ...], new: list[str]) -> Iterator[str]:
    """Behind a window note the new session goes on with the last words of the old one, without a gap."""
    kept = next(len(old) - begin for begin in range(len(old) + 1) if new[: len(old) - begin] == list(old[begin:]))
    if not kept:
        yield f"the new session does not go on from “{old[-1][:40]}”"


def _no_message_lost(ended: Ended) -> Iterator[str]:
    """What the user sent stands where the user is heard, and a repeat shows by its id."""
    if ended.chat is None or ended.chat.deaf:
        return
    sessions = {OLD_SESSION, *ended.night.host.sessions()} if ended.taken else {ended.live or OLD_SESSION}
    there = [each for each in sorted(sessions) if ended.night.host.transcript(each).exists()]
    missing = [set(ended.chat.missing(each)) for each in there]
    for each in sorted(set.intersection(*missing)) if missing else ():
        yield f"message {each} never reached {' or '.join(_named(ended, session) for session in there)}"
    said = ended.chat.said
    for session in there:
        for id, text in ended.chat.heard_texts(session):
            if said.get(id, "") not in text:
                yield f"“{text[:40]}” stands in {_named(ended, session)} as message {id}, which it is not"


def _no_surprise(ended: Ended) -> Iterator[str]:
    for process, error in ended.night.world.failures:
        turned_away = isinstance(error, Refused | LostLease) and process.command[0] == "worker"
        if not (ended.faulty and (isinstance(error, OSError) or turned_away)):
            yield f"{' '.join(process.command)} ended by {type(error).__name__}: {error}"


def _is_hosts(ended: Ended, session: str) -> bool:
    """Whether the host itself has written to a session: then it is somebody's talk."""
    try:
        return bool(ended.night.host.wrote(session))
    except KeyError:
        return False


def _named(ended: Ended, session: str | None) -> str:
    new = {each["new_session_id"]: "the new session" for each in ended.operations}
    return {None: "nobody", OLD_SESSION: "the old session"}.get(session) or new.get(session) or f"{session}"


OPERATION_INVARIANTS = (
    Invariant("TR-148", "the old transcript is untouched", _old_untouched),
    Invariant("TR-150", "no other session's transcript is touched", _others_untouched),
    Invariant("TR-101", "exactly one session is live", _one_live),
    Invariant("TR-L25", "every operation has ended, or waits for somebody", _ended),
    Invariant("TR-149", "nothing is left half-written", _nothing_half),
    Invariant("TR-071", "no candidate lies about that was never switched to", _no_stray),
    Invariant("TR-065", "nothing is published before its switch begins", _published_late),
    Invariant("TR-087", "who is behind the door is who is on record", _door_and_record),
    Invariant("TR-107", "no third party is overwritten", _no_stranger_overwritten),
    Invariant("TR-146", "no word of the dialogue is in operation file or worker log", _no_words),
    Invariant("TR-144", "the backup is complete", _backup),
    Invariant("TR-145", "state, backup and snapshot are private", _private),
    Invariant("TR-099", "one operation gets one worker", _one_worker),
    Invariant("TR-164", "every word lives on in the new session", _nothing_lost),
    Invariant("TR-123", "no message is lost, and none comes twice without its id saying so", _no_message_lost),
    Invariant("TR-089", "no process ends by an error that nobody foresaw", _no_surprise),
)
