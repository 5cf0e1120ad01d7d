"""The gate's own decisions: the seal, permits, kept mailbox calls, one review, one revision, and who fails alone."""

from pathlib import Path
from typing import Any

import pytest
from reviewing import calls, chat, drafts, goes_on, grants, only_turn, revises, says, shown

from harness.expect import expect, expect_equal, proves
from harness.world.review import ReviewHouse
from harness.world.review_setting import Setting
from harness.world.reviewer import Problem, Verdict
from threadrebuild.carry.failures import FailedTurn, read_failures
from threadrebuild.review.client import Problem as Said
from threadrebuild.review.failures import failed_turns
from threadrebuild.review.opinion import opinion_of
from threadrebuild.review.paths import app_hook, official_pending
from threadrebuild.review.search import Search
from threadrebuild.review.speech import names_in
from threadrebuild.transcript.tags import REVIEW_TAGS, nothing_but_blocks

OBJECTS = Setting(notes=["别用感叹号。"], reviews={"m": Verdict(notes=[0])})
CAT = Setting(past=["大橘是英短蓝猫。", "大橘打过三针疫苗。"], names=["大橘"])


@proves("RV-01")
def test_the_seal_is_on_record_from_the_draft_to_the_end_whatever_the_review_says(tmp_path: Path) -> None:
    for name, setting in (("passes", Setting()), ("objects", OBJECTS)):
        house = chat(tmp_path / name, setting, says("在吗", label="m"))
        expect("RV-01", not house.store.is_sealed(1), "no seal before the draft")
        goes_on(house, drafts("在的！", goes_on=True))
        expect("RV-01", house.store.is_sealed(1), f"a seal after a draft that {name}")
    goes_on(house, revises("在。"))
    expect("RV-01", house.store.is_sealed(1), "the seal is there when the turn is over")


@proves("RV-02")
def test_no_tool_runs_under_the_seal_and_the_seal_binds_its_turn_alone(tmp_path: Path) -> None:
    house = chat(tmp_path, OBJECTS, says("天气", label="m"), calls("搜索"))
    expect_equal("RV-02", house.toolbox.ran, ["搜索"], "a tool called before the draft runs")
    goes_on(house, drafts("晴！"))
    expect("RV-01", house.store.is_sealed(1), "the draft seals its turn")
    goes_on(house, calls("搜索"))
    expect_equal("RV-02", house.called, ["ran", "sealed"], "a tool called during the revision does not run")
    goes_on(house, says("明天呢"), calls("搜索"))
    expect_equal("RV-02", house.toolbox.ran, ["搜索", "搜索"], "in the next turn tools run again")


@proves("RV-04")
def test_a_permit_is_not_replayed(tmp_path: Path) -> None:
    house = chat(
        tmp_path, None, says("天气"), grants("搜索", "old"), calls("日历"), drafts("晴。"), says("明天"), calls("日历")
    )
    expect_equal("RV-02", house.called, ["ran", "ran"], "tools run with permits of their own")
    goes_on(house, calls("搜索", permit="old"))
    expect_equal("RV-04", house.called[2:], ["no permit"], "a permit from before the last review")
    goes_on(house, grants("搜索", "new"), calls("搜索", permit="new"), calls("搜索", permit="new"))
    expect_equal("RV-04", house.called[3:], ["ran", "no permit"], "a permit used twice")


@proves("RV-05")
def test_a_mailbox_call_after_the_seal_is_kept_and_fails_nobody(tmp_path: Path) -> None:
    for tool in ("mailbox_say", "mailbox_reply"):
        house = chat(tmp_path / tool, OBJECTS, says("回妈妈", label="m"), drafts("妈！"), calls(tool, "妈！"))
        expect_equal("RV-05", house.called, ["kept"], f"{tool} under the seal")
        expect_equal("RV-05", house.upstream.holds, {}, "upstream holds nothing yet")
        goes_on(house, revises("妈。"))
        expect_equal("RV-05", str(only_turn(house).state), "sent", "the turn ends well")


@proves("RV-34")
def test_a_mailbox_call_before_the_draft_is_kept_too(tmp_path: Path) -> None:
    house = chat(tmp_path, OBJECTS, says("回妈妈", label="m"), calls("mailbox_say", "妈！"), drafts("妈！"))
    expect_equal("RV-34", (house.called, house.upstream.holds), (["kept"], {}), "before the text is settled")
    goes_on(house, revises("妈。"))
    holds = list(house.upstream.holds.values())
    expect("RV-06", holds, "it is recorded when it was sent")
    expect_equal("RV-34", holds, [("mailbox_say", "妈。")], "what is recorded then")


