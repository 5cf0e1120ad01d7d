"""Doors: how the process of a household is recognised, switched over and checked. `open_door` gives the configured one.

Which one it is follows from what the host runs on, and is settled before anything else (TR-110).
"""

from pathlib import Path

from threadrebuild.config import ConfigError, Settings
from threadrebuild.doors.door import Door
from threadrebuild.doors.guarded import GuardedDoor
from threadrebuild.doors.pointer import PointerDoor
from threadrebuild.doors.pointer_file import PointerFile
from threadrebuild.doors.systemd import SystemdDoor
from threadrebuild.doors.tmux import TmuxDoor
from threadrebuild.ports import Ports

NEEDED = {
    "tmux": ("project_dir", "claude_workdir", "tmux_target", "resume_command"),
    "systemd": ("project_dir", "claude_workdir", "systemd_unit", "resume_pointer_path"),
    "pointer": ("project_dir", "claude_workdir", "resume_pointer_path"),
}
"""Local facts that an operation through each door cannot do without; none has a default (TR-138, TR-L30)."""


def open_door(settings: Settings, ports: Ports) -> Door:
    """The door that `activation` names; it never raises. Raises `ConfigError` naming the keys that it lacks."""
    return GuardedDoor(_bare_door(settings, ports))


def _bare_door(settings: Settings, ports: Ports) -> Door:
    missing = [name for name in NEEDED[settings.activation] if not getattr(settings, name)]
    if missing:  # TR-L30 TR-138 TR-161 TR-163
        raise ConfigError(f"activation {settings.activation} needs {', '.join(missing)}: local facts have no default")
    if settings.activation == "tmux":
        return TmuxDoor(
            target=settings.tmux_target or "",
            resume_command=settings.resume_command,
            folder=settings.claude_workdir or "",
            check_seconds=settings.healthcheck_seconds,
            panes=ports.panes,
            processes=ports.processes,
            clock=ports.clock,
        )
    pointer = PointerFile(Path(settings.resume_pointer_path or ""), ports.files)
    if settings.activation == "pointer":
        return PointerDoor(pointer)
    return SystemdDoor(
        unit=settings.systemd_unit or "",
        pointer=pointer,
        check_seconds=settings.healthcheck_seconds,
        restart_seconds=settings.systemd_restart_timeout_seconds,
        services=ports.services,
        processes=ports.processes,
        clock=ports.clock,
    )
