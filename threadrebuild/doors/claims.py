"""What an operation claims while it switches: its target, its project and its pointer, under names that all
configurations of a user share.

Two households with a state folder each know nothing of each other; these names are where they meet (TR-L34).
"""

import os

from threadrebuild.config import Settings


def claims_of(settings: Settings, target: str) -> tuple[str, ...]:
    """Names of all that no other operation may touch meanwhile. `target` is an identity's exact target."""
    server = settings.tmux_socket or "default"
    claims = {
        "project": settings.project_dir and os.path.realpath(settings.project_dir),
        "pointer": settings.resume_pointer_path and os.path.realpath(settings.resume_pointer_path),
        "pane": f"{server} {target}" if settings.activation == "tmux" else None,
        "unit": target if settings.activation == "systemd" else None,
    }
    return tuple(f"{kind} {name}" for kind, name in claims.items() if name)
