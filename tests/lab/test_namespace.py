"""The lab's namespace: no address but loopback, nothing of the caller's environment, and no process left."""

import json
import socket
from pathlib import Path

import pytest
from in_namespace import SHARED

from harness.lab.namespace import LabFault, NoNamespace, enter, missing, run_inside

needs_namespace = pytest.mark.skipif(bool(missing()), reason=f"the lab cannot run here: {missing()}")
HERE = "in_namespace"


@needs_namespace
def test_a_request_to_any_other_address_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET_KEY", "of the caller")
    told = json.loads(run_inside(HERE, "reach", seconds=30))
    assert told["outside"] == "ENETUNREACH"
    assert (told["name"], told["loopback"]) == ("unknown", 0)
    assert "A_SECRET_KEY" not in told["environment"]


@needs_namespace
def test_nothing_outside_of_its_folder_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "a lab"
    folder.mkdir()
    told = json.loads(run_inside(HERE, "write", str(folder), seconds=30))
    assert told == {"in": "written", "beside": "EROFS", "tmp": "EROFS", "shared": "written"}
    assert not SHARED.exists(), "shared memory was the namespace's own"
    assert [path.name for path in tmp_path.rglob("*")] == ["a lab", "new"]
    (tmp_path / "mine").touch()  # the caller's own view is as it was


@needs_namespace
def test_what_does_not_end_is_ended_with_all_that_it_started() -> None:
    seconds = "61.0625"  # a figure by which no other process is known
    with pytest.raises(LabFault, match="not done within 1 s"):
        run_inside(HERE, "hang", seconds, seconds=1)
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if _is_readable(path)]
    assert not [command for command in running if seconds.encode() in command]


@needs_namespace
def test_what_fails_says_why() -> None:
    with pytest.raises(LabFault, match="No module named"):
        run_inside("harness.lab.nothing", seconds=30)


def test_nothing_is_started_where_there_is_another_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "if_nameindex", lambda: [(1, "lo"), (2, "eth0")])
    with pytest.raises(NoNamespace, match="lo, eth0"):
        enter()


def test_without_unshare_nothing_is_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoNamespace, match="unshare is not installed"):
        run_inside(HERE, "reach", seconds=1)


def _is_readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True