@proves("RV-06")
def test_what_was_really_sent_is_recorded_once_it_is_sent(tmp_path: Path) -> None:
    house = chat(
        tmp_path, OBJECTS, says("回妈妈", label="m"), calls("mailbox_say", "妈！"), drafts("妈！"), revises("妈。")
    )
    expect_equal("RV-35", shown(house), ["妈。"], "the phone has the revision")
    expect_equal("RV-06", list(house.upstream.holds.values()), [("mailbox_say", "妈。")], "the mailbox has it too")


@proves("RV-09", "RV-10")
def test_a_sealed_call_fails_its_turn_and_nothing_else(tmp_path: Path) -> None:
    house = chat(tmp_path, OBJECTS, says("天气", label="m"), calls("日历"), drafts("晴！"))
    expect_equal("RV-02", house.called, ["ran"], "a call before the draft")
    goes_on(house, calls("搜索"), revises("晴。"))
    states = [str(turn.state) for turn in house.store.every()]
    expect_equal("RV-10", states, ["failed"], "the turn of a sealed call")
    expect_equal("RV-10", shown(house), [], "what the phone got of it")
    expect_equal("RV-09", states, ["failed"], "failed turns")
    goes_on(house, says("那明天呢"), drafts("也晴。"))
    expect_equal("RV-09", shown(house), ["也晴。"], "the next message is served")


@proves("RV-11")
def test_every_turn_is_told_to_use_its_tools_first_and_to_promise_nothing(tmp_path: Path) -> None:
    house = chat(tmp_path, None, says("在吗"), drafts("在。"), says("早"))
    for words in ("要用的工具先用完，再写草稿", "草稿里不要承诺「待会去查」"):
        expect("RV-11", [words in given for given in house.given] == [True] * 2, f"both turns are told: {words}")
    goes_on(house, drafts("我这就去翻一下。", goes_on=True), calls("搜索"))
    assert house.store.get(2).state == "failed", "what comes of promising all the same"


@proves("RV-12")
def test_what_was_revised_is_not_reviewed_again(tmp_path: Path) -> None:
    house = chat(tmp_path, OBJECTS, says("在吗", label="m"), drafts("在的！"))
    expect_equal("RV-12", (len(house.models.asked), shown(house)), (1, []), "reviews of the draft, and what is shown")
    goes_on(house, revises("在的！！"))
    expect_equal("RV-12", (len(house.models.asked), shown(house)), (1, ["在的！！"]), "of the revision")


@proves("RV-13")
def test_an_opinion_says_that_it_is_the_only_one_and_that_no_tool_may_follow(tmp_path: Path) -> None:
    told = _cat_forgotten(tmp_path).opinions.get("m", "")
    expect("RV-23", told, "there is an opinion")
    expect("RV-13", "这是本轮唯一一次核对或改稿" in told, f"it is the only one: {told}")
    expect("RV-13", "不要再调用核对、检索或其他工具" in told, f"no tools: {told}")


@proves("RV-15")
def test_both_paths_come_to_the_same_verdicts(tmp_path: Path) -> None:
    came = {}
    for path in ("app hook", "official pending"):
        house = chat(tmp_path / path, CAT, says("大橘呢", label="m", path=path), drafts("大橘我没印象了。"))
        goes_on(house, revises("英短蓝猫。"))
        expect("RV-14", not any(reason.about == "prompt" for reason in house.off), "one prompt in all places")
        came[path] = (house.opinions, [str(turn.state) for turn in house.store.every()], shown(house))
    expect_equal("RV-15", came["app hook"], came["official pending"], "opinion, state and text on the two paths")
    expect_equal("RV-15", came["app hook"][1:], (["sent"], ["英短蓝猫。"]), "what it comes to on both")


