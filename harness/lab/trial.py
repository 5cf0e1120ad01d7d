"""One session of the real CLI on trial: carried and judged like any transcript, then resumed, and its wire compared.

The steps of the replay stay open until the lab has added its own; only then is there a verdict.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.lab.house import hook_faults, own_stops, tool_faults
from harness.lab.namespace import LabFault
from harness.lab.records import KNOWN, rows_with, shape_of
from harness.lab.review import play_review, review_faults
from harness.lab.script import NEW_PROMPT
from harness.lab.session import Played, resume
from harness.lab.window import carried_blocks, change_window, sent_blocks
from harness.lab.wire import BROKEN, behaviour, carried_texts, compare, sent_texts
from harness.oracle.candidate import blocks_of
from harness.replay import Job, Replayed, replayed
from harness.runlog import RunLog

SHOWN = 60
"""Characters of a text that a reason shows."""


@dataclass
class Judged:
    """What came of one session."""

    name: str
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    wire: list[str] = field(default_factory=list)
    hook: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    """The looks that were taken and found nothing wrong, as `LOOKS` names them."""


def judged(log: RunLog, out: Path, sessions: Sequence[Played]) -> Iterator[Judged]:
    """Judge sessions one after the other into one run log and one folder of candidates."""
    jobs = [Job(f"{each.place.version} {each.way}", each.transcript) for each in sessions]
    results = replayed(OpenLog(log), out, jobs)
    for number, played in enumerate(sessions):
        yield _Trial(log, out, number, played, next(results)).judged()


def put_in(project: Path, candidate: Path) -> None:
    """Put a candidate where the CLI looks for sessions."""
    shutil.copyfile(candidate, project / candidate.name)


class OpenLog(RunLog):
    """Steps of another log, but for verdicts, which wait for what the lab adds."""

    def __init__(self, log: RunLog) -> None:
        self.log = log

    def add(self, kind: str, **fields: Any) -> int:
        return self.log.step if kind == "verdict" else self.log.add(kind, **fields)


class _Trial:
    def __init__(self, log: RunLog, out: Path, number: int, played: Played, done: Replayed) -> None:
        self.log = log
        self.out = out
        self.number = number
        self.played = played
        self.result = Judged(done.job.name, list(done.why))
        carried = done.summary["candidate"]
        self.candidate = Path(carried) if carried else None

    def judged(self) -> Judged:
        for name, look in LOOKS.items():
            before = len(self.result.failures)
            if look(self) and len(self.result.failures) == before:
                self.result.made.append(name)
        self.name_unknown_rows()
        verdict = "red" if self.result.failures else "green"
        self.log.add("verdict", transcript=self.number, verdict=verdict, why=self.result.failures)
        return self.result

    def look_up_both(self) -> bool:
        """What each side said stands in the candidate; whether there is one to look into."""
        if self.candidate is None:
            return False
        for role in ("user", "assistant"):
            self.look_up(role, self.candidate)
        return True

    def look_up(self, role: str, candidate: Path) -> None:
        """Every text that was planted in the session is said once by whoever said it (TR-156)."""
        wanted = [text for speaker, text in self.played.planted if speaker == role]
        said = Counter(block.text for block in blocks_of(candidate) if block.is_said and block.role == role)
        missing = [text for text in wanted if not any(text in each for each in said)]
        doubled = [text for text in wanted if said[text] > 1]
        found = (
            f"{len(wanted)} texts that the {role} said looked up: {len(missing)} not found, {len(doubled)} found twice"
        )
        seen = list(said.elements())
        self.check(f"planted by the {role}", "TR-156", not missing and not doubled, found, wanted, seen)
        for text in missing:
            rows = rows_with(self.played.transcript, text)
            how = f"it stands in the transcript ({rows}) and is not carried" if rows else "the CLI never wrote it down"
            self.result.failures.append(f"lost: {role} {text[:SHOWN]!r}: {how}")
        for text in doubled:
            rows = rows_with(self.played.transcript, text)
            self.result.failures.append(f"carried {said[text]} times: {role} {text[:SHOWN]!r}: it stands in {rows}")

    def resume(self) -> bool:
        """The real CLI loads the candidate, and what was carried really is in its request (TR-072)."""
        if self.candidate is None:
            return False
        place = self.played.place
        put_in(place.project, self.candidate)
        try:
            requests = resume(self.played, self.candidate.stem)
        except LabFault as fault:
            self.check("resume", "TR-072", False, str(fault), None, None)
            self.result.failures.append(f"the rebuilt session cannot be resumed: {fault}")
            return True
        sent = sent_texts(requests[-1]["messages"]) if requests else []
        pairs = compare(carried_texts(self.candidate, NEW_PROMPT), sent)
        self.result.wire = behaviour(pairs)
        broken = [pair for pair in pairs if pair.state in BROKEN]
        same = sum(pair.state == "same" for pair in pairs)
        found = f"{same} texts were sent byte for byte as carried, {len(broken)} were lost or are nobody's"
        rows = [pair.shown() for pair in pairs]
        self.log.add("wire", transcript=self.number, version=place.version, rows=rows, did=self.result.wire)
        self.check("wire", "TR-072", not broken, found, None, None)
        for pair in broken:
            self.result.failures.append(f"on the wire {pair.state}: {pair.text[:SHOWN]!r} ({pair.what})")
        return True

    def change_window(self) -> bool:
        """The CLI resumes a note with the span whole, and all of it is in its request; where tools were called."""
        if not self.played.asks_tools:
            return False
        place = self.played.place
        candidate, faults = change_window(self.played.transcript, self.out / f"window-{self.number}")
        if candidate is not None:
            put_in(place.project, candidate)
            try:
                requests = resume(self.played, candidate.stem)
                sent = sent_blocks(requests[-1]["messages"]) if requests else []
                pairs = compare(carried_blocks(candidate, NEW_PROMPT), sent)
                faults += [f"{pair.state} {pair.text[:SHOWN]!r}" for pair in pairs if pair.state in BROKEN]
            except LabFault as fault:
                faults.append(f"cannot be resumed: {fault}")
        found = "; ".join(faults) or "the note, calls, results and signed thinking were sent as they were carried"
        self.check("window change", "WN-07", not faults, found, None, None)
        self.result.failures += [f"window change: {each}" for each in faults]
        return True

    def review(self) -> bool:
        """A chat of the same version goes through our review gate; once, where tools were called."""
        if not self.played.asks_tools:
            return False
        try:
            faults = review_faults(play_review(self.played.place))
        except LabFault as fault:
            faults = [str(fault)]
        found = "; ".join(faults) or (
            "each opinion went over the wire as it was written, nothing was shown before its verdict, the mailbox holds"
            " what was sent, and a tool called after the draft failed that turn alone"
        )
        self.check("review", "WN-07", not faults, found, None, None)
        self.result.failures += [f"review: {each}" for each in faults]
        return True

    def hook(self) -> bool:
        """The Stop hook was called, and told all that ours needs."""
        stops = own_stops(self.played)
        self.result.hook = sorted({name for stop in stops for name in stop})
        faults = hook_faults(self.played)
        found = "; ".join(faults) or f"called {len(stops)} times, and told {', '.join(self.result.hook)}"
        self.check("Stop hook", "TR-185", not faults, found, None, None)
        self.result.failures += faults
        return True

    def tools(self) -> bool:
        """A call of our own server went there and its answer came back, where the script makes one."""
        if not self.played.asks_tools:
            return False
        faults = tool_faults(self.played)
        found = "; ".join(faults) or "the reason arrived as it was given, and the answer came back over the wire"
        self.check("our tools", "TR-185", not faults, found, None, None)
        self.result.failures += faults
        return True

    def name_unknown_rows(self) -> None:
        """A kind of row that was never seen is a warning."""
        unknown = [kind for kind in shape_of([self.played.transcript]) if kind not in KNOWN]
        self.result.warnings += [f"rows of the kind {kind} were never seen before" for kind in unknown]
        if unknown:
            warnings = [{"code": "unknown-record", "line": None, "detail": kind} for kind in unknown]
            self.log.add("warnings", transcript=self.number, warnings=warnings)

    def check(self, name: str, rule: str, ok: bool, said: str, wanted: Any, seen: Any) -> None:
        shown = {"said": said, "wanted": None if ok else wanted, "seen": None if ok else seen}
        self.log.add("check", transcript=self.number, by="lab", name=name, rule=rule, ok=ok, **shown)


LOOKS: dict[str, Callable[[_Trial], bool]] = {
    "carry": _Trial.look_up_both,
    "resume": _Trial.resume,
    "stop hook": _Trial.hook,
    "tools": _Trial.tools,
    "window change": _Trial.change_window,
    "review": _Trial.review,
}
"""What is looked at, in order; each says whether there was anything to look at. A lock names those it rests on."""
