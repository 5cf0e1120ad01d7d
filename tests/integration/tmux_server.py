"""A real tmux server for tests, on a socket of its own, with a household whose host is a stand-in.

Everything that waits polls with a deadline, and `stop` ends only what this server started.
"""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from harness.world.talk import Talk
from threadrebuild.opening import household
from threadrebuild.operation.household import Household
from threadrebuild.project_folder import folder_name
from threadrebuild.system import SystemProcesses, Tmux

ROOT = Path(__file__).resolve().parents[2]
STANDIN = str(Path(__file__).with_name("claude"))
SOCKET = f"threadrebuild-test-{os.getpid()}"
OLD_SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
DEADLINE_SECONDS = 30.0

T = TypeVar("T")


def eventually(look: Callable[[], T], what: str) -> T:
    """What `look` gives as soon as that is something; fails at the deadline."""
    end = time.monotonic() + DEADLINE_SECONDS
    while not (seen := look()):
        assert time.monotonic() < end, f"not within {DEADLINE_SECONDS} s: {what}"
        time.sleep(0.05)
    return seen


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in (b"Z", b"X")


def bears(pid: int, program: str) -> bool:
    """Whether a process has a program's command line."""
    return any(Path(word).name.split(":")[0] == program for word in SystemProcesses().command_line(pid)[:1])


class Server:
    """The server, its panes, and the household over one of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workdir = folder / "work dir"
        self.workdir.mkdir()
        self.host_folder = folder / "host"
        self.project_dir = self.host_folder / "projects" / folder_name(str(self.workdir))
        self.project_dir.mkdir(parents=True)
        self.config = folder / "config.toml"
        self.tmux = Tmux(SOCKET)
        self.pids: set[int] = set()

    def run(self, *words: str) -> str:
        """Run a tmux command on this server; its output."""
        command = ["tmux", "-L", SOCKET, "-f", "/dev/null", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
        self.note()
        return done.stdout.strip()

    def note(self) -> None:
        """Remember the processes of all panes, so that `stop` can see them gone; each is its program by then."""
        for pane in self.tmux.every().values():
            # A fork of the server bears the server's command line until it has become the program.
            eventually(lambda pid=pane.pid: not bears(pid, "tmux"), f"process {pane.pid} has started")  # type: ignore[misc]
            self.pids |= {pane.pid, *SystemProcesses().descendants(pane.pid)}

    def session(self, name: str, *command: str) -> str:
        """A new session; the id of its only pane."""
        return self.run("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", name, "-c", str(self.workdir), *command)

    def split(self, target: str, *command: str) -> str:
        """Another pane beside one, which becomes the active one; its id."""
        return self.run("split-window", "-P", "-F", "#{pane_id}", "-t", target, "-c", str(self.workdir), *command)

    def host(self, session: str, *more: str) -> list[str]:
        """How the stand-in is started for a session."""
        return [sys.executable, STANDIN, "--resume", session, *more]

    def screen(self, pane_id: str) -> str:
        """What a pane shows, with folded lines joined."""
        return self.run("capture-pane", "-p", "-J", "-t", pane_id)

    def household(self, target: str, *more: str, **settings: object) -> Household:
        """Write the configuration of a household in the pane at `target`, with quick checks; open it."""
        values = {
            "project_dir": str(self.project_dir),
            "claude_workdir": str(self.workdir),
            "state_dir": str(self.folder / "state"),
            "tmux_target": target,
            "tmux_socket": SOCKET,
            "resume_command": self.host("{session_id}", *more),
            "activation_delay_seconds": 1.0,
            "healthcheck_seconds": 1.0,
            "stable_file_seconds": 0.2,
            **settings,
        }
        self.config.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()))
        return household(self.config)

    def old_talk(self) -> Path:
        """The old session's transcript."""
        talk = Talk()
        talk.user("可以换窗了")
        talk.assistant("好，说完这句就换。")
        return talk.write(self.project_dir / f"{OLD_SESSION}.jsonl")

    def ends_its_turn(self, session: str) -> list[str]:
        """How the stand-in is started so that its turn ends with `end_turn`, and its Stop hook runs inside the pane."""
        hook = shlex.join([sys.executable, "-m", "threadrebuild.cli", "hook-stop", "--config", str(self.config)])
        return self.host(session, "--turn-ends", hook, str(self.folder / "hook.json"))

    def end_turn(self, transcript: Path) -> None:
        """Let those that wait for it end their turn, and give their Stop hooks this transcript."""
        given = {"session_id": transcript.stem, "transcript_path": str(transcript), "cwd": str(self.workdir)}
        path = self.folder / "hook.json"
        whole = path.with_suffix(".whole")
        whole.write_text(json.dumps(given))
        whole.rename(path)

    def stop(self) -> None:
        """End the server, and see that everything it had started is gone."""
        self.note()
        subprocess.run(["tmux", "-L", SOCKET, "kill-server"], capture_output=True, timeout=10, check=False)
        eventually(lambda: not any(map(is_alive, self.pids)), f"processes {sorted(self.pids)} gone after the server")
