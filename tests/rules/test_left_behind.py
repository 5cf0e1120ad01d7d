"""What stays behind with tool traffic is listed by name, so that doing it again is a choice."""

import json
from pathlib import Path

from carrying import carry

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk


@proves("TR-L33")
def test_paths_and_checks_left_behind_are_listed(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("把测试修好")
    talk.tool("Read", {"file_path": "/p/a.py"}, result="x")
    talk.tool("Bash", {"command": "pytest -q"}, result="1 failed")
    talk.tool("Grep", {"pattern": "def", "path": "/p/src"}, result="x")
    talk.tool("NotebookEdit", {"notebook_path": "/p/n.ipynb"}, result="x")
    talk.tool("Write", {"file_path": "/p/large.py", "content": "x" * 100_000}, result="written")
    talk.tool("Bash", {"command": "ruff check"}, result="ok")
    talk.tool("Read", {"file_path": "/p/a.py"}, result="y")
    talk.tool("Bash", {"command": "pytest -q"})
    talk.assistant("修到一半")
    carried = carry(talk, tmp_path)
    listed = json.loads((tmp_path / "out" / "ledger.json").read_bytes()).get("left_behind", {})
    # Each once, in the order of the last use.
    paths = ["/p/src", "/p/n.ipynb", "/p/large.py", "/p/a.py"]
    expect_equal("TR-L33", listed.get("paths"), paths, "paths left behind")
    expect_equal("TR-L33", listed.get("checks"), ["ruff check", "pytest -q"], "checks left behind")
    expect("TR-L33", not any(path.encode() in carried.raw for path in paths), "none of them is in the new session")


@proves("TR-L33")
def test_a_talk_without_tools_leaves_nothing_to_do_again(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("你好")
    talk.reply("你也好")
    carry(talk, tmp_path)
    listed = json.loads((tmp_path / "out" / "ledger.json").read_bytes()).get("left_behind")
    expect_equal("TR-L33", listed, {"paths": [], "checks": []}, "what is left behind")
