"""The command `incident`: what happened that night, and what today's core makes of the same evidence.

Exit codes: 0 as it was recorded, 1 something differs (or today's carry fails its judges), 2 usage or no usable archive.
"""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from harness.incident.running import Incident

DIFFERS = 1
UNUSABLE = 2
SHOWN_MOST = 20


@click.command()
@click.argument("archive", type=click.Path(path_type=Path))
@click.option("--scrub", is_flag=True, help="Replace every private word, so that what is written can be shared.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/incident"),
    show_default=True,
    help="Folder for scenario, recording, run log and report.",
)
def incident(archive: Path, scrub: bool, as_json: bool, out: Path) -> None:
    """Replay an operation's evidence, say what differs, and pin it as a scenario.

    ARCHIVE is a folder with `operations/` and `artifacts/`, as an operation leaves it in its state folder, or one file
    in `operations/`. It is only read.
    """
    from harness.incident import running
    from harness.incident.archive import BadArchive
    from harness.incident.scrub import ScrubFault
    from harness.incident.scrubbing import SCRUBBED
    from harness.rules import CatalogueError
    from harness.runs import UnusableFolder
    from threadrebuild.transcript.lines import UnreadableInput

    # The page of a scrubbed incident names no folder of the original.
    read = out / SCRUBBED if scrub else archive
    command = shlex.join(["rebuild-harness", "incident", str(read), "-o", str(out)])
    try:
        found = running.incident(archive, scrub, out, command)
    except (BadArchive, ScrubFault, CatalogueError, UnusableFolder, UnreadableInput, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(UNUSABLE)
    if as_json:
        click.echo(json.dumps(found.shown(), ensure_ascii=False))
    else:
        _print(found)
    sys.exit(0 if found.replay.verdict == "same" and found.green else DIFFERS)


def _print(found: "Incident") -> None:
    then, now = found.replay.archive.operation, found.replay.today
    click.echo(f"operation {then.id}, {then.created_at[:16].replace('T', ' ')}")
    for step in then.steps:
        click.echo(f"  {step.at[11:19]}  {step.event} → {step.state}{f': {step.detail}' if step.detail else ''}")
    for each in found.replay.differences[:SHOWN_MOST]:
        click.echo(f"{each.what}: then {each.then}, now {each.now}")
    if len(found.replay.differences) > SHOWN_MOST:
        click.echo(f"… and {len(found.replay.differences) - SHOWN_MOST} more; the report has them")
    for carried_now, words in ((True, "carried now and not then"), (False, "carried then and not now")):
        count = sum(each.carried_now is carried_now for each in found.replay.moved)
        if count:
            click.echo(f"items {words}: {count}")
    for note in found.replay.notes:
        click.echo(f"note: {note}")
    for reason in found.why:
        click.echo(f"{click.style('RED', fg='red')} {reason}")
    same = found.replay.verdict == "same"
    ends = (
        f"then {then.state}, now {now.state}"
        if then.state != now.state
        else f"{then.state} then and now, but see above"
    )
    click.echo(f"same: {then.state}, as recorded" if same else f"differs: {ends}")
    click.echo(str(found.scenario))
    click.echo(str(found.report))
