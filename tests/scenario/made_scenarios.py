"""A checkout in the test's own folder: a catalogue of three rules, and scenarios as the test writes them."""

from pathlib import Path

from harness.scenario.loading import Scenario, load_scenario

CATALOGUE = """# Made up

| id | level | rule | numbers | incident | fires when |
| --- | --- | --- | --- | --- | --- |
| TOY-1 | all | What people say is carried. | – | – | A word is missing. |
| TOY-2 | all | What tools print stays behind. | – | – | A listing is carried. |
| TOY-3 | all | What is wrong is said. | – | – | A fork goes unmentioned. |
"""

TALK = """talk = [
  { startup = ["be brief"], words = "is it raining" },
  { tool = "Bash", input = { command = "look" }, result = "a wet street" },
  { assistant = "it is, it is" },
  { user = "an umbrella then" },
  { rewind = 1 },
  { user = "a hat then" },
  { assistant = "no, an umbrella" },
]
"""
"""Two turns, a package, a tool, and one abandoned question."""

FORK = '{ rule = "TOY-3", warning = "fork" }'


def checkout(root: Path) -> Path:
    """Make the folders and the catalogue, and return the root."""
    (root / "scenarios/rules").mkdir(parents=True)
    (root / "scenarios/rules/toy.md").write_text(CATALOGUE, encoding="utf-8")
    return root


def written(root: Path, text: str, name: str = "scenarios/toy/story.toml") -> Path:
    """Write a scenario into a checkout, which is made where it is missing."""
    if not (root / "scenarios/rules").exists():
        checkout(root)
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def stated(*expect: str, head: str = TALK) -> str:
    """The text of a scenario: a title on line 1, then `head`, then the expectations, one a line."""
    lines = "".join(f"  {each},\n" for each in expect)
    return f'title = "A made-up story"\n{head}expect = [\n{lines}]\n'


def scenario(root: Path, *expect: str, head: str = TALK) -> Scenario:
    """The same, written and loaded."""
    return load_scenario(written(root, stated(*expect, head=head)))
