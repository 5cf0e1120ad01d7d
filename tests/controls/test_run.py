"""Controls end to end, on made-up checkouts: what is caught, what is not, and why."""

import json
import os
import sys
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from made_up import CATALOGUE, made_up_root

from harness.controls.cli import controls, rules
from harness.controls.run import BaselineRed, Run, run_controls
from harness.controls.survey import read_survey
from harness.controls.verdict import Control
from harness.expect import expect
from harness.rules import CatalogueError

# Two decisions whose checks are exact: each notices its own sabotage and stays green under the other's.
CODE = """
LIMIT = 3  # TOY-1


def short(text):
    return len(text) <= LIMIT


def shouted(text):
    if text.isupper():  # TOY-2
        return text + "!"
    return text
"""
TESTS = """
@proves("TOY-1")
def test_limit():
    from toy.core import short
    expect("TOY-1", short("abc") and not short("abcd"), "three pass, four do not")


@proves("TOY-2")
def test_shouted(tmp_path):
    from toy.core import shouted
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "used").touch()
    expect("TOY-2", shouted("AB") == "AB!", "shouting is marked")
"""


def run(root: Path, time_limit: float = 20.0) -> Run:
    return run_controls(read_survey(root, "toy"), time_limit=time_limit)


def found(run: Run, id_: str) -> list[Control]:
    return next(standing.controls for standing in run.standings if standing.id == id_)


def statuses(run: Run) -> dict[str, str]:
    return {standing.id: standing.status for standing in run.standings}


def invoke(command: object, root: Path, *args: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, ["--root", str(root), "--package", "toy", *args])  # type: ignore[arg-type]
    return result.exit_code, result.output


def test_exact_checks_prove_their_rules(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    ran = run(root)
    assert statuses(ran) == {
        "TOY-1": "proven",
        "TOY-2": "proven",
        "TOY-3": "unproven",
        "TOY-4": "unproven",
        "TOY-L1": "unproven",
    }
    [control] = found(ran, "TOY-1")
    assert (control.sabotage.what, control.caught_by) == ("3 shifted to 4", ["tests/test_toy.py::test_limit"])
    assert (root / "toy/core.py").read_text() == CODE, "no file is changed"
    assert not os.environ.get("PYTHONPATH", "").startswith(str(root))


def test_an_element_and_a_skipped_statement_are_caught(tmp_path: Path) -> None:
    code = """
KNOWN = {
    "a": "one",  # TOY-1
    "b": "two",
}


def named(key, log):
    log.append(key)  # TOY-2
    return KNOWN.get(key)
"""
    tests = """
@proves("TOY-1", "TOY-2")
def test_named():
    from toy.core import named
    log = []
    seen = named("a", log)
    expect("TOY-1", seen == "one", "a is known")
    expect("TOY-2", log == ["a"], "the key is logged")
"""
    ran = run(made_up_root(tmp_path / "r", code=code, tests=tests))
    assert {id_ for id_, status in statuses(ran).items() if status == "proven"} == {"TOY-1", "TOY-2"}


def test_an_sql_trigger_is_caught(tmp_path: Path) -> None:
    code = """
import sqlite3
from pathlib import Path


def opened():
    store = sqlite3.connect(":memory:")
    store.executescript((Path(__file__).parent / "schema.sql").read_text())
    return store
"""
    sql = """create table t (n integer);
create trigger small before insert on t when new.n > 9 -- TOY-1
begin
    select raise(abort, 'too large');
end;
"""
    tests = """
@proves("TOY-1")
def test_large():
    import sqlite3
    from toy.core import opened
    try:
        opened().execute("insert into t values (10)")
    except sqlite3.IntegrityError:
        return
    raise RuleBroken("TOY-1", "ten was stored")
"""
    root = made_up_root(tmp_path / "r", code=code, tests=tests, sql=sql)
    assert statuses(run(root))["TOY-1"] == "proven"
    assert (root / "toy/schema.sql").read_text() == sql


def test_a_package_s_own_module_and_what_it_imports_are_sabotaged_alike(tmp_path: Path) -> None:
    tests = """
@proves("TOY-3")
def test_start():
    from toy import START
    expect("TOY-3", START == 7, "seven")


@proves("TOY-1")
def test_limit():
    import toy
    expect("TOY-1", toy.core.LIMIT == 3, "three")
"""
    root = made_up_root(tmp_path / "r", code=CODE, tests=tests)
    (root / "toy/__init__.py").write_text("from . import core as core\n\nSTART = 7  # TOY-3\n")
    ran = run(root)
    assert (statuses(ran)["TOY-1"], statuses(ran)["TOY-3"]) == ("proven", "proven")


def test_a_guard_in_the_neighbour_s_name_keeps_a_check_specific(tmp_path: Path) -> None:
    code = """
def sorted_out(row):
    if row["kind"] != "said":  # TOY-1
        return None
    if row["by"] == "us":  # TOY-2
        return "ours"
    return "theirs"
"""
    tests = """
def seen(**row):
    from toy.core import sorted_out
    return sorted_out(row)


@proves("TOY-1")
def test_kind():
    expect("TOY-1", seen(kind="noise", by="us") is None, "noise is nothing")


@proves("TOY-1", "TOY-2")
def test_ours():
    expect("TOY-1", seen(kind="said", by="us") is not None, "what was said is something")
    expect("TOY-2", seen(kind="said", by="us") == "ours", "it is ours")
"""
    ran = run(made_up_root(tmp_path / "r", code=code, tests=tests))
    assert (statuses(ran)["TOY-1"], statuses(ran)["TOY-2"]) == ("proven", "proven")
    unguarded = tests.replace('    expect("TOY-1", seen(kind="said"', '    # ("TOY-1", seen(kind="said"')
    ran = run(made_up_root(tmp_path / "u", code=code, tests=unguarded))
    assert found(ran, "TOY-2")[0].verdict == "unspecific"


@dataclass(frozen=True)
class Story:
    """A scenario as the controls see it."""

    name: str
    rules: tuple[str, ...]
    file: Path
    line: int

    def run(self, tmp_path: Path) -> None:
        from toy.core import shouted  # type: ignore[import-not-found]

        expect(self.rules[0], shouted("AB") == "AB!", "shouting is marked")


def test_scenarios_are_checks_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests="")
    file = root / "scenarios/shout.toml"
    file.write_text("")
    stories = [Story("scenarios/shout.toml", ("TOY-2",), file, 4)]
    module = ModuleType("harness.scenario.checks")
    module.__spec__ = ModuleSpec("harness.scenario.checks", None)
    module.scenario_checks = lambda root: stories  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "harness.scenario.checks", module)
    assert statuses(run(root))["TOY-2"] == "proven"
    stories[:] = [Story("scenarios/shout.toml", ("TOY-9",), file, 4)]
    with pytest.raises(CatalogueError, match=r"scenarios/shout.toml:4: TOY-9 is in no table"):
        read_survey(root, "toy")


