"""A story as one part of a run: played into the run log, held against its expectations and its kind's invariants."""

from dataclasses import dataclass
from pathlib import Path

from harness.facts import plain
from harness.runlog import RunLog
from harness.scenario.failure import Failure, command_of
from harness.scenario.forms import Met
from harness.scenario.seen import ScenarioFault
from harness.scenario.stories.kinds import kind_named
from harness.scenario.stories.loading import Story, load_stories


@dataclass(frozen=True, slots=True)
class StoryJob:
    """A story to play in a folder."""

    scenario: Story
    folder: Path
    seed: int = 0

    @property
    def name(self) -> str:
        """As a run lists it."""
        return f"{self.scenario.name}: {self.scenario.title}"


def play_story(log: RunLog, number: int, job: StoryJob) -> tuple[list[str], list[Failure]]:
    """Play and judge one; returns what does not hold, in words, and the expectations among it.

    Raises `ScenarioError` for a story that makes no sense.
    """
    from harness.criteria.passes import why_no_pass
    from harness.criteria.zeros import controls_of

    story = job.scenario
    kind = kind_named(story.kind)
    log.add(
        "story",
        transcript=number,
        name=job.name,
        file=story.name,
        told=story.kind,
        seed=job.seed,
        command=command_of(story),
    )
    job.folder.mkdir(parents=True)
    begun = log.step
    seen = kind.play(story, job.folder, job.seed, log, number)
    decided = log.step
    why = why_no_pass(decided - begun, story.expect)
    failures: list[Failure] = []
    controls = controls_of(load_stories(story.file), 0 if story.twin is None else story.twin + 1)
    for at, form in enumerate(story.expect):
        try:
            met = form.met(seen)
        except ScenarioFault as fault:
            raise story.error(f"expect[{at}]: {fault}", "expect", at) from None
        more = {"control": controls[at]} if at in controls else {}
        step = _check(log, number, "expectation", form.__struct_fields__[1], form.rule, met, decided, **more)
        if not met.ok:
            why.append(f"expectation {form.__struct_fields__[1]}: {met.wanted}, saw {met.seen}")
            failures.append(Failure(at, met, step, decided, "the last step of the story"))
    for invariant in kind.invariants:
        faults = "; ".join(invariant.faults(seen))
        _check(log, number, "invariant", invariant.name, invariant.rule, Met(not faults, "holds", faults), decided)
        if faults:
            why.append(f"invariant {invariant.name}: {faults}")
    log.add("verdict", transcript=number, verdict="red" if why else "green", why=why)
    return why, failures


def _check(log: RunLog, number: int, by: str, name: str, rule: str, met: Met, decided: int, **more: str | None) -> int:
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
