"""Turns: what belongs together, and that nothing said is lost between them."""

from pathlib import Path

from carrying import carry

from harness.expect import expect_equal, proves
from harness.world.talk import Talk


@proves("TR-018")
def test_two_questions_with_an_answer_each_are_two_turns(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("第一问")
    talk.assistant("第一答")
    talk.user("第二问")
    talk.assistant("第二答")
    expect_equal("TR-018", carry(talk, tmp_path).summary["turns"], 2, "turns")
