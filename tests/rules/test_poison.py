"""Signs of a poisoned context: where they are looked for, how many block, and that nothing goes on regardless."""

import json
from pathlib import Path

from carrying import carry
from click.testing import CliRunner
from weighing import refused

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.cli import main

MARKS = (
    *("AUP", "Acceptable Use", "policy violation", "policy blocked", "refusal loop"),
    *("毒上下文", "中毒", "拒绝循环"),
)


def talk_of(turns: int, marked: dict[int, str]) -> Talk:
    """Turns numbered from 1; the answer of a marked one holds a text."""
    talk = Talk()
    for number in range(1, turns + 1):
        talk.user(f"question {number}")
        talk.assistant(f"answer {number} {marked.get(number, '')}")
    return talk


def verdict(talk: Talk, folder: Path, **settings: object) -> tuple[int, bool]:
    """The score, and whether the carry is refused for it."""
    summary = carry(talk, folder, **settings).summary
    return summary["poison_score"], summary["reason"] == "poison"


@proves("TR-074")
def test_two_signs_in_the_last_ten_turns_block(tmp_path: Path) -> None:
    mark = "policy blocked"
    for number, (marked, score) in enumerate((([12], 1), ([11, 12], 2), ([3, 12], 2), ([2, 12], 1), ([1, 2], 0))):
        seen = verdict(talk_of(12, dict.fromkeys(marked, mark)), tmp_path / str(number))
        expect_equal("TR-074", seen, (score, score >= 2), f"score and block with signs in turns {marked} of 12")
    three = verdict(talk_of(12, dict.fromkeys((10, 11, 12), mark)), tmp_path / "three")
    expect_equal("TR-074", three, (3, True), "score and block with three signs")
    in_one = verdict(talk_of(12, {12: f"{mark} and {mark}"}), tmp_path / "one")
    expect_equal("TR-074", in_one, (2, True), "score and block with two signs in one turn")


