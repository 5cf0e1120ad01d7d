"""The command `drill`: the acceptance drill by itself, on a throwaway household of the real CLI.

Exit codes: 0 passed, 1 failed, 2 usage, or a machine or version that the drill cannot run with.
"""

import json
import shlex
import sys
from pathlib import Path

import click

FAILED = 1
UNUSABLE = 2
RECORDED = "2.1.199"


def _version(context: click.Context, parameter: click.Parameter, value: str) -> str:
    from harness.lab.versions import is_version

    if not is_version(value):
        raise click.BadParameter(f"{value!r} is no version, as in {RECORDED}")
    return value


@click.command("drill")
@click.option(
    "--cli",
    "version",
    metavar="VERSION",
    default=RECORDED,
    show_default=True,
    callback=_version,
    help="The version of Claude Code to rehearse with.",
)
@click.option("--door", type=click.Choice(["tmux"]), default="tmux", show_default=True, help="The door to go through.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/drill"),
    show_default=True,
    help="Folder for run log, report and evidence.",
)
def drill(version: str, door: str, as_json: bool, out: Path) -> None:
    """Rehearse a whole rebuild with the real Claude Code: request, switch, a message, rollback, and nothing left.

    Everything is thrown away afterwards: home, tmux server and session are the drill's own, without any network.
    """
    from harness.lab import drill as lab
    from harness.lab.namespace import NoNamespace
    from harness.lab.versions import Unavailable
    from harness.runs import UnusableFolder

    command = shlex.join(["rebuild-harness", "drill", "--cli", version, "--door", door, "--out", str(out)])
    try:
        drilled = lab.drill(version, out, command, lambda line: click.echo(line, err=True))
    except (NoNamespace, Unavailable, UnusableFolder) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(UNUSABLE)
    if as_json:
        click.echo(json.dumps(drilled.shown(), ensure_ascii=False))
    else:
        click.echo(f"{'passed' if drilled.passed else 'FAILED'}: a rebuild rehearsed with Claude Code {version}")
        for reason in drilled.reasons:
            click.echo(f"  {reason}")
        click.echo(str(drilled.report))
    sys.exit(0 if drilled.passed else FAILED)
