"""What stands at an anchor decides how it is sabotaged; what could only crash is refused with advice."""

import ast
from pathlib import Path

import pytest

from harness.controls.anchors import python_anchors
from harness.controls.sabotage import read_sabotages
from harness.controls.sql import skipped_statement
from harness.rules import CatalogueError


def sabotaged(folder: Path, code: str) -> list[tuple[str, str]]:
    """(what, the module's text afterwards) of every sabotage; the module is read anew for each."""
    (folder / "toy").mkdir(exist_ok=True)
    (folder / "toy" / "core.py").write_text(code, encoding="utf-8")
    found = []
    for at in range(len(read_sabotages(folder, "toy")[1])):
        sabotage = read_sabotages(folder, "toy")[1][at]
        tree = sabotage.sabotaged()
        assert isinstance(tree, ast.Module)
        compile(tree, "core.py", "exec")
        found.append((sabotage.what, ast.unparse(tree)))
    return found


def same(text: str, wanted: str) -> bool:
    return text == ast.unparse(ast.parse(wanted))


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("if a:  # TOY-1\n    b()", "if not a:\n    b()"),
        ("if not a:  # TOY-1\n    b()", "if a:\n    b()"),
        ("# TOY-1\nif a:\n    b()", "if not a:\n    b()"),
        ("# TOY-1\n# why it is so\nif a:\n    b()", "if not a:\n    b()"),
        ("if a:\n    b()\nelif c:  # TOY-1\n    d()", "if a:\n    b()\nelif not c:\n    d()"),
        ("while a:  # TOY-1\n    b()", "while not a:\n    b()"),
        ("assert a  # TOY-1", "assert not a"),
        ("x = a if b else c  # TOY-1", "x = a if not b else c"),
        ("x = [r for r in rs if r.ok]  # TOY-1", "x = [r for r in rs if not r.ok]"),
        ("def f():\n    return a == b  # TOY-1", "def f():\n    return not a == b"),
        ("def f() -> bool:\n    return g()  # TOY-1", "def f() -> bool:\n    return not g()"),
        ("def f() -> bool:\n    return True  # TOY-1", "def f() -> bool:\n    return False"),
        ("x = a < b  # TOY-1", "x = not a < b"),
        ("class S:\n    x: bool = True  # TOY-1", "class S:\n    x: bool = False"),
        ("class S:\n    x: int = 4_000  # TOY-1", "class S:\n    x: int = 4001"),
        ("LIMIT = 500  # TOY-1", "LIMIT = 501"),
        ("FACTOR = 1.1  # TOY-1", "FACTOR = 2.2"),
        ("SLACK = 0.0  # TOY-1", "SLACK = 1.0"),
        ("NAME = 'v1'  # TOY-1", "NAME = ''"),
        ("P = re.compile('a|b', re.I)  # TOY-1", "P = re.compile('(?!)', re.I)"),
        ("raise No('x')  # TOY-1", "if False:\n    raise No('x')"),
        ("f(x)  # TOY-1", "if False:\n    f(x)"),
        ("x.y = z  # TOY-1", "if False:\n    x.y = z"),
        ("x[0] = z  # TOY-1", "if False:\n    x[0] = z"),
        ("n += m  # TOY-1", "if False:\n    n += m"),
        ("for x in y:  # TOY-1\n    f(x)", "if False:\n    for x in y:\n        f(x)"),
        ("with lock:  # TOY-1\n    f()", "if True:\n    f()"),
        ("def f(x):\n    x = g(x)  # TOY-1", "def f(x):\n    if False:\n        x = g(x)"),
        ("def f():\n    yield x  # TOY-1", "def f():\n    if False:\n        yield x"),
        (
            "def f():\n    if a:\n        return g(x)  # TOY-1\n    return h(x)",
            "def f():\n    if a:\n        if False:\n            return g(x)\n    return h(x)",
        ),
        (
            "def f() -> X | None:\n    return g(x)  # TOY-1",
            "def f() -> X | None:\n    if False:\n        return g(x)",
        ),
        ("def f():\n    return a - b  # TOY-1", "def f():\n    return a + b"),
        ("X = {\n    'a': b,  # TOY-1\n    'c': d,\n}", "X = {'c': d}"),
        ("X = {\n    'a': 7,  # TOY-1\n    'c': d,\n}", "X = {'a': 8, 'c': d}"),
        ("X = [\n    'a',\n    # TOY-1\n    'b',\n]", "X = ['a']"),
        ("X = {\n    'a',  # TOY-1\n}", "X = {*()}"),
        ("X = (\n    ('a', 1),\n    (\n        'b',\n        2,\n    ),  # TOY-1\n)", "X = (('a', 1),)"),
        ("f(\n    a=b,  # TOY-1\n    c=d,\n)", "f(c=d)"),
        ("f(\n    a=b > c,  # TOY-1\n    c=d,\n)", "f(a=not b > c, c=d)"),
        ("f(\n    a,  # TOY-1\n    b,\n)", "if False:\n    f(a, b)"),
        ("if (\n    a\n    and b  # TOY-1\n):\n    c()", "if a and True:\n    c()"),
        ("if (\n    a  # TOY-1\n    or b\n):\n    c()", "if False or b:\n    c()"),
        ("x = [\n    r\n    for r in rs\n    if r.ok  # TOY-1\n]", "x = [r for r in rs if not r.ok]"),
        (
            "try:\n    f()\nexcept OSError:  # TOY-1\n    g()",
            "try:\n    f()\nfinally:\n    pass",
        ),
        (
            "match x:\n    case 'a':  # TOY-1\n        f()\n    case _:\n        g()",
            "match x:\n    case _:\n        g()",
        ),
        (
            "class Kind(StrEnum):\n    A = 'a'  # TOY-1\n    B = 'b'",
            "class Kind(StrEnum):\n    if False:\n        A = 'a'\n    B = 'b'",
        ),
    ],
)
def test_one_sabotage(tmp_path: Path, code: str, wanted: str) -> None:
    [(_, text)] = sabotaged(tmp_path, code)
    assert same(text, wanted)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("if a > 3:  # TOY-1\n    b(9)", ["if not a > 3:\n    b(9)", "if a > 4:\n    b(9)"]),
        ("f(x, 3)  # TOY-1", ["f(x, 4)", "if False:\n    f(x, 3)"]),
        ("X = 2 * 2  # TOY-1", ["X = 3 * 2", "X = 2 * 3"]),
        ("X = frozenset({'a', 'b'})  # TOY-1", ["X = frozenset({'b'})", "X = frozenset({'a'})"]),
        ("X = {\n    'a': 1,\n    'b': 2,\n}  # TOY-1", ["X = {'a': 2, 'b': 2}", "X = {'a': 1, 'b': 3}"]),
        (
            "x = p[0] if p[-1] else q[:5]  # TOY-1",
            ["x = p[0] if not p[-1] else q[:5]", "x = p[0] if p[-1] else q[:6]"],
        ),
    ],
)
def test_several_sabotages_at_one_anchor(tmp_path: Path, code: str, wanted: list[str]) -> None:
    found = sabotaged(tmp_path, code)
    assert len({what for what, _ in found}) == len(wanted), "each has a name of its own"
    assert [text for _, text in found] == [ast.unparse(ast.parse(text)) for text in wanted]


