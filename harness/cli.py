"""The command line of the harness: `replay`, `run`, `faults`, `rules`, `controls`, `cli-check`, `drill` and others.

Exit codes: 0 green, 1 red, 2 usage or unreadable input. With `--json` stdout holds one object.
"""

import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from harness.accept.cli import accept
from harness.controls.cli import controls, rules
from harness.faults_cli import faults
from harness.incident.cli import incident
from harness.lab.cli import cli_check
from harness.lab.drill_cli import drill
from harness.rounds import rounds
from harness.telling import tell

if TYPE_CHECKING:
    from harness.replay import AnyJob, Replayed
    from threadrebuild.carry.plan import Malformed

RED = 1
UNUSABLE = 2

_paths = click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def _out(folder: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        "-o",
        "--out",
        type=click.Path(path_type=Path),
        default=Path(folder),
        show_default=True,
        help="Folder for run log, report and candidates.",
    )


_accepted = click.option(
    "--accepted",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="What `accept` wrote on the real target; without its GO a green run is fixed, with zero field acceptance.",
)


def _print_version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        from threadrebuild import __version__

        click.echo(f"rebuild-harness {__version__}")
        context.exit()


# The package is imported only where it is needed: `controls` sabotages it before anything has loaded it.
@click.group()
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version."
)
def main() -> None:
    """Replay transcripts through the cores, judge them, and prove that the judges can fail."""


main.add_command(rules)
main.add_command(controls)
main.add_command(cli_check)
main.add_command(accept)
main.add_command(drill)
main.add_command(incident)
main.add_command(rounds)
main.add_command(tell)
main.add_command(faults)


@main.command()
@_paths
@_out("reports/replay")
@click.option(
    "--malformed",
    type=click.Choice(["block", "report"]),
    default="block",
    show_default=True,
    help="Refuse files with unreadable lines, or go on and list them.",
)
@click.option(
    "--carry",
    type=click.Choice(["dialogue", "note"]),
    default="dialogue",
    show_default=True,
    help="The dialogue alone, or a window note and the recent span whole.",
)
@click.option("--note", type=click.Path(path_type=Path), help="For --carry note: its text; a short one without it.")
@_accepted
@_json
def replay(
    paths: tuple[Path, ...],
    out: Path,
    malformed: "Malformed",
    carry: str,
    note: Path | None,
    accepted: Path | None,
    as_json: bool,
) -> None:
    """Carry transcripts (files or folders), judge each, and write a run log and a report."""
    from harness.replay import Job

    if note is not None and carry != "note":
        raise click.UsageError("--note is for --carry note")
    text = _note(note) if carry == "note" else None
    jobs = [Job(name, path, malformed=malformed, note=text) for name, path in _transcripts(paths, out)]
    command = ["rebuild-harness", "replay", *map(str, paths), "--out", str(out), "--malformed", malformed]
    if text is not None:
        command += ["--carry", "note", *(["--note", str(note)] if note else [])]
    _play(
        paths, lambda _: jobs, out, command, {"malformed": malformed, "carry": carry}, "transcripts", as_json, accepted
    )


def _note(path: Path | None) -> str:
    from harness.carrying import NOTE
    from threadrebuild.carry.note import read_note
    from threadrebuild.config import Settings
    from threadrebuild.transcript.lines import UnreadableInput
    from threadrebuild.transcript.tokens import decoded

    try:
        return NOTE if path is None else decoded(read_note(path, Settings()).token)
    except UnreadableInput as error:
        _unusable(str(error))


