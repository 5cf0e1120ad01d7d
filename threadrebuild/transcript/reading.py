"""Reads a transcript in one pass and says what every byte of it is.

The result holds what was said, in order of talk and with raw tokens, and the figures of everything else. It keeps no
row: memory grows with what was said and with an index entry a row.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import UnsetType

from threadrebuild.config import Settings
from threadrebuild.transcript import provenance
from threadrebuild.transcript.chain import NONE, Chain, Kind, Order
from threadrebuild.transcript.images import Images
from threadrebuild.transcript.ledger import ByteLedger
from threadrebuild.transcript.left_behind import LeftBehind
from threadrebuild.transcript.lines import TranscriptFile
from threadrebuild.transcript.provenance import Origin
from threadrebuild.transcript.queue import Entry, Queue
from threadrebuild.transcript.rows import (
    Attachment,
    Block,
    Fault,
    RawOrNone,
    Row,
    content_token,
    decode_row,
    ToolInput,
    read_object,
    read_row,
    text_tokens,
)
from threadrebuild.transcript.tags import leading_blocks, nothing_but_blocks, speaks_of_a_tag
from threadrebuild.transcript.speech import MalformedLine, Role, StartupBlock, Utterance, Warning
from threadrebuild.transcript.tokens import decoded, has_lone_surrogate, piece
from threadrebuild.transcript.warnings import Warnings

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NO_CONTENT = "(no content)"


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
    startup: list[StartupBlock]
    ledger: ByteLedger
    warnings: list[Warning]
    malformed: list[MalformedLine]
    order: Order
    left_behind: LeftBehind
    images: Images
    startup_noise: int
    """Bytes of dirty classes that stood in the file before the assistant's first row."""
    rows: Counter[str] = field(default_factory=Counter)


def read_transcript(path: Path, settings: Settings) -> Transcript:
    """Read a whole transcript. Raises `UnreadableInput` where there is no readable file."""
    reader = _Reader(settings)
    source = TranscriptFile(path)
    for lines in source.batches():
        reader.take(lines)
    return reader.finish(source)


_WHOLE_ROWS = {"system": "system", "progress": "progress", "summary": "summary"}
_STORED_REQUESTS = frozenset({"prompt_snapshot"})
"""Attachments that only store what was sent anyway: bookkeeping, not context."""


