"""The run log: what a run did, in numbered steps, one JSON object a line. A report is made from it alone.

Every step has `step` (1, 2, 3 …) and `kind`; the other fields depend on the kind:

- `run`          `command` (the argv that reproduces it), `version`, `settings` {name: value}
- `source`       `transcript` (its index in the run, from 0), `name`, `path`, `bytes`, `sha256`, `lines`, `cli_versions` [str],
                 `expected` (path of the NAME.expect.json beside it, or null)
- `ledger`       `transcript`, `classes` [{`name`, `bytes`, `lines`, `reason`}], `sum`, `size`
- `turns`        `transcript`, `turns` [{`number`, `open`, `tokens`, `items` [{`role`, `origin`, `line`, `offset`, `length`,
                 `text` (decoded, lone surrogates as \\udXXX escapes), `sha256`, `carried` (bool)}]}],
                 `startup` {`frozen`, `sha256`, `texts` [str]}, `abandoned` [{`role`, `text`, `line`}]
- `chain`        `transcript`, `roots`, `forks`, `dangling`, `duplicates`, `cycles`, `rows`, `notes` [{`code`, `line`, `detail`}]
- `warnings`     `transcript`, `warnings` [{`code`, `line`, `detail`}]
- `dirty`        `transcript`, `categories` {name: bytes}, `total_bytes`, `conversation_bytes`, `noise_ratio`, `should_rebuild`, `reasons`
- `candidate`    `transcript`, `verdict` ("carried" | "refused"), `reason`, `path`, `session_id`, `rows`, `items`, `bytes`, `sha256`
- `check`        `transcript`, `by` ("verification" | "oracle" | "expectation" | "invariant"), `name`, `rule` (id or null), `ok`,
                 `said` (one sentence), `wanted`, `seen` (both may be null; strings when texts differ)
- `difference`   `transcript`, `where`, `source` {`line`, `offset`, `bytes` (hex), `text`}, `candidate` {the same} or null
- `verdict`      `transcript`, `verdict` ("green" | "red"), `why` [str]
- `end`          `verdict` ("green" | "red"), `green`, `red` (counts)
"""

import json
from pathlib import Path
from typing import Any, TextIO


class RunLog:
    """Numbers the steps of one run and writes each as a line of JSON, keys in the order given."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.step = 0

    def add(self, kind: str, **fields: Any) -> int:
        """Append one step and return its number."""
        self.step += 1
        self._out.write(json.dumps({"step": self.step, "kind": kind, **fields}, ensure_ascii=True) + "\n")
        return self.step


def read_run(path: Path) -> list[dict[str, Any]]:
    """The steps of a run log, in order."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
