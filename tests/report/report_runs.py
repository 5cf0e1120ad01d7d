"""Run logs to look at: every case a report has to show, written through `RunLog` as a real run would.

Figures are made up but agree with each other, so that a test can say what the page must show.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.runlog import RunLog

COMMAND = ["rebuild-harness", "replay", "golden", "--out", "reports/demo run"]
RLO, ZWSP, LONE, NUL = "\u202e", "\u200b", "\ud83d", "\x00"
HOSTILE = [
    "</script><script>document.title = 'owned'</script>",
    "<img src=https://example.invalid/x.png onerror=alert(1)>",
    "]]> --> <!-- {{ 7 * 7 }} {% raw %} &amp; &#0; \\ud83d",
    f"file{RLO}fdp.exe is not what it se{ZWSP}ems, and {NUL} ends nothing\r\nsecond line",
    f"half a pair {LONE}, a joined 👩‍💻, a heart ❤️, a name\u00a0kept together",
    "שלום עולם, then English, then العربية 123",
]
CHINESE = "今晚的月色真好。我把昨天没说完的故事接着讲：从前有一条月鳞鲤，住在很深的湖里，每逢十五浮上来看月亮。"
REASONS = {
    "carried": "said by a person or by the assistant",
    "startup": "the startup package, frozen",
    "tool results": "run traces, left behind (TR-008)",
    "tool calls": "run traces, left behind (TR-010)",
    "thinking": "left behind (TR-009)",
    "envelope": "row keys around a message, written anew",
    "unreadable": "not a row",
}


def item(role: str, text: str, line: int, origin: str = "speech", carried: bool = True) -> dict[str, Any]:
    data = text.encode("utf-8", "surrogatepass")
    return {
        "role": role, "origin": origin, "line": line, "offset": line * 700, "length": len(data) + 2,
        "text": text, "carried": carried, "time": f"2026-08-14T09:{line % 60:02}:00.000Z",
        "sha256": hashlib.sha256(data).hexdigest(),
    }  # fmt: skip


def turn(number: int, *items: dict[str, Any], open: bool = False) -> dict[str, Any]:
    return {
        "number": number,
        "open": open,
        "tokens": sum(len(each["text"]) for each in items),
        "items": list(items),
    }


def start(log: RunLog, command: list[str]) -> None:
    log.add("run", command=command, version="0.1.0", settings={"open_tail": True, "malformed": "refuse"})


def source(log: RunLog, index: int, name: str, size: int, expected: bool = True) -> None:
    path = f"golden/{name}.jsonl"
    log.add(
        "source", transcript=index, name=name, path=path, bytes=size, sha256="ab" * 32, lines=41,
        cli_versions=["2.1.199"], expected=f"golden/{name}.expect.json" if expected else None,
        command=["rebuild-harness", "replay", path],
    )  # fmt: skip


def ledger(log: RunLog, index: int, size: int, missing: int = 0) -> None:
    shares = {
        "carried": 60,
        "startup": 40,
        "tool results": 700,
        "tool calls": 90,
        "thinking": 20,
        "unreadable": 1,
    }
    classes = [{"name": name, "bytes": size * share // 1000, "reason": REASONS[name]} for name, share in shares.items()]
    rest = size - missing - sum(row["bytes"] for row in classes)
    classes.insert(-1, {"name": "envelope", "bytes": rest, "reason": REASONS["envelope"]})
    log.add("ledger", transcript=index, classes=classes, sum=size - missing, size=size)


def talk(log: RunLog, index: int, turns: list[dict[str, Any]], abandoned: bool = False) -> None:
    gone = [
        {"role": "user", "text": "不好，重来", "line": 3},
        {"role": "assistant", "text": "第二版：云淡风轻", "line": 4},
    ]
    startup = {
        "frozen": True,
        "sha256": "cd" * 32,
        "texts": ["<system-reminder>\n# CLAUDE.md\nBe kind.\n</system-reminder>"],
    }
    log.add("turns", transcript=index, turns=turns, startup=startup, abandoned=gone if abandoned else [])


def chain(log: RunLog, index: int, notes: list[dict[str, Any]]) -> None:
    figures = {"roots": 1, "forks": len(notes), "dangling": 0, "duplicates": 0, "cycles": 0, "rows": 41}
    log.add("chain", transcript=index, **figures, notes=notes)


def check(log: RunLog, index: int, by: str, name: str, said: str, ok: bool = True, **more: Any) -> None:
    fields = {"rule": None, "wanted": None, "seen": None} | more
    log.add("check", transcript=index, by=by, name=name, ok=ok, said=said, **fields)


def checks(log: RunLog, index: int) -> None:
    check(
        log,
        index,
        "verification",
        "items",
        "Every item of the manifest stands in the new file.",
        rule="TR-063",
    )
    check(log, index, "oracle", "utterances", "Both readers found the same utterances.", rule="TR-L07")
    check(log, index, "expectation", "turns", "The number of turns is as written down.", wanted="3", seen="3")
    check(log, index, "invariant", "ledger", "The classes add up to the file.", rule="TR-L06")


def candidate(log: RunLog, index: int, reason: str | None = None) -> None:
    made = (
        None
        if reason
        else {
            "path": "out/5f0c.jsonl",
            "session_id": "5f0c9c1e",
            "rows": 7,
            "items": 9,
            "bytes": 4321,
            "sha256": "ef" * 32,
        }
    )
    empty = dict.fromkeys(["path", "session_id", "rows", "items", "bytes", "sha256"])
    log.add(
        "candidate",
        transcript=index,
        verdict="refused" if reason else "carried",
        reason=reason,
        **(made or empty),
    )


def green(log: RunLog, index: int, name: str = "made/plain", turns: int = 3) -> None:
    said = [
        turn(
            n,
            item("user", f"{CHINESE} ({n})", 2 * n),
            item("assistant", f"第 {n} 段 — and so the tale goes on, part {n}.", 2 * n + 1),
        )
        for n in range(1, turns + 1)
    ]
    source(log, index, name, 173_471 + index)
    ledger(log, index, 173_471 + index)
    talk(log, index, said)
    chain(log, index, [])
    log.add("warnings", transcript=index, warnings=[])
    log.add(
        "dirty", transcript=index, categories={"tool_result": 121_429, "tool_use": 15_612},
        total_bytes=137_041, conversation_bytes=10_408, noise_ratio=0.9294, should_rebuild=False, reasons=[],
    )  # fmt: skip
    candidate(log, index)
    checks(log, index)
    log.add("verdict", transcript=index, verdict="green", why=[])


def ledger_only(log: RunLog, index: int) -> None:
    ledger(log, index, 9_002)


def refused(log: RunLog, index: int, name: str = "made/malformed-middle") -> None:
    source(log, index, name, 9_002)
    ledger(log, index, 9_002)
    log.add(
        "warnings",
        transcript=index,
        warnings=[{"code": "unreadable-line", "line": 7, "detail": "expecting ',' at byte 31"}],
    )
    candidate(log, index, "unreadable-line")
    check(
        log,
        index,
        "expectation",
        "verdict",
        "It is refused as written down.",
        wanted="refused",
        seen="refused",
    )
    log.add("verdict", transcript=index, verdict="green", why=[])


def red(log: RunLog, index: int, name: str = "cli/2.1.199/interactive") -> None:
    wanted, seen = f"{CHINESE}\n\n\n尾巴 ", f"{CHINESE}\n\n尾巴"
    source(log, index, name, 24_510)
    ledger(log, index, 24_510)
    first = turn(
        1,
        item("user", wanted, 2),
        item("assistant", "说完了。", 3),
        item("assistant", "发不出去的话", 4, "reply", False),
    )
    talk(log, index, [first, turn(2, item("user", "在吗", 6, "channel"), open=True)], abandoned=True)
    chain(log, index, [{"code": "fork", "line": 5, "detail": "row 5 and row 3 follow row 2"}])
    warned = [
        {"code": "fork", "line": 5, "detail": "2 branches"},
        {"code": "moon-phase", "line": None, "detail": "unknown code"},
    ]
    log.add("warnings", transcript=index, warnings=warned)
    log.add("left", transcript=index, paths=["/home/user/project/notes.md"], commands=["ls -la", "pytest -q"])
    candidate(log, index)
    checks(log, index)
    check(
        log,
        index,
        "oracle",
        "texts",
        "Utterance 1 is not the same.",
        ok=False,
        rule="TR-L08",
        wanted=wanted,
        seen=seen,
    )
    sides = [
        {"line": line, "offset": 1400, "bytes": text.encode().hex(), "text": text}
        for line, text in ((2, wanted), (1, seen))
    ]
    log.add("difference", transcript=index, where="utterance 1, user", source=sides[0], candidate=sides[1])
    log.add("difference", transcript=index, where="utterance 2, assistant", source=sides[0], candidate=None)
    log.add(
        "verdict",
        transcript=index,
        verdict="red",
        why=["oracle: utterance 1 is not the same", "2 differences"],
    )


def hostile(log: RunLog, index: int, name: str = f"odd/{RLO}txt.<b>") -> None:
    long = [item("assistant", "x" * 100_000 + " end of the long line", 90)]
    source(log, index, name, 600_000, expected=False)
    ledger(log, index, 600_000)
    talk(
        log,
        index,
        [turn(n, item("user", text, n)) for n, text in enumerate(HOSTILE, start=1)] + [turn(7, *long)],
    )
    log.add("warnings", transcript=index, warnings=[{"code": "lone-surrogate", "line": 5, "detail": HOSTILE[0]}])
    candidate(log, index)
    check(log, index, "invariant", "odd", HOSTILE[0], wanted=HOSTILE[3], seen=HOSTILE[4])
    log.add("verdict", transcript=index, verdict="green", why=[])


def write(
    path: Path,
    *cases: Callable[[RunLog, int], None],
    end: str | None = "green",
    reds: int = 0,
    command: list[str] = COMMAND,
) -> Path:
    """A run log at `path` of these cases, closed with `end` unless that is None."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        log = RunLog(out)
        start(log, command)
        for index, case in enumerate(cases):
            case(log, index)
        log.add("weather", transcript=0, sky="a kind of step that no report knows")
        if end:
            log.add("end", verdict=end, green=len(cases) - reds, red=reds)
    return path


def one(path: Path) -> Path:
    return write(path, green)


def mixed(path: Path) -> Path:
    """One red, one refused as expected, one hostile, and three plain ones."""
    cases = [lambda log, i: green(log, i, f"made/plain-{i}")] * 2
    return write(path, *cases, refused, red, hostile, cases[0], end="red", reds=1)


def many(path: Path, count: int = 200) -> Path:
    return write(path, *[lambda log, i: green(log, i, f"cli/2.1.{i}/p-four-turns")] * count)


def long(path: Path, turns: int = 5000) -> Path:
    return write(path, lambda log, i: green(log, i, "months", turns))
