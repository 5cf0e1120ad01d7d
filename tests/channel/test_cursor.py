"""The inbound cursor: what moves it, what it asks for again, and what it takes for a repeat."""

from pathlib import Path

from harness.expect import expect, expect_equal, proves
from threadrebuild.channel.cursor import WAITING_MOST, Cursor, CursorFile
from threadrebuild.channel.message import Message, MessageId
from threadrebuild.system import SystemFiles


def message(number: int, id: str | None = None) -> Message:
    """The relay's message of that number."""
    return Message(number, "companion", "me", id or f"m{number}", f"第 {number} 句")


def messages(*numbers: int) -> list[Message]:
    return [message(number) for number in numbers]


def numbers(found: list[Message]) -> list[int]:
    return [each.number for each in found]


def send(cursor: Cursor, new: list[Message]) -> None:
    """Fetch and send messages that this cursor never saw."""
    to_send = cursor.fetched(new)
    expect_equal("TR-127", numbers(to_send), numbers(new), "messages under new ids are to be sent")
    for each in to_send:
        cursor.sent(each)


@proves("TR-125")
def test_having_fetched_a_message_moves_nothing() -> None:
    cursor = Cursor()
    to_send = cursor.fetched(messages(1))
    expect_equal("TR-127", numbers(to_send), [1], "a new message is to be sent")
    expect_equal("TR-125", cursor.at, 0, "fetched: the cursor is where it was")
    new = Cursor(cursor.marks)
    expect_equal("TR-125", new.connect(), 0, "died before sending: the new process asks for it again")
    cursor.sent(to_send[0])
    expect_equal("TR-125", cursor.at, 1, "sent: the cursor moves")


@proves("TR-126")
def test_while_an_earlier_message_has_failed_later_ones_do_not_move_the_cursor() -> None:
    cursor = Cursor()
    to_send = cursor.fetched(messages(1, 2, 3))
    expect_equal("TR-127", numbers(to_send), [1, 2, 3], "new messages are to be sent")
    one, two, three = to_send
    cursor.sent(one)
    cursor.sent(three)
    expect_equal("TR-126", cursor.at, 1, "1 sent, 2 failed, 3 sent")
    expect_equal("TR-127", numbers(cursor.fetched(messages(2, 3))), [2], "asked since 1 again")
    cursor.sent(two)
    expect_equal("TR-126", cursor.at, 3, "2 sent: nothing is in the way any more")


@proves("TR-126")
def test_an_answer_is_sent_in_order_of_numbers_and_gaps_hold_nothing_up() -> None:
    cursor = Cursor()
    to_send = cursor.fetched(messages(30, 4, 17))
    expect_equal("TR-127", len(to_send), 3, "new messages are to be sent")
    expect_equal("TR-126", numbers(to_send), [4, 17, 30], "order of sending")
    for each, at in zip(to_send, (4, 17, 30), strict=True):
        cursor.sent(each)
        expect_equal("TR-126", cursor.at, at, f"after {each.number}")


@proves("TR-127")
def test_a_repeat_is_known_by_its_id_and_never_by_its_number() -> None:
    cursor = Cursor([3, 4, 5, 6, 7, 8])
    since = cursor.connect()
    replayed = messages(*range(since + 1, 9))
    expect_equal("TR-127", numbers(cursor.fetched(replayed)), numbers(replayed), "none of it was sent by this process")
    cursor.sent(replayed[0])
    expect("TR-127", replayed[0] not in cursor.fetched(replayed), "what this process sent is not sent twice")
    twin = message(99, replayed[0].message_id)
    expect("TR-127", twin not in cursor.fetched([twin]), "the same id under another number is a repeat")
    late = message(1, "late")
    expect("TR-127", late in cursor.fetched([late]), "a number below the cursor with an id of its own is no repeat")


@proves("TR-128")
def test_on_connecting_the_cursor_steps_back_five_messages() -> None:
    cursor = Cursor()
    send(cursor, messages(*range(10, 100, 10)))
    relay = messages(*range(10, 110, 10))
    new = Cursor(cursor.marks)
    since = new.connect()
    again = [each for each in relay if each.number > since]
    expect_equal("TR-128", numbers(again), [50, 60, 70, 80, 90, 100], "five that were sent, and the one that was not")
    expect_equal(
        "TR-127", numbers(new.fetched(again)), numbers(again), "what the old process sent counts for nothing here"
    )
    expect_equal("TR-128", new.at, 40, "the cursor stands where it stepped back to")


@proves("TR-128")
def test_dying_again_and_again_never_loses_the_step_back() -> None:
    cursor = Cursor()
    send(cursor, messages(*range(1, 21)))
    marks = cursor.marks
    for _ in range(4):
        cursor = Cursor(marks)
        expect_equal("TR-128", cursor.connect(), 15, "five before 20, however often it died in between")
        send(cursor, messages(16))
        marks = cursor.marks


@proves("TR-127")
def test_a_repeat_is_spared_only_where_the_session_shows_the_message() -> None:
    cursor = Cursor([0, 1, 2, 3])
    since = cursor.connect()
    seen = {message(1).id, message(2).id}
    expect_equal("TR-128", since, 0, "all three are asked for again")
    expect_equal("TR-127", numbers(cursor.fetched(messages(1, 2, 3), seen)), [3], "only 3 is not in the transcript")
    expect_equal("TR-127", cursor.at, 2, "what the transcript shows is passed")


@proves("TR-129")
def test_a_cursor_that_cannot_be_read_begins_again_rather_than_lose_anything(tmp_path: Path) -> None:
    path = tmp_path / "plugin" / "cursor.json"
    place = CursorFile(path, SystemFiles())
    expect_equal("TR-129", place.load().marks, [0], "no cursor yet")
    cursor = Cursor()
    send(cursor, messages(1, 2))
    place.save(cursor)
    expect_equal("TR-129", place.load().marks, [0, 1, 2], "what was saved")
    path.write_bytes(b'{"marks":[0,1')
    expect_equal("TR-129", place.load().connect(), 0, "a torn file: everything comes again")


def test_memory_is_bounded_and_what_is_left_at_the_relay_comes_with_a_later_answer() -> None:
    cursor = Cursor()
    relay = messages(*range(1, 3 * WAITING_MOST + 1))
    sent: list[int] = []
    while len(sent) < len(relay):
        to_send = cursor.fetched([each for each in relay if each.number > cursor.at])
        assert len(to_send) == WAITING_MOST
        for each in to_send:
            sent.append(each.number)
            cursor.sent(each)
            assert cursor.remembered <= 2 * WAITING_MOST + 5
    assert sent == numbers(relay)
    assert not cursor.fetched([])
    assert cursor.remembered == 5


def test_a_message_that_found_no_room_is_not_passed_over() -> None:
    cursor = Cursor()
    relay = messages(*range(1, WAITING_MOST + 3))
    to_send = cursor.fetched(relay)
    cursor.sent(to_send[0])
    to_send = cursor.fetched([each for each in relay if each.number > cursor.at])
    for each in to_send:
        cursor.sent(each)
    assert cursor.at == WAITING_MOST + 1
    assert numbers(cursor.fetched(relay[-1:])) == [WAITING_MOST + 2]


def test_an_id_belongs_to_its_chat_and_its_source() -> None:
    assert len({MessageId("a", "x", "1"), MessageId("a", "y", "1"), MessageId("b", "x", "1")}) == 3
