"""Records whose optional fields are left out, as a newer host may do: every word is carried all the same."""

import json
from pathlib import Path
from typing import Any

from carrying import Carried, carry

from harness.expect import expect, expect_equal, proves
from harness.lab.recordings import bare
from harness.oracle.candidate import resume_faults

GOLDEN = Path(__file__).parents[2] / "golden"
RECORDINGS = ("cli/2.1.332/interactive", "cli/2.1.199/lab-printed", "cli/2.0.42/p-four-turns")
LEFT_OUT = GOLDEN / "made" / "optional-fields-left-out.jsonl"
MADE_FROM = GOLDEN / "cli" / "2.1.332" / "interactive.jsonl"
SPOKEN = ("user", "assistant", "attachment", "system", "queue-operation")


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def carried_whole(rows: list[dict[str, Any]], folder: Path, what: str) -> Carried | None:
    """What became of the rows; None where the carry ended with an exception, as it must not."""
    try:
        return carry(lines(rows), folder)
    except Exception as error:
        expect("WN-06", False, f"{what}: the carry ends with {error!r}")
    return None


@proves("WN-06")
def test_records_without_optional_fields_are_carried(tmp_path: Path) -> None:
    for name in RECORDINGS:
        path = GOLDEN / f"{name}.jsonl"
        wanted = [
            (each["role"], each["text"])
            for each in json.loads(path.with_suffix(".expect.json").read_text())["utterances"]
        ]
        rows = rows_of(path)
        whole = carry(lines(rows), tmp_path / "whole" / name)
        expect_equal("TR-027", whole.said, wanted, f"{name} as it was recorded")
        less = carried_whole([bare(row) for row in rows], tmp_path / "less" / name, name)
        said = less.said if less else None
        expect_equal("WN-06", said, wanted, f"{name} without any optional field")
        faults = resume_faults(less.candidate.path) if less else []
        expect_equal("WN-06", faults, [], f"{name} without any optional field, as the host resumes it")


def test_each_optional_field_alone_may_be_missing(tmp_path: Path) -> None:
    rows = rows_of(MADE_FROM)
    names = sorted({name for row in rows if row["type"] in SPOKEN for name in row.keys() - bare(row).keys()})
    assert {"timestamp", "version", "cwd", "gitBranch", "rendered", "promptSource"} <= set(names)
    wanted = carry(lines(rows), tmp_path / "whole").said
    for name in names:
        without = [{key: value for key, value in row.items() if key != name} for row in rows]
        assert carry(lines(without), tmp_path / name).said == wanted, name


def test_the_recording_without_them_is_made_from_the_one_with_them() -> None:
    made = [bare(row) for row in rows_of(MADE_FROM) if row["type"] in SPOKEN]
    assert LEFT_OUT.read_bytes() == lines(made)
    assert len(made) < len(rows_of(MADE_FROM))
