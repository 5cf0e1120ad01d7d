"""Which processes have outlived their session: a pane or service that is gone proves nothing about what ran in it.

A host that lives on unseen keeps its plugins, and with them the channels that only one process may poll (TR-170).
"""

from threadrebuild.doors.host_process import HOST, is_host
from threadrebuild.operation.household import Household


def outliving(house: Household, host_pid: int | None, pointer_session: str | None) -> list[int]:
    """Processes of the host that hold a session which an operation switched, and are not behind the door.

    `host_pid` is the one behind the door; through a pointer every call for the session that it names may run.
    """
    settings, processes = house.settings, house.ports.processes
    sessions = {each.new_session_id for each in house.store.all() if each.new_session_id is not None}
    sessions |= {each.source.session_id for each in house.store.all() if each.source is not None}
    if settings.activation == "pointer" and pointer_session is not None:
        sessions.discard(pointer_session)
    if not sessions:
        return []
    program = settings.resume_command[0] if settings.resume_command else HOST
    behind = {host_pid, *processes.descendants(host_pid)} if host_pid is not None else set()
    found = []
    for pid in processes.every():
        words = processes.command_line(pid)
        if pid not in behind and is_host(words, program) and any(name in word for word in words for name in sessions):
            found.append(pid)
    return found
