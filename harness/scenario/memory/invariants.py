"""What holds after every story of customers: what the oracle demands of each prompt, upload and history."""

from collections.abc import Iterator

from harness.oracle.memory import uploaded
from harness.scenario.memory.playing import Seen
from harness.scenario.stories.kinds import StoryInvariant
from threadrebuild.memory.counts import labels
from threadrebuild.memory.history import held


def _prompts(seen: Seen) -> Iterator[str]:
    if seen.shop.broken:
        return
    for turn in seen.shop.turns:
        for finding in turn.findings:
            yield f"after {turn.text!r} of {turn.who}, {finding.hop}: {finding.sentence}"


def _uploads(seen: Seen) -> Iterator[str]:
    for fetch in seen.shop.fetches:
        if fetch.converts and fetch.came != "stopped":
            wanted = tuple(uploaded(label, fetch.clock) for label in fetch.shown)
            if wanted != fetch.uploaded:
                yield f"at {fetch.clock} {fetch.shown} was uploaded as {fetch.uploaded}, not {wanted}"


def _history(seen: Seen) -> Iterator[str]:
    for who in {fetch.who for fetch in seen.shop.fetches}:
        kept = [(entry.role, entry.content) for entry in held(seen.shop.store, seen.shop.session(who))]
        wanted = seen.shop.earlier(who)
        if kept != wanted:
            yield f"of {who} is kept {kept}, not {wanted}"


def _labels(seen: Seen) -> Iterator[str]:
    sessions = seen.shop.store.value("SELECT count(*) FROM sessions")
    if sum(labels(seen.shop.store).values()) != sessions:
        yield f"{sessions} sessions have the labels {labels(seen.shop.store)}"


MEMORY_INVARIANTS = (
    StoryInvariant("MC-01", "every prompt holds what it has to", _prompts),
    StoryInvariant("MC-22", "every label is uploaded as it has to be", _uploads),
    StoryInvariant("MC-32", "the history of every customer is whole, and each entry there once", _history),
    StoryInvariant("MC-21", "every customer has one label", _labels),
)
