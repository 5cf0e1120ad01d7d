"""What a Bot reads: its situation, the user's words, the transcript and what is new, as its model gets it."""

from pathlib import Path

from evening import Evening, work_on, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

READ = events.Call("read_file", {"path": "notes.md"})
ALIGN = "This is the plan's first segment: only here may you align the requirements with the user before you act."


def house(tmp_path: Path) -> Evening:
    return Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"], "海报组": ["导演", "文案"]})


def part(text: str, title: str) -> list[str]:
    """One part of what a Bot reads, line by line."""
    found = [each for each in text.split("\n\n") if each.startswith(f"# {title}")]
    return found[0].splitlines()[1:] if found else []


def read(home: Evening, bot: str) -> str:
    """What a Bot has read last in its newest turn."""
    return home.context(home.turn(bot)["id"])


@proves("PLAN-30")
def test_lines_of_another_plan_or_ticket_say_which(tmp_path: Path) -> None:
    home = house(tmp_path)
    film = home.opened("新品片", to="剪辑组", tickets=[("分镜", "导演"), ("封面", "文案")])
    poster = home.opened("海报", to="剪辑组")
    folder = home.value("SELECT folder FROM tickets WHERE id = 2")
    home.say("@文案 海报要红的", to="剪辑组", files=[poster])
    home.say("@文案 封面看这张", to="剪辑组", attach=[f"{folder}/a.png"])
    home.say("@文案 随便说说", to="剪辑组", files="spot")
    home.say("@导演 整体节奏快一点", to="剪辑组", files=[film])
    expect("QUOT-29", "(edited after sending)" not in read(home, "导演"), "no line was edited")
    shown = [line.partition(" ")[2].partition(" ")[2] for line in part(read(home, "导演"), "Transcript")]
    wanted = [
        "user: 新品片",
        'user [plan "海报"]: 海报',
        'user [plan "海报"]: @文案 海报要红的',
        f'user [plan "新品片" · ticket 02]: @文案 封面看这张 [attached: {folder}/a.png]',
        "user: @文案 随便说说",
    ]
    expect_equal("PLAN-30", [line for line in shown if line.startswith("user")], wanted, "the transcript's lines")
    home.say("@导演 两边都换成英文", to="剪辑组", files=[poster, film])
    home.say("@导演 节奏再快一点", to="剪辑组", files=[film])
    home.hop("导演", READ, plan=film)
    heard = [line.partition("] ")[2] for line in part(home.context(home.live("导演")[0]["id"]), "New")]
    wanted = ['user [plan "海报"]: @导演 两边都换成英文', "user: @导演 节奏再快一点"]
    expect_equal("PLAN-30", heard, wanted, "what is heard by the segment on the film")


@proves("PLAN-31")
def test_the_situation_names_the_plan_and_what_is_live_elsewhere(tmp_path: Path) -> None:
    home = house(tmp_path)
    film = home.opened("新品片", to="剪辑组", tickets=[("分镜", "导演")])
    poster = home.opened("海报", to="海报组")
    folder = home.value("SELECT folder FROM tickets")
    home.say("@导演 先想想", to="剪辑组", files=[film])
    home.hop("导演", text="想好了。")
    home.say("@文案 写旁白", to="剪辑组", files=[film])
    home.say("@导演 做底图", to="海报组", files=[poster])
    home.say("分镜看这张", to="导演", attach=[f"{folder}/a.png"])
    expect_equal("PLAN-32", ALIGN in read(home, "导演"), False, "the mark of a plan's first segment")
    words = [
        "08-16 09:00 in 剪辑组: @导演 先想想",
        "08-16 09:00 in 剪辑组: @文案 写旁白",
        "08-16 09:00 in the direct chat with 导演: 分镜看这张",
    ]
    expect_equal("QUOT-12", part(read(home, "导演"), "The user's words"), words, "the user's words")
    situation = [
        "You are 导演.",
        f"Plan {film}: 新品片 (opened in 剪辑组)",
        "Ticket 01: 分镜",
        "文案 is at work on it in 剪辑组.",
        "Before: 08-16 09:00 导演 in 剪辑组: nothing_new",
        f'You are at work in 海报组 too: plan {poster} "海报".',
    ]
    text = read(home, "导演")
    expect("CHKB-06", "Before: " in text, f"the plan's history is shown: {text}")
    expect("PLAN-29", "renamed" not in text, f"nothing is said of a rename where there was none: {text}")
    expect_equal("PLAN-31", part(text, "Situation"), situation, "the situation in the direct chat")
    item = home.value("SELECT trigger_item FROM turns WHERE id = ?", home.turn("导演")["id"])
    new = f"[{item}] user: 分镜看这张 [attached: {folder}/a.png]"
    plan = ["# The plan", "Goal: 新品片", "Status: active", "Ticket 01 of the plan: 分镜 (todo, 导演 is on it)"]
    told = ["# The user's words in this matter", *words]
    whole = "\n".join(["# Situation", *situation, "", *plan, "", *told, "", "# New", new])
    expect_equal("PLAN-31", text, whole, "all that is read at the first hop")
    home.hop("文案", READ)
    here = [
        "You are 文案.",
        f"Plan {film}: 新品片",
        "导演 is at work on it in the direct chat with 导演.",
        "Before: 08-16 09:00 导演: nothing_new",
    ]
    expect_equal("PLAN-31", part(read(home, "文案"), "Situation"), here, "the situation where the plan was opened")
    home.hop("导演", text="好了。", plan=film)
    home.hop("导演", text="好了。", plan=poster)
    home.say("继续", to="导演", files=[film])
    steps = [line for line in part(read(home, "导演"), "Situation") if line.startswith("Before")]
    wanted = ["Before: 08-16 09:00 导演 in 剪辑组: nothing_new", "Before: 08-16 09:00 导演: nothing_new"]
    expect_equal("PLAN-31", steps, wanted, "the steps of the history, as seen from the direct chat")


@proves("PLAN-32")
def test_a_plans_first_segment_is_marked_and_no_other(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.say("写三句宣传语", to="文案", files="new")
    expect("PLAN-32", ALIGN not in read(home, "文案"), "a desk is no plan's first segment")
    home.hop("文案", write("a.md"))
    expect("PLAN-32", ALIGN in read(home, "文案"), "the segment that the plan opened in is marked")
    home.hop("文案", text="好了。")
    home.happens(events.SessionCleared, session=home.session("文案"))
    home.say("再写一句", to="文案", files=[1])
    expect("PLAN-32", ALIGN not in read(home, "文案"), "the second is not, also once the first was cleared")
    home.hop("文案", text="好了。")
    home.say("想一个片名", to="文案", files="unclear")
    home.hop("文案", work_on(new={"title": "片名"}))
    expect("PLAN-32", ALIGN in read(home, "文案"), "another plan's first segment is marked")