class _Reader:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.chain = Chain()
        self.queue = Queue()
        self.ledger = ByteLedger()
        self.warnings = Warnings()
        self.images = Images()
        self.left_behind = LeftBehind()
        self.malformed: list[MalformedLine] = []
        self.said: list[Utterance] = []
        self.runtime: list[Utterance] = []
        self.summaries: list[Utterance] = []
        self.reminders: list[StartupBlock] = []
        self.abandoned: list[Utterance] = []
        self.superseded: list[Utterance] = []
        self.user_has_spoken = False
        self.by_uuid: dict[str, list[Utterance]] = {}
        self.unanswered: dict[str, Utterance] = {}
        self.failed_calls: set[str] = set()
        self.recipients: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.versions: dict[str, int] = {}
        self.version: str | None = None
        self.session_id: str | None = None
        self.cwd: str | None = None
        self.tools: dict[str, bool] = {}
        self.twin: list[Utterance] | None = None
        self.line = 0
        self.offset = 0
        self.row_offset = 0
        self.startup_noise: int | None = None

    # ---------------------------------------------------------------- lines

    def take(self, lines: list[bytes]) -> None:
        """Judge a batch of lines, each followed by a line feed unless it is the file's last piece."""
        for line in lines:
            self.line += 1
            self.row_offset = self.offset
            size = len(line)
            try:
                row = decode_row(line)
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                if line.isascii() or _is_utf8(line):
                    self._row(row, line, size)
                    self.offset += size + 1
                    continue
            self._unusual(line, size)
            self.offset += size + 1

    def _unusual(self, line: bytes, size: int) -> None:
        """A line that the fast decoder refuses."""
        if self.line == 1 and line.startswith(BYTE_ORDER_MARK):
            self.ledger.bytes["line_end"] += len(BYTE_ORDER_MARK)
            line = line[len(BYTE_ORDER_MARK) :]
            size = len(line)
            self.row_offset += len(BYTE_ORDER_MARK)
        if not line.strip():
            self.ledger.bytes["line_end"] += size
            return
        row = read_row(line)
        if isinstance(row, Row):
            self._row(row, line, size)
        elif row.code == "no-record":
            self.ledger.bytes["no_record"] += size
            self.warnings.add("no-record", self.line, row.reason)
        else:
            self._unreadable(row, line, size)

    def _unreadable(self, fault: Fault, line: bytes, size: int) -> None:
        self.ledger.bytes["unreadable"] += size  # TR-L05
        bad = self.row_offset + fault.offset
        digest = sha256(line).hexdigest()
        self.malformed.append(
            MalformedLine(self.line, self.row_offset, size, bad, fault.reason, fault.code, digest)
        )
        self.warnings.add(fault.code, self.line, f"first bad byte at offset {bad}: {fault.reason}")

    def _row(self, row: Row, line: bytes, size: int) -> None:
        kind = row.type
        self.kinds[kind] += 1
        if row.version != self.version and row.version:
            self.version = row.version
            self.versions.setdefault(row.version, self.line)
        if row.sessionId:
            self.session_id = row.sessionId
        if row.cwd:
            self.cwd = row.cwd
        uuid = row.uuid
        if row.isSidechain:
            self.ledger.bytes["sidechain"] += size  # TR-011
            if uuid is not None:
                self.chain.side(uuid, row.parentUuid)
        elif uuid is not None and uuid in self.chain.index and self.twin is None:
            self._second_row(row, line, size)
        elif kind == "assistant":
            self._assistant(row, line, size)
        elif kind == "user":
            self._user(row, line, size)
        elif kind == "attachment":
            self._attachment(row, size)
        elif kind == "queue-operation":
            self._queue_log(row, size)
        else:
            self._no_speech(row, size)

    def _no_speech(self, row: Row, size: int) -> None:
        if row.type in _WHOLE_ROWS:
            name = _WHOLE_ROWS[row.type]
        elif row.type in provenance.HOST_ROWS:
            name = "host_metadata"
        else:
            name = "unlisted_row"  # TR-006
            if row.message is not None or not isinstance(row.content, UnsetType):
                shown = f"a row of unknown kind {row.type!r} holds text" if row.type else "a row without a kind"
                self.warnings.add("unknown-shape", self.line, f"{shown}; it is left behind")  # TR-L07
        self.ledger.bytes[name] += size
        if row.uuid is not None:
            boundary = row.subtype == "compact_boundary"
            self.chain.trace(row.uuid, row.parentUuid, self.line, boundary)

    # ---------------------------------------------------------------- people

    def _user(self, row: Row, line: bytes, size: int) -> None:
        content = row.message.content if row.message is not None else None
        if content is None:
            self._shapeless(row, size)
            return
        plain = isinstance(content, str)
        blocks = [Block(type="text", text=msgspec.Raw(content_token(line)))] if plain else content
        assert isinstance(blocks, list)
        results = any(block.type == "tool_result" for block in blocks)
        copied = not isinstance(row.toolUseResult, UnsetType)
        used = self._payload("tool_result_copy", row.toolUseResult)  # TR-L18
        marks = provenance.marked_words(row, len(blocks))
        said: list[Utterance] = []
        for number, block in enumerate(blocks):
            if block.type == "tool_result":
                used += self._result(block)
            elif block.type == "text":
                token = b'""' if isinstance(block.text, UnsetType) else bytes(block.text)
                if copied and not results:
                    self.ledger.bytes["tool_result"] += len(token)  # TR-008
                    if not plain:
                        self.warnings.add("unknown-shape", self.line, "text in a result row without its block")
                elif marks is not None:
                    said += self._marked(row, token, "user", marks[number])
                else:
                    said += self._text(row, token, "user", provenance.user_text(row, decoded(token)))
                used += len(token)
            else:
                used += self._other(block)
        self.ledger.bytes["envelope"] += size - used
        if said:
            kind = Kind.BESIDE if results else Kind.HUMAN
            self._spoken(row, said, self.chain.message(row.uuid, row.parentUuid, kind, self.line))
        else:
            if row.uuid is not None:
                self.chain.trace(row.uuid, row.parentUuid, self.line)
            if not results and any(block.type == "image" for block in blocks):
                self.warnings.add("image-only", self.line, "a message that is only an image is left behind")

    def _text(
        self, row: Row, token: bytes, role: Role, origin: Origin, marked: bool = False
    ) -> list[Utterance]:
        """Book a text of a row; gives it back if somebody said it."""
        self.ledger.bytes[origin.name] += len(token)
        if origin.word is None:
            if origin.name == "injected_block" and not self.user_has_spoken:
                self._reminder(row, token)
            return []
        utterance = self._utterance(row, token, role, origin, marked)
        if origin.word == "runtime":
            self.runtime.append(utterance)
            if row.isCompactSummary or marked:
                self.summaries.append(utterance)
            return []
        if role == "user":
            self.user_has_spoken = True
        return [utterance]

    def _marked(self, row: Row, token: bytes, role: Role, word: str) -> list[Utterance]:
        """A block of a row that an earlier carry wrote: its mark decides."""
        if word == "startup":
            self.ledger.bytes["injected_block"] += len(token)
            self.reminders.append(self._startup_block(row, token, len(token)))
            return []
        if word == "stamp":
            return self._text(row, token, role, provenance.INJECTED)
        origin = provenance.RUNTIME if word == "runtime" else Origin("carried", word)  # type: ignore[arg-type]
        return self._text(row, token, role, origin, marked=True)

    def _utterance(self, row: Row, token: bytes, role: Role, origin: Origin, marked: bool) -> Utterance:
        assert origin.word is not None
        model = row.message.model if row.message is not None else None
        return Utterance(
            role=role,
            origin=origin.word,
            token=token,
            line=self.line,
            line_offset=self.row_offset,
            uuid=row.uuid,
            time=row.timestamp,
            model=None if model == provenance.SYNTHETIC else model,
            node=NONE,
            fate=origin.name,
            marked=marked,
        )

    def _spoken(self, row: Row, said: list[Utterance], node: int) -> None:
        for utterance in said:
            utterance.node = node
        if self.twin is not None:
            self.twin += said
            return
        for utterance in said:
            self._inspect(utterance)
        self.said += said
        if row.uuid is not None:
            self.by_uuid[row.uuid] = said

    def _inspect(self, utterance: Utterance) -> None:
        if has_lone_surrogate(utterance.token):
            self.warnings.add(
                "lone-surrogate", utterance.line, "half a surrogate pair is carried as it stands; an API refuses it"
            )
        if utterance.token == b'"(no content)"':
            self.warnings.add("no-content", utterance.line, 'a text of exactly "(no content)"; some hosts drop it')

    def _result(self, block: Block) -> int:
        call = block.tool_use_id
        utterance = self.unanswered.pop(call, None)
        if block.is_error:
            if utterance is not None:
                self._unsent(utterance)
            elif call:
                self.failed_calls.add(call)
        if isinstance(block.content, UnsetType):
            return 0
        size = len(block.content)
        images = self.images.in_result(call, block.content) if b'"image"' in bytes(block.content) else 0
        self.ledger.bytes["tool_result"] += size - images
        self.ledger.bytes["image"] += images
        return size

    def _other(self, block: Block) -> int:
        if block.type in ("thinking", "redacted_thinking"):
            name = "thinking"  # TR-009
        elif block.type == "image":
            name = "image"
            self.images.pasted()
        else:
            name = "unlisted_block"
            if not isinstance(block.text, UnsetType):
                self.warnings.add("unknown-shape", self.line, f"a block of unknown kind {block.type!r} holds text")
        payloads = (block.thinking, block.signature, block.data, block.source, block.text, block.content, block.input)
        return sum(self._payload(name, payload) for payload in payloads)

    def _payload(self, name: str, raw: RawOrNone) -> int:
        if isinstance(raw, UnsetType):
            return 0
        self.ledger.bytes[name] += len(raw)
        return len(raw)

    def _shapeless(self, row: Row, size: int) -> None:
        self.ledger.bytes["unlisted_row"] += size
        self.warnings.add("unknown-shape", self.line, f"a {row.type} row without readable content")
        if row.uuid is not None:
            self.chain.trace(row.uuid, row.parentUuid, self.line)

    # ---------------------------------------------------------------- the assistant

    def _assistant(self, row: Row, line: bytes, size: int) -> None:
        if self.startup_noise is None:
            self.startup_noise = sum(self.ledger.dirty().values())
        message = row.message
        content = message.content if message is not None else None
        if message is None or content is None:
            self._shapeless(row, size)
            return
        if isinstance(content, str):
            content = [Block(type="text", text=msgspec.Raw(content_token(line)))]
        marks = provenance.marked_words(row, len(content))
        used = 0
        runtime = len(self.runtime)
        said: list[Utterance] = []
        for number, block in enumerate(content):
            if block.type == "tool_use":
                used += self._call(row, block, said)
            elif block.type == "text":
                token = b'""' if isinstance(block.text, UnsetType) else bytes(block.text)
                if marks is not None:
                    said += self._marked(row, token, "assistant", marks[number])
                else:
                    said += self._text(row, token, "assistant", provenance.assistant_text(row, decoded(token)))
                used += len(token)
            else:
                used += self._other(block)
        self.ledger.bytes["envelope"] += size - used
        if not said and len(self.runtime) > runtime:
            if row.uuid is not None:
                self.chain.trace(row.uuid, row.parentUuid, self.line)
            return
        node = self.chain.assistant(row.uuid, row.parentUuid, message.id, self.line)
        if said:
            self._spoken(row, said, node)

    def _call(self, row: Row, block: Block, said: list[Utterance]) -> int:
        """Book a tool call; a reply to the user is appended to what was said (TR-029, TR-031)."""
        size = self._payload("tool_use", block.input)
        if not self._speaks(block.name):
            self.images.called(block.id, block.name)
            self._leave_behind(block)
            return size
        reply = provenance.reply_of(block)
        if reply is None:
            self.warnings.add(
                "reply-shape", self.line, f"a call to {block.name} without a text argument; nothing is carried from it"
            )
            return size
        origin = Origin("carried", "reply") if decoded(reply.token).strip() else provenance.BLANK
        self.ledger.bytes["tool_use"] -= len(reply.token)  # TR-L17
        spoken = self._text(row, reply.token, "assistant", origin)
        for utterance in spoken:
            self.recipients[reply.recipient] += 1
            if self.settings.private_lines and reply.recipient not in self.settings.private_lines:
                self._settle(utterance, "other_recipient")  # TR-L03
                self.warnings.add("other-recipient", self.line, f"a reply to {reply.recipient!r} is not carried")
            elif block.id in self.failed_calls:
                self._unsent(utterance)
            elif block.id:
                self.unanswered.setdefault(block.id, utterance)
        said += spoken
        return size

    def _speaks(self, tool: str) -> bool:
        known = self.tools.get(tool)
        if known is None:
            known = self.tools[tool] = provenance.is_reply_tool(tool, self.settings.reply_tools)
        return known

    def _leave_behind(self, block: Block) -> None:
        given = read_object(ToolInput, block.input)
        path = given.file_path or given.path or given.notebook_path
        if path:
            self.left_behind.path(path, self.line)
        if given.command:
            self.left_behind.check(given.command, self.line)

    def _unsent(self, utterance: Utterance) -> None:
        self._settle(utterance, "unsent_reply")  # TR-L04
        self.warnings.add("unsent-reply", utterance.line, "a reply whose call failed was heard by nobody")

    def _settle(self, utterance: Utterance, fate: str) -> None:
        """Change what becomes of an utterance, and its bytes with it."""
        self.ledger.move(utterance.size, utterance.fate, fate)
        utterance.fate = fate

    # ---------------------------------------------------------------- beside the talk

    def _attachment(self, row: Row, size: int) -> None:
        attachment = read_object(Attachment, row.attachment)
        said: list[Utterance] = []
        if provenance.is_queued_prompt(attachment):
            used = 0
            texts = []
            for token in text_tokens(attachment.prompt):  # TR-L12
                texts.append(decoded(token))
                said += self._text(row, token, "user", provenance.queued_text(texts[-1]))
                used += len(token)
            self.queue.attach("\n".join(texts))
            self.ledger.bytes["envelope"] += size - used
        else:
            name = "host_metadata" if attachment.type in _STORED_REQUESTS else "attachment"  # TR-180
            if attachment.type == "queued_command":
                name = "queued_command"
            used = self._payload(name, row.attachment)
            self.ledger.bytes["envelope"] += size - used
        if said:
            self._spoken(row, said, self.chain.message(row.uuid, row.parentUuid, Kind.BESIDE, self.line))
        elif row.uuid is not None:
            self.chain.trace(row.uuid, row.parentUuid, self.line)

    def _queue_log(self, row: Row, size: int) -> None:
        used = self._payload("queue_log", row.content)  # TR-026
        self.ledger.bytes["envelope"] += size - used
        tokens = text_tokens(row.content)
        text = "\n".join(decoded(token) for token in tokens)
        if row.operation == "enqueue":
            self.queue.enqueue(Entry(tokens, text, self.line, self.row_offset, row.timestamp))
        elif row.operation == "dequeue":
            self.queue.dequeue()
        elif row.operation == "remove":
            self.queue.remove(text if tokens else None)
        elif row.operation == "popAll":
            self.queue.remove_all()

    def _startup_block(self, row: Row, token: bytes, size: int) -> StartupBlock:
        return StartupBlock(token, self.line, self.row_offset, row.uuid, row.timestamp, size)

    def _reminder(self, row: Row, token: bytes) -> None:
        """Keep the reminders of a run trace that may turn out to be the startup package (TR-039)."""
        blocks = nothing_but_blocks(decoded(token))
        reminders = [block for block in blocks if block.tag == "system-reminder"]  # TR-039
        if len(reminders) == len(blocks):
            self.reminders.append(self._startup_block(row, token, len(token)))
            return
        for block in reminders:
            token_of_block = piece(token, block.start, block.end)
            self.reminders.append(self._startup_block(row, token_of_block, len(token_of_block) - 2))

    # ---------------------------------------------------------------- twice

    def _second_row(self, row: Row, line: bytes, size: int) -> None:
        """A row whose uuid was seen before: written twice, or written anew (TR-L15)."""
        assert row.uuid is not None
        before = dict(self.ledger.bytes)
        lists = (self.runtime, self.summaries, self.reminders)
        lengths = [len(each) for each in lists]
        seen = self.images.original_views, self.images.previews
        self.twin = twin = []
        self._row(row, line, size)
        self.twin = None
        earlier = self.by_uuid.get(row.uuid, [])
        if [(each.role, each.token) for each in twin] == [(each.role, each.token) for each in earlier]:  # TR-L15
            self.ledger.bytes = before
            self.ledger.bytes["duplicate"] += size
            self.images.original_views, self.images.previews = seen
            for each, length in zip(lists, lengths, strict=True):
                del each[length:]
            self.warnings.add("duplicate-uuid", self.line, "a row written twice; carried once")
            return
        for utterance in earlier:
            self._settle(utterance, "superseded")
        first = f"line {earlier[0].line}" if earlier else "an earlier row"
        self.warnings.add("duplicate-uuid", self.line, f"says something else than {first} with the same uuid; this one is carried")
        self._spoken(row, twin, twin[0].node if twin else NONE)

    # ---------------------------------------------------------------- the end of the file

    def finish(self, source: TranscriptFile) -> Transcript:
        """Settle what only the whole file can tell: the tail, the order of talk, the startup package."""
        self.ledger.bytes["line_end"] += self.line
        if source.tail:
            self._tail(source.tail)
        order = self._put_in_order()
        self._never_read()
        startup = self._startup()
        self._summaries()
        self._notes(source)
        return Transcript(
            path=source.path,
            size=source.size,
            sha256=source.sha256,
            lines=self.line,
            session_id=self.session_id,
            cwd=self.cwd,
            versions=list(self.versions),
            utterances=self.said,
            abandoned=self.abandoned,
            superseded=self.superseded,
            runtime=self.runtime,
            startup=startup,
            ledger=self.ledger,
            warnings=self.warnings.all(),
            malformed=self.malformed,
            order=order,
            left_behind=self.left_behind,
            images=self.images,
            startup_noise=self.startup_noise or 0,
            rows=self.kinds,
        )

    def _tail(self, tail: bytes) -> None:
        """What follows the last line feed: a row, or one that was cut off while it was written."""
        self.take([tail])
        self.offset -= 1
        if self.malformed and self.malformed[-1].line == self.line:
            last = self.malformed.pop()
            self.malformed.append(replace(last, code="torn-tail"))
            self.warnings.rename_last("torn-tail")

    def _put_in_order(self) -> Order:
        self.superseded = [utterance for utterance in self.said if utterance.fate == "superseded"]
        if self.superseded:
            self.said = [utterance for utterance in self.said if utterance.fate != "superseded"]
        if not self.said:
            return Order()
        by_node: dict[int, list[Utterance]] = {}
        for utterance in self.said:
            by_node.setdefault(utterance.node, []).append(utterance)
        order = self.chain.order(self.said[-1].node, set(by_node))
        self.said = [utterance for node in order.sequence for utterance in by_node.get(node, ())]
        branches: dict[int, int] = {}
        for node, top in order.abandoned.items():
            for utterance in by_node.get(node, ()):
                branches[top] = min(branches.get(top, utterance.line), utterance.line)
                if utterance.fate == "carried":
                    self._settle(utterance, "abandoned")
                self.abandoned.append(utterance)
        for line in branches.values():
            self.warnings.add("fork", line, "begins a branch that was rewound; its words are listed, not carried")
        self.abandoned.sort(key=lambda utterance: utterance.line)
        for broken in order.breaks:
            self.warnings.add(broken.code, self.chain.lines[broken.node], _BREAKS[broken.code])
        return order

    def _never_read(self) -> None:
        for entry in self.queue.never_read():
            for token in entry.tokens:
                text = decoded(token)
                origin = provenance.queued_text(text)
                if provenance.is_slash_command(text):
                    origin = Origin("queued_command")
                self.ledger.move(len(token), "queue_log", origin.name)
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
                self._inspect(utterance)
                self.said.append(utterance)
                self.warnings.add("never-read", entry.line, "was queued and never read; it stands at the end")

    def _startup(self) -> list[StartupBlock]:
        """The startup package: the reminders before the first real message (TR-036, TR-039, TR-040)."""
        first = self.said[0] if self.said else None
        if first is not None:
            self._cut_start(first)
        if not self.settings.freeze_startup_snapshot:  # TR-042
            return []
        frozen = [block for block in self.reminders if first is None or block.line <= first.line]  # TR-040
        for block in frozen:
            self.ledger.move(block.size, "injected_block", "startup")
            block.fate = "startup"
        return frozen

    def _cut_start(self, first: Utterance) -> None:
        """Cut the closed blocks off the very start of the first message, at token level (TR-037)."""
        if first.role != "user" or first.origin != "speech" or first.marked:
            return
        blocks = leading_blocks(decoded(first.token))
        if not blocks:
            return
        for block in blocks:
            token = piece(first.token, block.start, block.end)
            size = len(token) - 2
            self.ledger.move(size, first.fate, "injected_block")
            if block.tag == "system-reminder":
                self.reminders.append(
                    StartupBlock(token, first.line, first.line_offset, first.uuid, first.time, size)
                )
        self.ledger.move(1, first.fate, "envelope")
        first.cut = blocks[-1].end
        first.token = piece(first.token, first.cut)

    def _summaries(self) -> None:
        """Carry a compaction summary only where the talk it sums up is not in the file (TR-015)."""
        talk = min((utterance.line for utterance in (*self.said, *self.abandoned)), default=0)
        for utterance in self.runtime:
            if utterance in self.summaries and (not talk or utterance.line <= talk):  # TR-015
                self._settle(utterance, "runtime_carried")
            else:
                self.warnings.add("runtime-text", utterance.line, "written by the runtime, said by nobody; left behind")

    def _notes(self, source: TranscriptFile) -> None:
        if len(self.versions) > 1:
            self.warnings.add("mixed-versions", 0, "rows of several versions: " + ", ".join(self.versions))
        if self.recipients and not self.settings.private_lines:
            names = ", ".join(f"{name!r} ({count})" for name, count in self.recipients.most_common())
            self.warnings.add("reply-recipients", 0, f"replies through tools went to {names}")  # TR-L03
        for utterance in self.unanswered.values():
            if utterance.fate == "carried":
                self.warnings.add("reply-without-result", utterance.line, "a reply without a result; carried")
        for utterance in self.said:
            if utterance.role == "user" and b"<" in utterance.token and utterance.origin != "channel":
                if speaks_of_a_tag(decoded(utterance.token)):
                    self.warnings.add("quoted-tag", utterance.line, "speaks of a runtime tag; it stays whole")  # TR-L01
        if source.grown:
            self.warnings.add("source-grew", 0, f"{source.grown} bytes were appended meanwhile; they are not read")


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_BREAKS = {
    "extra-root": "begins anew without a parent although there is talk before it; carried on in file order",
    "dangling-parent": "its parent is not in the file; bridged to the row before it",
    "cycle": "its parents lead back to itself; bridged to the row before it",
}
