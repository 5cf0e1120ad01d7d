"""The command `cli-check`: the real CLI in the version to come beside the one in use, and a GO or NO-GO.

Exit codes: 0 GO, 1 NO-GO or not locked, 2 usage, or a machine that the lab cannot run on.
"""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from harness.lab.check import Checked

NO_GO = 1
UNUSABLE = 2


def _version(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    from harness.lab.versions import is_version

    if value is not None and not is_version(value):
        raise click.BadParameter(f"{value!r} is no version, as in 2.1.199")
    return value


@click.command("cli-check")
@click.option("--candidate", metavar="VERSION", required=True, callback=_version, help="The version to come.")
@click.option("--current", metavar="VERSION", callback=_version, help="The version in use, to compare with.")
@click.option(
    "--lock", "wants_lock", is_flag=True, help="On GO, pin the version in cli-lock.toml beside the configuration."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/cli-check"),
    show_default=True,
    help="Folder for run log, report, sessions and candidates.",
)
def cli_check(candidate: str, current: str | None, wants_lock: bool, as_json: bool, out: Path) -> None:
    """Would this version of Claude Code break the rebuild? Runs it offline, against a scripted model.

    A version is fetched from the npm registry once. It then runs without any network, in a home of its own.
    """
    from harness.lab import check
    from harness.lab.namespace import NoNamespace
    from harness.runs import UnusableFolder

    words = ["rebuild-harness", "cli-check", "--candidate", candidate, *(["--current", current] if current else [])]
    command = shlex.join([*words, *(["--lock"] if wants_lock else []), "--out", str(out)])
    try:
        checked = check.cli_check(candidate, current, out, command, lambda line: click.echo(line, err=True))
    except (NoNamespace, UnusableFolder) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(UNUSABLE)
    locked = _lock(checked, current) if wants_lock else None
    if as_json:
        click.echo(json.dumps({**checked.shown(), **({} if locked is None else {"lock": locked})}))
    else:
        _print(checked)
        if locked is not None:
            click.echo(f"not locked: {locked['why_not']}" if locked["why_not"] else f"locked in {locked['path']}")
            for each in locked["missing"]:
                click.echo(f"warning: locked without a run of {each}")
    is_good = checked.verdict == "GO" and (locked is None or not locked["why_not"])
    sys.exit(0 if is_good else NO_GO)


def _lock(checked: "Checked", current: str | None) -> dict[str, Any]:
    """Pin the version beside the configuration that counts here, else in this folder; what came of it."""
    from harness.lab.check import NotLocked, lock
    from threadrebuild.cli_lock import lock_beside, missing_runs
    from threadrebuild.config import CONFIG_NAME, find_config

    path = lock_beside((find_config(None, os.environ) or Path(CONFIG_NAME)).absolute())
    try:
        pinned = lock(checked, current, path)
    except NotLocked as why:
        return {"path": str(path), "why_not": str(why), "missing": []}
    return {"path": str(path), "why_not": None, "missing": missing_runs(pinned.runs)}


def _print(checked: "Checked") -> None:
    for difference in checked.differences:
        gone, new = (", ".join(names) or "–" for names in (difference.gone, difference.new))
        click.echo(f"{difference.what}: gone {gone}; new {new}")
    for version in checked.versions:
        for warning in version.warnings:
            click.echo(f"warning: {warning}")
    click.echo(f"{checked.verdict}: {checked.candidate.version}")
    for reason in checked.reasons:
        click.echo(f"  {reason}")
    click.echo(str(checked.report))
