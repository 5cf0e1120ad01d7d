"""A story as one part of a run: played into the run log, held against its expectations and its kind's invariants."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from harness.facts import plain
from harness.runlog import RunLog
from harness.scenario.failure import Failure, command_of
from harness.scenario.forms import Met
from harness.scenario.loading import ScenarioError
from harness.scenario.seen import ScenarioFault
from harness.scenario.stories.kinds import Kind, StoryForm, kind_named
from harness.scenario.stories.loading import Story, load_stories
from harness.world.kernel import Fault


@dataclass(frozen=True, slots=True)
class StoryJob:
    """A story to play in a folder. Where something fails (`faults`) it is held against the invariants alone."""

    scenario: Story
    folder: Path
    seed: int = 0
    faults: tuple[Fault, ...] = ()

    @property
    def name(self) -> str:
        """As a run lists it."""
        order = f" (in the order {self.scenario.order})" if self.scenario.order else ""
        return f"{self.scenario.name}: {self.scenario.title}{order}"


def play_story(log: RunLog, number: int, job: StoryJob) -> tuple[list[str], list[Failure]]:
    """Play and judge one, and once for each other order in which its events may come.

    Returns what does not hold, in words, and the expectations among it. Raises `ScenarioError` for a story that makes
    no sense.
    """
    from harness.criteria.passes import why_no_pass
    from harness.criteria.zeros import controls_of

    story = job.scenario
    kind = kind_named(story.kind)
    command = command_with(story, job.faults)
    log.add("story", transcript=number, name=job.name, file=story.name, told=story.kind, seed=job.seed, command=command)
    begun = log.step
    seen = _played(kind, job, log, number)
    decided = log.step
    expected: Sequence[StoryForm] = () if job.faults else story.expect
    why = why_no_pass(decided - begun, expected)
    failures: list[Failure] = []
    controls = controls_of(load_stories(story.file), story.place_in_file)
    for at, form in enumerate(expected):
        met = _met(story, at, seen)
        more = {"control": controls[at]} if at in controls else {}
        step = _check(log, number, "expectation", form.__struct_fields__[1], form.rule, met, decided, **more)
        if not met.ok:
            why.append(f"expectation {form.__struct_fields__[1]}: {met.wanted}, saw {met.seen}")
            failures.append(Failure(at, met, step, decided, "the last step of the story"))
    for invariant in kind.invariants:
        faults = "; ".join(invariant.faults(seen))
        _check(log, number, invariant.by, invariant.name, invariant.rule, Met(not faults, "holds", faults), decided)
        if faults:
            why.append(f"{invariant.by} {invariant.name}: {faults}")
    if not (job.faults or story.order):
        why += _in_other_orders(kind, job, log, number, decided)
    log.add("verdict", transcript=number, verdict="red" if why else "green", why=why)
    return why, failures


def command_with(story: Story, faults: Sequence[Fault]) -> str:
    """The command that plays a story with its faults alone."""
    if not faults:
        return command_of(story)
    first, *again = (str(fault.step) for fault in faults)
    fault = ":".join([first, faults[0].do, *again])
    return shlex.join(["rebuild-harness", "run", story.name, "--twin", str(story.place_in_file), "--fault", fault])


def _played(kind: Kind, job: StoryJob, log: RunLog, number: int) -> Any:
    job.folder.mkdir(parents=True)
    if not job.faults:
        return kind.play(job.scenario, job.folder, job.seed, log, number)
    if kind.faulty is None:
        raise job.scenario.error("nothing can fail in a story of this kind")
    return kind.faulty(job.scenario, job.folder, job.seed, log, number, job.faults)


def _met(story: Story, at: int, seen: Any) -> Met:
    try:
        return story.expect[at].met(seen)
    except ScenarioFault as fault:
        raise story.error(f"expect[{at}]: {fault}", "expect", at) from None


def _broken(kind: Kind, story: Story, seen: Any) -> Iterator[str]:
    """What of a story's expectations and its kind's invariants does not hold."""
    for at, form in enumerate(story.expect):
        met = _met(story, at, seen)
        if not met.ok:
            yield f"{form.rule}: {met.wanted}, saw {met.seen}"
    for invariant in kind.invariants:
        yield from (f"{invariant.rule} {invariant.name}: {fault}" for fault in invariant.faults(seen))


def _in_other_orders(kind: Kind, job: StoryJob, log: RunLog, number: int, decided: int) -> list[str]:
    """What does not hold in another order of a story's events, each with the command that plays it."""
    why: list[str] = []
    count = 0
    for other in kind.orders(job.scenario, job.seed):
        count += 1
        # What happens in it is told by its own command; this log has what came of it.
        told = StoryJob(other, job.folder / other.order, job.seed)
        try:
            broken = list(_broken(kind, other, _played(kind, told, RunLog(StringIO()), number)))
        except ScenarioError as error:
            broken = [str(error)]
        if broken:
            why.append(f"order {other.order}: {broken[0]}; again: {command_of(other)}")
    if count:
        said = f"the same holds in {count} other orders and paces of its events"
        _check(log, number, "expectation", "any_order", None, Met(not why, said, "; ".join(why)), decided)
    return why


def _check(
    log: RunLog, number: int, by: str, name: str, rule: str | None, met: Met, decided: int, **more: str | None
) -> int:
    shown = (None, None) if met.ok else (plain(met.wanted), plain(met.seen))
    said = plain(met.wanted)
    return log.add(
        "check",
        transcript=number,
        by=by,
        name=name,
        rule=rule,
        ok=met.ok,
        said=said,
        wanted=shown[0],
        seen=shown[1],
        decided=decided,
        **more,
    )
