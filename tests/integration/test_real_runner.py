"""The reference runner with real processes: two turns, a request before them, and the switch falls between the two."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.world.talk import Talk
from threadrebuild.opening import household
from threadrebuild.operation import coordinator
from threadrebuild.operation.states import State
from threadrebuild.project_folder import folder_name

ROOT = Path(__file__).resolve().parents[2]
STANDIN = str(Path(__file__).with_name("claude_p.py"))
OLD_SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
LIMIT_SECONDS = 60.0

pytestmark = pytest.mark.runner


def test_the_switch_falls_between_two_calls_of_real_processes(tmp_path: Path) -> None:
    workdir, pointer, config = tmp_path / "work", tmp_path / "session", tmp_path / "config.toml"
    project = tmp_path / "projects" / folder_name(str(workdir))
    for folder in (workdir, project):
        folder.mkdir(parents=True)
    values = {
        "activation": "pointer",
        "project_dir": str(project),
        "claude_workdir": str(workdir),
        "state_dir": str(tmp_path / "state"),
        "resume_pointer_path": str(pointer),
        "activation_delay_seconds": 1.0,
        "stable_file_seconds": 0.2,
    }
    config.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()))
    talk = Talk()
    talk.user("早上好")
    talk.assistant("早。")
    talk.write(project / f"{OLD_SESSION}.jsonl")
    pointer.write_text(f"{OLD_SESSION}\n")
    house = household(config)
    coordinator.request(house, "夜里换窗", "REBUILD")
    runner = [sys.executable, "-m", "threadrebuild.doors.runner", "--config", str(config), "--"]
    host = [sys.executable, STANDIN, "--transcripts", str(project)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path / "home")}
    answers = []
    for prompt in ("可以换窗了", "我们在做什么？"):
        done = subprocess.run(
            [*runner, *host],
            input=prompt.encode(),
            capture_output=True,
            timeout=LIMIT_SECONDS,
            env=variables,
            cwd="/",
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        answers.append(json.loads(done.stdout)["session_id"])
    operation = house.store.latest()
    assert operation is not None
    log = house.store.worker_log.read_text(encoding="utf-8")
    assert operation.state is State.ACTIVATED, (operation.error, log)
    assert answers == [OLD_SESSION, operation.new_session_id]
    assert pointer.read_text() == f"{operation.new_session_id}\n"
    new = (project / f"{operation.new_session_id}.jsonl").read_text(encoding="utf-8")
    assert all(said in new for said in ("早上好", "听到了：可以换窗了", "听到了：我们在做什么？"))
    assert "我们在做什么？" not in (project / f"{OLD_SESSION}.jsonl").read_text(encoding="utf-8")
