"""The bench's transcript: the same bytes for the same seed, and the mixture of the reference file."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from harness.world.months import SHARES, write_months

ROOT = Path(__file__).parents[2]
SIZE = 8.0


def texts_of(row: dict[str, Any]) -> tuple[str, str]:
    """(kind, text) of a row of the bench's transcript, read without the generator's knowledge."""
    if row["type"] == "system":
        return "system", row["content"]
    content = row["message"]["content"]
    if isinstance(content, str):
        if not row.get("isMeta"):
            return "conversation", content
        within = content.removeprefix("<system-reminder>\n").removesuffix("\n</system-reminder>")
        return ("meta_injection" if within == content else "injected_block"), within
    (block,) = content
    if block["type"] == "tool_use":
        return "tool_use", block["input"]["command"]
    if block["type"] == "tool_result":
        return "tool_result", block["content"]
    return ("conversation", block["text"]) if block["type"] == "text" else ("thinking", block["thinking"])


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    digests = []
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        write_months(tmp_path / name, 2.0, seed)
        digests.append(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert digests[0] == digests[1] != digests[2]


def test_the_hash_seed_of_the_process_does_not_matter(tmp_path: Path) -> None:
    write = "import sys, pathlib; from harness.world.months import write_months as w; "
    write += "w(pathlib.Path(sys.argv[1]), 0.3, 7)"
    for seed in ("1", "2"):
        command = [sys.executable, "-c", write, str(tmp_path / seed)]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": seed}, cwd=ROOT)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_kinds_have_the_shares_and_the_order_of_the_reference_file(tmp_path: Path) -> None:
    written = write_months(tmp_path / "months.jsonl", SIZE, 1)
    found = dict.fromkeys(SHARES, 0)
    for line in (tmp_path / "months.jsonl").read_bytes().splitlines():
        kind, text = texts_of(json.loads(line))
        found[kind] += len(text.encode())
    assert found == written
    for kind, share in SHARES.items():
        ratio = found[kind] / sum(found.values()) / (share / sum(SHARES.values()))
        assert 0.9 < ratio < 1.1, kind
    # The order that TR-059 states; conversation is counted apart.
    load = ["tool_result", "meta_injection", "tool_use", "system", "injected_block", "thinking"]
    assert sorted(load, key=lambda kind: -found[kind]) == load


def test_the_file_has_the_size_asked_for_and_short_lines(tmp_path: Path) -> None:
    write_months(tmp_path / "months.jsonl", SIZE, 2)
    data = (tmp_path / "months.jsonl").read_bytes()
    assert abs(len(data) / (SIZE * 1e6) - 1) < 0.1
    assert median(map(len, data.splitlines())) <= 2048
    assert len(data.decode()) < len(data), "Chinese is among it"


def test_rows_form_one_chain_and_calls_have_results(tmp_path: Path) -> None:
    write_months(tmp_path / "months.jsonl", 2.0, 3)
    rows = [json.loads(line) for line in (tmp_path / "months.jsonl").read_bytes().splitlines()]
    assert [row["parentUuid"] for row in rows] == [None, *[row["uuid"] for row in rows[:-1]]]
    assert len({row["uuid"] for row in rows}) == len(rows)
    times = [row["timestamp"] for row in rows]
    assert times == sorted(set(times))
    contents = [row["message"]["content"] for row in rows if row["type"] != "system"]
    blocks = [content[0] for content in contents if isinstance(content, list)]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert len(set(calls)) == len(calls)
    assert results == calls[: len(results)]
