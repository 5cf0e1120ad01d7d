"""The run log: what a run did, in numbered steps, one JSON object a line. A report is made from it alone.

Every step has `step` (1, 2, 3 …) and `kind`; the other fields depend on the kind. All kinds but `run`, `end`, `alert`,
`port`, `fault`, `lab`, `acceptance`, `drill` and `incident` have `transcript`, its index in the run, from 0.

- `run`          `command` (the argv that reproduces it), `version`, `settings` {name: value}
- `source`       `name`, `path`, `bytes`, `sha256`, `lines`, `cli_versions` [str], `expected` (path of the
                 NAME.expect.json beside it or of its scenario, or null), `command` (the
                 argv that replays it alone; may be left out)
- `ledger`       `classes` [{`name`, `bytes`, `reason`}], `sum`, `size`
- `turns`        `turns` [{`number`, `open`, `tokens`, `items` [{`role`, `origin`, `line`, `offset`, `length`,
                 `text` (decoded, lone surrogates as \\udXXX escapes), `time` (the row's own; may be left
                 out), `sha256`, `carried` (bool)}]}],
                 `startup` {`frozen`, `sha256`, `texts` [str]}, `abandoned` [{`role`, `text`, `line`}]
- `chain`        `roots`, `forks`, `dangling`, `duplicates`, `cycles`, `rows` (counts),
                 `notes` [{`code`, `line`, `detail`}]
- `warnings`     `warnings` [{`code`, `line`, `detail`}]
- `dirty`        `categories` {name: bytes}, `total_bytes`, `conversation_bytes`, `noise_ratio`,
                 `should_rebuild`, `reasons`
- `window`       a window change: `note` (text), `due`, `line_tokens`, `context_tokens`, `after_tokens`,
                 `retained_tokens`, `note_tokens`, `rows`, `calls`, `results`, `thinking_rows` (counts),
                 `from_line`, `model`, `excluded` [{`cause`, `reason`, `lines`}], `stripped_lines`,
                 `cache_breakpoint` {`line`, `uuid`} or null
- `left`         `paths` [str], `commands` [str]: what tools had opened and run, left behind (TR-L33); the
                 step may be missing
- `candidate`    `verdict` ("carried" | "refused"), `reason`, `path`, `session_id`, `rows`, `items`, `bytes`,
                 `sha256`
- `check`        `by` ("verification" | "oracle" | "expectation" | "invariant" | "lab"), `name`, `rule` (id or null),
                 `ok`, `said` (one sentence), `wanted`, `seen` (both may be null; strings when texts differ),
                 `decided` (the step that shows what decided it; may be left out), `control` (of a demand for nothing
                 alone: the demand that shows that its instrument sees something, or null)
- `difference`   `where`, `source` {`line`, `offset`, `bytes` (hex), `text`}, `candidate` {the same} or null
- `night`        `name`, `door`, `seed`, `fault` (STEP:KIND:NEXT, or empty): what follows, up to the next `source`, is
                 the course of that night
- `port`         `address` (the step that a fault names), `at` (ISO time), `who`, `door`, `call`, and what was
                 asked of it; belongs to the `night` before it
- `fault`        `address`, `do`: what goes wrong there
- `story`        `name`, `file` (its scenario), `told` (the kind of story), `seed`, `command`: what follows, up to the
                 next one, is the course of that story
- `line`         what a reader of a story or night sees happen: `at` (the user's clock, HH:MM:SS), `who`, `where` (a
                 room, or empty), `did` (a word: "says", "sends", "stops" …), `text`; of a story of rooms also `ms`
                 and `event` (the step of the event in which it was said)
- `turn`         a Bot's turn: `number`, `bot`, `where`, `began` and `ended` (ms; null where it goes on), `at` and
                 `until` (the user's clock), `mode`, `matter` (plan and ticket, or null), `state`, `reason`, `opened_by`
                 (the line's text, or null), `event` (the step of the event that opened it), `ran` [str]
- `woke`         what a line came to for a Bot: `line` (its step), `bot`, `why` (it was to read it, or was not),
                 `became`, `turn` (the step of the turn that read it, or null) and its `number`
- `held`         a hold: `hold` (its number), `over` (its scope in words), `by` (what made it), `void`, the `rooms`
                 and `bots` [str] that it is over, `began` and `ended` (ms; null where it stands), `at` and `until`,
                 `lifted` (by what, or null), `stopped` [{`number`, `turn` (its step)}], `kept` [{`at`, `bot`, `by`}]
                 (who was kept from waking, and by what it would have been), `event` (the step of the one that made it)
- `event`        what the collaboration core took in: `at` (the user's clock), `ms`, `what` (its kind), and its fields
- `effect`       what it had done outside: `at`, `ms`, `what` ("read", "judge", "hop", "run_tool" …), `effect` (its
                 number), `turn` (or null), `subject`, `body`
- `act`          what an event, or an effect's beginning, made of a household: `at`, `ms`, `what`, and in numbers
                 of the store `plan` and its `session`; a segment (`turn`) that `opens`, `moves` or `ends`, with `bot`,
                 `session`, `plan`, `ticket`, `mode` and `opened_by` (the segment whose line did, or that it goes on
                 with), `calls` a `tool`, or `says` something; a `hold` that `holds` (its `scope`, what that names,
                 `source`, and the Bots that an older version has `let_go`) or `lifts`
- `wire`         a session resumed by the real CLI: `version`, `rows` [{`state` ("same" | "changed" | "added" | "lost" |
                 "foreign"), `what` (the CLI did), `role`, `row` (line of the candidate, 0 for the new prompt, or null),
                 `message` (place in the request, or null), `carried`, `sent` (texts, or null)}], `did` [str]
- `lab`          what a `cli-check` came to, without `transcript`: `verdict` ("GO" | "NO-GO"), `reasons` [str],
                 `versions` [{`version`, `unsupported` (why, or null), `failures` [str], `warnings` [str],
                 `record_kinds` [str], `wire` [str], `hook` [str], `made` [str] (looks without a fault)}],
                 `differences` [{`what`, `gone` [str], `new` [str]}]
- `acceptance`   what an `accept` came to, without `transcript`: `verdict` ("GO" | "NO-GO"), `reasons` [str],
                 `checks` [{`name`, `rule` (or null), `state` ("holds" | "fails" | "not checked"), `said`}],
                 `people` [{`rule`, `name`, `says`, `done` (null)}], `subject` (digests that it is on, or null)
- `drill`        what a `drill` came to, without `transcript`: `verdict` ("passed" | "failed"), `reasons` [str],
                 `version`, `door`, `stages` [{`name`, `rule`, `ok` (null where it was not reached), `saw`}]
- `incident`     an operation's evidence, replayed, without `transcript`: `operation`, `verdict` ("same" | "differs"),
                 `then` and `now` {`state`, `conflict`, `error`}, `course` [{`at`, `event`, `state`, `detail`}],
                 `differences` [{`what`, `then`, `now`}], `moved` [{`role`, `origin`, `line`, `text`, `when` ("then" |
                 "now")}]: items that only one side carries, `moved_more` (count not listed), `notes` [str]
- `verdict`      `verdict` ("green" | "red"), `why` [str]
- `end`          `verdict` ("green" | "red"), `green`, `red` (counts); of `run` and `replay` also `labels`
                 {label: failures}, `scenarios` {`incidents`, `precautions`}, `field` {`wording` (how far this has
                 come), `acceptance` (on what, or null), `why`}
- `alert`        somebody was to be told, without `transcript`: `state` ("delivered" | "channel unproved" | "not sent"),
                 `message_id` (read back at the receiver, or null), `said`, `by` (which source decided), `sources`
                 {name: verdict}, `against` [str]
"""