def test_a_check_that_a_neighbour_s_sabotage_breaks_is_unspecific(tmp_path: Path) -> None:
    tests = """
@proves("TOY-1", "TOY-2")
def test_both():
    from toy.core import short, shouted
    expect("TOY-1", short("abc") and not short("abcd") and shouted("AB") == "AB!", "too much in one")


@proves("TOY-2")
def test_shouted():
    from toy.core import shouted
    expect("TOY-2", shouted("AB") == "AB!", "shouting is marked")
"""
    root = made_up_root(tmp_path / "r", code=CODE, tests=tests)
    ran = run(root)
    assert statuses(ran)["TOY-1"] == "tested"
    assert statuses(ran)["TOY-2"] == "proven"
    [control] = found(ran, "TOY-1")
    assert (control.verdict, control.red) == ("unspecific", ["tests/test_toy.py::test_both"])
    code, said = invoke(controls, root)
    assert code == 1
    assert "breaks for TOY-1 under TOY-2 at toy/core.py:10 (negated: text.isupper())" in said


def test_a_second_check_that_is_specific_proves_the_rule_all_the_same(tmp_path: Path) -> None:
    tests = (
        TESTS
        + """

@proves("TOY-1")
def test_too_much():
    from toy.core import short, shouted
    expect("TOY-1", not short("abcd") and shouted("AB") == "AB!", "too much in one")
"""
    )
    ran = run(made_up_root(tmp_path / "r", code=CODE, tests=tests))
    assert statuses(ran)["TOY-1"] == "proven"
    assert found(ran, "TOY-1")[0].caught_by == ["tests/test_toy.py::test_limit"]


