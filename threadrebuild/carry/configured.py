"""The carry that a household has configured: its dialogue, or a window change with the note that the host wrote."""

from pathlib import Path

from threadrebuild.carry.failures import read_failures
from threadrebuild.carry.note import read_note
from threadrebuild.carry.plan import Plan, Refusal, plan_file
from threadrebuild.carry.window import plan_window
from threadrebuild.config import Settings


def plan_configured(path: Path, settings: Settings) -> Plan:
    """Plan it; a window that is not really full is refused (WN-11). Raises `UnreadableInput`, also for the note."""
    if settings.carry == "dialogue":
        return plan_file(path, settings)
    assert settings.note_path is not None
    failures = read_failures(Path(settings.failures_path)) if settings.failures_path else ()
    plan = plan_window(path, settings, read_note(Path(settings.note_path), settings), failures=failures)
    window = plan.window
    if plan.refusal is None and window is not None and not window.due:  # WN-11
        detail = f"the window holds {window.context_tokens:,} tokens, below its line of {window.line_tokens:,}"
        plan.refusal = Refusal("not-full", 0, detail)
    return plan
