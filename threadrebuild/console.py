"""What all commands share: their options, their exit codes, and how they answer on stdout and stderr.

With `--json` stdout holds exactly one object; errors stand on stderr in words in any case.
"""

import json
from pathlib import Path
from typing import Any, NoReturn

import click

REFUSED = 1  # TR-136
UNUSABLE = 2

path_type = click.Path(path_type=Path)
config_option = click.option(
    "--config",
    type=path_type,
    help="TOML file with settings; else the one that KAEL_REBUILD_CONFIG names; else config.toml in this folder.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def leave(code: int, reason: str, error: str, as_json: bool) -> NoReturn:
    """Say why nothing was done, and exit with `REFUSED` or `UNUSABLE` (TR-136)."""
    if as_json:
        print_json({"ok": False, "error": error, "reason": reason})
    click.echo(f"error: {error}", err=True)
    raise SystemExit(code)


def print_json(value: dict[str, Any]) -> None:
    """One object on stdout, in ASCII, so that no terminal's encoding can spoil it."""
    click.echo(json.dumps(value, ensure_ascii=True))
