"""What counts as delivered: a message found in the session's transcript, and nothing less."""

from collections.abc import Callable
from pathlib import Path

from gap import GapNight

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.channel.message import MessageId, id_of
from threadrebuild.channel.proof import Delivery, delivery, found_in
from threadrebuild.config import Settings
from threadrebuild.operation import coordinator
from threadrebuild.operation.states import State

FETCH = "mcp__companion__fetch"
WANTED = MessageId("companion", "me", "42")
ENVELOPE = '<channel source="companion" chat_id="me" message_id="42" user="human">\n喂鱼\n</channel>'


def found(talk: Talk, folder: Path, **settings: object) -> dict[MessageId, int]:
    """Message → line, as the proof finds it in a talk's transcript."""
    path = talk.write(folder / "s.jsonl")
    places = found_in(path, Settings(**settings), {WANTED})  # type: ignore[arg-type]
    assert all(place.session == "s" for place in places.values())
    return {message: place.line for message, place in places.items()}


def told(say: Callable[[Talk], object]) -> Talk:
    talk = Talk()
    talk.user("早")
    talk.assistant("早")
    say(talk)
    return talk


ARRIVED: dict[str, Callable[[Talk], object]] = {
    "a row of its own": lambda talk: talk.channel("喂鱼", message_id="42"),
    "queued input that was read": lambda talk: talk.channel("喂鱼", message_id="42", idle=False),
    "other labels and another order": lambda talk: talk.meta(
        '<channel message_id="42" user="小<3>" chat_id="me" source="companion">喂鱼</channel>'
    ),
}
NOT_ARRIVED: dict[str, Callable[[Talk], object]] = {
    "nothing": lambda talk: None,
    "a queue entry that nobody read": lambda talk: talk.enqueue(ENVELOPE),
    "a quotation by the assistant": lambda talk: talk.assistant(ENVELOPE),
    "a quotation within somebody's words": lambda talk: talk.user(f"你收到了吗：{ENVELOPE}"),
    "a tool's result": lambda talk: talk.tool("Bash", {"command": "cat relay.log"}, result=ENVELOPE),
    "a sub-agent's question": lambda talk: talk.sidechain(ENVELOPE, "收到"),
    "another message": lambda talk: talk.channel("喂鱼", message_id="43"),
    "the same id in another chat": lambda talk: talk.channel("喂鱼", message_id="42", chat_id="group"),
    "the same id of another source": lambda talk: talk.channel("喂鱼", message_id="42", source="telegram"),
    "an envelope without an id": lambda talk: talk.meta('<channel source="companion" chat_id="me">42</channel>'),
    "a last row without its end": lambda talk: talk.raw(told(ARRIVED["a row of its own"]).bytes().split(b"\n")[-2]),
}


def said_of(say: Callable[[Talk], object], path: Path) -> Delivery:
    """What may be said of the wanted message, by a transcript written to `path`."""
    return delivery(found_in(told(say).write(path), Settings(), {WANTED}).get(WANTED))


@proves("TR-124")
def test_a_message_is_delivered_when_the_transcript_shows_it_and_sent_before_that(tmp_path: Path) -> None:
    for name, say in ARRIVED.items():
        said = said_of(say, tmp_path / "s.jsonl")
        expect_equal("TR-124", said.state, "delivered", f"what is said of {name}")
    for name, say in NOT_ARRIVED.items():
        said = said_of(say, tmp_path / "s.jsonl")
        expect_equal("TR-124", said.state, "sent", f"what is said of {name}")


@proves("TR-172")
def test_a_claim_of_delivery_names_the_line_that_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for name, say in ARRIVED.items():
        said = said_of(say, path)
        shown = path.read_bytes().split(b"\n")[(said.line or 0) - 1]
        expect_equal("TR-172", said.session, "s", f"the evidence for {name}: which session")
        expect("TR-172", said.line and b"42" in shown, f"the evidence for {name}: line {said.line}")
    for name, say in NOT_ARRIVED.items():
        said = said_of(say, path)
        expect_equal("TR-172", (said.session, said.line), (None, None), f"{name} is no evidence")


