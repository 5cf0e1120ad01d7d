"""How fast and how lean the carry is, against public yardsticks measured in the same run.

Speed: `plan` on a transcript of months, divided by one `orjson.loads` pass over its lines and one SHA-256
pass over its bytes. Memory: the peak of `candidate` in a process of its own, beyond the dialogue it carries. Beside
these stand the figures of the collaboration core (`bench_rooms`).
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click
import orjson

from harness import bench_rooms
from harness.world.months import write_months

RATIO_BOUND = 1.8
"""Plan time over the yardstick's time, at most."""
PEAK_BOUND = 200_000_000
"""Peak resident bytes beyond the dialogue carried, less than this."""
ROUNDS = 5
MEMORY_MEGABYTES = 1_000
SEED = 59

# The kernel counts what a process held before exec as its own, so that the one that measures must be small.
_PEAK_OF_CHILD = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024), file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Speed(NamedTuple):
    """Seconds, each the best of `ROUNDS` rounds."""

    plan: float
    orjson: float
    sha256: float

    @property
    def ratio(self) -> float:
        return self.plan / (self.orjson + self.sha256)


class Peak(NamedTuple):
    """Bytes: the peak resident memory of one `candidate` run, and the dialogue in its source."""

    peak: int
    carried: int

    @property
    def beyond(self) -> int:
        return self.peak - self.carried


def measure_speed(transcript: Path, plan: Callable[[Path], object]) -> Speed:
    """Time `plan` and both yardsticks on `transcript`, in turns, so that a slow moment strikes all three."""
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        for n, work in enumerate((plan, _loads_pass, _sha256_pass)):
            start = time.perf_counter()
            work(transcript)
            best[n] = min(best[n], time.perf_counter() - start)
    return Speed(*best)


def measure_peak(transcript: Path, out: Path, carried: int) -> Peak:
    """Run `candidate` on `transcript` in a child; `carried` is the bytes of dialogue in it.

    Raises `RuntimeError` with what the command wrote on stderr when it fails.
    """
    candidate = [sys.executable, "-m", "threadrebuild.cli", "candidate", str(transcript)]
    command = [sys.executable, "-c", _PEAK_OF_CHILD, *candidate, "--out", str(out), "--json"]
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"candidate ended with {done.returncode}: {done.stderr}")
    return Peak(int(done.stderr.splitlines()[-1]), carried)


@click.command()
@click.option("--megabytes", type=click.IntRange(min=1), default=100, show_default=True, help="size for the speed")
@click.option("--skip-memory", is_flag=True, help="leave out the run on one gigabyte")
@click.option("--skip-rooms", is_flag=True, help="leave out the collaboration core")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object")
def main(megabytes: int, skip_memory: bool, skip_rooms: bool, as_json: bool) -> None:
    """Measure speed and memory of the carry, and the collaboration core's speed; exit 1 if a bound is missed."""
    with tempfile.TemporaryDirectory() as folder:
        transcript = Path(folder) / "months.jsonl"
        write_months(transcript, megabytes, SEED)
        speed = measure_speed(transcript, _plan)
        peak = None
        if not skip_memory:
            written = write_months(transcript, MEMORY_MEGABYTES, SEED)
            peak = measure_peak(transcript, Path(folder) / "out", written["conversation"])
    rooms = None if skip_rooms else (bench_rooms.measure_day(), bench_rooms.measure_stories(Path("scenarios")))
    ok = speed.ratio <= RATIO_BOUND and (peak is None or peak.beyond < PEAK_BOUND)
    ok = ok and (rooms is None or bench_rooms.within(*rooms))
    if as_json:
        figures: dict[str, object] = {"ok": ok, "megabytes": megabytes, "ratio": speed.ratio}
        figures |= {"ratio_bound": RATIO_BOUND, "seconds": speed._asdict()}
        if peak is not None:
            figures |= {"beyond_bytes": peak.beyond, "beyond_bound": PEAK_BOUND, "bytes": peak._asdict()}
        if rooms is not None:
            figures |= {"rooms": bench_rooms.figures(*rooms)}
        click.echo(json.dumps(figures))
    else:
        _show(speed, peak)
        for line in [] if rooms is None else bench_rooms.shown(*rooms):
            click.echo(line)
    sys.exit(0 if ok else 1)


def _plan(transcript: Path) -> object:
    from threadrebuild.carry.plan import plan_file
    from threadrebuild.config import Settings

    return plan_file(transcript, Settings())


def _loads_pass(transcript: Path) -> None:
    with transcript.open("rb") as lines:
        for line in lines:
            orjson.loads(line)


def _sha256_pass(transcript: Path) -> None:
    with transcript.open("rb") as file:
        hashlib.file_digest(file, "sha256")


def _show(speed: Speed, peak: Peak | None) -> None:
    yardstick = f"orjson {speed.orjson:.3f} s + SHA-256 {speed.sha256:.3f} s"
    click.echo(f"plan {speed.plan:.3f} s / ({yardstick}) = {speed.ratio:.2f}, at most {RATIO_BOUND}")
    if peak is not None:
        sizes = f"{peak.peak / 1e6:.0f} MB - {peak.carried / 1e6:.0f} MB carried"
        bound = f"below {PEAK_BOUND / 1e6:.0f} MB"
        click.echo(f"candidate peak {sizes} = {peak.beyond / 1e6:.0f} MB, {bound}")


if __name__ == "__main__":
    main()
