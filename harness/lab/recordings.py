"""Recordings of the real CLI for `golden/cli/`: the lab's talks in some versions, with nothing of the machine in them.

    python -m harness.lab.recordings golden/cli 2.1.199 2.1.332

What is expected of each is what the script says, so that no reader has a part in it. A session in which the CLI itself
lost or doubled words is not recorded, and that is told.
"""

import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness.lab.check import record
from harness.lab.model import NONE_LEFT
from harness.lab.records import rows_with
from harness.lab.session import Played
from threadrebuild.project_folder import folder_name

HOME = "/home/user"
WORK = f"{HOME}/project"
RELEASE = "6.1.0"
NEEDED = frozenset(
    {"type", "uuid", "parentUuid", "sessionId", "message", "attachment", "operation", "content", "subtype"}
)
"""What a row cannot do without; a flag that is true counts as well."""
NEEDED_WITHIN = {
    "message": frozenset({"role", "content", "id"}),
    "attachment": frozenset({"type", "prompt", "commandMode"}),
}


def main(words: Sequence[str]) -> None:
    """Record versions into a folder: `<version>/lab-<way>.jsonl`, and what is expected of it beside it."""
    folder, *versions = words
    for version in versions:
        with TemporaryDirectory(prefix="cli-") as name:
            tried = record(version, Path(name))
            if tried.unsupported:
                print(f"{version} is unsupported: {tried.unsupported}")
            for played in tried.sessions:
                print(f"{version} {played.way}: {_recorded(played, Path(folder) / version)}")


def scrubbed(text: str, played: Played) -> str:
    """A transcript's text with made-up places for those of the session."""
    place = played.place
    for real, invented in (
        (str(place.work), WORK),
        (str(place.home), HOME),
        (str(place.folder), f"{HOME}/lab"),
        (folder_name(str(place.work)), folder_name(WORK)),
        (platform.release(), RELEASE),
    ):
        text = text.replace(real, invented)
    return text


def bare(row: dict[str, Any]) -> dict[str, Any]:
    """A row without any field that it can do without (WN-06)."""
    kept = {name: value for name, value in row.items() if name in NEEDED or value is True}
    for name, needed in NEEDED_WITHIN.items():
        if isinstance(kept.get(name), dict):
            kept[name] = {each: value for each, value in kept[name].items() if each in needed}
    return kept


def _recorded(played: Played, folder: Path) -> str:
    text = played.transcript.read_text(encoding="utf-8")
    for role, said in played.planted:
        rows = [kind for kind in rows_with(played.transcript, said).split(", ") if "queue-operation" not in kind]
        if rows == [""] or not rows or f"2 × {role}" in rows:
            return f"not recorded: {said!r} is no talk, or twice: {', '.join(rows) or 'in the log of the queue alone'}"
    if NONE_LEFT in text:
        return "not recorded: more was asked than the script says"
    utterances = [{"role": role, "text": said} for role, said in played.in_order]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"lab-{played.way}.jsonl"
    path.write_text(scrubbed(text, played), encoding="utf-8")
    expected = json.dumps({"verdict": "carried", "utterances": utterances}, ensure_ascii=False, indent=1)
    path.with_suffix(".expect.json").write_text(f"{expected}\n", encoding="utf-8")
    return str(path)


if __name__ == "__main__":
    main(sys.argv[1:])
