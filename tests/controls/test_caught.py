"""What a check has to do for a sabotage to count as caught, on made-up checkouts."""

import os
from pathlib import Path

import pytest
from made_up import CODE, TESTS, found, invoke, made_up_root, run, statuses

from harness.controls.cli import controls


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
