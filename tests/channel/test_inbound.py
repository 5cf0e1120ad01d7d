"""One process's inbound side: what it sends, what it keeps while a switch is under way, and what may be said of it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from harness.expect import expect, expect_equal, proves
from threadrebuild.channel.cursor import Cursor, CursorFile
from threadrebuild.channel.inbound import Inbound
from threadrebuild.channel.journal import Journal
from threadrebuild.channel.message import Message
from threadrebuild.ports import Outcome
from threadrebuild.system import SystemFiles, SystemLocks

NOW = datetime(2026, 8, 14, 14, 0, tzinfo=UTC)


class StoppedClock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.time = NOW

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


class Process:
    """A process with its inbound side; `sent` are the ids of what it sent."""

    def __init__(self, folder: Path, clock: StoppedClock, shown: tuple[str, ...] = ()) -> None:
        self.sent: list[str] = []
        self.journal = Journal(folder / "channel", SystemFiles(), SystemLocks(), clock)
        place = CursorFile(folder / "plugin" / "cursor.json", SystemFiles())
        look = lambda wanted: {each for each in wanted if each.id in shown}  # noqa: E731
        self.inbound = Inbound(place, self.journal, look, self._send)
        self.since = self.inbound.connect()

    def _send(self, message: Message) -> Outcome:
        self.sent.append(message.message_id)
        return Outcome(True)


def message(number: int) -> Message:
    return Message(number, "companion", "me", f"m{number}", f"第 {number} 句")


def until(seconds: float) -> str:
    return (NOW + timedelta(seconds=seconds)).isoformat(timespec="microseconds")


@proves("TR-L22")
def test_nothing_goes_out_while_messages_are_held_and_all_of_it_afterwards(tmp_path: Path) -> None:
    expect("TR-127", Cursor().fetched([message(1)]), "a new message is to be sent")
    process = Process(tmp_path, StoppedClock())
    process.inbound.take([message(1)])
    expect_equal("TR-L22", process.sent, ["m1"], "without a hold a message goes out")
    expect_equal("TR-129", process.inbound.at, 1, "what went out is passed")
    process.journal.hold(until(60))
    expect("TR-L22", process.inbound.take([message(2), message(3)]), "with a hold something is left to be done")
    expect_equal("TR-L22", process.sent, ["m1"], "with a hold nothing goes out")
    process.inbound.take([message(2), message(3)])
    kept = [each.message_id for each in process.journal.entries()]
    expect_equal("TR-L22", kept, ["m2", "m3"], "kept once each, in order, however often they were fetched")
    expect_equal("TR-L22", process.inbound.at, 1, "the cursor stays before what did not go out")
    process.journal.release()
    process.inbound.take([message(2), message(3), message(4)])
    process.inbound.take([])
    expect_equal("TR-L22", process.sent, ["m1", "m2", "m3", "m4"], "after the release each once")


def test_a_hold_runs_out_by_itself(tmp_path: Path) -> None:
    clock = StoppedClock()
    process = Process(tmp_path, clock)
    process.journal.hold(until(60))
    clock.sleep(60)
    process.inbound.take([message(1)])
    assert process.sent == []
    clock.sleep(0.001)
    process.inbound.take([message(1)])
    assert process.sent == ["m1"]


def test_a_new_process_hands_over_what_the_old_one_kept_without_the_relay(tmp_path: Path) -> None:
    clock = StoppedClock()
    old = Process(tmp_path, clock)
    old.journal.hold(until(60))
    old.inbound.take([message(2), message(1)])
    old.journal.release()
    new = Process(tmp_path, clock)
    new.inbound.take([])
    assert new.sent == ["m1", "m2"]
    third = Process(tmp_path, clock, shown=("m1",))
    third.inbound.take([])
    assert third.sent == ["m2"], "what its session shows needs no repeat; what nobody has seen arrive does"
    third.journal.close([message(1).id])
    assert [each.message_id for each in third.journal.entries()] == ["m2"]


def test_a_message_handed_over_late_does_not_move_the_cursor_back(tmp_path: Path) -> None:
    clock = StoppedClock()
    process = Process(tmp_path, clock)
    process.journal.append(message(1))
    process.inbound.take([message(number) for number in range(20, 30)])
    assert process.inbound.at == 29
    process.journal.append(message(2))
    process.inbound.take([])
    assert process.inbound.at == 29
    assert process.sent == ["m1", *(f"m{number}" for number in range(20, 30)), "m2"]


@proves("TR-126")
def test_what_was_kept_does_not_move_the_cursor_past_what_the_relay_has_before_it(tmp_path: Path) -> None:
    clock = StoppedClock()
    first = Process(tmp_path, clock)
    first.inbound.take([message(1), message(2)])
    expect_equal("TR-129", first.inbound.at, 2, "two went out")
    first.journal.append(message(4))
    second = Process(tmp_path, clock)
    second.inbound.take([])
    expect_equal("TR-127", second.sent, ["m4"], "what was kept is handed over while the relay is silent")
    expect_equal("TR-126", second.inbound.at, 0, "and the cursor waits for what came before it")
    second.inbound.take([message(number) for number in (1, 2, 3, 4)])
    expect_equal("TR-127", second.sent, ["m4", "m1", "m2", "m3"], "then all the rest comes, and nothing twice")
    expect_equal("TR-126", second.inbound.at, 4, "with nothing in the way the cursor moves")


def test_what_was_kept_and_stands_in_the_session_is_not_sent_later_either(tmp_path: Path) -> None:
    clock = StoppedClock()
    process = Process(tmp_path, clock, shown=("m1",))
    process.journal.append(message(1))
    for start in range(2, 30, 7):
        process.inbound.take([message(number) for number in range(start, start + 7)])
    assert process.sent == [f"m{number}" for number in range(2, 30)]
