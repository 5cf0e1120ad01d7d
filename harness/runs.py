"""A run on the disk: jobs replayed into a folder that holds the run log, the report made from it, and the candidates.

`replay` and `run` differ in where their jobs come from, and in nothing else.
"""

import json
import shlex
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.replay import AnyJob, Replayed, replayed
from harness.report.page import write_report
from harness.runlog import RunLog
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

    @property
    def green(self) -> int:
        """How many are green."""
        return sum(each.green for each in self.done)

    @property
    def verdict(self) -> str:
        """Green where all are."""
        return "green" if self.green == len(self.done) else "red"


def write_run(
    jobs: Callable[[Path], Iterable[AnyJob]],
    out: Path,
    command: Sequence[str],
    settings: dict[str, Any],
    each_done: Callable[[Replayed], None],
) -> Run:
    """Replay what `jobs` gives, told the folder for made transcripts, into the folder `out`.

    Raises what `harness.replay.replayed` raises, and `UnusableFolder` for a folder with something else in it.
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
        run = Run(done, out / PAGE)
        log.add("end", verdict=run.verdict, green=run.green, red=len(done) - run.green)
    write_report(out / RUN_LOG, private(run.page))
    return run


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