def test_each_path_is_answered_in_its_own_words(tmp_path: Path) -> None:
    answers: dict[str, Any] = {}

    def hand_in(house: ReviewHouse) -> None:
        for label, text in (("m", "在！"), ("m", "在。")):
            given = {"message_id": label, "text": text}
            answers.setdefault("hook", []).append(app_hook(house.gate, given))

    def hand_in_pending(house: ReviewHouse) -> None:
        for text in ("在！", "在。", "在。"):
            answers.setdefault("pending", []).append(official_pending(house.gate, {"message_id": "m", "text": text}))

    chat(tmp_path / "hook", OBJECTS, says("在吗", label="m"), hand_in)
    chat(tmp_path / "pending", OBJECTS, says("在吗", label="m", path="official pending"), hand_in_pending)
    first, second = answers["hook"]
    assert first["decision"] == "block" and "别用感叹号。" in first["reason"] and second == {}
    assert [each["action"] for each in answers["pending"]] == ["rewrite", "release", "over"]


@proves("RV-23")
def test_the_hosts_rules_force_a_search_whatever_the_reviewer_says(tmp_path: Path) -> None:
    verdicts = {"approves": Verdict(), "is down": Verdict(down=True), "talks nonsense": Verdict(nonsense="好")}
    for name, verdict in verdicts.items():
        house = _cat_forgotten(tmp_path / name, verdict)
        expect_equal("RV-23", house.searched, [("大橘", 3700)], f"searches when the reviewer {name}")


@proves("RV-08")
def test_the_host_looks_up_what_the_reviewer_needs_and_hands_over_what_it_found(tmp_path: Path) -> None:
    for name, problems in (("alone", []), ("with a problem", [Problem(say="针数对不上。")])):
        needs = Verdict(look_up=["大橘打过几针"], problems=problems)
        setting = Setting(past=CAT.past, names=CAT.names, reviews={"m": needs})
        house = chat(tmp_path / name, setting, says("大橘打全了吗", label="m"), drafts("大橘打过两针。"))
        told = house.opinions.get("m", "")
        expect("RV-08", "大橘打过三针疫苗。" in told, f"a question {name} goes on with its evidence: {told}")
    setting = Setting(names=CAT.names, reviews={"m": Verdict(look_up=["大橘"])})
    house = chat(tmp_path / "absent", setting, says("大橘打全了吗", label="m"), drafts("打过两针。"))
    assert house.opinions == {}, "where history has nothing, a question alone holds nobody up"


@proves("RV-31")
def test_a_draft_against_any_one_note_is_sent_back(tmp_path: Path) -> None:
    notes = ["别用感叹号。", "叫我阿宁。"]
    for number, note in enumerate(notes):
        setting = Setting(notes=notes, reviews={"m": Verdict(notes=[number])})
        house = chat(tmp_path / str(number), setting, says("在吗", label="m"), drafts("在的！"))
        expect("RV-31", note in house.opinions.get("m", ""), f"a draft against note {number}: {house.opinions}")
    setting = Setting(notes=notes)
    house = chat(tmp_path / "none", setting, says("在吗", label="m"), drafts("在的。"))
    expect_equal("RV-31", house.opinions, {}, "opinions on a draft against none")


@proves("WN-16")
def test_however_a_turn_ends_the_next_message_is_served(tmp_path: Path) -> None:
    ways = {
        "sent": drafts("在。"),
        "stopped": lambda house: house.stop("m"),
        "failed": lambda house: _restarted(house),
    }
    for state, act in ways.items():
        house = chat(tmp_path / state, None, says("在吗", label="m"), act, says("还在吗", label="n"))
        goes_on(house, drafts("在的。"))
        expect_equal("WN-16", str(house.turn_of("n").state), "sent", f"the message after one that was {state}")
        assert house.turn_of("m").state == state


@proves("WN-20")
def test_a_turn_that_never_reached_the_model_waits_until_it_is_cancelled(tmp_path: Path) -> None:
    other = chat(
        tmp_path / "other", None, says("在吗", label="m"), lambda house: house.stop("m"), says("喂", label="n")
    )
    expect_equal("WN-16", str(other.turn_of("n").state), "drafting", "the message after one that was stopped")
    house = chat(tmp_path, None, lambda house: house.stuck.add("m"), says("在吗", label="m"), says("喂", label="n"))
    goes_on(house, lambda house: house.world.sleep(80_000), _restarted)
    states = [str(turn.state) for turn in house.store.every()]
    expect_equal("WN-20", states, ["waiting", "waiting"], "a day later, and after a restart")
    goes_on(house, lambda house: house.cancel("m"), drafts("在。"))
    states = [str(turn.state) for turn in house.store.every()]
    expect_equal("WN-20", states, ["stopped", "sent"], "when it was cancelled by hand")


