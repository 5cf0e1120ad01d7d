"""Scrubbing an archive: transcripts word by word, records value by value, and every digest made anew.

The result is an archive like any other: its files are what its record says, and it replays as the original does. What
the program itself says in a record stays; reasons, paths, names and ids do not.
"""

import json
import re
from dataclasses import dataclass, field, replace
from hashlib import sha256, shake_256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID as Uuid

import msgspec

from harness.carrying import carry_file
from harness.incident import protocol
from harness.incident.archive import ARTIFACTS, OPERATIONS, WORKER_LOG, Archive, read_archive
from harness.incident.scrub import VERSION, Scrubber, collected, invented
from harness.incident.toml import toml_of
from harness.incident.words import UUID, WORD, Words
from threadrebuild.carry.candidate import LEDGER, MANIFEST
from threadrebuild.carry.manifest import Item, ManifestWriter
from threadrebuild.carry.rows import derived_id
from threadrebuild.config import CONFIG_NAME, Settings
from threadrebuild.operation.prepare import SNAPSHOT
from threadrebuild.operation.states import Event

SCRUBBED = "archive"
KEPT_SETTINGS = frozenset({"reply_tools", "fetch_tools", "poison_pattern", "activation", "carry_overflow"})
"""Settings that the reader goes by, word for word."""
_SENTENCES = frozenset({"detail", "error", "reason", "blocked_reason", "says", "notes"})
"""Fields of a record that hold sentences of the program, with names and paths filled in."""
_SHORT = 4
_DIGEST = re.compile(r"[0-9a-f]{64}")


def scrub_archive(archive: Archive, folder: Path) -> Archive:
    """Write a scrubbed archive into `folder`, which must not exist, and read it back. Raises `ScrubFault`."""
    lines = [line for path in _transcripts(archive) for line in path.read_bytes().split(b"\n")]
    others = [path for path in _files(archive) if path not in _transcripts(archive)]
    seen = collected(archive.settings, lines)
    for path in others:
        seen |= dict.fromkeys(WORD.findall(path.read_text(encoding="utf-8", errors="replace")))
    whole = sha256(b"\0".join(path.read_bytes() for path in _files(archive))).digest()
    key = shake_256(b"scrubbed words of an archive\0" + whole).digest(32)
    for name, data in invented(lambda words: _Scrubbing(archive, words, key).files(), seen, key).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return read_archive(folder)


def _transcripts(archive: Archive) -> list[Path]:
    snapshot = archive.artifacts / SNAPSHOT
    return [path for path in (archive.transcript, archive.later, snapshot) if path is not None and path.exists()]


def _files(archive: Archive) -> list[Path]:
    records = [archive.artifacts / MANIFEST, archive.artifacts / LEDGER, archive.root / WORKER_LOG, archive.config]
    found = [*_transcripts(archive), archive.operation_file, *records]
    return [path for path in found if path is not None and path.exists()]


