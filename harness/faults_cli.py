"""The command `faults`: everything goes wrong at every step of nights and stories of rooms, and what is left is judged.

Exit codes: 0 nothing is broken, 1 something is, 2 usage or unreadable input.
"""

import json
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from harness.faults import Tried
    from harness.scenario.collab.crashes import Crashed

BROKEN = 1
UNUSABLE = 2


@click.command()
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def faults(paths: tuple[Path, ...], as_json: bool) -> None:
    """Let everything go wrong at every step of nights and stories of rooms (files or folders), and look what is left.

    Of a night, at each step: the process at work is killed, the machine loses its power, the process hangs past its
    lease and goes on, every write and every other call fails in each of its ways, somebody takes the door, opens or
    uses another session, or types. Then the hook, a request or `recover` comes by. Of a story, the application dies at
    each of its own steps, and once more while it comes up again.
    """
    from harness.faults import try_faults
    from harness.rules import CatalogueError
    from harness.scenario.choosing import scenarios_among
    from harness.scenario.collab.crashes import try_crashes
    from harness.scenario.nights.loading import NightScenario
    from harness.scenario.stories.loading import Story

    all_tried: list[Tried | Crashed] = []
    try:
        scenarios = scenarios_among(paths)
        nights = [each for each in scenarios if isinstance(each, NightScenario) and each.every_step]
        rooms = [each for each in scenarios if isinstance(each, Story) and each.kind == "collab"]
        if not nights and not rooms:
            _unusable("no night (a `story` without a `kind`) and no story of rooms among these scenarios")
        tries: Iterator[Tried | Crashed] = chain(try_faults(nights), try_crashes(rooms))
        for tried in tries:
            all_tried.append(tried)
            if not as_json:
                _print(tried)
    except (CatalogueError, ValueError) as error:
        _unusable(str(error))
    violations = sum(len(tried.violations) for tried in all_tried)
    if as_json:
        click.echo(json.dumps([tried.shown() for tried in all_tried], ensure_ascii=False))
    else:
        counts = [f"{what}: {len(found)}" for found, what in ((nights, "nights"), (rooms, "stories")) if found]
        runs = sum(tried.runs for tried in all_tried)
        click.echo(f"runs: {runs}, {', '.join(counts)}, violations: {violations or 'none'}")
    sys.exit(BROKEN if violations else 0)


def _print(tried: "Tried | Crashed") -> None:
    fine = click.style("green", fg="green") if tried.runs else "empty"  # where no step can fail, nothing was proven
    word = click.style("RED  ", fg="red") if tried.violations else fine
    click.echo(f"{word} {tried.said}")
    for each in tried.shown()["violations"]:
        click.echo(f"      {each['rule']} {each['invariant']}: {each['said']}\n        again  {each['command']}")


def _unusable(detail: str) -> NoReturn:
    click.echo(f"error: {detail}", err=True)
    sys.exit(UNUSABLE)
