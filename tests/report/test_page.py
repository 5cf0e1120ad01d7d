import base64
import hashlib
import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import report_runs as runs

from harness.report.page import write_report
from harness.runlog import read_run

VOID = {"meta", "input", "br", "rect"}  # rect closes itself


class Tags(HTMLParser):
    """The tags of a page with their attributes, and the stack check that HTML itself forgives."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def values(self, name: str) -> list[str]:
        return [attrs[name] for _, attrs in self.tags if name in attrs]


def page_of(log: Path) -> str:
    page = log.with_suffix(".html")
    write_report(log, page)
    return page.read_text(encoding="utf-8")


def words_of(page: str) -> str:
    """What a reader sees, white space collapsed."""
    body = page[page.index("<body>") : page.index("<script>", page.index("<body>"))]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


CASES = [
    pytest.param(runs.one, id="one"),
    pytest.param(runs.mixed, id="mixed"),
    pytest.param(lambda path: runs.many(path, 30), id="many"),
    pytest.param(lambda path: runs.long(path, 120), id="long"),
    pytest.param(lambda path: runs.write(path, runs.red, end=None), id="unfinished"),
    pytest.param(lambda path: runs.write(path), id="nothing"),
]


@pytest.mark.parametrize("case", CASES)
def test_every_page_is_well_formed_and_points_only_into_itself(tmp_path: Path, case) -> None:
    log = case(tmp_path / "run.jsonl")
    page = page_of(log)
    tags = Tags(page)
    assert tags.open == []
    ids = tags.values("id")
    assert len(ids) == len(set(ids))
    for link in tags.values("href"):
        assert link.startswith("#") and link[1:] in ids, link
    assert not {"src", "style", "onclick", "onload", "action"} & {name for _, attrs in tags.tags for name in attrs}
    assert not {"img", "link", "iframe", "object", "base", "form"} & {tag for tag, _ in tags.tags}


@pytest.mark.parametrize("case", CASES)
def test_every_step_that_a_page_names_stands_in_the_run_log(tmp_path: Path, case) -> None:
    log = case(tmp_path / "run.jsonl")
    page = page_of(log)
    steps = {step["step"] for step in read_run(log)}
    named = {int(number) for number in re.findall(r'title="step (\d+) of the run log', page)}
    assert named
    assert named <= steps


def test_every_figure_of_the_ledger_names_its_step(tmp_path: Path) -> None:
    log = runs.one(tmp_path / "run.jsonl")
    page = page_of(log)
    ledger = next(step for step in read_run(log) if step["kind"] == "ledger")
    for figure in [ledger["sum"], ledger["size"], *(row["bytes"] for row in ledger["classes"])]:
        assert f'<span class="n" title="step {ledger["step"]} of the run log">{figure:,}</span>' in page


def test_the_policy_allows_the_inlined_style_and_script_and_nothing_else(tmp_path: Path) -> None:
    page = page_of(runs.mixed(tmp_path / "run.jsonl"))
    tags = Tags(page)
    policy = next(a["content"] for tag, a in tags.tags if a.get("http-equiv") == "Content-Security-Policy")

    def digest(tag: str) -> str:
        blocks = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert len(blocks) == 1
        return base64.b64encode(hashlib.sha256(blocks[0].encode()).digest()).decode()

    assert [part.strip() for part in policy.split(";")] == [
        "default-src 'none'",
        f"style-src 'sha256-{digest('style')}'",
        f"script-src 'sha256-{digest('script')}'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ]
    assert [tag for tag, _ in tags.tags].count("script") == 1


def test_no_external_address_but_in_what_people_said(tmp_path: Path) -> None:
    page = page_of(runs.mixed(tmp_path / "run.jsonl"))
    addresses = re.findall(r"(?:https?:)?//[\w.-]+\.\w+", page)
    assert set(addresses) == {"https://example.invalid"}
    assert "url(" not in page and "@import" not in page


def test_hostile_texts_arrive_as_text(tmp_path: Path) -> None:
    page = page_of(runs.write(tmp_path / "run.jsonl", runs.hostile))
    assert "<img" not in page
    assert html.escape(runs.HOSTILE[0]).replace("&#x27;", "&#39;") in page
    assert "{{ 7 * 7 }} {% raw %} &amp;amp; &amp;#0; \\ud83d" in page
    for raw in (runs.RLO, runs.ZWSP, runs.NUL, "\r", "\u00a0"):
        assert raw not in page
    assert "x" * 100_000 + " end of the long line" in page
    for label in ("RLO", "ZWSP", "NUL", "CR", "NBSP", "U+D83D"):
        assert re.search(rf'<span class="ctl" title="[^"]*">{re.escape(label)}</span>', page), label
    assert "👩‍💻" in page and "❤️" in page
    assert "odd/⟨RLO⟩txt.&lt;b&gt;" in page


def test_red_comes_first_and_says_why(tmp_path: Path) -> None:
    page = page_of(runs.mixed(tmp_path / "run.jsonl"))
    said = words_of(page)
    assert "5 green, 1 red" in said
    assert "✗ Red, although carried" in said and "oracle: utterance 1 is not the same" in said
    order = re.findall(r'<details class="transcript" id="t(\d+)"( open)?>', page)
    assert order[0] == ("3", " open")
    assert [index for index, is_open in order if is_open] == ["3"]
    assert sorted(index for index, _ in order) == ["0", "1", "2", "3", "4", "5"]


def test_a_failing_check_stands_before_the_ones_that_hold(tmp_path: Path) -> None:
    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", runs.red, end="red", reds=1)))
    fails, holds = said.index("fails Utterance 1 is not the same."), said.index("Checks that hold")
    assert fails < said.index("Where the bytes went") < holds
    assert "5 checks were made; 1 failed. 2 warnings." in said


def test_refused_as_expected_reads_so_and_tells_the_reason(tmp_path: Path) -> None:
    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", runs.refused)))
    assert "✓ Refused, as expected" in said
    assert "unreadable-line . A line is not readable as a row." in said
    assert "Nothing was written." in said


def test_refused_without_a_statement_is_no_failed_expectation(tmp_path: Path) -> None:
    def own(log: runs.RunLog, index: int) -> None:
        runs.source(log, index, "own", 9_002, expected=False)
        runs.candidate(log, index, "unreadable-line: line 4 at byte 31 is no row")
        runs.check(log, index, "invariant", "source", "The source is untouched.")
        log.add("verdict", transcript=index, verdict="red", why=["line 4 at byte 31 is no row"])

    page = page_of(runs.write(tmp_path / "run.jsonl", own, end="red", reds=1))
    said = words_of(page)
    assert "✗ Refused" in said and "What fails" not in said and "beforehand" not in said
    for once in ("line 4 at byte 31 is no row", "unreadable-line", "A line is not readable as a row."):
        assert said.count(once) == 1


def test_the_ledger_says_whether_it_adds_up(tmp_path: Path) -> None:
    assert "The classes add up to 173,471 bytes, the file's size. Every byte is accounted for." in words_of(
        page_of(runs.one(tmp_path / "run.jsonl"))
    )

    def short(log: runs.RunLog, index: int) -> None:
        runs.ledger(log, index, 5_000, missing=7)
        log.add("verdict", transcript=index, verdict="green", why=[])

    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", short)))
    assert "The classes add up to 4,993 bytes, but the file has 5,000 ." in said
    assert "Every byte is accounted for" not in said
    assert "green although bytes are unaccounted for. Do not rely on it." in said
    assert "✗ Not to be relied on" in said
    assert "calls the run green although a transcript is red" in said


def test_a_red_end_over_green_transcripts_is_not_believed_either(tmp_path: Path) -> None:
    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", runs.green, runs.green, end="red")))
    assert "✗ Not to be relied on" in said and "calls the run red although no transcript is red" in said


def test_a_transcript_without_a_verdict_is_not_judged(tmp_path: Path) -> None:
    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", runs.ledger_only, runs.green)))
    assert "… Not to be relied on" in said and "… Not judged" in said
    assert "ended although not every transcript was judged" in said


def test_a_run_of_nothing_judges_nothing(tmp_path: Path) -> None:
    said = words_of(page_of(runs.write(tmp_path / "run.jsonl")))
    assert "… Nothing was judged" in said and "All green" not in said


def test_a_green_verdict_over_a_failed_check_is_not_believed(tmp_path: Path) -> None:
    def torn(log: runs.RunLog, index: int) -> None:
        runs.check(log, index, "oracle", "texts", "They differ.", ok=False)
        log.add("verdict", transcript=index, verdict="green", why=[])

    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", torn)))
    assert "✗ Red" in said and "green although a check failed. Do not rely on it." in said


def test_known_warnings_are_explained_and_unknown_ones_shown_as_they_are(tmp_path: Path) -> None:
    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", runs.red, end="red", reds=1)))
    assert "fork line 5 The talk was rewound" in said
    assert "moon-phase unknown code" in said


def test_unknown_kinds_of_steps_are_ignored(tmp_path: Path) -> None:
    page = page_of(runs.one(tmp_path / "run.jsonl"))
    assert "weather" not in page and "no report knows" not in page


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    log = runs.write(tmp_path / "run.jsonl", runs.green, end=None)
    last = len(read_run(log))
    said = words_of(page_of(log))
    assert "This run did not finish" in said and f"until step {last};" in said
    assert "breaks off" not in said


def test_a_log_that_breaks_off_inside_its_last_line_is_read_up_to_there(tmp_path: Path) -> None:
    log = runs.one(tmp_path / "run.jsonl")
    whole = log.read_bytes()
    log.write_bytes(whole[:-20])
    said = words_of(page_of(log))
    assert "has no closing step and breaks off inside a line" in said
    assert "Every byte is accounted for" in said


def test_an_unreadable_line_in_the_middle_is_an_error_that_names_it(tmp_path: Path) -> None:
    log = runs.one(tmp_path / "run.jsonl")
    lines = log.read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3][:-5]
    log.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ValueError, match=r"run\.jsonl, line 4"):
        write_report(log, tmp_path / "page.html")


def test_an_empty_log_gives_a_page(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    log.write_text("", encoding="utf-8")
    assert "This run did not finish" in words_of(page_of(log))


def test_the_same_log_gives_the_same_bytes(tmp_path: Path) -> None:
    log = runs.mixed(tmp_path / "run.jsonl")
    assert page_of(log) == page_of(log)


def test_long_talks_are_folded_and_short_ones_are_not(tmp_path: Path) -> None:
    assert page_of(runs.long(tmp_path / "a.jsonl", 50)).count('<details class="chunk">') == 0
    page = page_of(runs.long(tmp_path / "b.jsonl", 51))
    assert page.count('<details class="chunk">') == 2
    assert "Turns 1–50" in words_of(page) and "Turns 51–51" in words_of(page)
    assert page.count('<section class="turn"') == 51


def test_the_command_of_the_run_and_of_each_transcript_can_be_pasted(tmp_path: Path) -> None:
    said = words_of(page_of(runs.one(tmp_path / "run.jsonl")))
    assert "rebuild-harness replay golden --out 'reports/demo run'" in said
    assert "rebuild-harness replay golden/made/plain.jsonl" in said


def test_what_is_left_behind_is_listed(tmp_path: Path) -> None:
    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", runs.red, end="red", reds=1)))
    left = said[said.index("Said, and not carried 1 text") :]
    assert "发不出去的话" in left and "through a reply tool" in left
    assert "/home/user/project/notes.md" in left and "pytest -q" in left
    assert "This was said and then rewound." in said and "第二版：云淡风轻" in said


def test_long_lists_of_what_is_left_are_counted_and_folded(tmp_path: Path) -> None:
    def tidy(log: runs.RunLog, index: int) -> None:
        runs.source(log, index, "tidy", 9_002)
        paths, commands = [f"/p/{number}" for number in range(1, 102)], ["ls"]
        log.add("left", transcript=index, paths=paths, commands=commands)
        log.add("verdict", transcript=index, verdict="green", why=[])

    page = page_of(runs.write(tmp_path / "run.jsonl", tidy))
    said = words_of(page)
    left = page[page.index('id="t0-left"') :]
    left = left[: left.index("</section>")]
    assert left.count("<details") == left.count("<details>") + left.count('<details class="chunk">') == 2 + 3
    for part in (
        "stays behind 101 files",
        "1–50 /p/1 ",
        "51–100 /p/51 ",
        "101–101 /p/101 ",
        "stays behind 1 command ls",
    ):
        assert part in said


def test_nothing_left_behind_has_no_part_of_its_own(tmp_path: Path) -> None:
    def bare(log: runs.RunLog, index: int) -> None:
        log.add("left", transcript=index, paths=[], commands=[])

    assert "left behind" not in words_of(page_of(runs.write(tmp_path / "run.jsonl", bare))).lower()


def test_carried_only_with_report_says_both(tmp_path: Path) -> None:
    def torn(log: runs.RunLog, index: int) -> None:
        runs.source(log, index, "torn", 9_002)
        runs.candidate(log, index)
        runs.check(log, index, "expectation", "verdict", "verdict as stated")
        runs.check(log, index, "expectation", "with_report", "carried", wanted="carried", seen="carried")
        log.add("verdict", transcript=index, verdict="green", why=[])

    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", torn)))
    assert "✓ Refused, as expected; carried with --malformed report" in said


def test_the_classes_of_the_ledger_are_sorted_by_size(tmp_path: Path) -> None:
    page = page_of(runs.one(tmp_path / "run.jsonl"))
    table = page[page.index('<table class="ledger">') : page.index("<tfoot>")]
    sizes = [int(size.replace(",", "")) for size in re.findall(r"<td><span[^>]*>([\d,]+)<", table)]
    assert len(sizes) == 7 and sizes == sorted(sizes, reverse=True)


def test_a_run_of_scenarios_speaks_of_scenarios(tmp_path: Path) -> None:
    command = ["rebuild-harness", "run", "scenarios"]
    said = words_of(page_of(runs.write(tmp_path / "run.jsonl", runs.green, runs.green, command=command)))
    assert "All scenarios, red ones first Scenario Verdict" in said and "next, previous scenario or turn" in said
    assert "transcript" not in said[: said.index("made/plain")].lower()
    assert "All transcripts, red ones first" in words_of(page_of(runs.mixed(tmp_path / "other.jsonl")))
