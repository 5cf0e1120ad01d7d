"""Nobody is cut off: while somebody is chatting nothing is restarted, and a restart waits until the chat is idle."""

from datetime import datetime
from pathlib import Path

from households import in_state, night_of

from harness.expect import expect, expect_equal, proves
from harness.world.kernel import START
from harness.world.night import OLD_SESSION, UNIT, Night


def waiting(folder: Path) -> Night:
    """A service whose user has agreed to a restart, at the last word of the turn."""
    night = night_of(folder, "systemd")
    night.talk(lambda talk: talk.user("可以换窗了"))
    night.talk(lambda talk: talk.assistant("好，说完这句就换。"))
    night.ask_for_rebuild("夜里换窗")
    return night


@proves("OPS-02")
def test_a_user_who_is_chatting_is_not_cut_off(tmp_path: Path) -> None:
    quiet = waiting(tmp_path / "quiet")
    quiet.end_turn()
    quiet.world.run()
    error = quiet.latest().error or ""
    expect("TR-104", "the copy is not" not in error, f"the copy is what was stable: {error}")
    expect_equal("OPS-02", quiet.systemd.restarts, [UNIT], f"restarts when nobody says anything ({error})")
    chatting = waiting(tmp_path / "chatting")
    old = chatting.systemd.process_in(UNIT)
    in_state(chatting, "verifying", lambda: chatting.talk(lambda talk: talk.user("等等，还有一件事")))
    chatting.end_turn()
    chatting.world.run()
    expect_equal("OPS-02", chatting.systemd.restarts, [], "restarts while the user is chatting")
    expect("OPS-02", old.alive and chatting.live_session() == OLD_SESSION, "the process that answers is still the same")


@proves("OPS-03")
def test_a_restart_waits_until_the_chat_is_idle(tmp_path: Path) -> None:
    night = waiting(tmp_path)
    written: list[datetime] = []
    restarted: list[datetime] = []
    restart = night.systemd.restart

    def row() -> None:
        written.append(night.world.now)
        night.talk(lambda talk: talk.system("tick"))

    def restarting(unit: str, limit_seconds: float):  # type: ignore[no-untyped-def]
        restarted.append(night.world.now)
        return restart(unit, limit_seconds)

    night.systemd.restart = restarting  # type: ignore[method-assign]
    for tenth in range(20, 90):
        night.world.at(tenth / 10, row)
    night.end_turn()
    night.world.run()
    expect_equal("TR-103", night.latest().state, "activated", f"a chat that became idle ({night.latest().error})")
    expect_equal("OPS-03", len(written), 70, "rows of a reply under way, from 2 to 8.9 seconds")
    idle = (restarted[0] - written[-1]).total_seconds() if restarted else -1.0
    seconds = night.settings.stable_file_seconds
    expect("OPS-03", idle >= seconds, f"the restart came {idle} s after the last row, wanted {seconds} s or more")
    expect("OPS-03", written[0] > START, "the reply was under way after the request")
