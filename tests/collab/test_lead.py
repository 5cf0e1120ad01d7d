"""A group's lead: suggested by what was handed on in the last week, written by the user's confirmation alone."""

import sqlite3
from pathlib import Path
from typing import Any

from evening import Evening

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, lead

GROUP = ("导演", "文案", "审片员")
DAY = 24 * 3_600_000


def evening(folder: Path) -> Evening:
    """Three Bots with direct chats and a group, none of them lead."""
    return Evening(folder, bots=GROUP, rooms={"剪辑组": GROUP, "配乐组": GROUP})


def hands_on(home: Evening, bot: str, *lines: str, room: str = "剪辑组", session: str = "") -> None:
    """In one segment that the user has opened, a Bot says these lines, in that room or another session."""
    home.say(f"@{bot} 排一下", to=room)
    for text in lines:
        said = {"text": text, "session": home.session(session or room)}
        home.hop(bot, events.Call("send_message", said))
    ends(home, bot)
    for other in GROUP:
        ends(home, other)


def ends(home: Evening, bot: str) -> None:
    """Whatever a Bot is at ends without a word."""
    while home.hop(bot, events.Call("end_turn", {"reason": "nothing_new"})):
        pass


def suggested(home: Evening, at: int | None = None) -> tuple[str, int] | None:
    """Who is suggested as the group's lead, with how many handoffs."""
    found = lead.suggested(home.db, home.session("剪辑组"), home.now if at is None else at)
    return found and (home.value("SELECT name FROM bots WHERE id = ?", found[0]), found[1])


@proves("LEAD-06")
def test_what_counts_is_work_really_handed_to_another_by_a_bot(tmp_path: Path) -> None:
    home = evening(tmp_path)
    expect_equal("LEAD-06", suggested(home), None, "suggested before anything was handed on")
    # The user's mentions, chatter, oneself, a name that nobody has, and another group's talk count for nothing.
    hands_on(home, "文案", "我先想想", "@文案 记一下")
    hands_on(home, "文案", "@导演 给你", room="配乐组")
    home.say("@文案 你呢", to="剪辑组")
    ends(home, "文案")
    expect_equal("LEAD-06", suggested(home), None, "suggested after talk that hands nothing on")
    hands_on(home, "导演", "@文案 写三句", "@everyone 今晚交")
    expect_equal("LEAD-06", suggested(home), ("导演", 2), "suggested after a mention and one of everyone")
    # A chat opened from the group counts by its first line, once there is one.
    home.say("@审片员 对一下", to="剪辑组")
    home.hop("审片员", events.Call("create_direct", {"to": "文案"}))
    chat = "审片员 ↔ 文案"
    expect_equal("LEAD-06", suggested(home), ("导演", 2), "suggested with an empty chat beside")
    ends(home, "审片员")
    hands_on(home, "审片员", "第二句太长", "第三句也是", session=chat)
    hands_on(home, "审片员", "@文案 先改第二句", "@导演 片尾也短一点")
    expect_equal("LEAD-06", suggested(home), ("审片员", 3), "suggested: a chat's first line, and two mentions")
    hands_on(home, "文案", "改好了", "真的", "@审片员 看", session=chat)
    expect_equal("LEAD-06", suggested(home), ("审片员", 3), "suggested after later lines of the chat")


@proves("LEAD-06")
def test_a_handoff_counts_for_seven_days(tmp_path: Path) -> None:
    home = evening(tmp_path)
    hands_on(home, "导演", "@文案 写三句")
    said = home.value("SELECT max(at) FROM messages WHERE author = 'bot'")
    expect_equal("LEAD-06", suggested(home, said + 7 * DAY), ("导演", 1), "suggested when it is seven days old")
    expect_equal("LEAD-06", suggested(home, said + 7 * DAY + 1), None, "suggested when it is older")
    home.say("@审片员 对一下", to="剪辑组")
    home.hop("审片员", events.Call("create_direct", {"to": "文案"}))
    home.hop("审片员", events.Call("send_message", {"text": "太长", "session": home.session("审片员 ↔ 文案")}))
    first = home.value("SELECT max(at) FROM messages WHERE author = 'bot'")
    ends(home, "审片员")
    hands_on(home, "审片员", "再短", session="审片员 ↔ 文案")
    expect_equal("LEAD-06", suggested(home, first + 7 * DAY), ("审片员", 1), "suggested for a chat of seven days ago")
    expect_equal("LEAD-06", suggested(home, first + 7 * DAY + 1), None, "suggested for an older chat that goes on")


