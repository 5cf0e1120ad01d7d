"""A run on the disk: jobs replayed into a folder that holds the run log, the report made from it, and the candidates.

`replay` and `run` differ in where their jobs come from, and in nothing else.
"""

import json
import shlex
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from os.path import realpath
from pathlib import Path
from typing import Any

from harness.replay import AnyJob, Replayed, replayed
from harness.report.page import write_report
from harness.runlog import RunLog, read_run
from threadrebuild import __version__

RUN_LOG = "run.jsonl"
PAGE = "report.html"
CANDIDATES = "candidates"
FIRST_STEP = 1 << 20  # bytes; the `run` step holds a command line, and is shorter


class UnusableFolder(ValueError):
    """A folder that a run may not write into."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run."""

    done: list[Replayed]
    page: Path
    labels: dict[str, int]
    """The failures by label; they add up to those that are red."""
    scenarios: dict[str, int]
    """How many files are of incidents, how many are precautions."""
    field: dict[str, str | None]
    """How far this version has come outside: `wording`, `acceptance`, `why`."""

    @property
    def green(self) -> int:
        """How many are green."""
        return sum(each.green for each in self.done)

    @property
    def verdict(self) -> str:
        """Green where all are; where there was nothing to judge, nothing was shown."""
        return "green" if self.done and self.green == len(self.done) else "red"


def write_run(
    jobs: Callable[[Path], Iterable[AnyJob]],
    out: Path,
    command: Sequence[str],
    settings: dict[str, Any],
    each_done: Callable[[Replayed], None],
    accepted: Path | None = None,
) -> Run:
    """Replay what `jobs` gives, told the folder for made transcripts, into the folder `out`.

    `accepted` is the folder of an `accept` on the real target; without one that is a GO of this version, the run says
    of itself that nothing was accepted in the field. Raises what `harness.replay.replayed` raises, `UnusableFolder` for
    a folder with something else in it, and ValueError where `accepted` holds no run.
    """
    make_room(out, CANDIDATES)
    done: list[Replayed] = []
    with private(out / RUN_LOG).open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command=shlex.join(command), version=__version__, settings=settings)
        file.flush()  # a run that is cut short is known as a run, and may be written over
        for each in replayed(log, out / CANDIDATES, jobs(out / CANDIDATES)):
            done.append(each)
            each_done(each)
        run = _run(done, out / PAGE, accepted)
        log.add(
            "end",
            verdict=run.verdict,
            green=run.green,
            red=len(done) - run.green,
            labels=run.labels,
            scenarios=run.scenarios,
            field=run.field,
        )
    write_report(out / RUN_LOG, private(run.page))
    return run


def _run(done: list[Replayed], page: Path, accepted: Path | None) -> Run:
    """A run, with what may be said of it."""
    from harness.criteria.incidents import counted_apart
    from harness.criteria.labels import counted, label_of
    from harness.criteria.passes import field_of

    try:
        steps = None if accepted is None else read_run(accepted / RUN_LOG)
    except (OSError, ValueError) as error:
        raise ValueError(f"{accepted}: no acceptance run: {error}") from None
    scenarios = [each.job.scenario for each in done if each.job.scenario is not None]
    return Run(
        done,
        page,
        counted(label_of(each.why, each.refused) for each in done if not each.green),
        counted_apart({each.file: each.incident for each in scenarios}.values()),
        asdict(field_of(__version__, steps)),
    )


def make_room(out: Path, *folders: str) -> None:
    """Take away what an earlier run wrote here, also in `folders`; the rest stays, a foreign folder is not used.

    Raises `UnusableFolder`.
    """
    try:
        if out.exists() and not out.is_dir():
            raise UnusableFolder(f"{out}: not a folder")
        if out.exists() and any(out.iterdir()) and not _is_run(out / RUN_LOG):
            raise UnusableFolder(f"{out}: holds something else than an earlier run; choose another --out")
        for folder in folders:
            shutil.rmtree(out / folder, ignore_errors=True)
        for name in (RUN_LOG, PAGE):
            (out / name).unlink(missing_ok=True)
        out.mkdir(parents=True, exist_ok=True)
        out.chmod(0o700)
    except OSError as error:
        raise UnusableFolder(f"{out}: {error.strerror or error}; choose another --out") from None


def spare(read: Iterable[Path], out: Path, *folders: str) -> None:
    """Raises `UnusableFolder` where what is to be read lies in what `make_room` would take away."""
    taken = [Path(realpath(out / name)) for name in (*folders, RUN_LOG, PAGE)]
    for path in read:
        found = Path(realpath(path))
        if any(found == each or each in found.parents for each in taken):
            raise UnusableFolder(
                f"{path}: an earlier run wrote it, and this one would take it away; choose another --out"
            )


def _is_run(log: Path) -> bool:
    """Whether a file begins with the step that every run log begins with."""
    if not log.is_file():
        return False
    with log.open("rb") as file:
        try:
            first = json.loads(file.readline(FIRST_STEP))
        except (ValueError, RecursionError):
            return False
    return isinstance(first, dict) and first.get("step") == 1 and first.get("kind") == "run"


def private(path: Path) -> Path:
    """Make an empty file that only its owner may read: run log and report hold the whole talk."""
    path.touch(0o600, exist_ok=False)
    return path