def test_rules_on_one_anchor_line_are_no_neighbours_of_each_other(tmp_path: Path) -> None:
    code = "def f(x):\n    if x:  # TOY-1 TOY-2\n        return 'yes'\n    return 'no'\n"
    tests = """
@proves("TOY-1", "TOY-2")
def test_both():
    from toy.core import f
    seen = {"TOY-1": f(True) == "yes", "TOY-2": f(False) == "no"}
    broken = [RuleBroken(id_, "wrong") for id_, right in seen.items() if not right]
    if broken:
        raise ExceptionGroup("f", broken)
"""
    ran = run(made_up_root(tmp_path / "r", code=code, tests=tests))
    assert (statuses(ran)["TOY-1"], statuses(ran)["TOY-2"]) == ("proven", "proven")


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("assert short('abc') and not short('abcd')", "raised AssertionError"),
        ("expect('TOY-3', not short('abcd'), 'other rule')", "broke TOY-3"),
        ("{False: 1}[short('abcd')]", "raised KeyError"),
        (
            "if short('abcd'): raise ExceptionGroup('x', [RuleBroken('TOY-1', 'x'), KeyError('y')])",
            "raised KeyError",
        ),
        ("if short('abcd'): raise SystemExit(3)", "raised SystemExit"),
        ("expect('TOY-1', short('abc'), 'an expectation that never looks at four')", "stayed green"),
    ],
)
def test_another_red_than_the_rule_s_own_is_not_counted(tmp_path: Path, body: str, outcome: str) -> None:
    tests = f"""
@proves("TOY-1", "TOY-3")
def test_limit():
    from toy.core import short
    {body}
"""
    ran = run(made_up_root(tmp_path / "r", code=CODE, tests=tests))
    [control] = found(ran, "TOY-1")
    assert control.verdict == "green"
    assert control.outcomes["tests/test_toy.py::test_limit"].shown().startswith(outcome)
    assert statuses(ran)["TOY-1"] == "tested"


def test_a_module_that_no_longer_loads_is_not_counted(tmp_path: Path) -> None:
    code = "class Kinds:\n    a = {}\n    a['x'] = 1  # TOY-1\n    b = a['x']\n"
    tests = """
@proves("TOY-1")
def test_kinds():
    from toy.core import Kinds
    expect("TOY-1", Kinds.b == 1, "x is one")
"""
    ran = run(made_up_root(tmp_path / "r", code=code, tests=tests))
    skipped = next(control for control in found(ran, "TOY-1") if control.sabotage.what == "statement skipped")
    assert skipped.verdict == "green"
    assert statuses(ran)["TOY-1"] == "tested", "one of two sabotages was caught, which is not enough"


def test_an_equivalent_sabotage_fails_the_command_and_is_named(tmp_path: Path) -> None:
    code = "def f(x):\n    if x:  # TOY-1\n        return 'same'\n    return 'same'\n"
    tests = """
@proves("TOY-1")
def test_f():
    from toy.core import f
    expect("TOY-1", f(True) == "same", "always the same")
"""
    root = made_up_root(tmp_path / "r", code=code, tests=tests)
    status, said = invoke(controls, root)
    assert status == 1
    assert "TOY-1 green: toy/core.py:2: if x:" in said
    assert "negated: x" in said
    assert "tests/test_toy.py::test_f stayed green" in said
    assert "1 controls: 0 caught, 0 unspecific, 1 stayed green" in said


def test_an_anchor_without_any_check_is_reported_and_fails_nothing(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE + "\n\nOTHER = 5  # TOY-4\n", tests=TESTS)
    status, said = invoke(controls, root)
    assert status == 0
    assert "anchored, but no check names them (unproven): TOY-4" in said


def test_a_hung_child_is_ended_and_not_counted(tmp_path: Path) -> None:
    code = "def f():\n    n = 0\n    while n < 3:\n        n += 1  # TOY-1\n    return n\n"
    tests = """
@proves("TOY-1")
def test_f():
    from toy.core import f
    expect("TOY-1", f() == 3, "three")
"""
    ran = run(made_up_root(tmp_path / "r", code=code, tests=tests), time_limit=1.0)
    skipped = next(control for control in found(ran, "TOY-1") if control.sabotage.what == "statement skipped")
    assert skipped.verdict == "green"
    assert skipped.outcomes["tests/test_toy.py::test_f"].shown() == "hung: no end within 1 s"


def test_a_child_that_dies_is_not_counted(tmp_path: Path) -> None:
    code = "import os\n\n\ndef f(x):\n    if x:  # TOY-1\n        os._exit(7)\n"
    tests = """
@proves("TOY-1")
def test_f():
    from toy.core import f
    f(False)
"""
    [control] = found(run(made_up_root(tmp_path / "r", code=code, tests=tests)), "TOY-1")
    assert (control.verdict, control.outcomes["tests/test_toy.py::test_f"].shown()) == (
        "green",
        "died: exit 7",
    )


