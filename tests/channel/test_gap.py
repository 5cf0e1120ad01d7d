"""The gap while switching: messages between freeze and handover, on a simulated household with a chat channel."""

from datetime import timedelta
from functools import partial
from pathlib import Path

from gap import GapNight

from harness.expect import expect, expect_equal, proves
from harness.world.kernel import START, Process
from harness.world.night import OLD_SESSION, PANE
from threadrebuild.operation import coordinator
from threadrebuild.operation.states import State

TEXT = "对了，别忘了喂鱼"


OTHER_SESSION = "bbbbbbbb-0000-4000-8000-000000000002"


def the_worker(night: GapNight) -> Process:
    return next(each for each in night.world.processes.values() if each.command[:1] == ("worker",))


@proves("TR-123")
def test_a_message_sent_while_the_pane_is_dead_arrives_in_the_new_session_once(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    night.world.run()
    night.chat.on_start.append(lambda: night.chat.say(TEXT))
    night.begin_switch()
    night.world.run(seconds=60)
    night.expect_worker_at_work()
    expect_equal("TR-123", night.latest().state, State.ACTIVATED, "the switch")
    expect_equal("TR-123", night.chat.heard(night.new_session), ["1", "2"], "carried and new, a minute later")
    expect_equal("TR-123", night.chat.heard(OLD_SESSION), ["1"], "nothing new went to the old session")
    expect("TR-123", TEXT in night.host.transcript(night.new_session).read_text(encoding="utf-8"), "with its words")


@proves("TR-123", "TR-L22")
def test_whenever_a_message_is_sent_the_switch_goes_on_and_the_message_arrives_once(tmp_path: Path) -> None:
    held = 0
    for tenths in range(0, 160, 8):
        night = GapNight(tmp_path / str(tenths))
        night.begin_switch()
        night.chat.at(tenths / 10, TEXT)
        night.world.run(seconds=90)
        night.expect_worker_at_work()
        operation = night.latest()
        expect_equal("TR-L22", operation.state, State.ACTIVATED, f"the switch, with a message at {tenths / 10} s")
        heard = night.chat.heard(night.new_session)
        expect_equal("TR-123", heard, ["1", "2"], f"what the new session heard of a message sent at {tenths / 10} s")
        held += bool(operation.messages)
        expect("TR-172", all(each.line for each in operation.messages.values()), "each delivery names its line")
    expect("TR-L22", held >= 5, f"of 20 moments, {held} lay between freeze and handover")


@proves("TR-123", "TR-L22")
def test_what_is_held_reaches_the_new_session_even_if_the_relay_forgets_it(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    night.begin_switch()
    for tenths in (50, 53, 56):
        night.chat.at(tenths / 10, f"{tenths} 句")
    night.chat.on_start.append(night.chat.relay.forget)
    night.world.run()
    night.expect_worker_at_work()
    heard = night.chat.heard(night.new_session)
    expect_equal("TR-123", heard, ["1", "2", "3", "4"], "what came in between freeze and kill, in order, each once")
    expect_equal("TR-L22", night.house.journal and night.house.journal.entries(), [], "the journal is closed")


@proves("TR-L22")
def test_a_new_session_that_dies_has_swallowed_nothing(tmp_path: Path) -> None:
    for second in (5.2, 6.2, 7):
        night = GapNight(tmp_path / str(second))
        night.world.run()
        night.host.lives = [0.6]
        night.begin_switch()
        night.chat.at(second, TEXT)
        night.world.run()
        night.expect_worker_at_work()
        operation = night.latest()
        expect_equal("TR-088", operation.state, State.ROLLED_BACK, "the new session died within the health check")
        heard = night.chat.heard(OLD_SESSION)
        expect_equal("TR-L22", heard, ["1", "2"], f"what the old session heard of a message sent at {second} s")


@proves("TR-L22")
def test_a_worker_that_dies_silences_nobody_for_longer_than_its_lease(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    night.begin_switch()
    night.chat.at(5.2, TEXT)
    night.world.at(5.4, lambda: night.world.kill(the_worker(night)))
    night.world.run()
    lease = night.latest().lease
    expect_equal("TR-L25", night.latest().state, State.RUNNING, "the worker was at work when it died")
    assert lease is not None
    expect_equal("TR-L22", night.chat.heard(OLD_SESSION), ["1", "2"], "the channel goes on by itself")
    last = night.world.now - timedelta(seconds=5)
    expect("TR-L22", last.isoformat(timespec="microseconds") <= lease.until, "as soon as the lease has run out")
    expect("TR-L22", night.world.now - START > timedelta(seconds=60), "and not while the worker might still live")


@proves("TR-096")
def test_a_word_in_any_session_file_during_the_switch_refuses_it(tmp_path: Path) -> None:
    for number, session in enumerate((OLD_SESSION, OTHER_SESSION)):
        night = GapNight(tmp_path / str(number))
        night.begin_switch()
        writes = partial(night.talk, lambda talk: talk.user("我也在写"), session)
        # The transcript was copied; the candidate is being written.
        night.files_before("publish", writes)
        night.world.run()
        expect_equal("TR-096", night.latest().state, State.FAILED, f"another writer in {session} while switching")
        process = night.tmux.process_in(PANE)
        expect_equal("TR-096", process.command, night.resumed(OLD_SESSION), "the old session still holds the pane")
    quiet = GapNight(tmp_path / "quiet")
    quiet.switch()
    expect_equal("TR-105", quiet.latest().state, State.ACTIVATED, "with no other writer the switch goes on")


@proves("TR-128", "TR-165")
def test_two_sentences_between_notification_and_context_come_again(tmp_path: Path) -> None:
    for holds in (True, False):
        night = GapNight(tmp_path / str(holds), holds=holds)
        night.chat.say("明天早上叫我")
        night.chat.say("要带伞")
        # The plugin fetches, notifies and moves its cursor at once; the host would write the rows 0.4 s later.
        night.world.run(seconds=0.2)
        first = night.tmux.process_in(PANE)
        expect_equal("TR-127", [id for _, id in night.chat.notified], ["1", "2", "3"], "both were sent")
        expect_equal("TR-124", night.chat.heard(OLD_SESSION), ["1"], "and neither had arrived")
        night.tmux.replace(PANE, *night.resumed(OLD_SESSION))
        night.world.run()
        again = [id for pid, id in night.chat.notified if pid != first.pid]
        expect_equal("TR-165", again, ["2", "3"], "the new process was told both again")
        expect_equal("TR-128", night.chat.heard(OLD_SESSION), ["1", "2", "3"], "both are in context now, each once")


@proves("TR-129")
def test_a_sending_of_unclear_outcome_is_tried_again_under_the_same_id(tmp_path: Path) -> None:
    night = GapNight(tmp_path, holds=False)
    night.chat.unclear = 1
    night.chat.say(TEXT)
    night.world.run(seconds=30)
    twice = night.chat.heard(OLD_SESSION).count("2")
    expect_equal("TR-129", twice, 2, "it had gone through, and shows by its id that it is a repeat")
    night.chat.lost = 1
    night.chat.say("要带伞")
    night.world.run(seconds=30)
    expect_equal("TR-129", night.chat.heard(OLD_SESSION).count("3"), 1, "it had not gone through, and is not lost")


def test_messages_that_arrive_while_a_tool_runs_are_found_too(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    night.begin_switch()
    night.chat.at(7, TEXT)
    night.chat.on_start.append(lambda: night.host.busy.add(night.new_session))
    night.world.run()
    operation = night.latest()
    assert night.chat.heard(night.new_session) == ["1", "2"]
    assert [each.state for each in operation.messages.values()] == ["delivered"]


def test_a_household_without_a_channel_folder_writes_none_and_switches_as_ever(tmp_path: Path) -> None:
    night = GapNight(tmp_path, holds=False)
    night.switch()
    assert night.latest().state is State.ACTIVATED
    assert night.house.journal is None
    assert not (tmp_path / "channel").exists()


def test_what_was_held_lies_in_private_files_only(tmp_path: Path) -> None:
    night = GapNight(tmp_path)
    night.begin_switch()
    night.chat.at(7, TEXT)
    journal = tmp_path / "channel" / "journal"
    modes: list[int] = []

    def look() -> None:
        modes.extend(path.stat().st_mode & 0o777 for path in (journal.parent, journal, *journal.iterdir()))

    night.world.at(7.3, look)
    night.world.run()
    assert modes == [0o700, 0o700, 0o600]
    operations = (tmp_path / "state" / "operations").glob("*.json")
    assert not any(TEXT in path.read_text(encoding="utf-8") for path in operations)


@proves("TR-L22")
def test_a_rollback_has_the_same_gap_and_covers_it(tmp_path: Path) -> None:
    for tenths in range(0, 120, 8):
        night = GapNight(tmp_path / str(tenths))
        night.switch()
        night.expect_worker_at_work()
        person = night.world.process("person")
        night.world.start(person, lambda night=night: coordinator.request_rollback(night.house, "ROLLBACK"))
        night.end_turn(night.new_session)
        now = (night.world.now - START).total_seconds()
        night.chat.at(now + tenths / 10, TEXT)
        night.world.run(seconds=90)
        expect_equal("TR-091", night.latest().state, State.ROLLED_BACK, "the rollback")
        heard = night.chat.heard(OLD_SESSION) + night.chat.heard(night.new_session)
        expect("TR-L22", "2" in heard, f"a message sent {tenths / 10} s after the turn's end: {heard}")
        if tenths >= 40:
            expect(
                "TR-L22", "2" in night.chat.heard(OLD_SESSION), f"{tenths / 10} s: it reached the session that lives"
            )


def missing_of_a_burst(folder: Path, tenths: int, size: int, holds: bool) -> list[str]:
    """What the session that lives in the end never got of a burst of messages, sent within a quarter of a second."""
    night = GapNight(folder, holds=holds)
    night.begin_switch()
    for number in range(size):
        night.chat.at(tenths / 10 + number * 0.03, f"第 {number} 句")
    night.world.run()
    session = night.host.session_of(night.tmux.process_in(PANE))
    assert session is not None
    heard = night.chat.heard(session)
    assert heard == sorted(set(heard), key=int), "in order, each once"
    return night.chat.missing(session)


def test_a_burst_at_any_moment_arrives_whole_with_a_journal_and_up_to_five_without(tmp_path: Path) -> None:
    moments = range(46, 72)
    for tenths in moments:
        assert missing_of_a_burst(tmp_path / f"{tenths}-journal", tenths, 8, holds=True) == []
        assert missing_of_a_burst(tmp_path / f"{tenths}-five", tenths, 5, holds=False) == []
    lost = [missing_of_a_burst(tmp_path / f"{tenths}-eight", tenths, 8, holds=False) for tenths in moments]
    assert max(map(len, lost)) == 8 - 5, "the step back alone covers five: what the journal is for"
