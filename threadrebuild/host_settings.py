"""The host's own settings file: our Stop hook is appended to it after a backup; nothing in it is replaced (TR-100)."""

import json
import shlex
from pathlib import Path
from typing import Any

from threadrebuild.ports import Files

HOOK_SECONDS = 10  # TR-182
BACKUP = ".before-threadrebuild"


class OddSettings(ValueError):
    """The settings file is not what hooks can be appended to; it was left as it is."""


def install_hook(path: Path, command: str, files: Files) -> Path | None:
    """Append a Stop hook, unless this very one is there already; the backup that was made, if one was.

    Without settings the smallest complete structure is written (TR-182). Raises `OddSettings` and OSError.
    """
    path = path.resolve()
    before = path.read_bytes() if path.exists() else b""
    group = {"hooks": [{"type": "command", "command": command, "timeout": HOOK_SECONDS}]}
    try:
        settings: Any = json.loads(before or b"{}")
        hooks = settings.setdefault("hooks", {})
        installed = [hook.get("command") for each in hooks.get("Stop", []) for hook in each.get("hooks", [])]
        if command in installed:
            return None
        if "Stop" not in hooks:  # TR-182
            hooks["Stop"] = [group]
        else:
            hooks["Stop"].append(group)  # TR-100
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise OddSettings(f"{path}: not settings with hooks: {error}") from None
    files.make_folder(path.parent)
    backup = _backup(path, before, files) if before else None  # TR-100
    _write(path, (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode(), files)
    return backup


def hooked_configurations(path: Path) -> list[Path]:
    """The configurations that the Stop hooks in a settings file call this program with; none where there is no file."""
    try:
        groups = json.loads(path.read_bytes())["hooks"]["Stop"]
        commands = [shlex.split(hook["command"]) for group in groups for hook in group["hooks"] if "command" in hook]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    named = [words[words.index("--config") + 1 :] for words in commands if {"hook-stop", "--config"} <= set(words)]
    return [Path(words[0]) for words in named if words]


def hook_fault(path: Path, config: Path) -> str | None:
    """Why no Stop hook in a settings file calls this configuration; None where one does."""
    if config.resolve() not in [each.resolve() for each in hooked_configurations(path)]:
        return f"no Stop hook in {path} calls {config}: run threadrebuild init"
    settings: Any = json.loads(path.read_bytes())
    return f"disableAllHooks is set in {path}: no hook runs" if settings.get("disableAllHooks") else None


def _backup(path: Path, content: bytes, files: Files) -> Path:
    """A copy under a name that was free, so that no earlier backup is lost."""
    number = 0
    while True:
        backup = path.with_name(f"{path.name}{BACKUP}{f'.{number}' if number else ''}")
        try:
            with files.create(backup) as file:
                file.write(content)
                files.sync(file)
        except FileExistsError:
            number += 1
            continue
        files.sync_folder(path.parent)
        return backup


def _write(path: Path, content: bytes, files: Files) -> None:
    part = path.with_name(f".{path.name}.part")
    files.remove(part)
    with files.create(part) as file:
        file.write(content)
        files.sync(file)
    files.replace(part, path)
    files.sync_folder(path.parent)
