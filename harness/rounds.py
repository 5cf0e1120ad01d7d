"""The command `rounds`: where each round of triage stands, by its evidence, and what the step that is due lacks.

Exit codes: 0 every round is closed, 1 one is open, 2 usage or unreadable input.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from harness.criteria.rounds import Standing

OPEN = 1
UNUSABLE = 2


@click.command()
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The checkout that causes and cases are lines and files of.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def rounds(paths: tuple[Path, ...], root: Path, as_json: bool) -> None:
    """Say where rounds of triage (TOML files or folders of them) stand: step, lane, holder, and what is missing."""
    from harness.criteria.rounds import read_round, standing
    from harness.rules import CatalogueError

    files = [file for path in paths for file in (sorted(path.glob("*.toml")) if path.is_dir() else [path])]
    if not files:
        _unusable("no round (.toml file) among these")
    try:
        found = [standing(read_round(file), file.parent, root) for file in files]
    except CatalogueError as error:
        _unusable(str(error))
    if as_json:
        click.echo(json.dumps({"rounds": [each.shown() for each in found]}, ensure_ascii=False))
    else:
        for each in found:
            _print(each)
    sys.exit(OPEN if any(each.step is not None for each in found) else 0)


def _print(each: "Standing") -> None:
    click.echo(f"{each.wording}: {each.title}")
    if each.step is not None:
        click.echo(f"  step {each.step}, {each.table}, by {each.holder or 'nobody'} ({each.lane}): {each.lacks}")
    for label in each.before:
        click.echo(f"  {label}: {each.before[label]} before, {each.after.get(label, 'not counted')} after")


def _unusable(detail: str) -> NoReturn:
    click.echo(f"error: {detail}", err=True)
    sys.exit(UNUSABLE)
