"""Reads a transcript and settles what only the whole file can tell: order of talk, startup package, open ends."""

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from threadrebuild.config import Settings
from threadrebuild.transcript import provenance
from threadrebuild.transcript.chain import NONE, Chain, Order
from threadrebuild.transcript.images import Images
from threadrebuild.transcript.ledger import ByteLedger
from threadrebuild.transcript.left_behind import LeftBehind
from threadrebuild.transcript.lines import TranscriptFile
from threadrebuild.transcript.provenance import Origin
from threadrebuild.transcript.reader import Reader
from threadrebuild.transcript.speech import MalformedLine, StartupBlock, Utterance, Warning
from threadrebuild.transcript.tags import leading_blocks, speaks_of_a_tag
from threadrebuild.transcript.tokens import decoded, has_lone_surrogate, piece

NO_CONTENT = b'"(no content)"'


@dataclass(slots=True)
class Transcript:
    """Everything that carrying needs to know about a source. Offsets and sizes are bytes, lines count from 1."""

    path: Path
    size: int
    sha256: str
    lines: int
    session_id: str | None
    cwd: str | None
    versions: list[str]
    utterances: list[Utterance]
    """Everything said on the main line, in order of talk; `fate` tells what is carried."""
    abandoned: list[Utterance]
    superseded: list[Utterance]
    runtime: list[Utterance]
    notices: list[Utterance]
    """Runtime texts that stand in the assistant's place (API errors, synthetic replies), not on abandoned branches."""
    startup: list[StartupBlock]
    ledger: ByteLedger
    warnings: list[Warning]
    warning_counts: Counter[str]
    malformed: list[MalformedLine]
    order: Order
    chain: Chain
    left_behind: LeftBehind
    images: Images
    startup_noise: int
    """Bytes of dirty classes that stood in the file before the assistant's first row of its own (TR-058)."""


def read_transcript(path: Path, settings: Settings) -> Transcript:
    """Read a whole transcript. Raises `UnreadableInput` where there is no readable file."""
    try:
        source, reader = _read(path, settings, shallow=False)
    except RecursionError:  # a line so deep that its row was decoded, but not what is in it
        source, reader = _read(path, settings, shallow=True)
    order, said, abandoned, superseded = _in_order(reader)
    said += _never_read(reader)
    first = next((utterance for utterance in said if utterance.fate == "carried"), None)
    before = _places_before(first, order)
    startup = _startup(reader, first, before)
    _settle_runtime_texts(reader, before, abandoned)
    _note(reader, said, source)
    return Transcript(
        path=path,
        size=source.size,
        sha256=source.sha256,
        lines=reader.line,
        session_id=reader.session_id,
        cwd=reader.cwd,
        versions=list(reader.versions),
        utterances=said,
        abandoned=abandoned,
        superseded=superseded,
        runtime=reader.runtime,
        notices=[
            text
            for text in reader.runtime
            if text.role == "assistant" and reader.chain.index.get(text.uuid or "", NONE) not in order.abandoned
        ],
        startup=startup,
        ledger=reader.ledger,
        warnings=reader.warnings.all(),
        warning_counts=reader.warnings.counts,
        malformed=reader.malformed,
        order=order,
        chain=reader.chain,
        left_behind=reader.left_behind,
        images=reader.images,
        startup_noise=_startup_noise(reader),
    )


def _read(
    path: Path, settings: Settings, shallow: bool, rewritten: frozenset[str] = frozenset()
) -> tuple[TranscriptFile, Reader]:
    source = TranscriptFile(path)
    reader = Reader(settings, rewritten, shallow)
    with _without_cycle_search():
        for lines in source.batches():
            reader.take(lines)
    if source.tail:
        reader.take_tail(source.tail)
    if reader.rewritten and not rewritten:
        return _read(path, settings, shallow, frozenset(reader.rewritten))
    return source, reader


