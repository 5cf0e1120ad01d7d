"""Resuming a candidate with the installed CLI itself, in the lab: without a network, in a home of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.lab.session import Place, Played, resume
from harness.lab.trial import put_in
from threadrebuild.installed_cli import InstalledCli

Resume = Callable[[Path, InstalledCli, Path], list[dict[str, Any]]]
"""A candidate, a CLI and a folder of its own: the bodies of its requests to the model.

Raises `NoNamespace` where it cannot be tried, and `LabFault` where the CLI does not go along.
"""


def resume_in_lab(candidate: Path, cli: InstalledCli, folder: Path) -> list[dict[str, Any]]:
    """Resume with the program that the household would start, not with another of the same version."""
    place = Place(folder, cli.version, cli.command)
    place.project.mkdir(parents=True)
    put_in(place.project, candidate)
    return resume(Played(place, "printed", candidate, []), candidate.stem)
