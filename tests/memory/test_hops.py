"""The six hops: each by itself, at its limits, and each noticed by name when it is missing."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from memories import LI, MARKER, Memories, page, system, talk

from harness.expect import expect, expect_equal, proves
from threadrebuild.memory.chain import HOPS
from threadrebuild.memory.claim import identity_of, keep
from threadrebuild.memory.recollection import Came

SIX = (
    ("claim session", "server"),
    ("pull originals", "server"),
    ("prepend earlier history", "client"),
    ("profile base", "server"),
    ("cross-session", "server"),
    ("prompt assembly", "LLM"),
)
NEIGHBOUR = replace(LI, key="someone else")


@proves("MC-01")
def test_six_hops_run_in_order_and_each_leaves_an_event(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    memories.says("你好")
    ran = [row["stage"] for row in memories.store.rows("SELECT stage FROM events ORDER BY id")]
    expect_equal("MC-01", ran, [name for name, _ in SIX], "the hops that left an event, in order")
    expect_equal("MC-01", [(hop.name, hop.side) for hop in HOPS], list(SIX), "where each hop runs")


@proves("MC-02")
def test_a_claim_returns_profile_summary_and_watermark(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    memories.learns(预算="3000")
    memories.sums_up("在看客厅的瓷砖。", 17)
    known = memories.says("我回来了", hops=HOPS[:1])
    expect_equal("MC-02", memories.came("claim session"), Came("known customer", 1), "what the claim came to")
    expect_equal("MC-02", known.session, memories.session(), "the session")
    expect_equal("MC-02", dict(known.profile), {"预算": "3000"}, "the profile that the claim returned")
    expect_equal("MC-02", known.summary, "在看客厅的瓷砖。", "the summary that the claim returned")
    expect_equal("MC-02", known.watermark, 17, "the watermark that the claim returned")


@proves("MC-03")
def test_one_person_is_one_session_however_the_key_is_spelled(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    spellings = ("Li_Lei", "li_lei", "LI_LEI", " Li_Lei ", "Li _Lei", "\tli_lei\n", "wechat:Li_Lei", "WeChat: li_lei")
    found = {key: memories.session(replace(LI, key=key)) for key in spellings}
    expect_equal("MC-03", set(found.values()), {found["Li_Lei"]}, f"the sessions of {found}")
    others = [replace(LI, key="Han_Meimei"), replace(LI, tenant="floor shop"), replace(LI, channel="douyin")]
    apart = {memories.session(other) for other in others} | set(found.values())
    expect_equal("MC-03", len(apart), 4, "sessions of four customers who are not the same")


@proves("MC-03")
def test_any_spelling_of_any_key_is_the_same_identity() -> None:
    @given(st.text("abcXYZ019_-", min_size=1), st.text(" \t", max_size=3), st.booleans(), st.booleans())
    def same(key: str, space: str, upper: bool, prefixed: bool) -> None:
        spelled = space + (key.upper() if upper else key) + space
        spelled = f"wechat:{spelled}" if prefixed else spelled
        one, other = identity_of(replace(LI, key=key)), identity_of(replace(LI, key=spelled))
        expect_equal("MC-03", other, one, f"the identity of {spelled!r}")

    same()


@proves("MC-04")
def test_of_forty_one_messages_the_newest_forty_are_pulled_oldest_first(tmp_path: Path) -> None:
    for count, first in ((39, 1), (40, 1), (41, 2), (120, 81)):
        memories = Memories(tmp_path, f"{count}.db")
        memories.said(*(f"第{number}句" for number in range(1, count)))
        known = memories.says(f"第{count}句", hops=HOPS[:2])
        wanted = [f"第{number}句" for number in range(first, count + 1)]
        expect_equal("MC-04", [line.content for line in known.talk], wanted, f"what is pulled of {count} messages")


@proves("MC-04")
def test_messages_of_one_instant_keep_their_order(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    session, moment = memories.session(), memories.later()
    for number in range(1, 5):
        keep(memories.store, session, "customer", f"第{number}句", moment)
    known = memories.says("第5句", hops=HOPS[:2])
    wanted = [f"第{number}句" for number in range(1, 6)]
    expect_equal("MC-04", [line.content for line in known.talk], wanted, "what is pulled")


@proves("MC-05")
def test_history_from_before_the_takeover_stands_before_everything_said_since(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    memories.uploads(page(("我在看瓷砖", "2026-05-14 15:20"), ("要灰色的", "2026-05-14 15:21")))
    memories.said("在吗")
    known = memories.says("我想问地板")
    wanted = ["我在看瓷砖", "要灰色的", "在吗", "我想问地板"]
    expect_equal("MC-05", talk(known), wanted, "the talk in the prompt")


@proves("MC-06")
def test_an_import_fills_empty_fields_and_no_other(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    memories.learns(预算="3000", 户型="")
    memories.uploads(page(("嗯", "2026-05-14 15:20"), raw=MARKER, 户型="三室", 城市="杭州"))
    known = memories.says("你好")
    expect("MC-07", MARKER not in known.profile.values(), "the raw page is no fact")
    wanted = {"预算": "3000", "户型": "三室", "城市": "杭州"}
    expect_equal("MC-06", dict(known.profile), wanted, "the profile")
    memories.uploads(page(("嗯", "2026-05-14 15:20"), 预算="800"))
    known = memories.says("报个价")
    expect_equal("MC-06", dict(known.profile), wanted, "the profile after an import that says otherwise")
    again = memories.says("还在吗", hops=HOPS[:1])
    expect_equal("MC-06", dict(again.profile), dict(known.profile), "the profile that the next claim finds")


@proves("MC-07")
def test_the_raw_page_stays_out_of_the_prompt(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    memories.uploads(page(("我在看瓷砖", "2026-05-14 15:20"), raw=MARKER, 城市="杭州"))
    kept = memories.store.value("SELECT count(*) FROM page_parts WHERE value = ?", MARKER)
    expect_equal("MC-07", kept, 1, "raw pages kept for the audit")
    known = memories.says("你好")
    expect("MC-06", known.profile != {"城市": ""}, "an empty field is filled")
    whole = "\n".join([*system(known), *talk(known), known.prompt.summary if known.prompt else ""])
    expect("MC-07", "我在看瓷砖" in whole, f"the search finds what is in the prompt: {whole}")
    expect("MC-07", MARKER not in whole, f"the raw page is not in the prompt: {whole}")


@proves("MC-08")
def test_the_last_three_sessions_of_this_tenant_are_carried(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    memories.learns(replace(LI, key="one"), 最早="第一次")
    memories.learns(replace(LI, key="two"), 风格="北欧", 城市="宁波")
    memories.learns(replace(LI, key="three"), 城市="杭州")
    memories.learns(replace(LI, key="four"), 户型="三室")
    memories.learns(replace(LI, tenant="floor shop", key="five"), 秘密="别家的")
    memories.learns(replace(LI, key="six", platform_user="u-200"), 孩子="两个")
    known = memories.says("我又来了", replace(LI, key="now"))
    came = memories.came("cross-session")
    expect("MC-10", came.to != "no tenant", "there is a tenant")
    expect("MC-11", came.to != "not reached", "the channel carries a platform user id")
    expect_equal("MC-08", came, Came("carried", 3), "what the hop came to")
    expect_equal("MC-08", dict(known.profile), {"风格": "北欧", "城市": "杭州", "户型": "三室"}, "the profile")


@proves("MC-08")
def test_a_session_that_spoke_again_is_a_recent_one(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    for number in ("one", "two", "three", "four"):
        memories.learns(replace(LI, key=number), **{f"来自{number}": "是"})
    memories.says("补一句", replace(LI, key="one"))
    known = memories.says("我又来了", replace(LI, key="now"))
    expect("MC-10", memories.came("cross-session").to != "no tenant", "there is a tenant")
    expect("MC-11", memories.came("cross-session").to != "not reached", "the channel carries a platform user id")
    expect("MC-08", "来自two" not in known.profile, f"the oldest of four is left out of {dict(known.profile)}")
    expect("MC-08", "来自four" in known.profile, f"the latest is in {dict(known.profile)}")


@proves("MC-10")
def test_without_a_tenant_nothing_is_carried(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    nobodys = replace(LI, tenant="")
    memories.learns(replace(nobodys, key="other"), 秘密="另一位客户的")
    known = memories.says("你好", nobodys)
    came = memories.came("cross-session")
    expect("MC-11", came.to != "not reached", "the channel carries a platform user id")
    expect_equal("MC-10", dict(known.profile), {}, "the profile")
    expect_equal("MC-10", came, Came("no tenant", 0), "what the hop came to")
    memories.learns(replace(LI, key="other"), 城市="杭州")
    known = memories.says("你好")
    expect_equal("MC-10", dict(known.profile), {"城市": "杭州"}, "the profile, with a tenant")


@proves("MC-11")
def test_a_channel_without_platform_user_id_never_reaches_the_hop(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    memories.says("你好", replace(LI, platform_user=""))
    expect_equal("MC-11", memories.came("cross-session"), Came("not reached"), "what the hop came to without the id")
    memories.says("你好", replace(LI, key="other"))
    with_id = memories.came("cross-session").to
    expect("MC-11", with_id != "not reached", f"with the id the hop is reached: {with_id}")
    expect("MC-10", with_id != "no tenant", "there is a tenant")
    expect_equal("MC-11", with_id, "no earlier sessions", "what the hop came to with the id")


@proves("MC-12")
def test_sixteen_messages_stay_whole_and_of_seventeen_the_last_ten(tmp_path: Path) -> None:
    for count, first, summary in ((1, 1, ""), (16, 1, ""), (17, 8, "前情。"), (30, 21, "前情。")):
        memories = Memories(tmp_path, f"{count}.db")
        memories.said(*(f"第{number}句" for number in range(1, count)))
        memories.sums_up("前情。")
        known = memories.says(f"第{count}句")
        wanted = [f"第{number}句" for number in range(first, count + 1)]
        expect_equal("MC-12", talk(known), wanted, f"what stays of {count} messages")
        expect_equal("MC-12", known.prompt and known.prompt.summary, summary, f"the summary beside {count} messages")


@proves("MC-13")
def test_the_summary_is_cut_at_nine_hundred_characters(tmp_path: Path) -> None:
    for length in (899, 900, 901, 5000):
        memories = Memories(tmp_path, f"{length}.db")
        memories.said(*("嗯" for _ in range(20)))
        summary = "".join(chr(0x4E00 + number) for number in range(length))
        memories.sums_up(summary)
        known = memories.says("你好")
        given_summary = known.prompt.summary if known.prompt else ""
        expect("MC-12", given_summary, "above the limit there is a summary")
        expect_equal("MC-13", given_summary, summary[:900], f"what goes in of {length} characters")


@proves("MC-14")
def test_trimming_does_not_touch_the_profile(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    memories.learns(预算="3000")
    memories.said(*(f"第{number}句" for number in range(1, 17)))
    memories.sums_up("前情。")
    known = memories.says("第17句")
    expect("MC-12", len(talk(known)) == 10, "the talk is trimmed")
    expect("MC-14", "预算：3000" in system(known), f"the profile stands in the system prompt: {system(known)}")
    elsewhere = [*talk(known), known.prompt.summary if known.prompt else ""]
    expect("MC-14", not any("3000" in text for text in elsewhere), f"and nowhere else: {elsewhere}")


@proves("MC-09")
def test_what_was_said_in_another_session_stays_there(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    memories.learns(NEIGHBOUR, 城市="杭州")
    memories.sums_up("她悄悄说过离婚的事。", customer=NEIGHBOUR)
    memories.says("我只跟你说一次", NEIGHBOUR)
    memories.said(*("嗯" for _ in range(20)))
    known = memories.says("你好")
    whole = "\n".join([*system(known), *talk(known), known.prompt.summary if known.prompt else ""])
    expect("MC-09", "城市：杭州" in whole, f"the structured profile is carried: {whole}")
    for said in ("我只跟你说一次", "离婚"):
        expect("MC-09", said not in whole, f"{said} is not in the prompt: {whole}")


def test_a_key_with_nothing_in_it_is_nobodys(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    for key in ("", "  ", "wechat:", "WeChat: "):
        try:
            memories.session(replace(LI, key=key))
        except ValueError:
            continue
        raise AssertionError(f"{key!r} made a session")
    assert memories.count("sessions") == 0
