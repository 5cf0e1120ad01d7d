"""Each form of expectation, green where it holds and red where it does not, with what was wanted and seen."""

from pathlib import Path

import pytest
from made_scenarios import FORK, scenario

from harness.expect import RuleBroken
from harness.scenario.checks import ScenarioCheck
from harness.scenario.forms import FORMS, look
from harness.scenario.playing import played
from harness.scenario.seen import Seen

POISONED = 'talk = [ { user = "x" }, { assistant = "policy violation, policy violation" } ]\n'
BROKEN = 'talk = [ { user = "x" }, { raw = "{\\n" }, { assistant = "y" } ]\n'

GREEN = (
    'carried = "a hat then"',
    'carried = "a hat then", times = 1, as = "user"',
    'carried = "it is", times = 2, as = "assistant"',
    'carried = "umbrella"',
    'in_order = ["is it raining", "it is, it is", "a hat then"]',
    'not_carried = "a wet street"',
    'not_carried = "an umbrella then"',
    'not_said = "be brief"',
    'not_said = "umbrella", as = "user"',
    'startup = "be brief"',
    "turns = 2",
    "figures = { turns = 2, startup_frozen = true, startup = { frozen = true } }",
    "figures = { source_turns = { at_least = 2 }, verdict = 'carried' }",
    "dirty = { conversation_turns = 2, categories = { tool_result = { at_least = 12 } }, reasons = [] }",
    'ledger = "tool_result", at_least = 12',
    'warning = "fork"',
    'warning = "fork", line = 5, says = "rewound"',
    'no_warning = "cycle"',
)

RED = {
    'carried = "a scarf then"': "not once: not once in the candidate's bytes, not once in the source's",
    'carried = "a wet street"': "not once: not once in the candidate's bytes, 2 times in the source's",
    'carried = "a hat then", times = 2': "once: line 3 as user (speech)",
    'carried = "it is", times = 1': "2 times: line 2 as assistant (speech)",
    'carried = "a hat then", as = "assistant"': "not once: line 3 as user (speech)",
    'carried = "be brief"': "not once: line 1 as user (startup)",
    'in_order = ["a hat then", "is it raining"]': "places in the talk: “a hat then” 3, “is it raining” 1",
    'in_order = ["is it raining", "is it"]': "places in the talk: “is it raining” 1, “is it” 1",
    'in_order = ["is it raining", "a scarf then"]': "places in the talk: “is it raining” 1, “a scarf then” nowhere",
    'not_carried = "be brief"': "line 1 as user (startup)",
    'not_carried = "a hat then"': "line 3 as user (speech)",
    'not_said = "a hat then"': "line 3 as user (speech)",
    'not_said = "a hat then", as = "user"': "line 3 as user (speech)",
    'startup = "is it raining"': "not once: line 1 as user (speech)",
    "turns = 3": "2 turns",
    "figures = { turns = 3 }": "'turns': 2",
    "figures = { turns = { at_least = 3 } }": "'turns': 2",
    "figures = { turns = true }": "'turns': 2",
    "figures = { startup_frozen = 1 }": "'startup_frozen': True",
    "figures = { startup = { frozen = false } }": "'startup': {'frozen': True}",
    "dirty = { categories = { thinking = { at_least = 1 } } }": "'categories': {'thinking': None}",
    'ledger = "tool_result", at_least = 1000': "14 bytes",
    'ledger = "thinking", at_least = 1': "0 bytes",
    'refused = "poison"': "it is carried: 4 texts in 2 turns",
    'warning = "cycle"': "the codes fork",
    'warning = "fork", says = "spoon"': "rewound",
    'warning = "fork", line = 6': "line 5: “begins",
    'no_warning = "fork"': "the codes fork",
}


def _seen(folder: Path, *expect: str, head: str | None = None) -> tuple[Seen, list[tuple[bool, str, str]]]:
    told = [f'{{ rule = "TOY-1", {each} }}' for each in expect]
    story = scenario(folder / "checkout", *told) if head is None else scenario(folder / "checkout", *told, head=head)
    seen = played(story, folder / "played")
    return seen, [(met.ok, met.wanted, met.seen) for met in (look(form, seen) for form in story.expect)]


@pytest.mark.parametrize("text", GREEN)
def test_green(tmp_path: Path, text: str) -> None:
    _, [(ok, wanted, seen)] = _seen(tmp_path, text)
    assert ok, f"wanted {wanted}, saw {seen}"


@pytest.mark.parametrize("text", RED)
def test_red(tmp_path: Path, text: str) -> None:
    _, [(ok, _, seen)] = _seen(tmp_path, text)
    assert not ok
    assert RED[text] in seen


def test_every_form_is_seen_green_and_red() -> None:
    heads = {text.split(" = ")[0] for text in GREEN}
    assert heads | {"refused"} == set(FORMS)
    assert {text.split(" = ")[0] for text in RED} == set(FORMS)


def test_a_refusal_is_met_by_its_reason_and_its_line(tmp_path: Path) -> None:
    wanted = ('refused = "unreadable-line"', 'refused = "unreadable-line", line = 2')
    other = ('refused = "poison"', 'refused = "unreadable-line", line = 3')
    _, met = _seen(tmp_path, *wanted, *other, head=BROKEN)
    assert [ok for ok, _, _ in met] == [True, True, False, False]
    assert "line 2: it is refused (unreadable-line)" in met[3][2]


def test_nothing_holds_of_a_candidate_that_is_not_there(tmp_path: Path) -> None:
    of_candidate = ('not_carried = "policy"', 'not_said = "policy"', "turns = 1", 'carried = "x"')
    _, met = _seen(tmp_path, *of_candidate, "figures = { poison_score = 2 }", head=POISONED)
    assert [ok for ok, _, _ in met] == [False, False, False, False, True]
    assert all(seen.startswith("it is refused (poison)") for _, _, seen in met[:4])


def test_a_check_names_the_rules_that_broke(tmp_path: Path) -> None:
    folders = iter((tmp_path / "1", tmp_path / "2", tmp_path / "3"))

    def run(*expect: str) -> None:
        folder = next(folders)
        story = scenario(folder, *expect)
        ScenarioCheck(story, story.file).run(folder)

    run(FORK, '{ rule = "TOY-1", turns = 2 }')
    with pytest.raises(RuleBroken) as one:
        run(FORK, '{ rule = "TOY-1", turns = 3 }')
    assert one.value.rule == "TOY-1"
    assert "story.toml:13: wanted 3 turns, saw 2 turns" in str(one.value)
    with pytest.raises(ExceptionGroup) as more:
        run('{ rule = "TOY-1", turns = 3 }', FORK, '{ rule = "TOY-2", turns = 1 }')
    assert [broken.rule for broken in more.value.exceptions if isinstance(broken, RuleBroken)] == ["TOY-1", "TOY-2"]
