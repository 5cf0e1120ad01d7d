"""The session record without what its reviews gave the model: every other row as it stands, in a file of its own.

A host does this once a reviewed turn is over. What follows a row that is gone hangs on the row before that, and all
bytes up to the first thing taken out are the old ones, so the prompt cache holds up to the breakpoint.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from threadrebuild.carry.places import SourceChanged
from threadrebuild.carry.plan import Malformed
from threadrebuild.carry.record import read_record
from threadrebuild.carry.record_rows import RecordRow
from threadrebuild.carry.rows import as_json
from threadrebuild.carry.span_bytes import message_of
from threadrebuild.carry.stripping import Stripping, strip
from threadrebuild.config import Settings
from threadrebuild.ports import Files
from threadrebuild.transcript.lines import UnreadableInput
from threadrebuild.transcript.reading import read_transcript
from threadrebuild.transcript.spans import members


@dataclass(frozen=True, slots=True)
class Stripped:
    """What was taken out: lines of rows that are shorter now, or gone, bytes, and the cache breakpoint's row."""

    lines: tuple[int, ...]
    bytes: int
    breakpoint_line: int | None
    breakpoint_uuid: str | None


def strip_record(source: Path, out: Path, settings: Settings, files: Files, malformed: Malformed = "block") -> Stripped:
    """Write the record at `source` without used-up review material to the new file `out` (WN-13, WN-15).

    Raises `UnreadableInput` where there is no readable record: a line that cannot be read may hold such material, and
    only `malformed="report"` leaves it as it stands. Raises OSError. Either way there is no `out` then.
    """
    if not out.name:
        raise FileExistsError(out)
    transcript = read_transcript(source, settings)
    if transcript.malformed and malformed == "block":
        bad = transcript.malformed[0]
        raise UnreadableInput(
            f"{source}: line {bad.line} at byte {bad.offset}, first bad byte at {bad.bad_byte}: {bad.reason}"
            " (--malformed report leaves such lines as they stand)"
        )
    try:
        rows = read_record(transcript, settings).rows
        with source.open("rb") as file:
            stripping = strip(rows, file)
            part = out.with_name(f".{out.name}.part")
            files.remove(part)
            with files.create(part) as written:
                file.seek(0)
                size = _copy(file, written, rows, stripping, transcript.size)
                files.sync(written)
    except (SourceChanged, ValueError, KeyError) as error:
        raise UnreadableInput(f"{source}: {error}") from None
    try:
        files.publish(part, out)
    except OSError:
        files.remove(part)
        raise
    files.sync_folder(out.parent)
    last = stripping.breakpoint
    return Stripped(
        tuple(sorted(stripping.taken)), transcript.size - size, last.line if last else None, last.uuid if last else None
    )


def _copy(source: BinaryIO, written: BinaryIO, rows: list[RecordRow], stripping: Stripping, size: int) -> int:
    """Copy line by line; return how many bytes were written."""
    taken = {row.line: row for row in rows if row.line in stripping.taken}
    above = {row.uuid: row.parent for row in taken.values() if row.line in stripping.gone and row.uuid is not None}
    at = count = number = 0
    while at < size:
        line = source.readline(size - at)
        at += len(line)
        number += 1
        if number in stripping.gone:
            continue
        row = taken.get(number)
        if row is not None:
            message = message_of(line, row, stripping)
            line = line[: message.start] + message.carried + line[message.start + len(message.whole) :]
        if above:
            line = _relinked(line, above)
        count += written.write(line)
    return count


def _relinked(line: bytes, above: dict[str, str | None]) -> bytes:
    """The line with its parent past rows that are gone."""
    if not any(uuid.encode() in line for uuid in above):
        return line
    try:
        span = members(line.decode("latin-1")).get("parentUuid")
    except (ValueError, RecursionError):
        return line
    parent: str | None = None if span is None else line[span.start : span.end].decode("utf-8").strip('"')
    if span is None or parent not in above:
        return line
    while parent is not None and parent in above:
        parent = above[parent]
    return line[: span.start] + as_json(parent) + line[span.end :]