def test_nothing_is_run_when_a_check_is_red_without_any_sabotage(tmp_path: Path) -> None:
    tests = TESTS.replace('"AB!"', '"AB?"')
    root = made_up_root(tmp_path / "r", code=CODE, tests=tests)
    with pytest.raises(BaselineRed, match="test_shouted: broke TOY-2"):
        run(root)
    status, said = invoke(controls, root)
    assert (status, "no control was run" in said) == (1, True)


def test_outcomes_are_kept_until_a_byte_changes(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    # One child for the green run, and one for each of two sabotages; each runs both checks.
    first, second = run(root), run(root)
    assert (first.children, first.kept) == (3, 0)
    assert (second.children, second.kept) == (0, 6)
    assert statuses(first) == statuses(second)
    (root / "tests/test_toy.py").write_text((root / "tests/test_toy.py").read_text() + "\n")
    assert run(root).children == 3
    (root / "toy/other.py").write_text("X = 1\n")
    assert run(root).children == 3


def test_rules_says_what_was_never_run(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    _, said = invoke(rules, root)
    assert "Controls were never run on this code" in said
    assert "0 proven, 2 tested, 3 unproven, 0 excepted of 5 rules" in said
    assert invoke(controls, root)[0] == 0
    status, said = invoke(rules, root, "--json")
    document = json.loads(said)
    assert (status, document["counts"]) == (0, {"proven": 2, "tested": 0, "unproven": 3, "excepted": 0})
    [row] = [row for row in document["rules"] if row["id"] == "TOY-2"]
    assert (row["status"], row["checks"], row["anchors"]) == (
        "proven",
        ["tests/test_toy.py::test_shouted"],
        ["toy/core.py:10"],
    )
    assert (row["control"]["total"], row["control"]["caught"]) == (1, 1)


def test_a_prefix_runs_only_what_its_rules_need(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    status, said = invoke(controls, root, "--prefix", "TOY-1", "--json")
    document = json.loads(said)
    assert status == 0
    assert [(row["rule"], row["verdict"]) for row in document["controls"]] == [("TOY-1", "caught")]
    # TOY-1's check: green without sabotage, red under its own, green under the neighbour's.
    assert document["totals"]["children"] == 3


def test_an_excepted_rule(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    entry = "[TOY-3]\nkind = 'presentation'\nreason = 'A colour.'\n"
    (root / "scenarios/rules/exceptions.toml").write_text(entry)
    assert statuses(run(root))["TOY-3"] == "excepted"


def test_ids_that_no_rule_has_are_all_named_with_file_and_line(tmp_path: Path) -> None:
    tests = '@proves("TOY-7")\ndef test_a():\n    expect("TOY-8", True, "x")\n'
    root = made_up_root(tmp_path / "r", code="X = 1  # TOY-9\n", tests=tests)
    (root / "scenarios/rules/exceptions.toml").write_text("[TOY-6]\nkind = 'conduct'\nreason = 'x'\n")
    with pytest.raises(CatalogueError) as caught:
        read_survey(root, "toy")
    said = str(caught.value)
    assert "exceptions.toml:1: TOY-6" in said
    assert "toy/core.py:1: TOY-9" in said
    assert "tests/test_toy.py:4: TOY-7" in said
    assert "tests/test_toy.py:5: TOY-8" in said
    assert invoke(rules, root)[0] == 1


@pytest.mark.parametrize(
    "marked",
    [
        "@proves(ID)\ndef test_a():\n    pass\n",
        '@proves("TOY-1")\ndef test_a(tmp_path, other):\n    pass\n',
        '@proves("TOY-1")\nasync def test_a():\n    pass\n',
    ],
)
def test_a_marked_function_that_cannot_be_called_plainly_is_refused(tmp_path: Path, marked: str) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=marked)
    with pytest.raises(CatalogueError, match=r"tests/test_toy.py:4: "):
        read_survey(root, "toy")


def test_another_interpreter_is_started_where_the_package_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    monkeypatch.setitem(sys.modules, "toy", ModuleType("toy"))
    with pytest.raises(CatalogueError, match="toy was loaded before"):
        run(root)
    status, _ = invoke(controls, root, "--prefix", "TOY-1")
    assert status == 0
    assert "1 controls: 1 caught" in capfd.readouterr().out


def test_the_catalogue_s_rules_keep_their_order(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS, catalogue=CATALOGUE)
    assert list(read_survey(root, "toy").rules) == ["TOY-1", "TOY-2", "TOY-3", "TOY-4", "TOY-L1"]
