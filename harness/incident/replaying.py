"""Replay: today's core carries the copy of the transcript, and lives through the night that the record tells of.

The night is simulated. The carry is made under the session id on record, so that equal items have equal ids.
"""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from harness.carrying import carry_file
from harness.incident import differing
from harness.incident.archive import Archive
from harness.incident.causes import Entry, story_of
from harness.incident.differing import Difference, Moved
from harness.scenario.loading import entries, root_of
from harness.scenario.nights.loading import NightScenario
from harness.scenario.nights.play import Play
from harness.scenario.nights.playing import play_night
from harness.scenario.nights.story import EVENTS
from harness.world.night import DoorKind
from threadrebuild.carry.candidate import MANIFEST, Candidate
from threadrebuild.carry.manifest import Manifest, read_manifest
from threadrebuild.carry.summary import dirty_summary, figures
from threadrebuild.channel.message import id_of
from threadrebuild.channel.probes import Probes, probe
from threadrebuild.config import Settings
from threadrebuild.operation.record import Operation
from threadrebuild.transcript.reading import read_transcript
from threadrebuild.transcript.speech import Utterance
from threadrebuild.transcript.tokens import decoded

CARRY_SETTINGS = (
    *("carry_max_tokens", "carry_overflow", "max_event_chars", "include_open_tail", "freeze_startup_snapshot"),
    *("stamp_turns", "reply_tools", "private_lines", "fetch_tools", "dirty_budget_bytes"),
    *("rebuild_on_original_image_view", "poison_pattern", "tokens_per_other_char_divisor", "fixed_load_tokens"),
)
"""Settings that decide what is carried; the others are facts of a household, which a simulated one has its own of."""


@dataclass
class Replay:
    """What today's core made of an archive."""

    archive: Archive
    settings: dict[str, Any]
    """The household's own settings of the carry."""
    candidate: Candidate
    manifest: Manifest | None
    story: list[Entry]
    play: Play
    today: Operation
    """The simulated night's operation."""
    probes: Probes | None
    """What the new session on record shows of messages and replies."""
    differences: list[Difference] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """`same` where outcome and manifest are as recorded, else `differs`."""
        return "differs" if self.differences or self.moved else "same"


def replay(archive: Archive, folder: Path) -> Replay:
    """Replay an archive within the folder, which must not exist. Raises `ScenarioError` outside of a checkout."""
    operation = archive.operation
    settings = carry_settings(archive.settings)
    # A folder of its own: the archive's may hold the new session, whose ids are the candidate's.
    source = folder / "source" / archive.transcript.name
    source.parent.mkdir(parents=True)
    shutil.copyfile(archive.transcript, source)
    candidate = carry_file(
        source, folder / "out", msgspec.convert(settings, Settings), session_id=operation.new_session_id
    )
    manifest = None if candidate.refusal else read_manifest(candidate.path.with_name(MANIFEST))
    # What is refused today may hold rows that nobody can go on from.
    story, untold = story_of(operation, [] if candidate.refusal else said_later(archive))
    story = [entry for entry in story if candidate.refusal is None or "user" not in entry]
    play = _played(archive, settings, story, source, folder / "night")
    if play.missed:
        untold += [f"the moment of {story[number]} does not come any more" for number in play.missed]
        story = [entry for number, entry in enumerate(story) if number not in play.missed]
        play = _played(archive, settings, story, source, folder / "again")
    today, notes = play.night.latest(), [*archive.notes, *untold]
    replayed = Replay(archive, settings, candidate, manifest, story, play, today, _probes(archive), notes=notes)
    _compare(replayed)
    return replayed


def carry_settings(settings: Settings) -> dict[str, Any]:
    """The settings of a carry that are not left at their defaults."""
    default = msgspec.to_builtins(Settings())
    values = msgspec.to_builtins(settings)
    return {name: values[name] for name in CARRY_SETTINGS if values[name] != default[name]}


def _probes(archive: Archive) -> Probes | None:
    if archive.later is None or archive.operation.candidate is None:
        return None
    return probe(archive.later, archive.operation.candidate.bytes, archive.settings)


def said_later(archive: Archive) -> list[Entry]:
    """What was said in the new session, as entries of a talk."""
    if archive.later is None or archive.operation.candidate is None:
        return []
    carried = archive.operation.candidate.bytes
    read = read_transcript(archive.later, archive.settings)
    return [_entry(each) for each in read.utterances if each.line_offset >= carried and each.fate == "carried"]


def _entry(said: Utterance) -> Entry:
    text = decoded(said.token).encode("utf-8", "replace").decode("utf-8")
    if said.role == "assistant":
        return {"reply" if said.origin == "reply" else "assistant": text}
    message = id_of(text)
    if message is None:
        return {"queued" if said.origin == "queued" else "user": text}
    inside = text.partition(">\n")[2].removesuffix("\n</channel>")
    return {"channel": inside or text, "source": message.source, "chat": message.chat}


def _played(archive: Archive, settings: dict[str, Any], story: list[Entry], source: Path, folder: Path) -> Play:
    scenario = NightScenario(
        file=archive.operation_file,
        root=root_of(Path.cwd() / "incident"),
        title="",
        expect=(),
        door=msgspec.convert(archive.operation.door, DoorKind),
        talk=source,
        settings=settings,
        story=tuple(entries("story", story, EVENTS)),
        every_step=False,
    )
    return play_night(scenario, folder)


def _compare(replayed: Replay) -> None:
    archive, then, now = replayed.archive, replayed.archive.operation, replayed.today
    found = replayed.differences
    found += differing.compared("state", str(then.state), str(now.state))
    found += differing.compared("conflict", then.session_conflict, now.session_conflict)
    found += differing.errors(then.error, now.error)
    if replayed.probes is not None:
        proven = {name: getattr(replayed.probes, name) for name in ("inbound", "outbound")}
        if proven != (then.proven or dict.fromkeys(proven, True)):
            before = differing.shown(then.proven) if then.proven else differing.NOT_RECORDED
            found.append(Difference("proof of the new session", before, replayed.probes.says))
    plan = replayed.candidate.plan
    if then.stats:
        today = msgspec.to_builtins(figures(plan))
        found += differing.figures("figure", then.stats, today)
    if then.dirty_at_prepare:
        today = msgspec.to_builtins(dirty_summary(plan.dirty))
        found += differing.figures("dirty", then.dirty_at_prepare, today)
    if archive.manifest is not None and replayed.manifest is not None:
        replayed.moved = differing.items(archive.manifest, replayed.manifest)
        if not replayed.moved:
            before, after = archive.manifest.candidate_sha256, replayed.manifest.candidate_sha256
            found += differing.compared("candidate's bytes", before, after)
    elif archive.manifest is not None or (replayed.manifest is not None and then.stats.get("blocked_reason")):
        before = "carried" if archive.manifest is not None else "refused"
        refusal = replayed.candidate.refusal
        found += differing.compared("carry", before, f"refused: {refusal.detail}" if refusal else "carried")
