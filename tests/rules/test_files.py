"""Files of a candidate: private, all there or none, the same each time, and gone after a fault at any step."""

import errno
import stat
from pathlib import Path

from building import CountingFiles, build, expect_built, left_in, small_talk
from carrying import SESSION

from harness.expect import expect, expect_equal, proves
from threadrebuild.carry.candidate import build_candidate
from threadrebuild.carry.plan import plan_file
from threadrebuild.config import Settings
from threadrebuild.system import SystemFiles

NAMES = [f"{SESSION}.jsonl", "ledger.json", "manifest.json"]


class WatchedFiles(CountingFiles):
    """Notes at each step what stands under the final names."""

    def __init__(self, out: Path) -> None:
        super().__init__()
        self.out = out
        self.seen: list[dict[str, bytes]] = []

    def step(self, name: str) -> None:
        super().step(name)
        finals = (self.out / name for name in NAMES)
        self.seen.append({path.name: path.read_bytes() for path in finals if path.exists()})


@proves("TR-067")
def test_files_are_private(tmp_path: Path) -> None:
    candidate = build(small_talk(), tmp_path)
    expect_built("TR-067", candidate)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").iterdir()}
    expect_equal("TR-067", modes, dict.fromkeys(NAMES, 0o600), "files and their modes")
    expect_equal("TR-067", stat.S_IMODE((tmp_path / "out").stat().st_mode), 0o700, "the folder's mode")


@proves("TR-067")
def test_a_reader_sees_all_of_a_file_or_none(tmp_path: Path) -> None:
    files = WatchedFiles(tmp_path / "out")
    expect_built("TR-067", build(small_talk(), tmp_path, files))
    at_the_end = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    expect_equal("TR-067", sorted(at_the_end), NAMES, "files at the end")
    for seen in files.seen:
        whole = {name: at_the_end[name] for name in seen}
        expect_equal("TR-067", seen, whole, "what stands under a final name while the candidate is built")
    counts = [len(seen) for seen in files.seen]
    expect_equal("TR-067", counts, sorted(counts), "once there, a file stays")
    expect("TR-067", f"{SESSION}.jsonl" not in files.seen[-2], "the transcript is the last to appear")


@proves("TR-068")
def test_two_runs_agree(tmp_path: Path) -> None:
    for out in ("one", "other"):
        expect_built("TR-068", build(small_talk(), tmp_path, out=out))
    one, other = (
        {path.name: path.read_bytes() for path in sorted((tmp_path / out).iterdir())} for out in ("one", "other")
    )
    expect_equal("TR-068", sorted(one), NAMES, "files of the first run")
    expect_equal("TR-068", other, one, "files of the second run")


@proves("TR-068")
def test_repeating_changes_nothing(tmp_path: Path) -> None:
    expect_built("TR-068", build(small_talk(), tmp_path))
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in (tmp_path / "out").iterdir()}
    expect_equal("TR-068", sorted(before), NAMES, "files of the build")
    again = build(small_talk(), tmp_path)
    expect("TR-060", again.refusal is not None and again.refusal.reason == "output-exists", "the names are taken")
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in (tmp_path / "out").iterdir()}
    expect_equal("TR-068", after, before, "files after repeating the build")


@proves("TR-068")
def test_a_fault_at_any_step_leaves_nothing_behind(tmp_path: Path) -> None:
    counted = CountingFiles()
    expect_built("TR-068", build(small_talk(), tmp_path / "whole", counted, out="a/b"))
    expect("TR-068", (tmp_path / "whole/a/b" / NAMES[0]).exists(), "without a fault the candidate is there")
    steps = list(counted.steps)
    kinds = {"make_folder", "remove", "create", "write", "sync", "publish", "sync_folder"}
    expect_equal("TR-068", set(steps), kinds, "kinds of steps")
    for number, name in enumerate(steps, 1):
        for error in (errno.ENOSPC, errno.EIO):
            folder = tmp_path / f"{number}-{error}"
            failed = build(small_talk(), folder, CountingFiles(number, error), out="a/b")
            reason = failed.refusal.reason if failed.refusal else None
            expect_equal("TR-068", reason, "cannot-write", f"a build whose step {number} ({name}) fails")
            expect_equal("TR-068", left_in(folder), [], f"what step {number} ({name}) leaves behind when it fails")


@proves("TR-148")
def test_a_source_that_changes_while_it_is_carried_ends_the_carry(tmp_path: Path) -> None:
    talk = small_talk()
    talk.system("a row that is not carried")
    for changed, before, after in [
        ("nothing", b"", b""),
        ("a row that is not carried", b"not carried", b"not CARRIED"),
    ]:
        source = tmp_path / changed / "project" / "source.jsonl"
        source.parent.mkdir(parents=True)
        source.write_bytes(talk.bytes())
        plan = plan_file(source, Settings())
        content = talk.bytes().replace(before, after)
        source.write_bytes(content)
        built = build_candidate(plan, tmp_path / changed / "out", SESSION, SystemFiles())
        reason = built.refusal.reason if built.refusal else None
        expect("TR-L06", reason != "ledger-gap", "every byte of the source is accounted for")
        refused = reason == "source-changed"
        expect_equal(
            "TR-148", refused, content != talk.bytes(), f"a source is refused after {changed} changed: {reason}"
        )
        expect_equal("TR-148", source.read_bytes(), content, "bytes of the source after its carry")


class SwappingFiles(SystemFiles):
    """Another run with the same session id empties the finished file right before it gets its name."""

    def publish(self, part: Path, final: Path) -> None:
        if final.suffix == ".jsonl":
            part.write_bytes(b"")
        super().publish(part, final)


def test_what_is_published_is_what_was_verified(tmp_path: Path) -> None:
    built = build(small_talk(), tmp_path, SwappingFiles(), out="out")
    assert built.refusal is not None
    assert built.refusal.reason == "verification-failed"
    assert left_in(tmp_path) == []
