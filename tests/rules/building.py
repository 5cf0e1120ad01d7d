"""Builds candidates for checks of the building itself: on a disk that fails, and with the rule named that refused."""

import errno
from pathlib import Path
from typing import Any, BinaryIO, cast

from carrying import SESSION

from harness.expect import expect
from harness.world.talk import Talk
from threadrebuild.carry.candidate import Candidate, build_candidate
from threadrebuild.carry.plan import Malformed, plan_file
from threadrebuild.config import Settings
from threadrebuild.ports import Files
from threadrebuild.system import SystemFiles

RULE_OF_REFUSAL = {
    "output-exists": "TR-060",
    "not-a-new-session": "TR-060",
    "ledger-gap": "TR-L06",
    "source-changed": "TR-148",
    "poison": "TR-074",
    "no-session-id": "TR-066",
    "nothing-to-carry": "TR-066",
}
RULE_OF_CHECK = {
    "item_count": "TR-063",
    "digest": "TR-063",
    "a row of kind": "TR-060",
    "not plain text": "TR-064",
    "session_id": "TR-060",
    "item_id": "TR-061",
    "parent": "TR-062",
}


class CountingFiles(SystemFiles):
    """A real disk that counts every step, also each write, and fails at one of them (0: at none)."""

    def __init__(self, fails_at: int = 0, error: int = errno.ENOSPC) -> None:
        self.steps: list[str] = []
        self._fails_at = fails_at
        self._error = error

    def step(self, name: str) -> None:
        """Count a step; raises OSError at the one that fails."""
        self.steps.append(name)
        if len(self.steps) == self._fails_at:
            raise OSError(self._error, f"made to fail at {name}")

    def make_folder(self, path: Path) -> bool:
        self.step("make_folder")
        return super().make_folder(path)

    def create(self, path: Path) -> BinaryIO:
        self.step("create")
        return cast(BinaryIO, _Counted(super().create(path), self))

    def sync(self, file: BinaryIO) -> None:
        self.step("sync")
        super().sync(file)

    def publish(self, part: Path, final: Path) -> None:
        self.step("publish")
        super().publish(part, final)

    def sync_folder(self, path: Path) -> None:
        self.step("sync_folder")
        super().sync_folder(path)

    def remove(self, path: Path) -> None:
        self.step("remove")
        super().remove(path)


class _Counted:
    def __init__(self, file: BinaryIO, disk: CountingFiles) -> None:
        self._file = file
        self._disk = disk

    def write(self, data: bytes) -> int:
        self._disk.step("write")
        return self._file.write(data)

    def __enter__(self) -> "_Counted":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def build(
    talk: Talk | bytes,
    folder: Path,
    files: Files | None = None,
    out: str = "out",
    malformed: Malformed = "block",
    **settings: Any,
) -> Candidate:
    """Write a talk as a transcript into `folder` and build its candidate in `folder/out`."""
    source = folder / "project" / "source.jsonl"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_bytes(talk if isinstance(talk, bytes) else talk.bytes())
    plan = plan_file(source, Settings(**settings), malformed)
    return build_candidate(plan, folder / out, SESSION, files or SystemFiles())


def expect_built(rule: str, candidate: Candidate) -> None:
    """A talk that nothing is wrong with must be carried; what refuses it breaks its own rule, else `rule`."""
    refusal = candidate.refusal
    if refusal is None:
        return
    broken = RULE_OF_REFUSAL.get(refusal.reason, rule)
    if refusal.reason == "verification-failed":
        broken = next((each for name, each in RULE_OF_CHECK.items() if name in refusal.detail), "TR-064")
    expect(broken, False, f"refused: {refusal.reason}: {refusal.detail}")


def small_talk() -> Talk:
    """Two turns with a startup package and a tool call."""
    talk = Talk()
    talk.startup(["Contents of the instruction file"], "第一问")
    talk.tool("Bash", {"command": "ls"}, result="a.txt")
    talk.assistant("第一答")
    talk.user("the second question")
    talk.assistant("the second answer")
    return talk


def left_in(folder: Path) -> list[str]:
    """Everything below a folder but the source, by relative path."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.relative_to(folder).parts[0] != "project"
    )
