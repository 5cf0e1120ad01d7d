"""Which queued prompts nobody has read: enqueued, and neither dequeued, removed nor attached.

An attachment and a remove with the same text cancel one entry together, in either order. Older removes name
no text: such a one goes with the oldest attached entry, else with the next attachment, and only where none
follows with the oldest entry left. A dequeue names nothing either: the user row that follows it with the words of
an entry tells which one it was, and only where none does it was the oldest one left (TR-026).
"""

from dataclasses import dataclass, field

from harness.oracle.parts import prompt_text
from harness.oracle.reader import Row


@dataclass
class _Queue:
    waiting: list[Row] = field(default_factory=list)
    attached: dict[str, int] = field(default_factory=dict)
    """Attachments, by text, that cancelled an entry and still wait for their remove."""
    removed: dict[str, int] = field(default_factory=dict)
    """Removes, by text, that cancelled an entry and still wait for their attachment."""

    def cancel(self, text: str) -> bool:
        """Take out the oldest waiting entry that says `text`."""
        for row in self.waiting:
            if _words(row) == text:
                self.waiting.remove(row)
                return True
        return False

    def attach(self, text: str) -> None:
        if self.removed.get(text):
            self.removed[text] -= 1
        elif self.cancel(text):
            self.attached[text] = self.attached.get(text, 0) + 1

    def remove(self, text: str) -> None:
        if self.attached.get(text):
            self.attached[text] -= 1
        elif self.cancel(text):
            self.removed[text] = self.removed.get(text, 0) + 1


def never_read(rows: list[Row]) -> list[Row]:
    """The enqueue rows whose prompt is still waiting at the end of the file, in order of queuing."""
    queue = _Queue()
    told: set[int] = set()
    """User rows that tell which entry a dequeue took."""
    untold: list[int] = []
    """Lines of dequeues that no user row explains."""
    for place, row in enumerate(rows):
        if _is_attachment(row):
            queue.attach(_words(row))
        elif row.value is None or row.value.get("type") != "queue-operation":
            continue
        elif row.value.get("operation") == "enqueue":
            queue.waiting.append(row)
        elif row.value.get("operation") == "dequeue":
            teller = _teller(queue, rows, place, told)
            if teller is None:
                untold.append(row.line)
            else:
                told.add(teller)
                queue.cancel(_said_in(rows[teller]))
        elif row.value.get("operation") == "remove":
            text = _words(row) or _text_of_nameless(queue, rows[place + 1 :])
            queue.remove(text)
    for line in untold:
        oldest = next((waiting for waiting in queue.waiting if waiting.line < line), None)
        if oldest is not None:
            queue.waiting.remove(oldest)
    return queue.waiting


def _teller(queue: _Queue, rows: list[Row], dequeue: int, told: set[int]) -> int | None:
    """The place of the first user row after a dequeue that says what a waiting entry says, and told of no other."""
    waiting = {_words(row) for row in queue.waiting}
    for place in range(dequeue + 1, len(rows)):
        is_user = (rows[place].value or {}).get("type") == "user"
        if is_user and place not in told and _said_in(rows[place]) in waiting:
            return place
    return None


def _said_in(row: Row) -> str:
    message = (row.value or {}).get("message")
    return prompt_text(message.get("content")) if isinstance(message, dict) else ""


def _text_of_nameless(queue: _Queue, later: list[Row]) -> str:
    """The text that a remove without one means."""
    for text, count in queue.attached.items():
        if count:
            return text
    pending = dict(queue.removed)
    for row in later:
        if not _is_attachment(row):
            continue
        text = _words(row)
        if pending.get(text):
            pending[text] -= 1
        elif any(_words(waiting) == text for waiting in queue.waiting):
            return text
    return _words(queue.waiting[0]) if queue.waiting else ""


def _is_attachment(row: Row) -> bool:
    attached = (row.value or {}).get("attachment")
    return isinstance(attached, dict) and attached.get("type") == "queued_command"


def _words(row: Row) -> str:
    value = row.value or {}
    return prompt_text(value["attachment"].get("prompt") if _is_attachment(row) else value.get("content"))