@proves("TR-074")
def test_case_does_not_matter_and_both_sides_are_searched(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("POLICY BLOCKED?")
    talk.assistant("Policy blocked!")
    carried = carry(talk, tmp_path)
    hits = [(hit.turn, hit.role) for hit in carried.plan.poison.hits]
    expect_equal("TR-074", hits, [(1, "user"), (1, "assistant")], "turns and roles of the signs")
    expect_equal("TR-074", carried.summary["reason"], "poison", "why it is refused")
    expect_equal("TR-074", carried.summary["blocked_reason"], carried.summary["detail"], "the reason is given")


@proves("TR-074")
def test_a_refusal_that_the_host_wrote_in_the_assistants_place_is_a_sign(tmp_path: Path) -> None:
    refusal = "API Error: this appears to violate our Usage Policy (https://example.com/legal/aup)."
    talk = Talk()
    for number in range(2):
        talk.user(f"try {number}")
        talk.api_error(refusal)
    carried = carry(talk, tmp_path / "error")
    expect_equal("TR-L14", len(list(carried.plan.carried)), 2, "texts that somebody said")
    expect_equal("TR-074", carried.summary["poison_score"], 2, "signs")
    expect_equal("TR-074", carried.summary["reason"], "poison", "why it is refused")

    rewound = Talk()
    rewound.user("hello")
    rewound.assistant("hello")
    fork = rewound.mark()
    for number in range(2):
        rewound.user(f"try {number}")
        rewound.api_error(refusal)
    rewound.rewind(fork)
    rewound.user("something else")
    rewound.assistant("gladly")
    expect_equal("TR-074", verdict(rewound, tmp_path / "rewound"), (0, False), "signs on a branch that was rewound")


@proves("TR-075")
def test_the_default_pattern_knows_its_words(tmp_path: Path) -> None:
    for number, mark in enumerate(MARKS):
        score = verdict(talk_of(1, {1: f"it is {mark} again"}), tmp_path / str(number))[0]
        expect_equal("TR-075", score, 1, f"signs in a text with {mark!r}")
    harmless = talk_of(1, {1: "a pauper's acceptable usage; a policy; 拒绝; 循环; 毒"})
    expect_equal("TR-075", verdict(harmless, tmp_path / "harmless")[0], 0, "signs in a text with parts of the words")


@proves("TR-075")
def test_talk_of_food_poisoning_passes_under_a_narrowed_pattern(tmp_path: Path) -> None:
    talk = talk_of(2, {1: "食物中毒了", 2: "中毒好了"})
    expect("TR-075", verdict(talk, tmp_path / "default") == (2, True), "the bare word misfires under the default")
    narrowed = verdict(talk, tmp_path / "narrowed", poison_pattern="毒上下文|上下文中毒")
    expect_equal("TR-075", narrowed, (0, False), "score and block under a narrowed pattern")
    still = talk_of(2, {1: "上下文中毒", 2: "毒上下文"})
    expect_equal(
        "TR-075",
        verdict(still, tmp_path / "still", poison_pattern="毒上下文|上下文中毒"),
        (2, True),
        "score and block for what the narrowed pattern means",
    )


@proves("TR-075")
def test_a_pattern_that_does_not_compile_is_refused_on_loading(tmp_path: Path) -> None:
    why = refused(tmp_path, 'poison_pattern = "(open"\n')
    expect("TR-033", "max_event_chars" not in why, "nothing is wrong with the length of a message")
    expect("TR-075", "poison_pattern does not compile" in why, "the key is named and what is wrong with it")
    why = refused(tmp_path, 'poison_pattern = "(closed)"\n')
    expect("TR-075", "poison_pattern" not in why, "a pattern that compiles is taken")


@proves("TR-076")
def test_talk_about_the_detector_is_blocked_cleanly(tmp_path: Path) -> None:
    talk = Talk()
    talk.user('the pattern holds "refusal loop"')
    talk.assistant("yes, `refusal loop` is one of its words, like 「拒绝循环」")
    carried = carry(talk, tmp_path)
    expect_equal("TR-L28", [hit.quoted for hit in carried.plan.poison.hits], [True] * 3, "all signs are quotations")
    expect_equal("TR-076", carried.summary["reason"], "poison", "why it is refused")
    expect("TR-076", not (tmp_path / "out").exists(), "nothing is written")
    source = tmp_path / "project" / "source.jsonl"
    expect_equal("TR-076", source.read_bytes(), talk.bytes(), "the source, afterwards")
    answer = CliRunner().invoke(main, ["plan", str(source)])
    expect_equal("TR-076", answer.exit_code, 1, "exit code: a refusal, not a fault")


@proves("TR-077")
def test_nothing_offers_to_go_on_with_a_poisoned_context(tmp_path: Path) -> None:
    talk = talk_of(2, {1: "policy violation", 2: "policy violation"})
    talk.user("go on")
    ways: tuple[dict[str, object], ...] = (
        {},
        {"include_open_tail": False},
        {"carry_max_tokens": 5_000},
        {"carry_max_tokens": 5_000, "carry_overflow": "block"},
        {"max_event_chars": 500},
    )
    for number, settings in enumerate(ways):
        for malformed in ("block", "report"):
            folder = tmp_path / f"{number}-{malformed}"
            summary = carry(talk, folder, malformed=malformed, **settings).summary
            carriable = summary["reason"] not in ("nothing-to-carry", "no-session-id")
            expect("TR-066", carriable, "there is something to carry")
            expect_equal("TR-077", summary["reason"], "poison", f"the verdict under {settings}")
            detail = summary["detail"]
            expect("TR-077", "start clean from durable memory" in detail, "what to do instead is said")
            offers = ("--", "drop", "ignore", "anyway", "go on", "continue", "skip")
            expect("TR-077", not any(word in detail for word in offers), f"no way on is offered: {detail}")
            expect("TR-077", "choices" not in summary, "no turns to choose from are listed")
            expect("TR-077", not (folder / "out").exists(), "nothing is written")
    clean = carry(talk_of(2, {2: "policy violation"}), tmp_path / "clean").summary
    expect_equal("TR-077", clean["verdict"], "carried", "the verdict on a context with one sign")


@proves("TR-L28")
def test_hits_are_shown_with_their_turns_and_quotation_is_told_from_symptom(tmp_path: Path) -> None:
    said = {
        1: 'he wrote "policy blocked" there',
        2: "他说「中毒」这个词",
        3: "policy blocked",
        4: "```\npolicy blocked\n```",
        5: "```\ncode\n``` policy blocked",
        6: "I can't go on: policy blocked. I won't try again.",
        7: "it's 'policy blocked', isn't it",
    }
    talk = talk_of(7, said)
    talk.assistant("```\npolicy blocked\n```")
    hits = carry(talk, tmp_path).summary.get("poison_hits", [])
    seen = [(hit["turn"], hit["role"], hit["line"], hit["matched"], hit["quoted"]) for hit in hits]
    quoted = {1: True, 2: True, 3: False, 4: True, 5: False, 6: False, 7: True}
    wanted = [
        (turn, "assistant", 2 * turn, "中毒" if turn == 2 else "policy blocked", quoted[turn]) for turn in range(1, 8)
    ]
    wanted.append((7, "assistant", 15, "policy blocked", True))
    expect_equal("TR-L28", seen, wanted, "signs by turn, role, line, word, and whether they are quoted")


def test_hits_stand_in_words_too(tmp_path: Path) -> None:
    source = talk_of(2, {1: 'a "policy blocked"', 2: "policy blocked"}).write(tmp_path / "source.jsonl")
    answer = CliRunner().invoke(main, ["plan", str(source)])
    assert answer.exit_code == 1
    assert "sign: turn 1 (line 2), assistant, quoted: policy blocked" in answer.stdout
    assert "sign: turn 2 (line 4), assistant: policy blocked" in answer.stdout
    assert json.loads(CliRunner().invoke(main, ["plan", str(source), "--json"]).stdout)["poison_score"] == 2