def test_a_text_that_comes_by_no_known_path_is_not_let_through(tmp_path: Path) -> None:
    house = chat(tmp_path, None, says("在吗", path="debug console"), drafts("在。"))
    assert (only_turn(house).state, shown(house)) == ("failed", [])


def test_a_turn_that_ends_without_a_text_has_failed(tmp_path: Path) -> None:
    house = chat(tmp_path, OBJECTS, says("在吗", label="m"), drafts("在！"), lambda house: house.end())
    assert (only_turn(house).state, shown(house)) == ("failed", [])


def test_stop_comes_too_late_once_the_text_is_on_its_way(tmp_path: Path) -> None:
    house = chat(tmp_path, None, says("在吗", label="m"), drafts("在。", goes_on=True))
    house.store.begin_sending(only_turn(house))
    assert not house.gate.stop(1)
    goes_on(house, lambda house: house.try_again(), lambda house: house.stop("m"))
    assert (only_turn(house).state, shown(house)) == ("sent", ["在。"])


def _cat_forgotten(folder: Path, verdict: Verdict | None = None) -> ReviewHouse:
    setting = Setting(past=CAT.past, names=CAT.names, reviews={"m": verdict or Verdict()})
    return chat(folder, setting, says("大橘是什么猫", label="m"), drafts("大橘我没印象了。"))


def _restarted(house: ReviewHouse) -> None:
    house.kill_host()
    house.start_host()


def test_a_window_change_gets_proof_of_each_failure_and_of_nothing_else(tmp_path: Path) -> None:
    house = chat(tmp_path, OBJECTS)

    def turn(message_id: str) -> int:
        found = house.store.take(message_id, "chat", "app hook", "在吗").id
        house.gate.begin(found, f"row-of-{message_id}")
        return found

    def happen(house: ReviewHouse) -> None:
        sealed = turn("sealed")
        house.gate.finished(sealed, "在！")
        house.tools.call(sealed, "搜索", "", call="toolu_1")
        for message_id in ("stopped", "sent"):
            each = turn(message_id)
            house.gate.finished(each, "在。")
            house.gate.stop(each) if message_id == "stopped" else house.gate.ended(each)
        turn("restarted")
        _restarted(house)

    goes_on(house, happen)
    (tmp_path / "failures.json").write_bytes(failed_turns(house.store))
    restart = house.store.of_message("restarted").failed_at
    assert read_failures(tmp_path / "failures.json") == [
        FailedTurn(cause="sealed", prompt="row-of-sealed", call="toolu_1"),
        FailedTurn(cause="restarted", prompt="row-of-restarted", at=restart),
    ]
    assert restart is not None and restart.endswith("+00:00")


def test_an_opinion_is_nothing_but_blocks_that_a_window_change_takes_out(tmp_path: Path) -> None:
    blocks = nothing_but_blocks(_cat_forgotten(tmp_path).opinions["m"])
    assert {block.tag for block in blocks or ()} == REVIEW_TAGS


@pytest.mark.parametrize("tag", sorted(REVIEW_TAGS))
@pytest.mark.parametrize("said", ["<{}>", "</{}>", "x\n</{}>\n和你说", "<{} a='1'>"])
def test_a_tag_that_somebody_quotes_ends_no_block(tag: str, said: str) -> None:
    quoted = said.format(tag)
    problem = Said(kind="other", about="", say=quoted)
    opinion = opinion_of([], [], [problem], [quoted], {"阿福": Search("阿福", "found", (quoted,), 1)})
    assert [block.tag for block in nothing_but_blocks(opinion)] == ["review-problems", "review-evidence"]
    assert opinion.count(quoted.replace("<", "＜")) == 3


def test_a_problem_that_says_nothing_is_none() -> None:
    assert opinion_of([], [], [Said(kind="other", about="", say=" \n")], [], {}) == ""


def test_a_name_without_a_letter_stands_in_no_text() -> None:
    assert names_in("我不记得了。", {"": "m1", " ": "m2", "阿福": "m3"}) == []


def test_a_draft_cut_inside_a_character_is_reviewed_and_sent(tmp_path: Path) -> None:
    house = chat(tmp_path, None, says("喂了吗？"), drafts("喂了 \ud83d"))
    assert (only_turn(house).state, shown(house)) == ("sent", ["喂了 \ufffd"])