@proves("LEAD-07")
def test_a_tie_and_a_bot_that_is_away_are_suggested_for_nothing(tmp_path: Path) -> None:
    home = evening(tmp_path)
    for _ in range(2):
        hands_on(home, "导演", *["@文案 写一句"] * 2)
    expect_equal("LEAD-07", suggested(home), ("导演", 4), "suggested with four against none")
    hands_on(home, "文案", *["@审片员 看一眼"] * 3)
    expect_equal("LEAD-07", suggested(home), ("导演", 4), "suggested with four against three")
    hands_on(home, "文案", "@审片员 看一眼")
    expect_equal("LEAD-07", suggested(home), None, "suggested with four against four")
    home.happens(events.BotRetired, bot=home.bot("导演"), state="archived")
    expect_equal("LEAD-07", suggested(home), ("文案", 4), "suggested once the other is archived")
    home.happens(events.BotRetired, bot=home.bot("文案"), state="deleted")
    expect_equal("LEAD-07", suggested(home), None, "suggested once both are away")


@proves("LEAD-08", "LEAD-09")
def test_only_a_confirmation_sets_changes_and_clears_the_lead(tmp_path: Path) -> None:
    home = evening(tmp_path)

    def put(bot: str | None, *, confirmed: bool = True) -> bool:
        """Whether the user's choice is taken."""
        chosen = None if bot is None else home.bot(bot)
        try:
            home.happens(events.LeadSet, session=home.session("剪辑组"), bot=chosen, confirmed=confirmed)
        except (ValueError, sqlite3.IntegrityError):
            return False
        return True

    def view() -> dict[str, Any]:
        return lead.view(home.db, home.session("剪辑组"), home.now)

    hands_on(home, "文案", "@导演 给你", "@审片员 给你")
    told = {"lead": None, "suggested": {"bot_id": home.bot("文案"), "handoffs": 2}}
    expect_equal("LEAD-08", view(), told, "lead and suggestion while nobody takes it up")
    expect_equal("LEAD-09", (put("导演", confirmed=False), view()["lead"]), (False, None), "a choice not confirmed")
    put("导演")
    expect_equal("LEAD-09", name(view()), "导演", "the lead that was confirmed")
    expect_equal("LEAD-08", logged(home), [home.bot("导演")], "confirmations in the work log")
    put(None)
    expect_equal("LEAD-09", name(view()), None, "the lead after it was cleared")
    put("导演")
    hands_on(home, "文案", *["@导演 给你"] * 3)
    expect_equal("LEAD-08", name(view()), "导演", "the lead, however much another hands on")
    expect_equal("LEAD-09", (put("审片员"), name(view())), (True, "审片员"), "another present Bot")
    home.happens(events.BotRetired, bot=home.bot("文案"), state="archived")
    expect_equal("LEAD-09", (put("文案"), name(view())), (False, "审片员"), "an archived Bot")
    home.happens(events.BotRetired, bot=home.bot("审片员"), state="archived")
    expect_equal("LEAD-09", name(view()), "审片员", "a lead that was archived")
    expect_equal("LEAD-09", (put(None), name(view())), (True, None), "a lead that was archived, cleared")
    actions = home.value("SELECT count(*) FROM user_actions WHERE kind = 'http'")
    expect("LEAD-08", actions == 5, f"each choice taken is an action of the user: {actions} of 5")


def name(view: dict[str, Any]) -> str | None:
    """The lead in a view."""
    return view["lead"] and str(view["lead"]["name"])


def logged(home: Evening) -> list[int | None]:
    """The Bots whose choice the work log has."""
    rows = home.rows("SELECT bot FROM work_events WHERE type = 'group_lead.confirmed' ORDER BY id")
    return [bot for (bot,) in rows]
