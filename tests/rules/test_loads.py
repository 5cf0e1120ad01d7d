"""What the host needs to load a candidate, as its versions were measured: none that it would not load passes."""

import json
from pathlib import Path
from typing import Any

from carrying import SESSION

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.carry.plan import plan_file
from threadrebuild.carry.rows import rows_of
from threadrebuild.carry.verification import verify_candidate
from threadrebuild.config import Settings

PROBES = ("我们开始吧,先看第一件事", "中间那个数是 48 213", "到此为止:两件事都定了")
"""The opening line, a figure from the middle, the closing result."""

Row = dict[str, Any]


def built(folder: Path) -> list[Row]:
    """The rows of a candidate, before anything of them is written or verified."""
    talk = Talk()
    talk.user(PROBES[0])
    talk.assistant("好。")
    for number in range(20):
        talk.user(f"第 {number} 问")
        talk.assistant(PROBES[1] if number == 10 else f"第 {number} 答")
    talk.user("那就这样")
    talk.assistant(PROBES[2])
    folder.mkdir(exist_ok=True)
    plan = plan_file(talk.write(folder / "source.jsonl"), Settings())
    return [json.loads(row.line) for row in rows_of(plan, SESSION)]


def in_context(rows: list[Row]) -> str:
    """What the host has in context: the rows that lead up from the last one, each by its parent's id."""
    by_id = {row.get("uuid"): row for row in rows}
    loaded: list[Row] = []
    row = rows[-1] if rows else None
    while row is not None and row not in loaded:
        loaded.append(row)
        row = by_id.get(row.get("parentUuid")) if row.get("parentUuid") else None
    return json.dumps([row["message"] for row in loaded], ensure_ascii=False)


def failed(rows: list[Row], folder: Path) -> set[str]:
    """The checks of a candidate that do not hold."""
    path = folder / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return {check.name for check in verify_candidate(path, SESSION, None).checks if check.ok is False}


def last(rows: list[Row], **fields: Any) -> list[Row]:
    """The rows with other fields in the last one, whose message keeps its own unless another is given."""
    return [*rows[:-1], rows[-1] | fields]


@proves("TR-072")
def test_no_candidate_passes_that_the_host_would_not_load(tmp_path: Path) -> None:
    rows = built(tmp_path)
    expect_equal(
        "TR-064", failed(rows, tmp_path) - {"timestamp", "item_id", "model"}, set(), "other checks of a good one"
    )
    expect_equal("TR-072", failed(rows, tmp_path), set(), "what a good candidate fails")
    context = in_context(rows)
    for probe in PROBES:
        expect("TR-072", probe in context, f"{probe!r} is in context")
    message, before = rows[-1]["message"], rows[-2]["timestamp"]
    # Without a model some versions hang; a synthetic one is no model.
    for model in (None, "", "<synthetic>"):
        found = failed(last(rows, message=message | {"model": model}), tmp_path)
        expect_equal("TR-072", found, {"model"}, f"an assistant row with the model {model!r}")
    # Without times that ascend older versions load the first row alone, or find no session.
    for time in (None, "", before, "2000-01-01T00:00:00.000Z"):
        found = failed(last(rows, timestamp=time), tmp_path)
        expect_equal("TR-072", found, {"timestamp"}, f"a row with the time {time!r} after {before}")
    # Without ids every version loads the last row alone.
    found = failed(last(rows, uuid=None), tmp_path)
    expect_equal("TR-072", found, {"item_id"}, "a row without an id")
    unlinked = [row | {"parentUuid": None} for row in rows]
    expect("TR-072", PROBES[0] not in in_context(unlinked), "unlinked rows are not in context: the probe can fail")
    expect("TR-062", "parent" in failed(unlinked, tmp_path), "rows that are not linked do not pass")
