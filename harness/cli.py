"""The command line of the harness: `replay`, `run`, `rules`, `controls`.

Exit codes: 0 green, 1 red, 2 usage or unreadable input. With `--json` stdout holds one object.
"""

import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from harness.controls.cli import controls, rules

if TYPE_CHECKING:
    from harness.replay import Job, Replayed
    from harness.scenario.loading import Scenario
    from threadrebuild.carry.plan import Malformed

RED = 1
UNUSABLE = 2

_paths = click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def _out(folder: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        "--out",
        type=click.Path(path_type=Path),
        default=Path(folder),
        show_default=True,
        help="Folder for run log, report and candidates.",
    )


@click.group()
def main() -> None:
    """Replay transcripts through the cores, judge them, and prove that the judges can fail."""


main.add_command(rules)
main.add_command(controls)


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
@_json
def replay(paths: tuple[Path, ...], out: Path, malformed: "Malformed", as_json: bool) -> None:
    """Carry transcripts (files or folders), judge each, and write a run log and a report."""
    from harness.replay import Job

    jobs = [Job(name, path, malformed=malformed) for name, path in _transcripts(paths, out)]
    command = ["rebuild-harness", "replay", *map(str, paths), "--out", str(out), "--malformed", malformed]
    _play(lambda _: jobs, out, command, {"malformed": malformed}, "transcripts", as_json)


@main.command()
@_paths
@_out("reports/run")
@_json
def run(paths: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Play scenarios (files or folders), judge each, and write a run log and a report."""
    from harness.replay import scenario_jobs

    scenarios = _scenarios(paths)
    command = ["rebuild-harness", "run", *map(str, paths), "--out", str(out)]
    _play(lambda folder: scenario_jobs(scenarios, folder), out, command, {}, "scenarios", as_json)


def _play(
    jobs: "Callable[[Path], Iterable[Job]]",
    out: Path,
    command: Sequence[str],
    settings: dict[str, Any],
    what: str,
    as_json: bool,
) -> NoReturn:
    from harness.rules import CatalogueError
    from harness.runs import RUN_LOG, write_run
    from threadrebuild.transcript.lines import UnreadableInput

    def each_done(done: "Replayed") -> None:
        if not as_json:
            _print_lines(done, str(out / RUN_LOG))

    try:
        written = write_run(jobs, out, command, settings, each_done)
    except (UnreadableInput, CatalogueError, ValueError) as error:
        _unusable(str(error))
    if as_json:
        shown = [_outcome(each) for each in written.done]
        click.echo(json.dumps({"verdict": written.verdict, "report": str(written.page), what: shown}))
    else:
        click.echo(f"{written.verdict}: {written.green} of {len(written.done)} {what} green")
        click.echo(str(written.page))
    sys.exit(0 if written.verdict == "green" else RED)


def _outcome(done: "Replayed") -> dict[str, Any]:
    carry = {name: done.summary[name] for name in done.summary if name != "poison_hits"}
    return {"name": done.job.name, "verdict": "green" if done.green else "red", "why": done.why, "carry": carry}


def _print_lines(done: "Replayed", log: str) -> None:
    from harness.scenario.failure import told

    word = click.style("green", fg="green") if done.green else click.style("RED  ", fg="red")
    click.echo(f"{word} {done.job.name}")
    for reason in done.why:
        click.echo(f"      {reason}")
    for failure in done.failures:
        assert done.job.scenario is not None
        click.echo(textwrap.indent(told(done.job.scenario, failure, log), "      "))


def _transcripts(paths: Sequence[Path], out: Path) -> list[tuple[str, Path]]:
    found: list[tuple[str, Path]] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*.jsonl") if out.resolve() not in each.resolve().parents)
            if not inside:
                _unusable(f"{path}: no .jsonl file in this folder")
            found += [(each.relative_to(path).as_posix(), each) for each in inside]
        elif path.exists():
            found.append((path.name, path))
        else:
            _unusable(f"{path}: no such file or folder")
    return found


def _scenarios(paths: Sequence[Path]) -> "list[Scenario]":
    from harness.rules import CatalogueError
    from harness.scenario.loading import load_scenario, scenario_files

    files: list[Path] = []
    for path in paths:
        inside = scenario_files(path) if path.is_dir() else [path]
        if not inside:
            _unusable(f"{path}: no scenario (.toml file) in this folder")
        files += inside
    try:
        return [load_scenario(file) for file in files]
    except CatalogueError as error:
        _unusable(str(error))


def _unusable(detail: str) -> NoReturn:
    click.echo(f"error: {detail}", err=True)
    sys.exit(UNUSABLE)
