"""Recall: each side's sentences are looked up among that side's own, in the old session and in the new one."""

from pathlib import Path

from harness.accept.finding import Finding, found, reasons, recall, verdict
from harness.carrying import carry_file
from harness.expect import expect, expect_equal, proves
from harness.oracle.candidate import blocks_of
from harness.oracle.speech import said
from harness.world.talk import Talk
from threadrebuild.config import Settings

SENTENCE = "明天下雨吗？"
QUOTED = f"你问“{SENTENCE}”，会下，带上伞。"
TYPED = "好，几点出门？"

Sides = dict[str, list[str]]


def sides(folder: Path) -> tuple[Sides, Sides]:
    """What either side said, in a session in which the assistant repeats the user, and in its candidate."""
    talk = Talk()
    talk.channel(SENTENCE)
    talk.assistant(QUOTED)
    talk.user(TYPED)
    talk.assistant("八点。")
    source = folder / "talk.jsonl"
    source.write_bytes(talk.bytes())
    candidate = carry_file(source, folder / "out", Settings())
    blocks = [] if candidate.refusal else blocks_of(candidate.path)
    return tuple(  # type: ignore[return-value]
        {role: [each.text for each in texts if each.role == role] for role in ("user", "assistant")}
        for texts in (said(source).utterances, blocks)
    )


@proves("TR-156")
def test_a_sentence_is_asked_of_the_side_that_said_it(tmp_path: Path) -> None:
    old, new = sides(tmp_path)
    expect("TR-023", TYPED in new["user"], "what was typed is carried")
    for role, sentence in (("user", SENTENCE), ("assistant", QUOTED)):
        answer = recall(role, [sentence], old[role], new[role])
        expect_equal("TR-156", answer.state, "holds", f"a sentence of the {role}: {answer.said}")
    without = [text for text in new["user"] if SENTENCE not in text]
    expect("TR-156", any(SENTENCE in text for text in new["assistant"]), "the assistant's quotation would hide a loss")
    for name, asked in (("lost in the new", (old["user"], without)), ("made up", (without, new["user"]))):
        answer = recall("user", [SENTENCE], *asked)
        expect_equal("TR-156", answer.state, "fails", f"a sentence {name}: {answer.said}")
    answer = recall("user", [], old["user"], new["user"])
    expect_equal("TR-156", answer.state, "not checked", f"no sentence to ask for: {answer.said}")


def test_what_was_not_checked_is_no_go() -> None:
    good, bad = found("one", None, True, "seen"), found("two", None, False, "unseen")
    unchecked = [Finding(name, None, "not checked", "after two") for name in ("three", "four")]
    assert verdict([good]) == "GO"
    assert [verdict(each) for each in ([], [good, bad], [good, *unchecked])] == ["NO-GO"] * 3
    assert reasons([good, bad, *unchecked]) == ["two: unseen", "three, four: after two"]
