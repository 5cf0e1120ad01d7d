"""The oracle of the memory chain: it names the hop of each damage, and agrees with the chain on any story."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
import tomli
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.expect import expect, expect_equal, proves
from harness.oracle.memory import Finding, Given, MemoryOracle, Person, uploaded
from harness.scenario.memory.shop import CustomerOf, DeviceOf, HopName, Scene, Shop

CASES = tomli.loads((Path(__file__).parent / "time_labels.toml").read_text(encoding="utf-8"))["cases"]
NOW = datetime(2026, 8, 14, 16)
LI = Person("li", "tile shop", "u-1")
HERE = CustomerOf("tile shop", "wechat", "Li_Lei", "u-1")
HOPS: tuple[HopName, ...] = get_args(HopName)


def told() -> tuple[MemoryOracle, Given]:
    """A customer who is known in every way, and what the model has to be given."""
    oracle = MemoryOracle()
    oracle.learned(replace(LI, name="li elsewhere"), NOW, "城市", "杭州")
    oracle.learned(replace(LI, name="li at the bank", tenant="bank"), NOW, "存款", "二十万")
    oracle.shown(LI, NOW, [("customer", "我在看瓷砖", "5月14日 15:20")], NOW, {"户型": "三室"})
    oracle.learned(LI, NOW, "预算", "3000")
    oracle.told(LI, NOW, ("customer", "在吗"))
    oracle.told(LI, NOW, ("assistant", "在的"))
    oracle.asked(LI, NOW, "用哪款")
    return oracle, oracle.demanded(LI)


def test_what_is_demanded() -> None:
    _, given_all = told()
    texts = ["我在看瓷砖", "在吗", "在的", "用哪款"]
    assert [text for _, text in given_all.talk] == texts
    assert given_all == Given({"预算": "3000", "户型": "三室", "城市": "杭州"}, given_all.talk, "")


@pytest.mark.parametrize(
    ("hop", "damage"),
    [
        ("claim session", lambda g: Given({"城市": "杭州"}, [], "")),
        ("pull originals", lambda g: replace(g, talk=g.talk[:-1])),
        ("pull originals", lambda g: replace(g, talk=g.talk[:1])),
        ("prepend earlier history", lambda g: replace(g, talk=g.talk[1:])),
        ("prepend earlier history", lambda g: replace(g, talk=[*g.talk[1:], g.talk[0]])),
        ("profile base", lambda g: replace(g, profile={"预算": "3000", "城市": "杭州"})),
        ("profile base", lambda g: replace(g, profile={**g.profile, "预算": "800"})),
        ("profile base", lambda g: replace(g, profile={**g.profile, "": "电量 43%"})),
        ("cross-session", lambda g: replace(g, profile={"预算": "3000", "户型": "三室"})),
        ("cross-session", lambda g: replace(g, profile={**g.profile, "存款": "二十万"})),
        ("prompt assembly", lambda g: replace(g, summary="没有人要的摘要")),
        ("prompt assembly", lambda g: None),
    ],
)
def test_each_damage_has_the_name_of_its_hop(hop: str, damage: object) -> None:
    oracle, whole = told()
    assert oracle.findings(LI, whole) == []
    assert callable(damage)
    assert {finding.hop for finding in oracle.findings(LI, damage(whole))} == {hop}


def test_of_a_long_talk_the_end_is_demanded_and_the_summary_to_its_limit() -> None:
    oracle = MemoryOracle()
    for number in range(1, 18):
        oracle.told(LI, NOW, ("customer", f"第{number}句"))
    oracle.summed_up(LI, NOW, "摘" * 901)
    wanted = oracle.demanded(LI)
    assert [text for _, text in wanted.talk] == [f"第{number}句" for number in range(8, 18)]
    assert wanted.summary == "摘" * 900
    untrimmed = replace(wanted, talk=[("customer", "第7句"), *wanted.talk])
    assert oracle.findings(LI, untrimmed) == [Finding("prompt assembly", "too much is left")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['label']} at {case['clock']}")
def test_a_third_reader_agrees_on_the_shared_cases(case: dict[str, str]) -> None:
    label = case["label"]
    assert uploaded(label, datetime.fromisoformat(case["clock"])) == case.get("absolute", label)


# ---------------------------------------------------------------- any story

SCENE = Scene(
    customers={
        "li": HERE,
        "elsewhere": CustomerOf("tile shop", "douyin", "lilei88", "u-1"),
        "before": CustomerOf("tile shop", "taobao", "li", "u-1"),
        "long ago": CustomerOf("tile shop", "xiaohongshu", "li", "u-1"),
        "at the bank": CustomerOf("bank", "wechat", "Li_Lei", "u-1"),
        "nobody's": CustomerOf("", "wechat", "li", "u-1"),
        "by telephone": CustomerOf("tile shop", "phone", "0571"),
    },
    devices={"phone": DeviceOf(ahead=-2), "old phone": DeviceOf(converts=False)},
)
WHO = st.sampled_from(list(SCENE.customers))
FIELDS = st.dictionaries(st.sampled_from("甲乙丙丁"), st.sampled_from(("", "一", "二")), min_size=1, max_size=3)
WINDOWS = st.tuples(st.integers(0, 8), st.integers(1, 5))
STEPS = st.one_of(
    st.tuples(st.just("says"), WHO),
    st.tuples(st.just("says"), st.just("li")),
    st.tuples(st.just("answers"), WHO),
    st.tuples(st.just("chats"), WHO, st.integers(1, 45)),
    st.tuples(st.just("learns"), WHO, FIELDS),
    st.tuples(st.just("sums up"), WHO, st.integers(1, 1000)),
    st.tuples(st.just("reads"), WHO, WINDOWS, FIELDS, st.sampled_from(list(SCENE.devices))),
    st.tuples(st.just("a day goes by")),
    st.tuples(st.just("lifts"), WHO),
)
TOO_LONG: list[tuple[object, ...]] = [*[("says", "li")] * 5, ("sums up", "li", 1), *[("says", "li")] * 8]
"""With the earlier talk too much for a prompt, without it just not."""
LAST_DAY = datetime(2026, 8, 13)
EVENTFUL: list[tuple[object, ...]] = [
    ("learns", "elsewhere", {"甲": "一"}),
    ("says", "nobody's"),
    ("says", "by telephone"),
    ("reads", "li", (0, 3), {"乙": "二"}, "old phone"),
    ("says", "li"),
    ("reads", "before", (0, 2), {"丙": "一"}, "phone"),
    ("reads", "before", (5, 2), {"丙": "二"}, "phone"),
    ("chats", "before", 20),
    ("says", "before"),
]


def play(shop: Shop, steps: list[tuple[object, ...]]) -> None:
    """Each step a minute later. What the page of a customer shows is one talk, of which each time a part is read."""
    for number, step in enumerate(steps):
        shop.now += timedelta(minutes=1)
        match step:
            case ("says", str(who)):
                shop.says(who, f"{who} 说第{number}句", key=f" {SCENE.customers[who].key.upper()} ")
            case ("answers", str(who)):
                shop.answers(who, f"回{who}第{number}句")
            case ("chats", str(who), int(count)):
                shop.chats(who, count, f"{who} {number} 的第{{}}句")
            case ("learns", str(who), dict(fields)):
                shop.learns(who, fields)
            case ("sums up", str(who), int(length)):
                shop.sums_up(who, "摘" * length, number)
            case ("reads", str(who), (int(start), int(long)), dict(facts), str(device)):
                known = {name: value for name, value in facts.items() if value}
                shop.reads(who, [_bubble(shop.now, at) for at in range(start, start + long)], known, "", device, "")
            case ("a day goes by",):
                shop.now += timedelta(days=1)
            case ("lifts", str(who)):
                shop.lifts(who)


def _bubble(now: datetime, at: int) -> tuple[str, str, str]:
    """What was said at that place of the talk before the takeover, labelled as a chat does on that day."""
    moment = LAST_DAY + timedelta(hours=at)
    days = (now.date() - moment.date()).days
    day = ("今天", "昨天", "前天")[days] if days < 3 else f"{moment.month}月{moment.day}日"
    return "customer" if at % 2 else "assistant", f"从前第{at}句", f"{day} {moment:%H:%M}"


def each_hop(test: Callable[..., None]) -> Callable[..., None]:
    """One story for each hop in which something is lost without it."""
    for hop in HOPS:
        test = example([("learns", "elsewhere", {"甲": "一"})], hop)(test)
    return test


def played(steps: list[tuple[object, ...]], folder: str) -> Shop:
    shop = Shop(Path(folder), SCENE)
    shop.now = datetime(2026, 8, 14, 16)
    play(shop, steps)
    return shop


@proves("MC-01")
def test_the_chain_and_the_oracle_agree_on_any_story() -> None:
    met: Counter[str] = Counter()

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @example(EVENTFUL)
    @given(st.lists(STEPS, min_size=3, max_size=25))
    def agree(steps: list[tuple[object, ...]]) -> None:
        with TemporaryDirectory() as folder:
            shop = played(steps, folder)
            for turn in shop.turns:
                expect_equal("MC-01", turn.hops, HOPS, f"hops that ran for {turn.text}")
                expect("MC-01", not turn.findings, f"{turn.text}: {turn.findings}")
            met.update(row["came"] for row in shop.store.rows("SELECT came FROM events"))
            shop.store.close()

    agree()
    wanted = {
        "known customer",
        "prepended",
        "filled",
        "carried",
        "no tenant",
        "not reached",
        "trimmed",
        "stored",
        "gap",
    }
    assert not wanted - met.keys(), f"no story came to {wanted - met.keys()}: {met}"


@proves("MC-01")
def test_a_hop_that_is_off_is_the_one_to_blame_in_any_story() -> None:
    blamed: Counter[str] = Counter()

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @each_hop
    @example(TOO_LONG, "pull originals")
    @example(TOO_LONG, "prepend earlier history")
    @given(st.lists(STEPS, min_size=3, max_size=15), st.sampled_from(HOPS))
    def blames(steps: list[tuple[object, ...]], off: HopName) -> None:
        with TemporaryDirectory() as folder:
            before: list[tuple[object, ...]] = [("reads", "li", (0, 3), {"戊": "三"}, "phone")]
            shop = played(before + steps, folder)
            shop.scene = Scene(customers=SCENE.customers, devices=SCENE.devices, off=[off])
            shop.broken = True
            shop.now += timedelta(minutes=1)
            shop.says("li", "你还记得我吗")
            hops = {finding.hop for finding in shop.turns[-1].findings}
            ran = [hop for hop in HOPS if hop != off]
            expect_equal("MC-01", list(shop.turns[-1].hops), ran, f"hops that ran without {off}")
            expect("MC-01", hops <= {off}, f"without {off} is blamed: {shop.turns[-1].findings}")
            blamed.update(hops)
            shop.store.close()

    blames()
    assert set(blamed) == set(HOPS), f"each hop is to blame in some story: {blamed}"
