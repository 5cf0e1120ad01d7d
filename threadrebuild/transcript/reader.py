"""The single pass over a transcript: each row is judged as it comes, and every byte of it is booked at once.

Most rows of a long session are one tool call or one tool result; they take the short ways through `_user` and
`_assistant`. Nothing of a row is kept but what was said in it and its place in the chain.
"""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

import msgspec
from msgspec import UNSET, Raw

from threadrebuild.config import Settings
from threadrebuild.transcript import provenance
from threadrebuild.transcript.chain import NONE, Chain, Kind
from threadrebuild.transcript.images import Images, returns_previews
from threadrebuild.transcript.ledger import ByteLedger
from threadrebuild.transcript.left_behind import LeftBehind
from threadrebuild.transcript.provenance import Origin
from threadrebuild.transcript.queue import Entry, Queue
from threadrebuild.transcript.rows import (
    JSON_SPACE,
    SEVERAL_ROWS,
    Attachment,
    Block,
    Fault,
    RawOrNone,
    Row,
    content_token,
    decode_row,
    decode_shallow,
    read_object,
    read_row,
    text_tokens,
)
from threadrebuild.transcript.speech import MalformedLine, Role, StartupBlock, Utterance, Word
from threadrebuild.transcript.tags import nothing_but_blocks
from threadrebuild.transcript.tokens import decoded, piece
from threadrebuild.transcript.warnings import Warnings

LOOKED_BACK = 64
"""How many of the latest utterances are looked at for a row that was written anew under another uuid."""
QUOTE = ord('"')
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WHOLE_ROWS = {"system": "system", "progress": "progress", "summary": "summary"}
_STORED_REQUESTS = frozenset({"prompt_snapshot"})
"""Attachments that only store what was sent anyway: bookkeeping, not context."""