import json
from pathlib import Path
from typing import Any, TextIO

import msgspec


class _Step(msgspec.Struct):
    step: int
    kind: str


class _Run(_Step):
    version: str = ""


class _Check(_Step, kw_only=True):
    ok: bool


class _Verdict(_Step, kw_only=True):
    verdict: str


class _End(_Verdict, kw_only=True):
    labels: dict[str, int] | None = None


class _Acceptance(_Verdict, kw_only=True):
    subject: dict[str, str | int] | None = None


_FORMS = {"run": _Run, "check": _Check, "verdict": _Verdict, "end": _End, "acceptance": _Acceptance}
"""Of the kinds that something is decided by, what it is decided by."""


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
    """The steps of a run log, in order. Raises OSError, and ValueError that names the line that is no step."""
    steps, torn = read_begun(path)
    if torn:
        raise ValueError(f"line {len(steps) + 1}: it breaks off")
    return steps


def read_begun(path: Path) -> tuple[list[dict[str, Any]], bool]:
    """The steps of a run log that may still be being written, and whether its last line is torn.

    Raises OSError, and ValueError that names the line that is no step.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    steps: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        try:
            steps.append(_step(line))
        except json.JSONDecodeError as wrong:
            if number == len(lines):
                return steps, True
            raise ValueError(f"line {number}: not a step of a run log ({wrong})") from None
        except (ValueError, RecursionError) as wrong:
            raise ValueError(f"line {number}: not a step of a run log ({wrong})") from None
    return steps, False


def _step(line: str) -> dict[str, Any]:
    step: dict[str, Any] = json.loads(line)
    kind = msgspec.convert(step, _Step).kind
    msgspec.convert(step, _FORMS.get(kind, _Step))
    return step
