"""Old cards about the ledger: none is posted any more, and what was posted can be pressed for as long as it fits."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from evening import Evening
from pressing import offered, posted, press

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import control, events, requirements

ROOM = "剪辑组"
LEGACY = ("旁白不要抢戏", "只用一种字体", "交付三个版本")
WORDS = (
    "背景要连贯",
    "背景 必须 连贯",
    "前三镜背景严重跳跃",
    "色调偏冷",
    "左手",
    "片长 2 分钟",
    "画风统一",
    "别的话",
)


def house(folder: Path, level: int = 8) -> tuple[Evening, list[int]]:
    """Two plans of a group and one of another chat, in each of which the user has said all of `WORDS`."""
    folder.mkdir(exist_ok=True)
    home = Evening(folder, bots=["导演"], rooms={ROOM: ["导演"]}, level=level)
    plans = [home.opened(name, to=to) for name, to in (("EP01", ROOM), ("EP02", ROOM), ("海报", "导演"))]
    home.say("@导演 " + ";".join(WORDS), to=ROOM, files=plans[:1])
    return home, plans


def state(home: Evening, number: int) -> tuple[Any, ...]:
    """How an entry stands: for what, and its state."""
    return home.rows("SELECT scope, state FROM requirements WHERE number = ?", number)[0]


def pressed(home: Evening, line: int, action: str) -> bool:
    """Whether a button could be pressed."""
    with suppress(ValueError, sqlite3.IntegrityError):
        press(home, line, action)
        return True
    return False


def standing_card(home: Evening, kind: str = "背景连贯", where: str = ROOM) -> int:
    """A card of before that asks whether every film is to keep to something."""
    text = f"「{kind}」这类要求你在 2 件事里都提过:「背景要连贯」。要不要以后每个视频都照这条?"
    return posted(home, where, {"card": "standing", "kind": kind}, text)


def legacy(home: Evening, plan: int, numbers: tuple[int, ...] = (1, 2, 3)) -> list[int]:
    """Old rules of a plan, in the ledger."""
    for number, rule in zip(numbers, LEGACY, strict=True):
        home.sql(
            "INSERT INTO requirements (number, span, plan, source, scope, state, at)"
            " VALUES (?, ?, ?, 'import', 'plan', 'legacy', 0)",
            *(number, rule, plan),
        )
    return [entry for (entry,) in home.rows("SELECT id FROM requirements WHERE state = 'legacy' ORDER BY id")]


def legacy_card(home: Evening, entries: list[int]) -> int:
    """A card of before that asks whether old rules are the user's."""
    text = f"这件事有 {len(entries)} 条台账之前的旧规则,没找到你说过它们的原话:……这些是你说的吗?"
    return posted(home, ROOM, {"card": "legacy", "entries": entries}, text)


def acts(home: Evening, requirement: int, action: str, plan: int) -> None:
    """The user presses a button of an entry on the board."""
    home.happens(events.RequirementActed, requirement=requirement, action=action, plan=plan)


def hand_in(home: Evening, plan: int, path: str, where: str) -> None:
    """A Bot has handed a file in for a plan."""
    home.say("@导演 交一版", to=where, files=[plan])
    turn = home.turn("导演")["id"]
    home.sql(
        "INSERT INTO messages (session, author, bot, seq, at, text, turn, state, plan)"
        " VALUES (?, 'bot', ?, 1, 1, '交了', ?, 'delivered', ?)",
        *(home.session(where), home.bot("导演"), turn, plan),
    )
    line = home.value("SELECT max(id) FROM messages")
    home.sql("INSERT INTO message_files (message, ord, path) VALUES (?, 0, ?)", line, path)
    home.hop("导演", text="好了。")


def note(home: Evening, line: int) -> str | None:
    """What a card says of itself by now."""
    row = home.db.row("SELECT * FROM messages WHERE id = ?", line)
    assert row is not None
    found: str | None = (control.shown(home.db, row) or {}).get("note")
    return found


