"""Whom a line that stops means: by its words and its place, in fixed rules that carry nothing out themselves."""

from pathlib import Path

from evening import DOWN, MINUTE, Evening, shell
from stopping import ROOM, STOP, TALK, at_work, delivered, folder_of, held, lift, speak

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

NAMES = ("导演", "文案", "Beta")
VERBS = ("停下", "先停一停", "别做了")


def group(folder: Path) -> Evening:
    """Three Bots in a group; one of them is called by a Latin name."""
    folder.mkdir(exist_ok=True)
    return Evening(folder, bots=[*NAMES, "视频导演"], rooms={ROOM: NAMES})


def stopped(home: Evening, text: str, *, to: str = ROOM, reply_to: int | None = None) -> list[tuple[object, ...]]:
    """What a line that only stops holds, each hold lifted again."""
    line = speak(home, text, STOP, to=to, reply_to=reply_to)
    found = held(home)
    expect_equal("CTRL-6", delivered(home, line), 0, f"who gets “{text}”")
    for (number,) in home.rows("SELECT id FROM holds WHERE lifted_by IS NULL"):
        lift(home, number)
    return found


def spoken(home: Evening, bot: str, text: str, *, room: str = ROOM) -> int:
    """A Bot says something in a room of its own accord, in a turn that a line to it opened; returns the message."""
    home.say("说一声", to=bot)
    home.hop(bot, events.Call("send_message", {"text": text, "session": home.session(room)}))
    said = int(home.value("SELECT max(id) FROM messages WHERE author = 'bot'"))
    home.hop(bot, text="说了")
    return said


@proves("CTRL-16")
def test_in_a_direct_chat_it_is_the_bot_there_with_what_it_handed_off(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path)
    own = home.opened("海报", to="文案")
    home.say("写三句", to="文案", files=[own])
    home.run("导演")
    home.hop("导演", events.Call("create_direct", {"to": "文案"}))
    chat = home.value("SELECT max(id) FROM sessions")
    home.hop("导演", events.Call("send_message", {"text": "写一句片尾", "session": chat}), shell("render b"), run=False)
    expect_equal("MENT-20", len(home.live("文案")), 2, "turns of the copywriter: its own and one for the director")
    expect_equal("CTRL-2", len(stopped(home, "停下", to="导演")), 1, "holds of 停下")
    for text in ("停下", "你停一下", "你们先停"):
        expect_equal("CTRL-16", stopped(home, text, to="导演"), [("bot", home.bot("导演"))], f"what “{text}” holds")
    speak(home, "停下", STOP)
    runs_on = [turn["plan"] for turn in home.live("文案")]
    expect_equal("CTRL-16", runs_on, [own], "what the copywriter goes on with: its own work, not what was handed off")


@proves("CTRL-17")
def test_in_a_group_naming_nobody_it_is_the_group(tmp_path: Path) -> None:
    home = group(tmp_path)
    here = [("session", home.session(ROOM))]
    for text in (*VERBS, "@所有人 停下", "大家都停下"):
        expect_equal("CTRL-17", stopped(home, text), here, f"what “{text}” holds")


@proves("CTRL-18")
def test_a_singular_you_is_the_bot_replied_to_or_the_only_one_that_spoke(tmp_path: Path) -> None:
    home = group(tmp_path)
    here = ("session", home.session(ROOM))
    you = ("bot", home.bot("文案"))
    expect("CTRL-21", ("everything",) not in stopped(home, "停下"), "a mere 停下 does not stop everything")
    expect_equal("CTRL-18", stopped(home, "你停下"), [here], "“you” with nobody having spoken")
    said = spoken(home, "文案", "初稿好了")
    at = home.value("SELECT at FROM messages WHERE id = ?", said)
    for minutes, more, wanted in ((9, 0, [you, here]), (10, 0, [you, here]), (10, 1, [here]), (11, 0, [here])):
        home.now = at + minutes * MINUTE + more - 1000
        expect_equal("CTRL-18", stopped(home, "你停下"), wanted, f"“you”, {minutes} min and {more} ms after it spoke")
    for text, wanted in (("你们停下", [here]), ("停下", [here])):
        home.now = at
        expect_equal("CTRL-18", stopped(home, text), wanted, f"“{text}” just after it spoke")
    home.now = at + 20 * MINUTE
    expect_equal("CTRL-18", stopped(home, "你停下", reply_to=said), [you, here], "“you” in a reply to an old line")
    spoken(home, "导演", "@文案 帮我看看")
    spoken(home, "文案", "再改了一版")
    expect_equal("CTRL-18", stopped(home, "你停下"), [you, here], "“you”, another having spoken to a colleague only")
    spoken(home, "导演", "镜头排好了")
    expect_equal("CTRL-18", stopped(home, "你停下"), [here], "“you” with two having spoken")