@main.command()
@_paths
@_out("reports/run")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of chance in nights and stories.")
@click.option("--until", type=click.IntRange(min=1), help="Of a night: the step after which it ends.")
@click.option(
    "--fault",
    metavar="STEP:KIND[:NEXT]",
    help="What goes wrong: of a night with who comes by afterwards, of a story with the step of a second crash.",
)
@click.option("--twin", type=click.IntRange(min=0), help="Which story of a file alone: 0 itself, 1 its first twin.")
@click.option("--order", metavar="ORDER", help="Of a story whose events come in any order: the one to play.")
@_accepted
@_json
def run(
    paths: tuple[Path, ...],
    out: Path,
    seed: int,
    until: int | None,
    fault: str | None,
    twin: int | None,
    order: str | None,
    accepted: Path | None,
    as_json: bool,
) -> None:
    """Play scenarios (files or folders), judge each, and write a run log and a report."""
    from harness.replay import scenario_jobs
    from harness.rules import CatalogueError
    from harness.scenario.choosing import chosen, how_to_play, scenarios_among

    try:
        scenarios = chosen(scenarios_among(paths), twin, order)
    except CatalogueError as error:
        _unusable(str(error))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        how = how_to_play(scenarios, seed, until, fault)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    command = ["rebuild-harness", "run", *map(str, paths), "--out", str(out)]
    for name, value in (
        ("--seed", seed or None),
        ("--until", until),
        ("--fault", fault),
        ("--twin", twin),
        ("--order", order),
    ):
        command += [name, str(value)] if value is not None else []
    _play(paths, lambda folder: scenario_jobs(scenarios, folder, how), out, command, {}, "scenarios", as_json, accepted)


def _play(
    paths: Sequence[Path],
    jobs: "Callable[[Path], Iterable[AnyJob]]",
    out: Path,
    command: Sequence[str],
    settings: dict[str, Any],
    what: str,
    as_json: bool,
    accepted: Path | None,
) -> NoReturn:
    from harness.rules import CatalogueError
    from harness.runs import CANDIDATES, RUN_LOG, spare, write_run
    from threadrebuild.transcript.lines import UnreadableInput

    def each_done(done: "Replayed") -> None:
        if not as_json:
            _print_lines(done, str(out / RUN_LOG))

    try:
        spare(paths, out, CANDIDATES)
        written = write_run(jobs, out, command, settings, each_done, accepted)
    except (UnreadableInput, CatalogueError, ValueError, OSError) as error:
        _unusable(str(error))
    if as_json:
        shown = [_outcome(each) for each in written.done]
        said = {"verdict": written.verdict, "report": str(written.page), what: shown}
        click.echo(json.dumps(said | {"labels": written.labels, "field": written.field}))
    else:
        click.echo(f"{written.verdict}: {written.green} of {len(written.done)} {what} green")
        if written.verdict == "green":
            click.echo(f"{written.field['wording']}: {written.field['why']}")
        else:
            click.echo(", ".join(f"{count} {label}" for label, count in written.labels.items() if count))
        click.echo(str(written.page))
    sys.exit(0 if written.verdict == "green" else RED)


def _outcome(done: "Replayed") -> dict[str, Any]:
    carry = {name: done.summary[name] for name in done.summary if name != "poison_hits"}
    return {"name": done.job.name, "verdict": "green" if done.green else "red", "why": done.why, "carry": carry}


def _print_lines(done: "Replayed", log: str) -> None:
    from harness.scenario.failure import told

    word = click.style("green", fg="green") if done.green else click.style("RED  ", fg="red")
    why = list(done.why)
    if done.refused:
        click.echo(f"{click.style('REFUSED', fg='red')} {done.job.name}: {why.pop(0)}")
    else:
        click.echo(f"{word} {done.job.name}")
    for reason in why:
        click.echo(f"      {reason}")
    for failure in done.failures:
        assert done.job.scenario is not None
        click.echo(textwrap.indent(told(done.job.scenario, failure, log), "      "))


def _transcripts(paths: Sequence[Path], out: Path) -> list[tuple[str, Path]]:
    found: list[tuple[str, Path]] = []
    written = Path(realpath(out))  # Path.resolve fails where links run in a circle
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*.jsonl") if written not in each.resolve().parents)
            if not inside:
                _unusable(f"{path}: no .jsonl file in this folder")
            found += [(each.relative_to(path).as_posix(), each) for each in inside]
        elif path.exists():
            found.append((path.name, path))
        else:
            _unusable(f"{path}: no such file or folder")
    return found


def _unusable(detail: str) -> NoReturn:
    click.echo(f"error: {detail}", err=True)
    sys.exit(UNUSABLE)
