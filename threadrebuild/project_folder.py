"""Which folder is the project's: the host names it after its working directory; nothing is guessed (TR-002, TR-003).

What the measured rule does not cover is refused by name rather than tried (TR-L31).
"""

import re
from pathlib import Path

from threadrebuild.config import Settings

PROJECTS = "projects"
"""The root above all projects, in the host's own configuration folder."""
NAME_LONGEST = 200
"""A longer name was never seen; newer hosts are said to cut it."""
_REPLACED = re.compile("[^A-Za-z0-9]")  # TR-003


def folder_name(workdir: str) -> str:
    """The name of the project folder that belongs to a working directory (TR-003)."""
    return _REPLACED.sub("-", workdir)


def folder_fault(settings: Settings) -> str | None:
    """Why `project_dir` cannot be the folder that the host writes to in `claude_workdir`; None where it can."""
    if settings.project_dir is None or settings.claude_workdir is None:
        return "project_dir and claude_workdir have to be set"
    folder, workdir = Path(settings.project_dir), settings.claude_workdir
    if is_root_of_projects(folder):  # TR-002
        return f"{folder} is the root above all projects"
    if not settings.verify_workdir_matches_project:
        return None
    wanted = folder_name(workdir)
    if len(wanted) > NAME_LONGEST or any(ord(character) > 0xFFFF for character in workdir):  # TR-L31
        return f"the folder's name for {workdir} is not covered by the measured rule: set it by hand and switch it off"
    if folder.name != wanted:  # TR-003
        return f"the host in {workdir} writes to a folder named {wanted}, and project_dir is named {folder.name}"
    return None


def is_root_of_projects(folder: Path) -> bool:
    """Whether a folder holds the folders of projects: by its name, or because folders named like theirs lie in it."""
    if folder.name == PROJECTS:
        return True
    try:
        return any(each.name.startswith("-") and each.is_dir() for each in folder.iterdir())  # TR-002
    except OSError:
        return False
