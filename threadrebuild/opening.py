"""Opening a household: from its configuration to one value with its store, its door and the real outside."""

from pathlib import Path

from threadrebuild.config import load_settings
from threadrebuild.doors import open_door
from threadrebuild.operation.household import Household
from threadrebuild.operation.store import Store
from threadrebuild.system import system_ports


def household(config: Path) -> Household:
    """The household that a file describes, with the real ports.

    Raises `ConfigError` where the file cannot be used, or lacks the project folder or another fact that its door needs.
    """
    settings = load_settings(config)
    state_dir = Path(settings.state_dir).expanduser()
    # The worker runs in another folder, so that a relative name would lead it elsewhere.
    ports = system_ports(config.resolve(), state_dir / "worker.log", settings.tmux_socket)
    return Household(
        settings, Store(state_dir, ports.files, ports.locks), open_door(settings, ports), ports, config.resolve()
    )