@pytest.mark.parametrize(
    "code",
    [
        "def f():  # TOY-1\n    g()",
        "class C:  # TOY-1\n    x = a",
        "import a  # TOY-1",
        "def f():\n    return g(x)  # TOY-1",
        "X = g()  # TOY-1",
        "try:  # TOY-1\n    f()\nfinally:\n    g()",
        "with f() as x:  # TOY-1\n    g()",
        "if a:\n    b()\nelse:  # TOY-1\n    c()",
        "# TOY-1\n\nf()",
    ],
)
def test_what_could_only_crash_is_refused_with_its_place(tmp_path: Path, code: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        sabotaged(tmp_path, code)
    line = next(at for at, text in enumerate(code.split("\n"), start=1) if "TOY-1" in text)
    assert str(caught.value).startswith(f"toy/core.py:{line}: ")
    assert "put the anchor on" in str(caught.value)


def test_an_anchor_is_a_comment_of_ids() -> None:
    code = (
        "a = '# TOY-1'\n"
        '"""\n# TOY-2\n"""\n'
        "b()  # TOY-3 TOY-L1\n"
        "c()  # TOY-1, TOY-2: because\n"
        "d()  # TOY-4 says that\n"
        "e = '# TOY-1'  # TOY-2\n"
    )
    found = [(anchor.rules, anchor.line) for anchor in python_anchors(code, "a.py")]
    assert found == [(("TOY-3", "TOY-L1"), 5), (("TOY-1", "TOY-2"), 6), (("TOY-2",), 8)]


SCHEMA = """create table hold (
    id integer primary key,
    scope text not null,
    check (scope <> ''), -- TOY-1
    unique (scope) -- TOY-2
);
-- one at a time
create trigger one before insert on hold -- TOY-3
begin
    select raise(abort, 'x; y');
end;
create index i on hold (scope);
"""


def test_an_sql_statement_is_left_out() -> None:
    left = skipped_statement(SCHEMA, 8)
    assert "trigger" not in left and "create table" in left and "create index" in left


def test_a_table_s_constraint_is_left_out_with_its_comma() -> None:
    assert "check" not in skipped_statement(SCHEMA, 4)
    last = skipped_statement(SCHEMA, 5)
    assert "unique" not in last and "check (scope <> '') -- TOY-1\n);" in last


@pytest.mark.parametrize("line", [1, 3])
def test_a_table_s_other_lines_are_refused(line: int) -> None:
    with pytest.raises(ValueError, match="put the anchor on a trigger"):
        skipped_statement(SCHEMA, line)
