"""Whether production may be switched over: everything is looked at without touching it, and the verdict is kept.

A GO is about this configuration, this transcript and this CLI, and leaves to people what only people can see.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from harness.accept.finding import Finding, Verdict, found, reasons, verdict
from harness.accept.look import COPY, Looking, Outside
from harness.lab.acceptance import Item, items_of
from harness.report.page import write_report
from harness.runlog import RunLog
from harness.runs import CANDIDATES, PAGE, RUN_LOG, make_room, private
from threadrebuild import __version__
from threadrebuild.operation.acceptance import Acceptance, Subject, store_acceptance


@dataclass(frozen=True)
class Accepted:
    """The answer: GO or NO-GO, what was looked at, what is left to people, and where it is kept."""

    findings: list[Finding]
    subject: Subject | None
    stored: Path | None
    """The file that `threadrebuild request` reads; None where no household could be opened."""
    report: Path

    @property
    def verdict(self) -> Verdict:
        """GO where every check was made and holds."""
        return verdict(self.findings)

    @property
    def reasons(self) -> list[str]:
        """Why there is no GO."""
        return reasons(self.findings)

    @property
    def people(self) -> tuple[Item, ...]:
        """What no check can show, GO or not (TR-157, TR-158, TR-159)."""
        return items_of("person")

    def shown(self) -> dict[str, Any]:
        """As in the command's JSON."""
        return {
            "verdict": self.verdict,
            "reasons": self.reasons,
            "checks": [each.shown() for each in self.findings],
            "people": [{"rule": each.rule, "name": each.name, "says": each.says, "done": None} for each in self.people],
            "subject": msgspec.to_builtins(self.subject),
            "stored": None if self.stored is None else str(self.stored),
            "report": str(self.report),
        }


def accept(config: Path, out: Path, command: str, outside: Outside | None = None) -> Accepted:
    """Look at the household of a configuration, store the verdict in its state folder, and write run log and report.

    Raises `UnusableFolder` for a folder that a run may not write into.
    """
    make_room(out, CANDIDATES, COPY)
    with private(out / RUN_LOG).open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command=command, version=__version__, settings={})
        file.flush()
        looking = Looking(config, out, log, outside or Outside())
        looking.look()
        accepted = Accepted(looking.findings, looking.subject, _stored(looking), out / PAGE)
        shown = accepted.shown()
        log.add("acceptance", **{name: shown[name] for name in ("verdict", "reasons", "checks", "people", "subject")})
        red = accepted.verdict != "GO"
        log.add("end", verdict="red" if red else "green", green=int(not red), red=int(red))
    write_report(out / RUN_LOG, private(accepted.report))
    return accepted


def _stored(looking: Looking) -> Path | None:
    """Keep the verdict where `request` reads it; where it cannot be kept it is no GO."""
    if looking.opened is None:
        return None
    acceptance = Acceptance(
        verdict=verdict(looking.findings),
        at=looking.house.ports.clock.now(),
        failed=[each.name for each in looking.findings if each.state != "holds"],
        subject=looking.subject,
    )
    try:
        return store_acceptance(looking.house, acceptance)
    except OSError as error:
        looking.findings.append(found("verdict kept", None, False, str(error)))
        return None
