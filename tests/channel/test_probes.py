"""The probes of an activation: `activated` reads as unproven until a message has arrived and a reply has gone out."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from gap import GapNight

from harness.expect import expect, expect_equal, proves
from harness.world.night import PANE, Night
from harness.world.talk import Talk
from threadrebuild.channel.probes import Probes
from threadrebuild.operation import coordinator
from threadrebuild.operation.states import State


def proven(night: Night) -> Probes:
    """What the status says is proven of the latest operation."""
    found = coordinator.status(night.house)["proven"]
    assert isinstance(found, Probes)
    return found


def switched(folder: Path, night: GapNight | None = None) -> GapNight:
    """A night that ended in an activated operation, with nothing said since."""
    night = night or GapNight(folder)
    night.switch()
    expect_equal("TR-L25", night.latest().state, State.ACTIVATED, "the switch")
    return night


def recovered(night: Night) -> dict[str, bool]:
    """What is on record after somebody ran `recover`."""
    person = night.world.process("person")
    night.world.start(person, lambda: coordinator.recover(night.house))
    night.world.run()
    return night.latest().proven


@proves("TR-166")
def test_of_all_checks_only_the_inbound_probe_tells_a_deaf_window_from_a_hearing_one(tmp_path: Path) -> None:
    seen = []
    for deaf in (True, False):
        night = GapNight(tmp_path / str(deaf))
        night.chat.on_start.append(partial(setattr, night.chat, "deaf", deaf))
        switched(tmp_path, night)
        night.chat.say("在吗？")
        night.world.run()
        night.talk(lambda talk: talk.reply("我换好窗了"), night.new_session)
        operation, probes = night.latest(), proven(night)
        alive = night.tmux.process_in(PANE).alive
        green = (operation.state, operation.verification["ok"], alive, probes.outbound)
        seen.append((green, probes.inbound))
    (deaf_checks, deaf_hears), (checks, hears) = seen
    expect_equal(
        "TR-166", (deaf_hears, hears), (False, True), "whether a message came in, of a deaf and a hearing window"
    )
    expect_equal("TR-L20", deaf_checks, checks, "everything else is the same")


@proves("TR-L20", "TR-159")
def test_a_deaf_window_is_green_everywhere_and_unproven(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    # The resume command lacks the channel flag: own replies go out, nothing comes in.
    night.chat.on_start.append(lambda: setattr(night.chat, "deaf", True))
    switched(tmp_path, night)
    night.chat.say("在吗？")
    night.world.run()
    night.talk(lambda talk: talk.reply("我换好窗了"), night.new_session)
    seen = proven(night)
    expect("TR-L20", night.tmux.process_in(PANE).alive, "the pane is alive")
    expect_equal("TR-159", seen.inbound, False, "carried messages are no inbound message, and nothing has come in")
    expect_equal("TR-L20", seen.outbound, True, "a reply has gone out")
    expect("TR-L20", "unproven" in seen.says and "companion" in seen.says, f"in words: {seen.says}")
    expect_equal("TR-159", recovered(night), {"inbound": False, "outbound": True}, "what is on record")
    night.chat.deaf = False
    night.chat.say("现在呢？")
    night.world.run()
    seen = proven(night)
    expect_equal("TR-159", seen.inbound, True, "a real message arrived in the new transcript")
    row = night.host.transcript(night.new_session).read_bytes().split(b"\n")[(seen.lines["companion"] or 0) - 1]
    expect("TR-L20", "现在呢？".encode() in row, "with the row that shows it")
    expect_equal("TR-L20", recovered(night), {"inbound": True, "outbound": True}, "what is on record")


INBOUND: dict[str, tuple[bool, Callable[[Talk], object]]] = {
    "nothing": (False, lambda talk: None),
    "a channel message": (True, lambda talk: talk.channel("在吗")),
    "a channel message while a tool runs": (True, lambda talk: talk.channel("在吗", idle=False)),
    "a typed message where the user speaks over a channel": (False, lambda talk: talk.user("在吗")),
    "a message over another channel": (False, lambda talk: talk.channel("在吗", source="telegram")),
    "a skill body": (False, lambda talk: talk.meta("# 技能")),
    "a queue entry that nobody read": (False, lambda talk: talk.enqueue('<channel source="companion" message_id="9">')),
    "the assistant's own words": (False, lambda talk: talk.assistant('<channel source="companion" message_id="9">')),
}


@proves("TR-159")
def test_only_a_real_message_in_the_new_transcript_passes_the_inbound_probe(tmp_path: Path) -> None:
    for number, (name, (passes, say)) in enumerate(INBOUND.items()):
        night = switched(tmp_path / str(number))
        night.talk(say, night.new_session)
        expect_equal("TR-159", proven(night).inbound, passes, f"inbound is proven by {name}")


@proves("TR-174")
def test_the_stored_file_decides_and_not_what_was_reported_as_sent(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    night.chat.on_start.append(lambda: setattr(night.chat, "deaf", True))
    switched(tmp_path, night)
    night.chat.say("在吗？")
    night.world.run()
    expect("TR-123", "2" in [id for _, id in night.chat.notified], "the channel reports that it sent the message")
    expect_equal("TR-174", proven(night).inbound, False, "the stored file does not show it")
    night.talk(lambda talk: talk.channel("在吗？", message_id="2"), night.new_session)
    expect_equal("TR-174", proven(night).inbound, True, "the stored file shows it")


OUTBOUND: dict[str, tuple[bool, Callable[[Talk], object]]] = {
    "nothing": (False, lambda talk: None),
    "a reply": (True, lambda talk: talk.reply("在")),
    "a reply whose call failed": (False, lambda talk: talk.reply("在", error="chat not found")),
    "a reply that has no result yet": (False, lambda talk: talk.tool("mcp__companion__reply", {"text": "在"})),
    "a text that no tool sent": (False, lambda talk: talk.assistant("在")),
    "another tool": (False, lambda talk: talk.tool("Bash", {"text": "在"}, result="ok")),
}


@proves("TR-L20")
def test_only_a_reply_that_did_not_fail_passes_the_outbound_probe(tmp_path: Path) -> None:
    for number, (name, (passes, say)) in enumerate(OUTBOUND.items()):
        night = switched(tmp_path / str(number))
        night.talk(say, night.new_session)
        expect_equal("TR-L20", proven(night).outbound, passes, f"outbound is proven by {name}")


@proves("TR-159")
def test_every_line_over_which_the_user_spoke_has_to_be_heard(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    night.talk(lambda talk: talk.channel("从电报来的", source="telegram"))
    night.talk(lambda talk: talk.assistant("看到了"))
    switched(tmp_path, night)
    expect_equal("TR-159", proven(night).lines, {"companion": None, "telegram": None}, "lines before the switch")
    night.talk(lambda talk: talk.channel("在吗"), night.new_session)
    expect_equal("TR-159", proven(night).inbound, False, "one of two lines is silent")
    night.talk(lambda talk: talk.channel("在吗", source="telegram"), night.new_session)
    expect_equal("TR-159", proven(night).inbound, True, "both were heard")


def test_where_nobody_ever_used_a_channel_typing_and_answering_prove_both(tmp_path: Path) -> None:
    night = Night(tmp_path)
    night.ask_for_rebuild()
    night.end_turn()
    night.world.run()
    session = night.latest().new_session_id
    assert session is not None
    assert proven(night).lines == {"typed": None}
    night.talk(lambda talk: talk.user("在吗"), session)
    assert (proven(night).inbound, proven(night).outbound) == (True, False)
    night.talk(lambda talk: talk.assistant("在"), session)
    assert proven(night).says == "proven in both directions"


def test_a_probe_leaves_no_file_and_no_state_behind(tmp_path: Path) -> None:
    night = switched(tmp_path)
    night.chat.say("在吗")
    night.world.run()
    before = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    assert proven(night).inbound
    assert {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()} == before


def test_without_its_transcript_an_activation_is_unproven(tmp_path: Path) -> None:
    night = switched(tmp_path)
    night.host.transcript(night.new_session).unlink()
    seen = proven(night)
    assert (seen.inbound, seen.outbound) == (False, False)
    assert "cannot be read" in seen.says


def test_only_an_activated_operation_has_probes(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    assert coordinator.status(night.house)["operation"] is None
    night.host.lives = [0.6]
    night.switch()
    assert night.latest().state is State.ROLLED_BACK
    assert coordinator.status(night.house)["proven"] is None


def test_recover_puts_on_record_what_the_probes_show(tmp_path: Path) -> None:
    night = switched(tmp_path)
    night.chat.say("在吗")
    night.world.run()
    assert recovered(night) == {"inbound": True, "outbound": False}
    night.talk(lambda talk: talk.reply("在"), night.new_session)
    assert recovered(night) == {"inbound": True, "outbound": True}