@proves("REQ-34")
def test_no_card_is_posted_and_those_of_before_work(tmp_path: Path) -> None:
    for level in (8, 0):
        home, plans = house(tmp_path / str(level), level)
        for number, plan in enumerate(plans[:2], 1):
            home.requires(number, WORDS[0], plan, nature="craft")
        old = legacy(home, plans[1], (3, 4, 5))
        before = home.value("SELECT count(*) FROM messages WHERE author = 'app'")
        home.say(f"@导演 {WORDS[0]}", to=ROOM, files=plans[1:2])
        home.hop("导演", text="好了。")
        shown = home.value("SELECT count(*) FROM messages WHERE author = 'app'") - before
        expect_equal("REQ-34", shown, 0, f"cards posted on saying it in a second plan, at level {level}")
        standing, mine = standing_card(home), legacy_card(home, old)
        expect_equal("REQ-34", offered(home, standing), [("make_standing", None)], "buttons of a card of before")
        expect_equal("REQ-34", offered(home, mine), [("all_mine", None), ("one_by_one", None)], "of another")
        expect("REQ-34", pressed(home, standing, "make_standing"), f"it can be pressed at level {level}")
        expect("REQ-34", pressed(home, mine, "all_mine"), f"the other can be pressed at level {level}")
        expect_equal("REQ-34", state(home, 1), ("standing", "active"), "what the one was about")
        expect_equal("REQ-34", state(home, 3), ("plan", "active"), "what the other was about")


@proves("REQ-35")
def test_only_what_still_qualifies_becomes_standing(tmp_path: Path) -> None:
    home, plans = house(tmp_path)
    room, other = home.session(ROOM), home.session("导演")
    ticket = {"ticket": None}
    home.sql("INSERT INTO tickets (plan, number, title, folder, at) VALUES (?, 1, '镜头', 'work/x/01', 0)", plans[0])
    ticket["ticket"] = home.value("SELECT max(id) FROM tickets")
    craft = {"nature": "craft"}
    entries: dict[str, tuple[str, int, dict[str, Any], str]] = {
        "of a plan": (WORDS[0], plans[0], craft, "standing"),
        "of another plan of the conversation": (WORDS[1], plans[1], craft, "standing"),
        "of the conversation": (WORDS[0], plans[0], {"scope": "conversation", "session": room, **craft}, "standing"),
        "craft by its words": (WORDS[0], plans[0], {}, "standing"),
        "of the kind by what it means": ("别的话", plans[0], {"paraphrase": "背景要连贯", **craft}, "standing"),
        "of the kind as it was called": ("别的话", plans[0], {"category": "背景连贯", **craft}, "standing"),
        "of one ticket": (WORDS[0], plans[0], {**ticket, **craft}, "ticket"),
        "of a plan elsewhere": (WORDS[0], plans[2], craft, "plan"),
        "of a conversation elsewhere": (
            *(WORDS[0], plans[0], {"scope": "conversation", "session": other, **craft}, "conversation"),
        ),
        "pending": (WORDS[0], plans[0], {"state": "pending", **craft}, "plan"),
        "over": (WORDS[0], plans[0], {"state": "no_longer_applies", **craft}, "plan"),
        "a number": (*(WORDS[0], plans[0], {"item": "duration", "value": "120", "bound": "bare", **craft}, "plan"),),
        "a choice of look": (WORDS[0], plans[0], {"nature": "look"}, "plan"),
        "a setting of the series": (WORDS[0], plans[0], {"nature": "series"}, "plan"),
        "a choice by its words": ("色调偏冷", plans[0], {"category": "背景连贯"}, "plan"),
        "a setting by its words": ("左手", plans[0], {"category": "背景连贯"}, "plan"),
        "of another kind": ("画风统一", plans[0], craft, "plan"),
    }
    expect("REQ-34", pressed(home, standing_card(home), "make_standing"), "a card of before can be pressed")
    for number, (words, plan, more, _) in enumerate(entries.values(), 1):
        home.requires(number, words, plan, **more)
    expect("REQ-35", pressed(home, standing_card(home), "make_standing"), "it can be, whatever the ledger has")
    for number, (what, (_, _, _, wanted)) in enumerate(entries.items(), 1):
        expect_equal("REQ-35", state(home, number)[0], wanted, f"what an entry is for that is {what}")


