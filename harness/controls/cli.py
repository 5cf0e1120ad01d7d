"""The commands `rules` (how every rule stands) and `controls` (sabotage the code at every anchor and demand
red).

`controls` runs in an interpreter that never loaded the code under test; where this one did, it starts
another.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from harness.controls.cache import Cache
from harness.controls.firings import Firings, firings, not_installed
from harness.controls.run import BaselineRed, Run, run_controls
from harness.controls.survey import Survey, read_survey
from harness.controls.verdict import Control, Standing, standings
from harness.rules import CatalogueError, selected

STATUSES = ("proven", "tested", "unproven", "excepted")
STYLES = {"proven": "green", "tested": "yellow", "unproven": "red", "excepted": "dim"}

_prefix = click.option("--prefix", metavar="P", help="Only rules under this prefix: TR, TR-L, HOLD …")
_json = click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
_root = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The checkout that holds scenarios/, tests/ and the package.",
)
_package = click.option("--package", default="threadrebuild", hidden=True)


@click.command()
@_prefix
@_json
@_root
@_package
def rules(prefix: str | None, as_json: bool, root: Path, package: str) -> None:
    """List every rule: proven, tested, unproven or excepted, with its checks, anchors and controls.

    A gate that fired in no run counts as not installed, and a zero that no run vouches for as no zero.
    """
    survey = _survey(root, package, prefix)
    cache = Cache(survey.root, package)
    found = standings(survey, prefix, cache.get)
    counts = {status: sum(standing.status == status for standing in found) for status in STATUSES}
    of_all = [control for standing in found for control in standing.controls]
    unknown = sum(control.verdict == "not run" for control in of_all)
    fired = firings(survey, cache.get)
    missing = {} if prefix is not None or unknown else not_installed(survey, fired)
    if as_json:
        shown = [_rule_row(standing, fired) for standing in found]
        click.echo(json.dumps({"rules": shown, "counts": counts, "not_installed": missing}))
        return
    console = Console()
    # In a file or a pipe there is no width to fit into, and a folded place is no place.
    Console(width=console.width if console.is_terminal else 200).print(_rule_table(found))
    click.echo(", ".join(f"{count} {status}" for status, count in counts.items()) + f" of {len(found)} rules")
    _print_missing(missing)
    if unknown == len(of_all) > 0:
        click.echo("Controls were never run on this code, so nothing is proven: run `controls`.")
    elif unknown:
        click.echo(f"{unknown} of {len(of_all)} controls were not run on this code: run `controls`.")


@click.command()
@_prefix
@_json
@_root
@_package
def controls(prefix: str | None, as_json: bool, root: Path, package: str) -> None:
    """Sabotage the code at every anchor; every check that claims the rule must notice. Exit 1 if one does not, or if
    (without --prefix) a gate never fired, or a zero has no witness.
    """
    if package in sys.modules:
        code = "from harness.controls.cli import controls; controls()"
        options = ["--root", str(root), "--package", package, *(["--json"] if as_json else [])]
        options += ["--prefix", prefix] if prefix is not None else []
        raise SystemExit(subprocess.run([sys.executable, "-c", code, *options], check=False).returncode)
    survey = _survey(root, package, prefix)
    try:
        run = run_controls(survey, prefix)
    except BaselineRed as error:
        raise click.ClickException(f"not green without any sabotage, so no control was run:\n{error}") from error
    except CatalogueError as error:
        raise click.ClickException(str(error)) from error
    ran = [control for standing in run.standings for control in standing.controls]
    failed = [control for control in ran if control.verdict != "caught"]
    missing = {} if prefix is not None else not_installed(survey, firings(survey, run.known))
    if as_json:
        shown = [_control_row(control) for control in ran]
        click.echo(json.dumps({"controls": shown, "totals": _totals(run), "not_installed": missing}))
    else:
        _print_controls(run, failed)
        _print_missing(missing)
    raise SystemExit(1 if failed or any(missing.values()) else 0)


def _survey(root: Path, package: str, prefix: str | None) -> Survey:
    try:
        survey = read_survey(root.resolve(), package)
    except CatalogueError as error:
        raise click.ClickException(str(error)) from error
    if prefix is not None and not any(selected(id_, prefix) for id_ in survey.rules):
        raise click.UsageError(f"no rule begins with {prefix!r}")
    return survey


def _rule_row(standing: Standing, fired: Firings) -> dict[str, Any]:
    run, said = fired.get(standing.id, (None, None))
    caught = [control for control in standing.controls if control.verdict == "caught"]
    return {
        "id": standing.id,
        "status": standing.status,
        "checks": standing.checks,
        "anchors": standing.anchors,
        "fired": None if run is None else {"run": run, "said": said},
        "control": {
            "total": len(standing.controls),
            "caught": len(caught),
            "not_run": sum(control.verdict == "not run" for control in standing.controls),
            "example": _control_row(caught[0]) if caught else None,
        }
        if standing.controls
        else None,
    }


def _control_row(control: Control) -> dict[str, Any]:
    return {
        "rule": control.rule,
        "anchor": control.sabotage.anchor.place,
        "statement": control.sabotage.code,
        "sabotage": control.sabotage.what,
        "verdict": control.verdict,
        "caught_by": control.caught_by,
        "checks": {name: outcome.shown() for name, outcome in control.outcomes.items()},
        "unspecific": control.unspecific,
    }


def _totals(run: Run) -> dict[str, Any]:
    verdicts = [control.verdict for standing in run.standings for control in standing.controls]
    return {
        "controls": len(verdicts),
        **{name: verdicts.count(name) for name in ("caught", "unspecific", "green")},
        "anchored_without_check": _unchecked(run),
        "children": run.children,
        "kept": run.kept,
        "seconds": round(run.seconds, 2),
        "seconds_per_child": round(run.seconds / run.children, 3) if run.children else None,
    }


def _unchecked(run: Run) -> list[str]:
    return [standing.id for standing in run.standings if standing.anchors and not standing.checks]


def _rule_table(found: list[Standing]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("rule", "status", "controls", "anchors", "checks"):
        table.add_column(column, overflow="fold")
    for standing in found:
        # A rule that nothing names yet is in the counts below; a thousand such rows would hide the others.
        if standing.status == "unproven" and not standing.anchors:
            continue
        caught = sum(control.verdict == "caught" for control in standing.controls)
        table.add_row(
            standing.id,
            f"[{STYLES[standing.status]}]{standing.status}[/]",
            f"{caught}/{len(standing.controls)}" if standing.controls else "",
            "\n".join(standing.anchors),
            "\n".join(standing.checks),
        )
    return table


def _print_controls(run: Run, failed: list[Control]) -> None:
    for control in failed:
        sabotage = control.sabotage
        click.echo(f"{control.rule} {control.verdict}: {sabotage.anchor.place}: {_short(sabotage.code)}")
        click.echo(f"    {_short(sabotage.what)}")
        for name, outcome in control.outcomes.items():
            shown = outcome.shown()
            if name in control.unspecific and control.rule in outcome.broken:
                shown += f", but it also breaks for {control.rule} under {control.unspecific[name]}"
            click.echo(f"    {name} {shown}")
    totals = _totals(run)
    if unchecked := totals["anchored_without_check"]:
        click.echo(f"anchored, but no check names them (unproven): {', '.join(unchecked)}")
    click.echo(
        f"{totals['controls']} controls: {totals['caught']} caught, {totals['unspecific']} unspecific, "
        f"{totals['green']} stayed green; {totals['seconds']} s, {totals['children']} children"
        + (f", {totals['seconds_per_child']} s each" if totals["children"] else "")
        + f", {totals['kept']} trials kept from before"
    )


def _print_missing(missing: dict[str, list[str]]) -> None:
    for why, gates in missing.items():
        for gate in gates:
            click.echo(f"{why}: {gate}")


def _short(code: str) -> str:
    return code if len(code) <= 100 else f"{code[:99]}…"
