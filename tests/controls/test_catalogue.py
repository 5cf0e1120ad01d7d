"""The catalogue's tables are read whole, and every slip in them is named with file, line and reason."""

from pathlib import Path

import pytest

from harness.rules import CatalogueError, read_exceptions, read_rules, selected

HEADER = "| id | level | rule | numbers | incident | fires when |\n| --- | --- | --- | --- | --- | --- |\n"


def written(folder: Path, text: str) -> Path:
    (folder / "a.md").write_text(text, encoding="utf-8")
    return folder


def test_a_row_becomes_a_rule_with_its_place_and_without_its_dashes(tmp_path: Path) -> None:
    row = "| TR-042 | v0.2 | Say `a` \\| `b`. | – | 2026-08-14 | It does not. |\n"
    rule = read_rules(written(tmp_path, "# Title\n\n" + HEADER + row))["TR-042"]
    assert (rule.level, rule.text, rule.numbers) == ("v0.2", "Say `a` | `b`.", "")
    assert (rule.incident, rule.fires_when, rule.file, rule.line) == ("2026-08-14", "It does not.", "a.md", 5)
    assert not rule.presentation


def test_a_phrase_row_says_what_a_phrase_must_read_as(tmp_path: Path) -> None:
    header = "| id | phrase (verbatim) | must read as |\n| --- | --- | --- |\n"
    row = "| REQ-X01 | `12 秒处` | no number |\n"
    assert read_rules(written(tmp_path, header + row))["REQ-X01"].text == "`12 秒处`: no number"


def test_rules_under_presentation_only_are_marked_until_the_next_heading_of_its_rank(tmp_path: Path) -> None:
    parts = ["## One", HEADER + "| AA-1 | all | a | | | |", "## Presentation only"]
    parts += [
        "### Inner",
        HEADER + "| AA-2 | all | b | | | |",
        "## Next",
        HEADER + "| AA-3 | all | c | | | |",
    ]
    rules = read_rules(written(tmp_path, "\n\n".join(parts)))
    assert [rule.presentation for rule in rules.values()] == [False, True, False]


def test_tables_without_an_id_column_are_no_rules(tmp_path: Path) -> None:
    assert read_rules(written(tmp_path, "| about | decision |\n| --- | --- |\n| TR-1 | x |\n")) == {}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (HEADER + "| TR-1 | all | a | | | |\n| TR-1 | all | b | | | |\n", 4, "TR-1 stands at a.md:3 already"),
        (HEADER + "| TR-1 | all | a | b |\n", 3, "TR-1 has 4 cells, the table has 6 columns"),
        (HEADER + "| TR1 | all | a | | | |\n", 3, "'TR1' is no rule id"),
        (HEADER + "| TR-1 | all | | | | |\n", 3, "TR-1 has an empty cell: rule"),
        ("| TR-1 | all | a | | | |\n", 1, "TR-1 stands outside of a table"),
        ("TR-1 | all | a | | | |\n", 1, "a row must begin with a pipe"),
        ("| id | rule |\n| --- | --- |\n", 1, "unknown columns id, rule"),
    ],
)
def test_a_slip_is_named_with_file_line_and_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        read_rules(written(tmp_path, text))
    assert f"a.md:{line}: {reason}" in str(caught.value)


@pytest.mark.parametrize(
    ("row", "entry", "reason"),
    [
        ("| AA-1 | all | A dot. | | | |", "kind = 'presentation'", "needs exactly `kind` and `reason`"),
        ("| AA-1 | all | A dot. | | | |", "kind = 'other'\nreason = 'x'", "kind must be"),
        ("| AA-1 | all | A dot. | | | |", "kind = 'conduct'\nreason = ' '", "needs a reason"),
        (
            "| AA-1 | all | A dot. | | 09-07 | |",
            "kind = 'conduct'\nreason = 'x'",
            "carries an incident (09-07)",
        ),
        ("| AA-1 | all | Held. | | | |", "kind = 'conduct'\nreason = 'x'", "speaks of 'Held'"),
        ("| AA-1 | all | A dot. | | | Text is lost. |", "kind = 'conduct'\nreason = 'x'", "speaks of 'lost'"),
        ("| AA-1 | all | Invariants. | | | |", "kind = 'conduct'\nreason = 'x'", "speaks of 'Invariants'"),
        ("| AA-1 | all | After delivery. | | | |", "kind = 'conduct'\nreason = 'x'", "speaks of 'delivery'"),
        ("| AA-1 | all | A release. | | | |", "kind = 'conduct'\nreason = 'x'", "speaks of 'release'"),
        ("| AA-2 | all | A dot. | | | |", "kind = 'conduct'\nreason = 'x'", "no such rule"),
    ],
)
def test_an_exception_that_may_not_be_is_refused(tmp_path: Path, row: str, entry: str, reason: str) -> None:
    rules = read_rules(written(tmp_path, HEADER + row + "\n"))
    (tmp_path / "exceptions.toml").write_text(f"# why\n\n[AA-1]\n{entry}\n", encoding="utf-8")
    with pytest.raises(CatalogueError) as caught:
        read_exceptions(tmp_path / "exceptions.toml", rules)
    assert "exceptions.toml:3: AA-1: " in str(caught.value)
    assert reason in str(caught.value)


def test_a_dot_s_colour_may_be_excepted(tmp_path: Path) -> None:
    rules = read_rules(written(tmp_path, HEADER + "| AA-1 | all | A threshold's dot is pale. | – | — | |\n"))
    (tmp_path / "exceptions.toml").write_text("[AA-1]\nkind = 'presentation'\nreason = 'x'\n", encoding="utf-8")
    assert read_exceptions(tmp_path / "exceptions.toml", rules)["AA-1"].kind == "presentation"


def test_a_prefix_ends_at_its_dash() -> None:
    assert selected("TR-042", "TR") and selected("TR-L01", "TR-L") and selected("TR-042", None)
    assert not selected("TRX-1", "TR") and not selected("TR-042", "TR-L")


def test_the_project_s_own_catalogue_and_exceptions_are_sound() -> None:
    folder = Path(__file__).parents[2] / "scenarios" / "rules"
    rules = read_rules(folder)
    excepted = read_exceptions(folder / "exceptions.toml", rules)
    assert {"TR-001", "TR-L34", "REQ-X01", "WORDS-F14", "MC-01", "RV-01"} <= rules.keys()
    shown = [rules[id_] for id_ in excepted if excepted[id_].kind == "presentation"]
    assert all(rule.presentation or rule.incident.strip(" –—-") == "" for rule in shown)
