"""The sixth hop: what the model gets. Of a long talk only the end stays, with a summary of what went before.

The profile stands in the system prompt: no trimming of messages can reach it.
"""

from dataclasses import replace

from threadrebuild.database import Database
from threadrebuild.memory.recollection import Arrival, Came, Prompt, Recollection

WHOLE_UP_TO = 16  # MC-12
LATEST = 10  # MC-12
SUMMARY_LIMIT = 900  # MC-13
"""Characters of the rolling summary that go in; the rest is cut off."""
KNOWN = "关于这位客户，已经知道："


def assemble(store: Database, arrival: Arrival, known: Recollection) -> tuple[Recollection, Came]:
    """Make the prompt, and keep a record of what went into it."""
    trimmed = len(known.talk) > WHOLE_UP_TO
    system = [
        KNOWN,
        *(f"{field}：{value}" for field, value in known.profile.items() if value),  # MC-14
    ]
    prompt = Prompt(
        "\n".join(system),
        known.summary[:SUMMARY_LIMIT] if trimmed else "",
        known.talk[-LATEST:] if trimmed else known.talk,
    )
    _record(store, known.session, prompt)
    return replace(known, prompt=prompt), Came("trimmed" if trimmed else "whole", len(prompt.talk))


def _record(store: Database, session: int | None, prompt: Prompt) -> None:
    made = store.write(
        "INSERT INTO prompts (session, system, summary) VALUES (?, ?, ?)", session, prompt.system, prompt.summary
    )
    for place, line in enumerate(prompt.talk):
        store.write(
            "INSERT INTO prompt_lines (prompt, place, message, entry) VALUES (?, ?, ?, ?)",
            *(made, place, line.message, line.entry),
        )
