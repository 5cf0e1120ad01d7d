"""A made-up checkout: a package `toy`, a catalogue of five rules, and the tests that a case needs."""

from pathlib import Path

CATALOGUE = """# Toy

| id | level | rule | numbers | incident | fires when |
| --- | --- | --- | --- | --- | --- |
| TOY-1 | all | The first rule. | 3 | – | a |
| TOY-2 | all | The second rule. | – | – | b |
| TOY-3 | all | The third rule. | – | – | c |
| TOY-4 | all | The fourth rule. | – | 2026-08-14 | d |
| TOY-L1 | all | A limit. | – | – | e |
"""

HEAD = "from harness.expect import RuleBroken, expect, proves\n\n"


def made_up_root(
    root: Path, *, code: str, tests: str, catalogue: str = CATALOGUE, sql: str | None = None
) -> Path:
    """Write the checkout and return its root. `code` is `toy/core.py`; `tests` is `tests/test_toy.py`."""
    for folder in ("toy", "tests", "scenarios/rules"):
        (root / folder).mkdir(parents=True)
    (root / "scenarios/rules/toy.md").write_text(catalogue, encoding="utf-8")
    (root / "toy/__init__.py").write_text("", encoding="utf-8")
    (root / "toy/core.py").write_text(code, encoding="utf-8")
    (root / "tests/test_toy.py").write_text(HEAD + tests, encoding="utf-8")
    if sql is not None:
        (root / "toy/schema.sql").write_text(sql, encoding="utf-8")
    return root
