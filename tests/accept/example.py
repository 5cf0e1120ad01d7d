"""The household of `golden/accept/`, laid out in a folder: all of it can be spoiled, and nothing of it is real."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomli

from harness.accept.acceptance import Accepted, accept
from harness.accept.look import Outside
from harness.lab.script import NEW_PROMPT
from harness.oracle.candidate import blocks_of
from harness.world.disk import SimulatedFiles
from harness.world.doubles import (
    SimulatedClock,
    SimulatedIds,
    SimulatedLocks,
    SimulatedProcesses,
    SimulatedSpawner,
    SimulatedTmux,
)
from harness.world.kernel import World
from harness.world.services import SimulatedSystemd
from threadrebuild.config import load_settings
from threadrebuild.doors import open_door
from threadrebuild.installed_cli import InstalledCli
from threadrebuild.operation.household import Household
from threadrebuild.operation.store import Store
from threadrebuild.ports import Answer, Ports
from threadrebuild.project_folder import folder_name

GOLDEN = Path(__file__).parents[2] / "golden" / "accept"
HOME = "/home/user"
Message = dict[str, Any]


class Example:
    """The example with its stand-ins. What it `resumes` to sends exactly what was carried; `meanwhile` comes first."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.out = folder / "out"
        self.process = tomli.loads(self._text("process.toml"))
        self.config = self._write(self.home / "config.toml", "config.toml")
        self.workdir = self.home / "project"
        self.workdir.mkdir()
        session = json.loads((GOLDEN / "session.jsonl").read_bytes().splitlines()[-1])["sessionId"]
        self.project_dir = self.home / "host" / "projects" / folder_name(str(self.workdir))
        self.project_dir.mkdir(parents=True)
        self.transcript = self.project_dir / f"{session}.jsonl"
        self.transcript.write_bytes((GOLDEN / "session.jsonl").read_bytes())
        self.settings = self._write(self.home / "host" / "settings.json", "settings.json")
        self.program = self._write(self.home / "bin" / "claude", "claude")
        self.lock = self._write(self.home / "cli-lock.toml", "cli-lock.toml")
        self.meanwhile: Callable[[], object] = lambda: None
        self.sends: Callable[[list[Message]], list[Message]] = lambda messages: messages
        self._simulate()

    def accept(self) -> Accepted:
        """Look at it as it is now."""
        return accept(self.config, self.out, "rebuild-harness accept", self.outside)

    @property
    def outside(self) -> Outside:
        """The stand-ins."""
        return Outside(self.household, self._resume)

    def household(self, config: Path) -> Household:
        """The household that the file describes by now."""
        settings = load_settings(config)
        store = Store(Path(settings.state_dir), self.files, self.ports.locks)
        return Household(settings, store, open_door(settings, self.ports), self.ports, config)

    def configure(self, pattern: str, by: str) -> None:
        """Put something in the place of a line of the configuration, or with an empty pattern at its start."""
        text = self.config.read_text(encoding="utf-8")
        changed, count = re.subn(pattern, lambda match: by, text, count=1, flags=re.MULTILINE)
        assert count == 1, f"{pattern} is not in the configuration"
        self.config.write_text(changed, encoding="utf-8")

    def say(self, *texts: str) -> None:
        """Let more prompts and answers be said in the session: its last two rows again, with other words."""
        rows = [json.loads(line) for line in self.transcript.read_bytes().splitlines()]
        user, assistant = ([row for row in rows if row["type"] == role][-1] for role in ("user", "assistant"))
        added = []
        for number, text in enumerate(texts):
            row = json.loads(json.dumps(assistant if number % 2 else user))
            row["message"]["content"] = [{"type": "text", "text": text}]
            row["message"] |= {"id": f"msg_{number}"} if number % 2 else {}
            parent = (added or rows)[-1]["uuid"]
            added.append(row | {"uuid": f"00000000-0000-4000-8000-{number:012}", "parentUuid": parent})
        with self.transcript.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in added)

    def _simulate(self) -> None:
        self.world = World()
        self.files = SimulatedFiles(self.world, self.home)
        self.tmux = SimulatedTmux(self.world, lambda process: None)
        self.processes = SimulatedProcesses(self.world)
        self.processes.on_call = lambda command, given: Answer(0, self.process["version"].encode())
        self.ports = Ports(
            clock=SimulatedClock(self.world),
            ids=SimulatedIds(self.world),
            files=self.files,
            locks=SimulatedLocks(self.world),
            panes=self.tmux,
            services=SimulatedSystemd(self.world, lambda process: None),
            processes=self.processes,
            spawner=SimulatedSpawner(self.world, lambda operation, worker: None),
        )
        host = self.tmux.open(self.process["pane"], "DO-NOT-CREATE:0.0", *self.process["command"])
        self.processes.folders[host.pid] = Path(self.process["folder"])

    def _resume(self, candidate: Path, cli: InstalledCli, folder: Path) -> list[Message]:
        self.meanwhile()
        said = [(block.role, block.text) for block in blocks_of(candidate)] + [("user", NEW_PROMPT)]
        return [{"messages": self.sends([{"role": role, "content": text} for role, text in said])}]

    def _write(self, path: Path, name: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._text(name), encoding="utf-8")
        path.chmod((GOLDEN / name).stat().st_mode & 0o755)
        return path

    def _text(self, name: str) -> str:
        """A file of the example, with the folder it is laid out in for its home."""
        text = (GOLDEN / name).read_text(encoding="utf-8")
        return text.replace(folder_name(f"{HOME}/project"), folder_name(f"{self.home}/project")).replace(
            HOME, str(self.home)
        )
