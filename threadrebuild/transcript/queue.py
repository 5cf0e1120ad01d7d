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
    """Follows enqueue, dequeue, remove and attachment rows in file order; `never_read` is what is left.

    A text that was absorbed in the middle of a turn is removed and attached, in either order: one event. Older hosts do
    not say which entry they removed; such a remove belongs to the next attachment, and only without one to the oldest
    entry left.
    """

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._unnamed_removes: list[int] = []
        self._dequeued: list[int] = []

    def enqueue(self, entry: Entry) -> None:
        """Take in one queued entry."""
        self._entries.append(entry)

    def dequeue(self, line: int) -> None:
        """An entry that stands above `line` became a user row of its own; which one, that row tells."""
        self._dequeued.append(line)

    def said(self, text: str) -> None:
        """A user row says `text`: where a dequeue is still open, it was the one of the oldest entry with this text."""
        waiting = self._waiting() if self._dequeued else []
        for entry in [entry for entry in waiting if entry.text == text and entry.line < self._dequeued[-1]][:1]:
            self._dequeued.remove(next(line for line in self._dequeued if line > entry.line))
            self._entries.remove(entry)

    def remove(self, text: str | None, line: int) -> None:
        """An entry that stands above `line` was taken out; None where the host does not say which."""
        waiting = [entry for entry in self._entries if entry.attached and text in (None, entry.text)]
        if waiting:
            self._entries.remove(waiting[0])
        elif text is None:
            self._unnamed_removes.append(line)
        else:
            same = [entry for entry in self._entries if entry.text == text and not entry.removed]
            for entry in same[:1]:
                entry.removed = True

    def remove_all(self) -> None:
        """The user took everything back into the input line."""
        self._entries.clear()

    def attach(self, text: str) -> None:
        """An entry stands in an attachment row."""
        same = [entry for entry in self._entries if entry.text == text and not entry.attached]
        for entry in sorted(same, key=lambda entry: not entry.removed)[:1]:
            if entry.removed or self._take_unnamed_remove(entry):
                self._entries.remove(entry)
            else:
                entry.attached = True

    def never_read(self) -> list[Entry]:
        """What is still queued, in order of queuing."""
        for line in self._dequeued:  # no row says which: the oldest one left
            oldest = next((entry for entry in self._waiting() if entry.line < line), None)
            if oldest is not None:
                self._entries.remove(oldest)
        self._dequeued.clear()
        waiting = self._waiting()
        for entry in waiting:
            entry.removed = self._take_unnamed_remove(entry)
        return [entry for entry in waiting if not entry.removed]

    def _waiting(self) -> list[Entry]:
        return [entry for entry in self._entries if not entry.removed and not entry.attached]

    def _take_unnamed_remove(self, entry: Entry) -> bool:
        later = next((line for line in self._unnamed_removes if line > entry.line), None)
        if later is not None:
            self._unnamed_removes.remove(later)
        return later is not None