@contextmanager
def _without_cycle_search() -> Iterator[None]:
    """Rows hold no reference cycles, and searching for them takes a tenth of the time of reading."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _in_order(reader: Reader) -> tuple[Order, list[Utterance], list[Utterance], list[Utterance]]:
    """The order of talk, what was said on its path, on abandoned branches, and in rows that were replaced."""
    superseded = [utterance for utterance in reader.said if utterance.fate == "superseded"]
    in_file = [utterance for utterance in reader.said if utterance.fate != "superseded"]
    abandoned: list[Utterance] = []
    if not in_file:
        return Order(), in_file, abandoned, superseded
    by_node: dict[int, list[Utterance]] = {}
    for utterance in in_file:
        by_node.setdefault(utterance.node, []).append(utterance)
    talk = {*by_node, *(text.node for text in reader.reminders), *(text.node for text in reader.summaries)}
    heard = [utterance for utterance in reader.said if utterance.fate in ("carried", "superseded")]
    leaf = next((utterance for utterance in reversed(heard) if utterance.fate == "carried"), in_file[-1])
    order = reader.chain.order(leaf.node, talk, heard[0].line if heard else reader.line)
    for node in order.abandoned:
        for utterance in by_node.get(node, ()):
            if utterance.fate == "carried":
                reader.settle(utterance, "abandoned")
            abandoned.append(utterance)
    for top in set(order.abandoned.values()):
        reader.warnings.add(
            "fork",
            reader.chain.lines[top],
            "begins a branch that was rewound; its words are listed, not carried",
        )
    for broken in order.breaks:
        reader.warnings.add(broken.code, broken.line, _BREAKS[broken.code])
    abandoned.sort(key=lambda utterance: utterance.line)
    said = [utterance for node in order.sequence for utterance in by_node.get(node, ())]
    return order, said, abandoned, superseded


def _never_read(reader: Reader) -> list[Utterance]:
    """Queued input that nobody read: it stands at the end, unanswered."""
    said = []
    for entry in reader.queue.never_read():
        for token in entry.tokens:
            text = decoded(token)
            origin = provenance.queued_text(text)
            if provenance.is_slash_command(entry.text):  # TR-027
                origin = Origin("queued_command")
            reader.ledger.move(len(token), "queue_log", origin.name)
            if origin.word is None:
                continue
            utterance = Utterance(
                role="user",
                origin=origin.word,
                token=token,
                line=entry.line,
                line_offset=entry.line_offset,
                uuid=None,
                time=entry.time,
                model=None,
                node=NONE,
            )
            reader.warnings.add("never-read", entry.line, "was queued and never read; it stands at the end")
            said.append(utterance)
    return said


def _places_before(first: Utterance | None, order: Order) -> dict[int, int]:
    """Node → its place in order of talk, up to the first real message; empty where the chain holds no talk at all."""
    places: dict[int, int] = {}
    for node in order.sequence:
        places[node] = len(places)
        if first is not None and node == first.node:  # TR-040
            break
    return places


def _startup(reader: Reader, first: Utterance | None, before: dict[int, int]) -> list[StartupBlock]:
    """The startup package: the reminders before the first real message in order of talk (TR-036, TR-039, TR-040)."""
    if first is not None:
        _cut_start(reader, first)
    if not reader.settings.freeze_startup_snapshot:  # TR-042
        return []
    frozen = [block for block in reader.reminders if block.node in before or not before]
    frozen.sort(key=lambda block: before.get(block.node, block.node))
    for block in frozen:
        reader.ledger.move(block.size, "injected_block", "startup")
    return frozen


def _cut_start(reader: Reader, first: Utterance) -> None:
    """Cut the closed blocks off the very start of the first message, at token level (TR-037)."""
    if first.role != "user" or first.origin != "speech" or first.marked:
        return
    blocks = leading_blocks(decoded(first.token))
    if not blocks:
        return
    for block in blocks:
        token = piece(first.token, block.start, block.end)
        cut = StartupBlock(token, first.line, first.line_offset, first.uuid, first.time, cut=True, node=first.node)
        reader.ledger.move(cut.size, first.fate, "injected_block")  # TR-051
        if block.is_reminder:
            reader.reminders.append(cut)
    reader.ledger.move(1, first.fate, "envelope")
    first.cut = blocks[-1].end
    first.token = piece(first.token, first.cut)  # TR-037


def _startup_noise(reader: Reader) -> int:
    """Where the assistant has not said anything yet, all noise so far is that of starting up."""
    return sum(reader.ledger.dirty().values()) if reader.startup_noise is None else reader.startup_noise


def _settle_runtime_texts(reader: Reader, before: dict[int, int], abandoned: list[Utterance]) -> None:
    """Carry a compaction summary only where the talk it sums up is not in the file (TR-015)."""
    rewound = min((utterance.line for utterance in abandoned if utterance.fate == "abandoned"), default=0)
    nodes = before or [text.node for text in reader.summaries]
    first = {id(text) for text in reader.summaries if text.node in nodes and (not rewound or text.line < rewound)}
    for text in reader.runtime:
        if id(text) in first:  # TR-015
            reader.settle(text, "runtime_carried")
        else:
            reader.warnings.add("runtime-text", text.line, "written by the runtime, said by nobody; left behind")


def _note(reader: Reader, said: list[Utterance], source: TranscriptFile) -> None:
    warnings = reader.warnings
    if len(reader.versions) > 1:
        warnings.add("mixed-versions", 0, "rows of several versions: " + ", ".join(reader.versions))
    if reader.recipients and not reader.settings.private_lines:
        names = ", ".join(f"{name!r} ({count})" for name, count in reader.recipients.most_common())
        warnings.add("reply-recipients", 0, f"replies through tools went to {names}")  # TR-L03
    for utterance in reader.unanswered.values():
        if utterance.fate == "carried":
            warnings.add("reply-without-result", utterance.line, "a reply without a result; carried")  # TR-L04
    for utterance in said:
        if utterance.fate != "carried":
            continue
        if has_lone_surrogate(utterance.token):
            warnings.add(
                "lone-surrogate",
                utterance.line,
                "half a surrogate pair, carried as it stands; an API refuses it",
            )
        if utterance.token == NO_CONTENT:
            warnings.add("no-content", utterance.line, 'a text of exactly "(no content)"; some hosts drop it')
        with_tag = utterance.role == "user" and b"<" in utterance.token
        if with_tag and speaks_of_a_tag(decoded(utterance.token)):  # TR-L01
            warnings.add("quoted-tag", utterance.line, "speaks of a runtime tag; it stays whole")
    if source.grown:
        warnings.add("source-grew", 0, f"{source.grown} bytes were appended meanwhile; they are not read")


_BREAKS = {
    "extra-root": "begins anew without a parent although there is talk before it; carried on in file order",
    "dangling-parent": "its parent is not in the file; bridged to the row before it",
    "cycle": "its parents lead back to itself; bridged to the row before it",
}
