"""What the layout of the tests rests on: they import their helpers by bare name, so every name stands once."""

from collections import Counter
from pathlib import Path


def test_every_module_of_the_tests_has_a_name_of_its_own() -> None:
    names = Counter(path.name for path in Path(__file__).parent.rglob("*.py") if path.name != "conftest.py")
    assert [name for name, count in names.items() if count > 1] == []