@proves("CTRL-19", "CTRL-20")
def test_bots_that_are_named_are_held_one_by_one(tmp_path: Path) -> None:
    home = group(tmp_path)
    here = [("session", home.session(ROOM))]
    for name, other in (("导演", "文案"), ("文案", "Beta"), ("Beta", "视频导演")):
        one, two = ("bot", home.bot(name)), ("bot", home.bot(other))
        for rule, text, wanted in (
            ("CTRL-19", f"@{name} 停下", [one]),
            ("CTRL-19", f"@{name} @{other} 停下", [one, two]),
            ("CTRL-20", f"@{name} {other}也停下", [one, two]),
        ):
            expect_equal(rule, stopped(home, text), wanted, f"what “{text}” holds")
        for follower in ("，", ",", "、", "你", "也"):
            for verb in VERBS:
                text = f"{name}{follower}{verb}"
                expect_equal("CTRL-20", stopped(home, text), [one], f"what “{text}” holds")
        for text in (f"让{name}停下", f"{name}停下", f"{name}的片头停下", f"停下{name}", f"{name}。停下", f"{name} 也"):
            expect_equal("CTRL-20", stopped(home, text), here, f"what “{text}” holds: it only speaks of {name}")
    glued = "AlphaBeta，停下"
    expect_equal("CTRL-20", stopped(home, glued), here, f"what “{glued}” holds: that is another name")
    longer = "视频导演，停下"
    expect_equal("CTRL-20", stopped(home, longer), [("bot", home.bot("视频导演"))], f"what “{longer}” holds")
    elsewhere = stopped(home, "@文案 停下", to="导演")
    expect_equal("CTRL-19", elsewhere, [("bot", home.bot("文案"))], "a Bot named in another's direct chat")


@proves("CTRL-21", "CTRL-22")
def test_all_bots_are_everything_unless_something_narrower_is_said(tmp_path: Path) -> None:
    home = group(tmp_path)
    film = home.opened("新品片", to=ROOM)
    here, you = ("session", home.session(ROOM)), ("bot", home.bot("导演"))
    for text in ("所有 Bot 停下", "所有Bot都停一停", "全都停", "都别做了,全都停下"):
        for place in (ROOM, "导演"):
            expect_equal("CTRL-21", stopped(home, text, to=place), [("everything",)], f"what “{text}” holds in {place}")
    for text in ("所有停下", "所有人停下", "都停下", "全部停"):
        expect_equal("CTRL-21", stopped(home, text), [here], f"what “{text}” holds, without the words")
    narrower = (
        ("你们全都停", ROOM, [here]),
        ("你全都停下", ROOM, [here]),
        ("你手上的全都停", "导演", [you]),
        ("@导演 全都停", ROOM, [you]),
        ("导演，全都停", ROOM, [you]),
        ("@所有人 全都停", ROOM, [here]),
        ("这个群里所有 Bot 停下", ROOM, [here]),
        ("群里的全都停", ROOM, [here]),
        ("这个私聊里的全都停", "导演", [you]),
    )
    for text, place, wanted in narrower:
        expect_equal("CTRL-22", stopped(home, text, to=place), wanted, f"what “{text}” holds in {place}")
    matter = stopped(home, "这件事所有 Bot 停下")
    expect("CTRL-22", ("everything",) not in matter, f"“this matter” is narrower than all Bots: {matter}")
    expect_equal("CTRL-2", matter, [("plan", film)], "“this matter”, with one open here")


@proves("CTRL-2")
def test_this_matter_is_what_the_line_refers_to_or_the_only_one_here(tmp_path: Path) -> None:
    home = group(tmp_path)
    here = [("session", home.session(ROOM))]
    expect_equal("CTRL-19", stopped(home, "@文案 停下"), [("bot", home.bot("文案"))], "a Bot that is named")
    expect_equal("CTRL-2", stopped(home, "这件事停下"), here, "“this matter” with none here")
    film = home.opened("新品片", to=ROOM)
    expect_equal("CTRL-2", stopped(home, "这件事停下"), [("plan", film)], "“this matter” with one here")
    expect_equal("CTRL-2", stopped(home, "停下"), here, "without the words")
    line = home.say("@文案 片头再亮一点", to=ROOM, files=[film])
    home.opened("海报", to=ROOM)
    expect_equal("CTRL-2", stopped(home, "这件事停下"), here, "“this matter” with two here")
    expect_equal("CTRL-2", stopped(home, "这件事停下", reply_to=line), [("plan", film)], "in a reply about one of them")
    unread = speak(home, "@文案 这件事停下", DOWN, to=ROOM, reply_to=line)
    expect_equal("CTRL-2", held(home), [], "what fixed words hold that nobody has read")
    expect_equal("CTRL-2", home.filed(unread), [(film, None)], "where that line is filed")
    read = speak(home, "@文案 这件事先停一停再说", TALK, to=ROOM, reply_to=line)
    expect_equal("CTRL-2", held(home), [], "what they hold of a line that is read as no stop")
    expect_equal("CTRL-2", home.filed(read), [(film, None)], "where that line is filed")


@proves("CTRL-21")
def test_everything_pauses_schedules_and_what_begins_later(tmp_path: Path) -> None:
    for text, pauses in (("所有 Bot 停下", True), ("@导演 停下", False)):
        home, _ = at_work(folder_of(tmp_path, text))
        daily = {"session": home.session("文案"), "bot": home.bot("文案"), "text": "日报", "every_ms": 60 * MINUTE}
        home.happens(events.ScheduleMade, **daily, due=home.now + 30 * MINUTE)
        speak(home, text, STOP)
        expect_equal("CTRL-21", home.turns("导演")[0]["state"], "stopped", f"the turn under way, after “{text}”")
        home.later(40)
        expect_equal("CTRL-21", len(home.turns("文案")), 1 - pauses, f"turns of a schedule that is due after “{text}”")