@proves("REQ-39")
def test_a_card_about_rules_that_are_settled_does_nothing(tmp_path: Path) -> None:
    home, plans = house(tmp_path)
    old = legacy(home, plans[0])
    card = legacy_card(home, old)
    acts(home, old[0], "confirm", plans[0])
    acts(home, old[1], "not_a_requirement", plans[0])
    buttons = [("all_mine", None), ("one_by_one", None)]
    expect_equal("REQ-39", offered(home, card), buttons, "buttons while one rule is not settled")
    expect_equal("REQ-39", note(home, card), None, "what the card says then")
    acts(home, old[2], "not_a_requirement", plans[0])
    expect_equal("REQ-39", offered(home, card), [], "buttons once all are settled")
    expect_equal("REQ-39", note(home, card), "已在流程图上逐条处理", "what the card says then")
    expect("REQ-39", pressed(home, card, "all_mine"), "a stale page may press")
    states = [state(home, number)[1] for number in (1, 2, 3)]
    expect_equal("REQ-39", states, ["active", "not_a_requirement", "not_a_requirement"], "rules after that")
    expect_equal("REQ-39", note(home, card), "已在流程图上逐条处理", "what the card says after that")


@proves("REQ-39")
def test_all_mine_puts_in_force_what_nobody_has_settled(tmp_path: Path) -> None:
    home, plans = house(tmp_path)
    old = legacy(home, plans[0])
    card = legacy_card(home, old)
    acts(home, old[1], "not_a_requirement", plans[0])
    press(home, card, "one_by_one")
    expect_equal("REQ-39", offered(home, card)[:1], [("all_mine", None)], "to look at each of them settles none")
    expect("REQ-39", pressed(home, card, "all_mine"), "it can be pressed")
    states = [state(home, number)[1] for number in (1, 2, 3)]
    expect_equal("REQ-39", states, ["active", "not_a_requirement", "active"], "rules after “all mine”")
    in_force = [row["span"] for row in requirements.applying(home.db, plans[0])]
    expect_equal("REQ-39", sorted(in_force), sorted([LEGACY[0], LEGACY[2]]), "what Bots keep to")
    expect_equal("REQ-39", (offered(home, card), note(home, card)), ([], None), "a pressed card keeps what it is")
    acts(home, old[0], "no_longer_applies", plans[0])
    expect("REQ-39", pressed(home, card, "all_mine"), "it may be pressed again")
    expect_equal("REQ-39", state(home, 1)[1], "no_longer_applies", "a rule that was given up since")


def test_a_card_has_no_button_of_another(tmp_path: Path) -> None:
    home, plans = house(tmp_path)
    card = standing_card(home)
    for action in ("all_mine", "one_by_one", "undo_plan", "stop"):
        with pytest.raises(ValueError, match="no such button"):
            press(home, card, action)
    with pytest.raises(ValueError, match="no such button"):
        press(home, card, "make_standing", plans[0])


def test_an_unknown_rule_on_a_card_is_settled(tmp_path: Path) -> None:
    home, _ = house(tmp_path)
    assert offered(home, legacy_card(home, [99])) == []


@proves("REQ-36")
def test_a_standing_entry_is_read_where_a_film_was_handed_in(tmp_path: Path) -> None:
    home, plans = house(tmp_path)
    room = home.session(ROOM)
    home.requires(1, WORDS[0], plans[0], scope="standing", session=room)
    others = [plans[1], plans[2]]

    def read(plan: int) -> list[str]:
        return [row["span"] for row in requirements.applying(home.db, plan)]

    home.say("@导演 写个稿", to=ROOM, files=[plans[1]], attach=["参考.mp4"])
    expect_equal("REQ-36", [read(plan) for plan in others], [[], []], "what plans without a film keep to")
    for plan, name, where in ((plans[1], "稿.md", ROOM), (plans[2], "海报.png", "导演")):
        hand_in(home, plan, name, where)
    expect_equal("REQ-36", [read(plan) for plan in others], [[], []], "what plans with a text, or a picture, keep to")
    for plan, name, where in ((plans[1], "成片.mp4", ROOM), (plans[2], "动图.MOV", "导演")):
        hand_in(home, plan, name, where)
    expect_equal("REQ-36", [read(plan) for plan in others], [[WORDS[0]], [WORDS[0]]], "once a film is handed in")