@dataclass
class _Scrubbing:
    """One attempt at an archive. `digests` grows as files are made: old SHA-256 → new."""

    archive: Archive
    words: Words
    key: bytes
    digests: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.private = Scrubber(self.archive.settings, self.words.word, self.words.uuid)
        self.program = replace(self.private, replace=self._unless_said)
        self.source = b""

    def files(self) -> dict[str, bytes]:
        """Every file of the scrubbed archive by its path in it."""
        archive, operation = self.archive, self.archive.operation
        folder = f"{ARTIFACTS}/{self._id(operation.id)}"
        made: dict[str, bytes] = {}
        items = self._items()
        for path in _transcripts(archive):
            data = self._lines(path.read_bytes())
            made[f"{folder}/{self._name(path)}"] = data
            self.digests[sha256(path.read_bytes()).hexdigest()] = sha256(data).hexdigest()
            if path == archive.transcript:
                self.source = data
        self._digest_candidate(made.get(f"{folder}/{self._name(archive.later)}") if archive.later else None)
        ledger = archive.artifacts / LEDGER
        if ledger.exists():
            made[f"{folder}/{LEDGER}"] = self._record(json.loads(ledger.read_bytes()))
        if archive.manifest is not None:
            made[f"{folder}/{MANIFEST}"] = self._manifest(items)
        made[f"{OPERATIONS}/{self._id(operation.id)}.json"] = self._record(msgspec.to_builtins(operation))
        log = archive.root / WORKER_LOG
        if log.exists():
            text = log.read_text(encoding="utf-8", errors="surrogateescape")
            made[WORKER_LOG] = self.program.text(text).encode("utf-8", "surrogateescape")
        if archive.config is not None:
            made[CONFIG_NAME] = self._config()
        return made

    def _lines(self, data: bytes) -> bytes:
        return b"\n".join(map(self.private.line, data.split(b"\n")))

    def _id(self, text: str) -> str:
        """An id that is a file's name: hexadecimal digits stay such."""
        return self.words.uuid(text) if UUID.fullmatch(text) else self._hex(text)

    def _hex(self, text: str) -> str:
        chance = shake_256(self.key + text.encode()).hexdigest(len(text))
        return "".join(new if old.isalnum() else old for old, new in zip(text, chance, strict=False))

    def _name(self, path: Path) -> str:
        return path.name if path.name == SNAPSHOT else f"{self._id(path.stem)}{path.suffix}"

    # ---------------------------------------------------------------- digests

    def _items(self) -> list[Item]:
        """The manifest's items; their ids follow from session and source, so they are settled before anything."""
        manifest = self.archive.manifest
        if manifest is None:
            return []
        old, new = Uuid(manifest.session_id), Uuid(self._id(manifest.session_id))
        found: list[Item] = []
        for item in manifest.items:
            source = None if item.source_uuid is None else self.private.text(item.source_uuid)
            known = item.item_id == str(derived_id(old, f"{item.position}:{item.source_uuid or ''}"))
            item_id = str(derived_id(new, f"{item.position}:{source or ''}")) if known else self._id(item.item_id)
            self.words.give(item.item_id, item_id)
            message = derived_id(old, f"message:{item.item_id}").hex
            self.words.give(message, derived_id(new, f"message:{item_id}").hex)
            found.append(msgspec.structs.replace(item, item_id=item_id, source_uuid=source))
        return found

    def _digest(self, old: str) -> str:
        """What a digest becomes; of what is not in the archive, one that stands for it."""
        return self.digests.get(old) or shake_256(self.key + old.encode()).hexdigest(32)

    def _digest_candidate(self, later: bytes | None) -> None:
        """The candidate itself is in no archive: it is the beginning of the later talk, or what is carried today."""
        built = self.archive.operation.candidate
        if built is None:
            return
        if later is not None:
            self.digests[built.sha256] = sha256(later[: built.bytes]).hexdigest()
            return
        before = _carried(self.archive.transcript.read_bytes(), self.archive.settings, built.session_id)
        if before == built.sha256:
            new = _carried(self.source, self._settings(), self._id(built.session_id))
            self.digests[built.sha256] = new or self._digest(built.sha256)

    def _manifest(self, items: list[Item]) -> bytes:
        """The items with the digests of what now stands in their places, and the heading."""
        heading = json.loads((self.archive.artifacts / MANIFEST).read_bytes())
        file = BytesIO()
        writer = ManifestWriter(file)
        old = self.archive.transcript.read_bytes()
        for item in items:
            writer.add(self._item(item, old))
        del heading["items"]
        writer.finish({name: self._value(name, each) for name, each in heading.items()})
        built = self.archive.operation.candidate
        assert built is not None
        self.digests[built.manifest_sha256] = sha256(file.getvalue()).hexdigest()
        return file.getvalue()

    def _item(self, item: Item, old: bytes) -> Item:
        if item.source_offset is None or item.source_length is None:
            # A stamp is made of its time, which stays.
            injected = item.injected_sha256 if item.word == "stamp" else self._digest(item.injected_sha256)
            return msgspec.structs.replace(item, injected_sha256=injected)
        place = slice(item.source_offset, item.source_offset + item.source_length)
        before, after = old[place], self.source[place]
        for quoted in (b"%s", b'"%s', b'%s"', b'"%s"'):
            if sha256(quoted % before).hexdigest() == item.injected_sha256:
                injected = sha256(quoted % after).hexdigest()
                break
        else:
            injected = self._digest(item.injected_sha256)
        return msgspec.structs.replace(item, injected_sha256=injected, source_sha256=sha256(after).hexdigest())

    # ---------------------------------------------------------------- records

    def _unless_said(self, word: str) -> str:
        is_short_number = word.isdecimal() and len(word) < _SHORT
        return word if is_short_number or word.lower() in protocol.own_words() else self.words.word(word)

    def _record(self, record: Any) -> bytes:
        return json.dumps(self._value("", record), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace")

    def _value(self, key: str, value: Any) -> Any:
        match value:
            case str():
                return self._text(key, value)
            case list() | tuple():
                return [self._value(key, each) for each in value]
            case dict():
                # What a person gave as the reason of a request is no sentence of the program's.
                asked = value.get("event") == Event.REQUEST
                return {
                    self._name_of(name): self._value("reasons" if asked and name == "detail" else name, each)
                    for name, each in self._with_line_digest(value).items()
                }
            case _:
                return value

    def _with_line_digest(self, value: dict[str, Any]) -> dict[str, Any]:
        """Settle the digest of a malformed line, which is that of bytes that have changed."""
        offset, length, digest = value.get("offset"), value.get("length"), value.get("sha256")
        if isinstance(offset, int) and isinstance(length, int) and isinstance(digest, str):
            self.digests[digest] = sha256(self.source[offset : offset + length]).hexdigest()
        return value

    def _name_of(self, name: str) -> str:
        return name if name in protocol.own_texts() or name in protocol.KEYS else self.private.text(name)

    def _text(self, key: str, text: str) -> str:
        if _DIGEST.fullmatch(text):
            return self._digest(text)
        if text in protocol.own_texts() or (key == "cli_versions" and VERSION.fullmatch(text)):
            return text
        if key == "id" and not UUID.fullmatch(text):
            return self._id(text)
        return (self.program if key in _SENTENCES else self.private).text(text)

    def _settings(self) -> Settings:
        """The household's settings as they will stand in the scrubbed archive."""
        return msgspec.convert(self._set(), Settings)

    def _set(self) -> dict[str, Any]:
        default = msgspec.to_builtins(Settings())
        values = msgspec.to_builtins(self.archive.settings)
        return {
            name: value if name in KEPT_SETTINGS else self._value(name, value)
            for name, value in values.items()
            if value != default[name]
        }

    def _config(self) -> bytes:
        return "".join(f"{name} = {toml_of(value)}\n" for name, value in self._set().items()).encode()


def _carried(data: bytes, settings: Settings, session: str) -> str | None:
    """The digest of what today's core carries some bytes into; None where it refuses."""
    with TemporaryDirectory() as name:
        source = Path(name) / "source" / "transcript.jsonl"
        source.parent.mkdir()
        source.write_bytes(data)
        candidate = carry_file(source, Path(name) / "out", settings, session_id=session)
        return None if candidate.refusal else candidate.sha256
