"""Files are hashed as they really lie in the workspace; whatever is no file there has its reason."""

import hashlib
import os
from pathlib import Path

from threadrebuild.checking.hashes import hash_files


def reason(workspace: Path, path: str, folder: str = "work") -> str:
    (found,) = hash_files({"folder": folder, "paths": [path]}, workspace)
    assert found.asked == path
    return found.reason or found.path


def test_a_file_is_found_from_the_root_and_else_from_the_folder_of_work(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "cut.mp4").write_bytes(b"film")
    by_root, by_folder = hash_files({"folder": "work", "paths": ["work/cut.mp4", "cut.mp4"]}, tmp_path)
    assert by_root.path == by_folder.path == "work/cut.mp4"
    assert by_root.sha256 == by_folder.sha256 == hashlib.sha256(b"film").hexdigest()
    assert by_root.size == 4


def test_what_is_no_file_of_the_workspace_has_its_reason(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "work" / "inner").mkdir(parents=True)
    (tmp_path / "secret").write_text("x")
    (home / "work" / "out").symlink_to(tmp_path / "secret")
    (home / "work" / "real").write_text("x")
    (home / "work" / "in").symlink_to("real")
    os.mkfifo(home / "work" / "pipe")
    assert reason(home, "none") == "missing"
    assert reason(home, "../../secret") == "outside"
    assert reason(home, str(tmp_path / "secret")) == "outside"
    assert reason(home, "out") == "link"
    assert reason(home, "in") == "work/real"
    assert reason(home, "inner") == "no file"
    assert reason(home, "pipe") == "no file"
    assert reason(home, "a\0b") == "outside"


def test_a_file_is_never_too_large(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(64 << 20)
    (found,) = hash_files({"folder": "", "paths": ["large"]}, tmp_path)
    assert (found.reason, found.size) == ("", 64 << 20)
