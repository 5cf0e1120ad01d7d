"""The byte ledger: every byte of a transcript is in exactly one class, and each class has a reason.

There is no class for the rest. What is not the payload of a row is its envelope; what is not a row is a line end, an
unreadable line or a value that is no record. The sum is the file's size, always.
"""

CARRIED = "carried"
CARRIED_CLASSES = (CARRIED, "startup", "runtime_carried", "span")
"""The classes whose bytes stand in the candidate again."""

REASONS = {
    "carried": "said by a person or the assistant; carried byte for byte",
    "startup": "the frozen startup snapshot; carried as the first item, marked",
    "runtime_carried": "a compaction summary whose talk is not in the file; carried, marked as the runtime's",
    "span": "whole messages of the retained span; carried byte for byte",
    "folded": "older than the retained span; folded into the window note, whole in the old transcript",
    "failed_fragment": "what a turn that is proven to have failed left behind; listed with its proof",
    "review_material": "what a review had given the model, used up; listed",
    "abandoned": "said on a branch that was rewound; listed",
    "superseded": "said in a row that a later row with the same uuid replaced; listed",
    "duplicate": "a row written twice; carried once",
    "dropped_oldest": "whole turns dropped from the oldest end, to keep under carry_max_tokens",
    "shortened": "the end of a text longer than max_event_chars",
    "open_tail": "an unanswered last turn, left out because include_open_tail is off",
    "unsent_reply": "a reply whose call failed, so that nobody heard it; listed",
    "other_recipient": "a reply to somebody else than the configured private lines; listed",
    "runtime_text": "written by the runtime in a speaker's place: marks, API errors, summaries; listed",
    "queued_command": "a queued slash command",
    "blank_text": "a text without a visible character",
    "tool_result": "what a tool returned",
    "tool_result_copy": "the host's second copy of a tool result; not in the context",
    "tool_use": "arguments of a tool call",
    "thinking": "thinking and its signature",
    "image": "image data",
    "injected_block": "blocks the runtime put into people's rows, recognised by tag",
    "meta_injection": "untagged meta rows: skill bodies, command echoes",
    "sidechain": "rows of sub-agents",
    "system": "system rows",
    "progress": "progress rows",
    "summary": "summary rows",
    "attachment": "what the host attached: listings, reminders, hook output",
    "queue_log": "the queue's own log of input that stands elsewhere",
    "host_metadata": "the host's own bookkeeping: titles, modes, snapshots, stored requests",
    "unlisted_block": "blocks of kinds that hold no speech by any rule",
    "unlisted_row": "rows of kinds that no rule lets through",
    "envelope": "the JSON around what is listed above: ids, times, usage, punctuation",
    "line_end": "line feeds, blank lines, byte order mark",
    "no_record": "values that are no row: null, lists, numbers, empty objects",
    "unreadable": "lines that do not parse or are not UTF-8; listed with their place",
}

DIRTY = {
    "tool_result": "tool_result",  # TR-048 TR-059
    "tool_use": "tool_use",  # TR-048 TR-059
    "thinking": "thinking",  # TR-048 TR-059
    "image": "image",  # TR-048
    "injected_block": "injected_block",  # TR-048 TR-059
    "startup": "injected_block",  # TR-048
    "meta_injection": "meta_injection",  # TR-048 TR-059
    "sidechain": "sidechain",  # TR-048
    "system": "system",  # TR-048 TR-059
    "progress": "progress",  # TR-048
    "summary": "summary",  # TR-048
    "attachment": "attachment",  # TR-048
}
"""Ledger class → category of the dirty ledger: what pollutes later context and need not be kept (TR-048)."""


class ByteLedger:
    """Bytes by class. Only classes of `REASONS` exist; a negative share would mean bytes counted twice."""

    def __init__(self) -> None:
        self.bytes: dict[str, int] = dict.fromkeys(REASONS, 0)  # TR-055 TR-056

    def move(self, count: int, source: str, target: str) -> None:
        """Put `count` bytes that were counted in one class into another."""
        self.bytes[source] -= count
        self.bytes[target] += count

    def dirty(self) -> dict[str, int]:
        """Bytes by category of the dirty ledger (TR-048)."""
        categories = dict.fromkeys(DIRTY.values(), 0)
        for name, category in DIRTY.items():
            categories[category] += self.bytes[name]
        return {category: count for category, count in categories.items() if count}

    def shares(self) -> dict[str, int]:
        """The classes that have bytes, in the order of `REASONS`."""
        return {name: count for name, count in self.bytes.items() if count}

    def total(self) -> int:
        """The sum of all classes, to be compared with the file's size (TR-L06)."""
        return sum(self.bytes.values())
