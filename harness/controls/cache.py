"""Outcomes kept by content: as long as package, harness, helpers and recordings stay the same bytes, so does
what a check makes of a sabotage. Only children that were heard out are kept, never one that hung.
"""

import hashlib
import json
import sys
from dataclasses import asdict
from pathlib import Path

from harness.controls.checks import Check
from harness.controls.child import Outcome, outcome_of
from harness.controls.sabotage import Sabotage

FOLDER = ".controls_cache"


class Cache:
    """The outcomes stored under a root folder, by sabotage (None: no sabotage) and check."""

    def __init__(self, root: Path, package: str) -> None:
        self._file = root / FOLDER / "outcomes.json"
        self._base = _digest_of_code(root, package)
        self._digests: dict[Path, str] = {}
        self._used: set[str] = set()
        try:
            self._stored: dict[str, Outcome] = {
                key: outcome_of(written) for key, written in json.loads(self._file.read_bytes()).items()
            }
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            self._stored = {}

    def get(self, sabotage: Sabotage | None, check: Check) -> Outcome | None:
        """What this check made of this sabotage of this code, if it was tried."""
        key = self._key(sabotage, check)
        self._used.add(key)
        return self._stored.get(key)

    def put(self, sabotage: Sabotage | None, check: Check, outcome: Outcome) -> None:
        """Keep an outcome in memory; `save` writes it."""
        self._stored[self._key(sabotage, check)] = outcome

    def save(self, *, only_used: bool) -> None:
        """Write all outcomes; `only_used` forgets those that nobody asked for since loading."""
        kept = {key: asdict(value) for key, value in self._stored.items() if not only_used or key in self._used}
        self._file.parent.mkdir(exist_ok=True)
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(kept), encoding="utf-8")
        new.replace(self._file)

    def _key(self, sabotage: Sabotage | None, check: Check) -> str:
        if check.file not in self._digests:
            self._digests[check.file] = hashlib.sha256(check.file.read_bytes()).hexdigest()
        fault = None if sabotage is None else (sabotage.anchor.place, sabotage.code, sabotage.what)
        identity = (self._base, fault, check.name, self._digests[check.file])
        return hashlib.sha256(repr(identity).encode()).hexdigest()


def _digest_of_code(root: Path, package: str) -> str:
    tests = [path for path in (root / "tests").rglob("*.py") if not path.name.startswith("test_")]
    harness = Path(__file__).parent.parent
    files = [path for folder in (root / package, harness, root / "golden") for path in folder.rglob("*")]
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted({*files, *tests}):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(f"{path}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
