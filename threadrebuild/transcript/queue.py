"""Input that was queued while the assistant worked: what was taken out again, and what nobody ever read.

The queue log repeats what stands elsewhere in the file, so it is speech only where an entry was neither dequeued,
removed nor attached. Such an entry has no answer: it is the open tail.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Entry:
    """One enqueued text: its tokens (more than one where it came as blocks) and the line that logged it."""

    tokens: list[bytes]
    text: str
    line: int
    line_offset: int
    time: str | None
    removed: bool = False
    attached: bool = False


class Queue:
    """Follows enqueue, dequeue, remove and attachment rows in file order; `never_read` is what is left."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def enqueue(self, entry: Entry) -> None:
        """Take in one queued entry."""
        self._entries.append(entry)

    def dequeue(self) -> None:
        """The oldest entry left became a user row of its own."""
        for entry in self._entries:
            if not entry.removed and not entry.attached:
                self._entries.remove(entry)
                return

    def remove(self, text: str | None) -> None:
        """An entry was taken out (older hosts do not say which); if it had been attached before, the same event."""
        self._take(text, "removed", "attached")

    def remove_all(self) -> None:
        """The user took everything back into the input line."""
        self._entries.clear()

    def attach(self, text: str) -> None:
        """An entry stands in an attachment row; if it had been removed before, the same event."""
        self._take(text, "attached", "removed")

    def never_read(self) -> list[Entry]:
        """What is still queued, in order of queuing."""
        return [entry for entry in self._entries if not entry.removed and not entry.attached]

    def _take(self, text: str | None, event: str, counterpart: str) -> None:
        same = [
            entry
            for entry in self._entries
            if (text is None or entry.text == text) and not getattr(entry, event)
        ]
        half_done = [entry for entry in same if getattr(entry, counterpart)]
        for entry in half_done[:1] or same[:1]:
            setattr(entry, event, True)
            if entry.removed and entry.attached:
                self._entries.remove(entry)