class Reader:
    """Takes the lines of one transcript in order, and holds what they say. Lines count from 1, offsets are bytes."""

    def __init__(self, settings: Settings, rewritten: frozenset[str] = frozenset(), shallow: bool = False) -> None:
        self.settings = settings
        self._decode = decode_shallow if shallow else decode_row
        self.chain = Chain(rewritten)
        self.rewritten: set[str] = set()
        """The uuids of rows that came again with other words; their place is only known to a reader that knows them."""
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
        self.unanswered: dict[str, Utterance] = {}
        self.recipients: Counter[str] = Counter()
        self.versions: dict[str, int] = {}
        self.session_id: str | None = None
        self.cwd: str | None = None
        self.startup_noise: int | None = None
        self.line = 0
        self._offset = 0
        self._row_offset = 0
        self._at_tail = False
        self._version: str | None = None
        self._by_uuid: dict[str, list[Utterance]] = {}
        self._failed_calls: set[str] = set()
        self._tools: dict[str, tuple[bool, bool]] = {}
        self._twin: list[Utterance] | None = None

    def take(self, lines: list[bytes]) -> None:
        """Judge a batch of lines, each followed by a line feed in the file."""
        number, offset, decode = self.line, self._offset, self._decode
        for line in lines:
            number += 1
            self.line, self._row_offset = number, offset
            size = len(line)
            offset += size + 1
            try:
                row = decode(line)
                if not line.isascii():
                    line.decode("utf-8")
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self._unusual(line, size)
            else:
                self._row(row, line, size)
        self._offset = offset
        self.ledger.bytes["line_end"] += len(lines)

    def take_tail(self, tail: bytes) -> None:
        """Judge what follows the last line feed: a row, or one that was cut off while it was written."""
        self._at_tail = True
        self.take([tail])
        self.ledger.bytes["line_end"] -= 1

    def settle(self, utterance: Utterance, fate: str) -> None:
        """Change what becomes of an utterance, and its bytes with it."""
        self.ledger.move(utterance.size, utterance.fate, fate)
        utterance.fate = fate

    def _unusual(self, line: bytes, size: int) -> None:
        """A line that the fast decoder refuses."""
        if self.line == 1 and line.startswith(BYTE_ORDER_MARK):
            self.ledger.bytes["line_end"] += len(BYTE_ORDER_MARK)
            self._row_offset += len(BYTE_ORDER_MARK)
            line = line[len(BYTE_ORDER_MARK) :]
            size = len(line)
        if not line.strip(JSON_SPACE.encode()):
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
        self.ledger.bytes["unreadable"] += size
        is_torn = self._at_tail and fault.reason != SEVERAL_ROWS
        code = "torn-tail" if is_torn else fault.code
        bad = self._row_offset + fault.offset
        digest = sha256(line).hexdigest()
        line_no_row = MalformedLine(self.line, self._row_offset, size, bad, fault.reason, code, digest)
        self.malformed.append(line_no_row)  # TR-L05
        self.warnings.add(code, self.line, f"first bad byte at offset {bad}: {fault.reason}")

    def _row(self, row: Row, line: bytes, size: int) -> None:
        kind = row.type
        uuid = row.uuid
        if row.isSidechain:  # TR-011
            self.ledger.bytes["sidechain"] += size
            if uuid is not None:
                self.chain.side(uuid, row.parentUuid, self.line)
            return
        if row.version != self._version and row.version:
            self._version = row.version
            self.versions.setdefault(row.version, self.line)
        if row.sessionId:
            self.session_id = row.sessionId
        if row.cwd:
            self.cwd = row.cwd
        if uuid is not None and uuid in self.chain.index and self._twin is None:
            self._second_row(row, line, size)
        elif kind == "assistant":
            self._assistant(row, line, size)
        elif kind == "user":  # TR-006
            self._user(row, line, size)
        elif kind == "attachment":
            self._attachment(row, size)
        elif kind == "queue-operation":
            self._queue_log(row, size)
        else:
            self._no_speech(row, line, size)

    def _no_speech(self, row: Row, line: bytes, size: int) -> None:
        if row.type in _WHOLE_ROWS:
            name = _WHOLE_ROWS[row.type]
        elif row.type in provenance.HOST_ROWS:
            name = "host_metadata"
        elif line.strip() == b"{}":
            name = "no_record"
            self.warnings.add("no-record", self.line, "no record: an object without members")
        else:
            name = "unlisted_row"
            shown = f"a row of unknown kind {row.type!r}" if row.type else "a row without a kind"
            self.warnings.add("unknown-shape", self.line, f"{shown} is left behind; it may hold text")  # TR-L07
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
        blocks = [Block(type="text", text=Raw(content_token(line)))] if isinstance(content, str) else content
        copied = row.toolUseResult
        used = 0
        if copied is not UNSET:
            used = self._payload("tool_result_copy", copied)  # TR-L18
        if len(blocks) == 1 and blocks[0].type == "tool_result":  # TR-L02
            self.ledger.bytes["envelope"] += size - used - self._result(blocks[0], line)
            if row.uuid is not None:
                self.chain.trace(row.uuid, row.parentUuid, self.line)
            return
        results = any(block.type == "tool_result" for block in blocks)
        if self._twin is None:
            self.queue.said("\n".join(map(decoded, _text_tokens(blocks))))
        marks = provenance.marked_words(row, len(blocks))
        injected = marks is None and provenance.is_injected(row, map(decoded, _text_tokens(blocks)))
        said: list[Utterance] = []
        known = kept = len(self.reminders)
        summed = len(self.summaries)
        for number, block in enumerate(blocks):
            if block.type == "text":  # TR-008 TR-009
                token = b"" if block.text is UNSET else bytes(block.text)
                used += len(token)
                said += self._text(row, token, "user", None if marks is None else marks[number], injected)
                if said:
                    del self.reminders[kept:]
                kept = len(self.reminders)
            elif block.type == "tool_result":
                used += self._result(block, line)
            else:
                used += self._other(block)
        self.ledger.bytes["envelope"] += size - used
        if copied is not UNSET and not results and said:
            self.warnings.add("unknown-shape", self.line, "text in a result row without a result; it is carried")
        placed: list[StartupBlock | Utterance] = [*self.reminders[known:], *self.summaries[summed:]]
        if said or placed:
            kind = Kind.JOINT if not said else Kind.BESIDE if results else Kind.HUMAN
            node = self.chain.message(row.uuid, row.parentUuid, kind, self.line)
            for text in placed:
                text.node = node
            self._spoken(row, said, node)
        elif row.uuid is not None:
            self.chain.trace(row.uuid, row.parentUuid, self.line)
        if said:
            return
        if not results and any(block.type in ("image", "document") for block in blocks):
            self.warnings.add("image-only", self.line, "a message that is only an image or a document is left behind")

    def _text(self, row: Row, token: bytes, role: Role, mark: str | None, injected: bool = False) -> list[Utterance]:
        """Book a text block of a row; gives it back as an utterance if somebody said it."""
        if token[:1] != b'"':
            self.ledger.bytes["unlisted_block"] += len(token)
            self.warnings.add("unknown-shape", self.line, "a text block whose text is no string")
            return []
        if mark is not None:
            return self._book(row, token, role, provenance.marked(mark), mark)
        text = decoded(token)
        by_user = role == "user"
        origin = provenance.user_text(row, text, injected) if by_user else provenance.assistant_text(row, text)
        return self._book(row, token, role, origin)

    def _book(self, row: Row, token: bytes, role: Role, origin: Origin, mark: str | None = None) -> list[Utterance]:
        self.ledger.bytes[origin.name] += len(token)
        if origin.word is None:
            if mark == "startup":
                self._keep_reminder(row, token)
            elif origin.name == "injected_block" and row.type == "user":
                self._reminders_in(row, token)
            return []
        utterance = Utterance(
            role=role,
            origin=origin.word,
            token=token,
            line=self.line,
            line_offset=self._row_offset,
            uuid=row.uuid,
            time=row.timestamp,
            model=provenance.model_of(row),
            node=NONE,
            fate=origin.name,
            marked=mark is not None,
        )
        if origin.word == "runtime":
            self.runtime.append(utterance)
            if row.isCompactSummary or mark is not None:
                self.summaries.append(utterance)
            return []
        return [utterance]

    def _reminders_in(self, row: Row, token: bytes) -> None:
        """Keep the reminders of a run trace that may turn out to be the startup package."""
        blocks = nothing_but_blocks(decoded(token))
        reminders = [block for block in blocks if block.is_reminder]
        if len(reminders) == len(blocks):
            self._keep_reminder(row, token)
            return
        for block in reminders:
            self._keep_reminder(row, piece(token, block.start, block.end), cut=True)

    def _keep_reminder(self, row: Row, token: bytes, cut: bool = False) -> None:
        self.reminders.append(StartupBlock(token, self.line, self._row_offset, row.uuid, row.timestamp, cut))

    def _spoken(self, row: Row, said: list[Utterance], node: int) -> None:
        for utterance in said:
            utterance.node = node
        if self._twin is not None:
            self._twin += said
            return
        self.said += said
        if row.uuid is not None:
            self._by_uuid[row.uuid] = said

    def _result(self, block: Block, line: bytes) -> int:
        call = block.tool_use_id
        if self.unanswered or block.is_error:
            utterance = self.unanswered.pop(call, None)
            if block.is_error and utterance is not None:
                self._unsent(utterance)
            if block.is_error and call:
                self._failed_calls.add(call)
        if block.content is UNSET:
            return 0
        size = len(block.content)
        has_images = memoryview(block.content)[0] != QUOTE and b'"image"' in line
        images = self.images.in_result(call, block.content) if has_images else 0
        self.ledger.bytes["tool_result"] += size - images
        self.ledger.bytes["image"] += images
        return size

    def _other(self, block: Block) -> int:
        if block.type in ("thinking", "redacted_thinking"):
            name = "thinking"
        elif block.type == "image":
            name = "image"
            self.images.pasted()
        else:
            name = "unlisted_block"
            if block.text is not UNSET:  # TR-L07
                self.warnings.add("unknown-shape", self.line, f"a block of unknown kind {block.type!r} holds text")
        payloads = (
            block.thinking,
            block.signature,
            block.data,
            block.source,
            block.text,
            block.content,
            block.input,
        )
        return sum(self._payload(name, payload) for payload in payloads)

    def _payload(self, name: str, raw: RawOrNone) -> int:
        if raw is UNSET:
            return 0
        size = len(raw)
        self.ledger.bytes[name] += size
        return size

    def _shapeless(self, row: Row, size: int) -> None:
        self.ledger.bytes["unlisted_row"] += size
        self.warnings.add("unknown-shape", self.line, f"a row of kind {row.type!r} without readable content")
        if row.uuid is not None:
            self.chain.trace(row.uuid, row.parentUuid, self.line)

    # ---------------------------------------------------------------- the assistant

    def _assistant(self, row: Row, line: bytes, size: int) -> None:
        if self.startup_noise is None and row.threadrebuild is UNSET and not provenance.is_runtime_row(row):
            self.startup_noise = sum(self.ledger.dirty().values())
        message = row.message
        content = message.content if message is not None else None
        if message is None or content is None:
            self._shapeless(row, size)
            return
        if isinstance(content, str):
            content = [Block(type="text", text=Raw(content_token(line)))]
        marks = None if row.threadrebuild is UNSET else provenance.marked_words(row, len(content))
        used = 0
        said: list[Utterance] = []
        for number, block in enumerate(content):
            if block.type == "tool_use":
                used += self._call(row, block, said)
            elif block.type == "text":  # TR-009
                token = b"" if block.text is UNSET else bytes(block.text)
                used += len(token)
                said += self._text(row, token, "assistant", None if marks is None else marks[number])
            else:
                used += self._other(block)
        self.ledger.bytes["envelope"] += size - used
        is_mark = not said and marks is None and len(content) == 1 and provenance.is_mark(content[0])
        if is_mark or provenance.is_runtime_row(row):
            if row.uuid is not None:
                self.chain.trace(row.uuid, row.parentUuid, self.line)
            return
        node = self.chain.assistant(row.uuid, row.parentUuid, message.id, self.line)
        if said and self._twin is None:
            said = self._not_yet_said(said, node)
        if said:
            self._spoken(row, said, node)

    def _not_yet_said(self, said: list[Utterance], node: int) -> list[Utterance]:
        """Leave out what an earlier row of the same message said at the same time: a host wrote that row anew."""
        before = {(each.time, each.token) for each in self.said[-LOOKED_BACK:] if each.node == node and each.time}
        again = [each for each in said if (each.time, each.token) in before]
        for utterance in again:
            self.settle(utterance, "duplicate")
            self.warnings.add("rewritten-row", self.line, "a row of the same message says the same again; carried once")
        return [each for each in said if each not in again] if again else said

    def _call(self, row: Row, block: Block, said: list[Utterance]) -> int:
        """Book a tool call; a reply to the user is appended to what was said (TR-029, TR-031)."""
        size = self._payload("tool_use", block.input)
        kind = self._tools.get(block.name)
        if kind is None:
            speaks = provenance.is_reply_tool(block.name, self.settings.reply_tools)
            kind = self._tools[block.name] = (speaks, returns_previews(block.name))
        speaks, previews = kind
        if not speaks:  # TR-010
            if previews:
                self.images.preview_call(block.id)
            self.left_behind.call(block.input)
            return size
        reply = provenance.reply_of(block)
        if reply is None:
            self.warnings.add(
                "reply-shape",
                self.line,
                f"a call to {block.name} without a text argument; nothing is carried from it",
            )
            return size
        self.ledger.bytes["tool_use"] -= len(reply.token)  # TR-L17
        for utterance in self._book(row, reply.token, "assistant", Origin("carried", "reply")):
            said.append(utterance)  # TR-031 TR-L10
            self.recipients[reply.recipient] += 1
            if self.settings.private_lines and reply.recipient not in self.settings.private_lines:
                self.settle(utterance, "other_recipient")  # TR-L03
                self.warnings.add("other-recipient", self.line, f"a reply to {reply.recipient!r} is not carried")
            elif block.id in self._failed_calls:
                self._unsent(utterance)
            elif block.id:
                self.unanswered.setdefault(block.id, utterance)
        return size

    def _unsent(self, utterance: Utterance) -> None:
        self.settle(utterance, "unsent_reply")  # TR-L04
        self.warnings.add("unsent-reply", utterance.line, "a reply whose call failed was heard by nobody")

    # ---------------------------------------------------------------- beside the talk

    def _attachment(self, row: Row, size: int) -> None:
        attachment = read_object(Attachment, row.attachment)
        said: list[Utterance] = []
        if attachment.type == "queued_command":  # TR-180
            used = self._queued(row, attachment, said)
        else:
            name = "host_metadata" if attachment.type in _STORED_REQUESTS else "attachment"
            used = self._payload(name, row.attachment)
        self.ledger.bytes["envelope"] += size - used
        if said:
            self._spoken(row, said, self.chain.message(row.uuid, row.parentUuid, Kind.BESIDE, self.line))
        elif row.uuid is not None:
            self.chain.trace(row.uuid, row.parentUuid, self.line)

    def _queued(self, row: Row, attachment: Attachment, said: list[Utterance]) -> int:
        """Book what was queued while the assistant worked; a person's words are appended to what was said."""
        tokens = text_tokens(attachment.prompt)
        texts = [decoded(token) for token in tokens]
        if self._twin is None:
            self.queue.attach("\n".join(texts))
        self._report_no_words(attachment.prompt, tokens)
        if not provenance.is_prompt(attachment):  # TR-025 TR-164
            return self._payload("queued_command", row.attachment)
        for token, text in zip(tokens, texts, strict=True):
            said += self._book(row, token, "user", provenance.queued_text(text))
        return sum(map(len, tokens))

    def _report_no_words(self, raw: RawOrNone, tokens: list[bytes]) -> None:
        """Say where queued input has a shape in which words may lie that nobody can place (TR-L07)."""
        if raw is not UNSET and not tokens:
            self.warnings.add("unknown-shape", self.line, "queued input without a readable text is left behind")

    def _queue_log(self, row: Row, size: int) -> None:
        used = self._payload("queue_log", row.content)
        self.ledger.bytes["envelope"] += size - used
        if row.uuid is not None:
            self.chain.trace(row.uuid, row.parentUuid, self.line)
        tokens = text_tokens(row.content)
        text = "\n".join(decoded(token) for token in tokens)
        self._report_no_words(row.content, tokens)
        if row.operation == "enqueue":  # TR-026
            self.queue.enqueue(Entry(tokens, text, self.line, self._row_offset, row.timestamp))
        elif row.operation == "dequeue":
            self.queue.dequeue(self.line)
        elif row.operation == "remove":
            self.queue.remove(text if tokens else None, self.line)
        elif row.operation == "popAll":
            self.queue.remove_all()

    # ---------------------------------------------------------------- twice

    def _second_row(self, row: Row, line: bytes, size: int) -> None:
        """A row whose uuid was seen before: written twice, or written anew (TR-L15)."""
        assert row.uuid is not None
        booked = dict(self.ledger.bytes)
        lists: tuple[list[Utterance] | list[StartupBlock], ...] = (
            self.runtime,
            self.summaries,
            self.reminders,
        )
        lengths = [len(each) for each in lists]
        images = self.images.original_views, self.images.previews
        recipients, unanswered = self.recipients.copy(), self.unanswered
        earlier = self._by_uuid.get(row.uuid, [])
        self.unanswered = {call: reply for call, reply in unanswered.items() if reply.uuid != row.uuid}
        twin: list[Utterance] = []
        self._twin = twin
        self._row(row, line, size)
        self._twin = None
        runtime = [text for text in self.runtime[: lengths[0]] if text.uuid == row.uuid]
        if _words(earlier + runtime) == _words(twin + self.runtime[lengths[0] :]):  # TR-L15
            self.ledger.bytes = booked
            self.ledger.bytes["duplicate"] += size
            self.images.original_views, self.images.previews = images
            self.recipients, self.unanswered = recipients, unanswered
            for each, length in zip(lists, lengths, strict=True):
                del each[length:]
            self.warnings.add("duplicate-uuid", self.line, "a row written twice; carried once")
            return
        self.runtime = [text for text in self.runtime if text not in runtime]
        replaced = [reminder for reminder in self.reminders[: lengths[2]] if reminder.uuid == row.uuid]
        self.reminders = [reminder for reminder in self.reminders if reminder not in replaced]
        for utterance in earlier + runtime:
            self.settle(utterance, "superseded")
        named = f"line {earlier[0].line}" if earlier else "an earlier row"
        self.warnings.add(
            "duplicate-uuid",
            self.line,
            f"says something else than {named} with the same uuid; this one is carried",
        )
        self.rewritten.add(row.uuid)
        first = earlier[0].line if earlier else self.chain.first_line(row.uuid)
        places = (place for place, utterance in enumerate(self.said) if utterance.line > first)
        place = next(places, len(self.said))
        later = self.said[place:]
        del self.said[place:]
        self._spoken(row, twin, twin[0].node if twin else NONE)
        self.said += later


def _text_tokens(blocks: list[Block]) -> Iterator[bytes]:
    """The tokens of text blocks whose text is a string."""
    tokens = (bytes(block.text) for block in blocks if block.type == "text" and block.text is not UNSET)
    return (token for token in tokens if token[:1] == b'"')


def _words(said: list[Utterance]) -> list[tuple[Role, Word, str]]:
    return [(utterance.role, utterance.origin, decoded(utterance.token)) for utterance in said]
