"""The thin whole: a request in the evening, the switch at the end of the turn, on a simulated household."""

from pathlib import Path

from harness.world.night import OLD_SESSION, PANE, Night
from threadrebuild.operation.states import State


def test_a_request_ends_in_the_new_session_with_every_word(tmp_path: Path) -> None:
    night = Night(tmp_path)
    night.talk(lambda talk: talk.user("可以换窗了"))
    night.talk(lambda talk: talk.assistant("好，说完这句就换。"))
    before = night.host.transcript(OLD_SESSION).read_bytes()
    night.ask_for_rebuild("夜里换窗")
    night.end_turn()
    night.world.run()

    operation = night.latest()
    assert operation.state is State.ACTIVATED
    assert operation.new_session_id is not None
    assert night.tmux.process_in(PANE).command == night.resumed(operation.new_session_id)
    assert "可以换窗了" in night.host.transcript(operation.new_session_id).read_text(encoding="utf-8")
    assert night.host.transcript(OLD_SESSION).read_bytes() == before
    assert not night.world.failures
