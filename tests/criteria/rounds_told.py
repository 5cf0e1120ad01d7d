"""A round of triage with all its evidence, for tests that take one thing away: the history that could not be read."""

from pathlib import Path
from typing import Any

from harness.criteria.rounds import Standing, read_round, standing
from harness.expect import expect
from harness.runlog import RunLog

QUERY = "rebuild-harness run scenarios/memory --out reports/run"
BEFORE = {"nothing was read": 0, "read, and nothing stored": 14, "other": 1}
AFTER = {"nothing was read": 0, "read, and nothing stored": 0, "other": 1}

ROUND = """\
title = "读历史有问题"
holders = { site = "现场", data = "取数", device = "端侧" }

[symptom]
by = "同事"
says = "读历史有问题"

[evidence]
run = "before.jsonl"
label = "read, and nothing stored"
hypothesis = "the server refuses nearly every time label, and keeps nothing"
refuted_at = 0

[fix]
cause = "memory/explicit.py:2"
cases = ["scenarios/five-forms.toml"]
costs = "a bare clock now passes as explicit, with a day that nobody showed"

[build]
version = "0.2.0"

[use]
acceptance = "accept.jsonl"

[again]
run = "after.jsonl"
"""

WHOSE = {
    "no count by label": "CR-09",
    "cause not found": "CR-10",
    "no shared cases": "CR-11",
    "not written down": "CR-11",
    "acceptance": "CR-12",
    "another query": "CR-13",
    "no figure": "CR-17",
    "refuted": "CR-17",
    "count": "CR-13",
}
"""By words of what a step lacks, the rule that asks for it."""


def run_log(path: Path, labels: dict[str, int] | None, version: str, command: str = QUERY) -> None:
    """A run log that came to these labels."""
    with path.open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command=command, version=version, settings={})
        log.add("end", verdict="red", green=0, red=0, **({} if labels is None else {"labels": labels}))


def accept_log(path: Path, verdict: str = "GO", version: str = "0.2.0") -> None:
    """The run log of an `accept`."""
    with path.open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command="rebuild-harness accept", version=version, settings={})
        log.add("acceptance", verdict=verdict, reasons=[], checks=[], people=[], subject={"transcript_sha256": "ab12"})


def told(folder: Path, *changes: tuple[str, str], **logs: Any) -> Standing:
    """Where the round stands with parts of it changed. `before`, `after`: labels; `accepted`: a verdict; `query`."""
    root = folder / "checkout"
    if not root.exists():
        for name, text in (("memory/explicit.py", "a\nb\n"), ("scenarios/five-forms.toml", "")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
    run_log(folder / "before.jsonl", logs.get("before", BEFORE), "0.1.0")
    run_log(
        folder / "after.jsonl",
        logs.get("after", AFTER),
        logs.get("counted_on", "0.2.0"),
        logs.get("query", QUERY.replace("reports/run", "reports/again")),
    )
    accept_log(folder / "accept.jsonl", logs.get("accepted", "GO"), logs.get("accepted_of", "0.2.0"))
    text = ROUND
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "round.toml"
    path.write_text(text, encoding="utf-8")
    return standing(read_round(path), folder, root)


def closed(folder: Path) -> Standing:
    """The whole round, which is closed; where it is not, the rule whose step it lacks is broken."""
    whole = told(folder)
    rule = next((rule for words, rule in WHOSE.items() if words in whole.lacks), "CR-13")
    expect(rule, whole.step is None, f"nothing lacks in a whole round; seen: {whole.lacks}")
    return whole


def without(table: str) -> tuple[str, str]:
    """A change that takes a step out of the round."""
    start = ROUND.index(f"[{table}]")
    end = ROUND.find("\n[", start)
    return ROUND[start : end + 1 if end > 0 else len(ROUND)], ""
