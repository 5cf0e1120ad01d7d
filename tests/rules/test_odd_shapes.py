"""Shapes that once lost words, blocked a healthy session or took for ever; each stays as it was found."""

from pathlib import Path

from carrying import carry

from harness.world.talk import Talk


def talk_with(*rows: str) -> Talk:
    talk = Talk()
    talk.user("第一句")
    talk.assistant("第一答")
    for row in rows:
        talk.raw(row.encode() + b"\n")
    return talk


def test_a_prompt_lost_in_the_queue_does_not_shift_the_ones_after_it(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("一")
    talk.assistant("二")
    talk.enqueue("断电前排队的话")
    talk.enqueue("后来打的话")
    talk.dequeue()
    talk.user("后来打的话")
    talk.assistant("收到")
    said = [text for _, text in carry(talk, tmp_path).said]
    assert said == ["一", "二", "后来打的话", "收到", "断电前排队的话"]


def test_a_command_of_the_user_and_what_it_printed_are_no_speech(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("看一下")
    talk.user("<bash-input>ls</bash-input>")
    talk.user("<bash-stdout>secret.txt</bash-stdout><bash-stderr></bash-stderr>")
    talk.assistant("看到了")
    carried = carry(talk, tmp_path)
    assert carried.said == [("user", "看一下"), ("assistant", "看到了")]
    assert b"secret.txt" not in carried.raw


def test_a_time_before_all_times_is_none(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("一", timestamp="0001-01-01T00:00:00Z")
    talk.assistant("二", timestamp="9999-12-31T23:59:59.999Z")
    assert carry(talk, tmp_path).said == [("user", "一"), ("assistant", "二")]


def test_a_string_among_blocks_is_reported(tmp_path: Path) -> None:
    talk = talk_with(
        '{"type":"user","uuid":"x","sessionId":"s","message":{"content":[{"type":"text","text":"a"},"bare"]}}'
    )
    carried = carry(talk, tmp_path)
    assert "unknown-shape" in carried.codes
    assert ("user", "a") in carried.said


def test_queued_input_in_another_shape_is_reported(tmp_path: Path) -> None:
    talk = talk_with('{"type":"queue-operation","operation":"enqueue","content":{"text":"words"}}')
    assert "unknown-shape" in carry(talk, tmp_path).codes


def test_old_refusals_do_not_poison_a_talk_whose_last_prompt_was_never_read(tmp_path: Path) -> None:
    talk = Talk()
    talk.enqueue("没人读到的话")
    talk.user("一")
    talk.api_error("AUP: policy violation")
    talk.assistant("二")
    for number in range(12):
        talk.user(f"问 {number}")
        talk.assistant(f"答 {number}")
    assert carry(talk, tmp_path).plan.refusal is None


def test_a_blank_summary_is_nothing(tmp_path: Path) -> None:
    talk = Talk()
    talk.compact(" \n ")
    talk.user("一")
    talk.assistant("二")
    assert carry(talk, tmp_path).said == [("user", "一"), ("assistant", "二")]


def test_a_number_of_any_length_is_a_number(tmp_path: Path) -> None:
    digits = "9" * 5000
    talk = talk_with(
        f'{{"type":"user","uuid":"x","sessionId":"s","n":{digits},"message":{{"content":"\\ud83d 半个"}}}}'
    )
    assert ("user", "\ud83d 半个") in carry(talk, tmp_path).said


def test_a_row_written_anew_under_another_uuid_is_said_once(tmp_path: Path) -> None:
    """As two old versions were seen to do on resuming, after an answer that had to be asked for again."""
    times = ("2026-08-14T09:00:05.000Z", "2026-08-14T09:00:06.000Z")
    for time, wanted in zip(times, (["答"], ["答", "答"]), strict=True):
        talk = Talk()
        talk.user("问")
        asked = talk.mark()
        talk.assistant("答", message="msg_1", timestamp=times[0])
        talk.assistant("答", message="msg_1", timestamp=time, parentUuid=asked)
        talk.user("下一问")
        said = [text for role, text in carry(talk, tmp_path / time).said if role == "assistant"]
        assert said == wanted