def test_only_what_is_asked_for_is_looked_up(tmp_path: Path) -> None:
    talk = told(ARRIVED["a row of its own"])
    talk.channel("要带伞", message_id="43")
    assert found(talk, tmp_path) == {WANTED: 3}


def test_the_id_is_read_from_the_own_envelope_only() -> None:
    assert id_of(ENVELOPE) == WANTED
    assert id_of(f"<system-reminder>\n晚\n</system-reminder>\n{ENVELOPE}") == WANTED
    assert id_of(f"看：{ENVELOPE}") is None
    inner = '<channel source="companion" chat_id="me">\n' + ENVELOPE + "\n</channel>"
    assert id_of(inner) is None


@proves("TR-124", "TR-172")
def test_no_report_calls_a_message_delivered_that_only_was_sent(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    night.begin_switch()
    night.chat.at(5.2, "对了，别忘了喂鱼")
    # The new process runs without its channel flag: the plugin sends, and the host drops what it sends.
    night.chat.on_start.append(lambda: setattr(night.chat, "deaf", True))
    night.world.run()
    night.expect_worker_at_work()
    expect_equal("TR-124", night.latest().state, State.ACTIVATED, "the switch")
    expect("TR-123", "2" in [id for _, id in night.chat.notified], "the message was sent to the new process")
    said = coordinator.status(night.house)["messages"]
    states = {name: each.state for name, each in said.items()}
    expect_equal("TR-124", states, {"companion/me/2": "sent"}, "what the status says of it")
    expect_equal("TR-172", night.latest().messages, {}, "no delivery is on record without its evidence")
    kept = night.house.journal and night.house.journal.entries()
    expect_equal("TR-124", kept and [each.message_id for each in kept], ["2"], "the journal stays open for it")
    # Somebody starts it as it should be.
    night.chat.deaf = False
    process = night.tmux.replace("%7", *night.resumed(night.new_session))
    night.world.run()
    coordinator_pid = night.world.process("person")
    night.world.start(coordinator_pid, lambda: coordinator.recover(night.house))
    night.world.run()
    assert process.alive
    record = night.latest().messages["companion/me/2"]
    expect_equal("TR-124", record.state, "delivered", "after it was found")
    expect_equal("TR-172", record.session, night.new_session, "with the session that shows it")
    expect_equal("TR-124", night.house.journal and night.house.journal.entries(), [], "the journal is closed")


def fetched(talk: Talk, result: object, tool: str = FETCH, error: bool = False) -> Talk:
    talk.user("有新消息")
    talk.tool(tool, {"limit": 10}, result=result, error=error)
    talk.assistant("看到了")
    return talk


@proves("TR-130")
def test_a_receipt_is_recorded_only_for_a_message_that_a_tool_result_contains(tmp_path: Path) -> None:
    both = f"2 条\n{ENVELOPE}\n" + ENVELOPE.replace('"42"', '"43"')
    results: dict[str, object] = {
        "a plain result": both,
        "a result of blocks": [{"type": "text", "text": "1 条"}, {"type": "text", "text": ENVELOPE}],
        "a result as newer hosts keep it": '{"result":"' + both.replace('"', '\\"').replace("\n", "\\n") + '"}',
    }
    for name, result in results.items():
        seen = found(fetched(Talk(), result), tmp_path, fetch_tools=(FETCH,))
        expect_equal("TR-130", seen, {WANTED: 3}, f"the receipt in {name}")
    without: dict[str, Talk] = {
        "a ring alone": told(lambda talk: talk.user("有新消息")),
        "a result without the message": fetched(Talk(), "0 条"),
        "a failed call": fetched(Talk(), ENVELOPE, error=True),
        "another tool's result": fetched(Talk(), ENVELOPE, tool="Bash"),
        "a message quoted within a line": fetched(Talk(), f"日志：{ENVELOPE}"),
    }
    for name, talk in without.items():
        seen = found(talk, tmp_path, fetch_tools=(FETCH,))
        expect_equal("TR-130", seen, {}, f"{name} is no receipt")
    expect_equal("TR-130", found(fetched(Talk(), both), tmp_path), {}, "no fetching tool is configured")
