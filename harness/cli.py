"""The command line of the harness: `replay`, `rules`, `controls`.

Exit codes: 0 green, 1 red, 2 usage or unreadable input. With `--json` stdout holds one object.
"""

import json
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from harness.controls.cli import controls, rules

if TYPE_CHECKING:
    from threadrebuild.carry.plan import Malformed

RUN_LOG = "run.jsonl"
PAGE = "report.html"
CANDIDATES = "candidates"
RED = 1
UNUSABLE = 2


@click.group()
def main() -> None:
    """Replay transcripts through the cores, judge them, and prove that the judges can fail."""


main.add_command(rules)
main.add_command(controls)


@main.command()
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/replay"),
    show_default=True,
    help="Folder for run log, report and candidates.",
)
@click.option(
    "--malformed",
    type=click.Choice(["block", "report"]),
    default="block",
    show_default=True,
    help="Refuse files with unreadable lines, or go on and list them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def replay(paths: tuple[Path, ...], out: Path, malformed: "Malformed", as_json: bool) -> None:
    """Carry transcripts (files or folders), judge each, and write a run log and a report."""
    from harness.replay import Replay
    from harness.report.page import write_report
    from harness.runlog import RunLog
    from threadrebuild import __version__
    from threadrebuild.config import Settings
    from threadrebuild.transcript.lines import UnreadableInput

    found = _transcripts(paths, out)
    _make_room(out)
    replayed = []
    with (out / RUN_LOG).open("w", encoding="utf-8") as file:
        log = RunLog(file)
        command = ["rebuild-harness", "replay", *map(str, paths), "--out", str(out), "--malformed", malformed]
        log.add("run", command=shlex.join(command), version=__version__, settings={"malformed": malformed})
        try:
            for each in Replay(log, out / CANDIDATES, Settings(), malformed).transcripts(found):
                replayed.append(each)
                if not as_json:
                    _print_line(each.name, each.green, each.why)
        except (UnreadableInput, ValueError) as error:
            _unusable(str(error))
        green = sum(each.green for each in replayed)
        verdict = "green" if green == len(replayed) else "red"
        log.add("end", verdict=verdict, green=green, red=len(replayed) - green)
    write_report(out / RUN_LOG, out / PAGE)
    if as_json:
        transcripts = [
            {
                "name": each.name,
                "verdict": "green" if each.green else "red",
                "why": each.why,
                **_carried(each.summary),
            }
            for each in replayed
        ]
        click.echo(json.dumps({"verdict": verdict, "report": str(out / PAGE), "transcripts": transcripts}))
    else:
        click.echo(f"{verdict}: {green} of {len(replayed)} transcripts green")
        click.echo(str(out / PAGE))
    sys.exit(0 if verdict == "green" else RED)


def _carried(summary: dict[str, object]) -> dict[str, object]:
    return {"carry": {name: summary[name] for name in summary if name != "poison_hits"}}


def _print_line(name: str, green: bool, why: Sequence[str]) -> None:
    click.echo(f"{click.style('green', fg='green') if green else click.style('RED  ', fg='red')} {name}")
    for reason in why:
        click.echo(f"      {reason}")


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


def _make_room(out: Path) -> None:
    """Take away what an earlier run wrote here; anything else stays, and a foreign folder is not used."""
    if out.exists() and not out.is_dir():
        _unusable(f"{out}: not a folder")
    if out.exists() and any(out.iterdir()) and not (out / RUN_LOG).exists():
        _unusable(f"{out}: holds something else than an earlier run; choose another --out")
    shutil.rmtree(out / CANDIDATES, ignore_errors=True)
    for name in (RUN_LOG, PAGE):
        (out / name).unlink(missing_ok=True)
    out.mkdir(parents=True, exist_ok=True)


def _unusable(detail: str) -> NoReturn:
    click.echo(f"error: {detail}", err=True)
    sys.exit(UNUSABLE)
