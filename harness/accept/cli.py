"""The command `accept`: may this household be switched over? It looks at everything, touches nothing: GO or NO-GO.

Exit codes: 0 GO, 1 NO-GO, 2 usage, or a folder that cannot be written to.
"""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from harness.accept.acceptance import Accepted

NO_GO = 1
UNUSABLE = 2
WORDS = {"holds": "ok   ", "fails": "FAIL ", "not checked": "?    "}


@click.command("accept")
@click.option("--config", type=click.Path(path_type=Path), help="The configuration; else as threadrebuild finds it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/accept"),
    show_default=True,
    help="Folder for run log, report, the copy of the transcript and the candidate.",
)
def accept(config: Path | None, as_json: bool, out: Path) -> None:
    """May this household be switched over? Production is only read; the verdict is kept in its state folder.

    Checks configuration, door, command line and hook as doctor does; carries a copy of the newest transcript; asks both
    sessions for sentences of both sides; has the installed CLI resume the candidate, offline; and compares its version
    with the lock. What was not checked is no GO. A GO leaves to people what only they can see.
    """
    from harness.accept.acceptance import accept as look
    from harness.runs import UnusableFolder
    from threadrebuild.config import CONFIG_NAME, find_config

    found = find_config(config, os.environ)
    if found is None or not found.is_file():
        _unusable(f"{found or CONFIG_NAME}: no such file; name the configuration with --config")
    command = shlex.join(["rebuild-harness", "accept", "--config", str(found), "--out", str(out)])
    try:
        accepted = look(found, out, command)
    except UnusableFolder as error:
        _unusable(str(error))
    if as_json:
        click.echo(json.dumps(accepted.shown(), ensure_ascii=False))
    else:
        _print(accepted, found)
    sys.exit(0 if accepted.verdict == "GO" else NO_GO)


def _print(accepted: "Accepted", config: Path) -> None:
    for each in accepted.findings:
        click.echo(f"{WORDS[each.state]}{each.name}: {each.said}")
    click.echo("\nOnly a person can do this:")
    for item in accepted.people:
        click.echo(f"[ ] {item.rule} {item.name}: {item.says}")
    click.echo(f"\n{accepted.verdict}: {config}")
    for reason in accepted.reasons:
        click.echo(f"  {reason}")
    if accepted.stored is not None:
        click.echo(f"kept in {accepted.stored}")
    click.echo(str(accepted.report))


def _unusable(detail: str) -> NoReturn:
    click.echo(f"error: {detail}", err=True)
    sys.exit(UNUSABLE)
