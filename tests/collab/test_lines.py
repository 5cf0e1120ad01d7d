"""Lines after they were said: edited, taken back, and read at once where that is asked for."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evening import Evening, shell, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, quotes
from threadrebuild.collab.change import Conflict

READ = events.Call("read_file", {"path": "notes.md"})


def house(tmp_path: Path) -> Evening:
    return Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})


def with_claude(tmp_path: Path) -> Evening:
    """A house where 剪辑 is run by Claude Code."""
    home = house(tmp_path)
    home.happens(events.BotAdded, name="剪辑", engine="claude_agent")
    home.happens(events.SessionOpened, session="direct", title="剪辑", members=("剪辑",))
    return home


def refused(home: Evening, kind: type[events.Event], **fields: Any) -> str | None:
    """Why something cannot be done; None where it was done."""
    try:
        home.happens(kind, **fields)
    except Conflict as conflict:
        return conflict.code
    return None


def refused_by_the_store(change: Callable[[], object]) -> bool:
    """Whether the store itself does not take a change."""
    try:
        change()
    except sqlite3.IntegrityError:
        return True
    return False


def news(home: Evening, turn: int) -> list[str]:
    """What was new in a turn's last hop, without its numbers."""
    part = home.context(turn).split("# New\n")
    return [line.partition("] ")[2] for line in part[-1].splitlines()] if len(part) > 1 else []


def edit(home: Evening, line: int, text: str) -> str | None:
    """The user changes a line."""
    return refused(home, events.Edited, message=line, text=text)


def notices(home: Evening) -> list[tuple[Any, ...]]:
    """The Bots that were told of an edit."""
    return home.rows(
        "SELECT DISTINCT w.bot FROM inbox_items i JOIN work_items w ON w.id = i.work_item WHERE i.kind = 'edit'"
    )


@proves("QUOT-17")
def test_an_ordinary_line_can_be_edited_at_any_time_and_others_cannot(tmp_path: Path) -> None:
    home = house(tmp_path)
    line = home.say("做一张海报", to="导演")
    home.hop("导演", text="好了。")
    home.now += 400 * 24 * 3_600_000
    expect_equal("QUOT-17", edit(home, line, "做一张大海报"), None, "an ordinary line after more than a year")
    said = home.value("SELECT id FROM messages WHERE author = 'bot'")
    expect_equal("QUOT-17", edit(home, said, "没好"), "not_yours", "a Bot's line")

    home.say("片头用什么", to="文案")
    home.hop("文案", events.Call("ask_user", {"question": "哪个？", "options": ["黑", "白"]}))
    answer = home.say("白", to="文案")
    expect_equal("QUOT-17", edit(home, answer, "黑"), "answer", "an answer to a question")

    mark = events.Annotation("cut.mp4", "这里太快")
    home.happens(events.Line, session=home.session("剪辑组"), text="照着改", annotations=(mark,))
    marked = home.value("SELECT max(id) FROM messages")
    expect_equal("QUOT-17", edit(home, marked, "别改"), "annotations", "a line composed of annotations")

    home.sql("UPDATE messages SET control = ? WHERE id = ?", '{"kind": "stop", "made": []}', line)
    expect_equal("QUOT-17", edit(home, line, "做海报"), "carried_out", "a stop that was carried out on the spot")
    home.sql("UPDATE messages SET control = NULL WHERE id = ?", line)
    expect_equal("QUOT-17", edit(home, line, "做海报"), None, "one that was undone and handed back")

    home.sql("UPDATE sessions SET state = 'archived' WHERE title = '剪辑组'")
    old = home.value("SELECT id FROM messages WHERE author = 'user' AND session = ?", home.session("剪辑组"))
    home.sql("DELETE FROM annotations")
    expect_equal("QUOT-17", edit(home, old, "改"), "archived", "a line in an archived session")

    home.sql("INSERT INTO sessions (kind, title) VALUES ('bots', '导演 ↔ 文案')")
    among = home.say("你们快一点", to="导演 ↔ 文案")
    expect_equal("QUOT-17", edit(home, among, "慢慢来"), "chat_among_bots", "a line in a chat among Bots")

    home.happens(events.BotRetired, bot=home.bot("导演"), state="deleted")
    expect_equal("QUOT-17", edit(home, line, "不做了"), "bot_deleted", "a line to a Bot that was deleted")


@proves("QUOT-18")
def test_earlier_versions_go_with_the_transcript(tmp_path: Path) -> None:
    home = house(tmp_path)
    line = home.say("做一张海报", to="导演")
    for text in ("做两张海报", "做三张海报"):
        edit(home, line, text)
    versions = home.rows("SELECT version, text FROM message_versions WHERE message = ? ORDER BY version", line)
    expect_equal("QUOT-18", versions, [(1, "做一张海报"), (2, "做两张海报")], "earlier versions of a line")
    home.happens(events.SessionCleared, session=home.session("导演"))
    expect_equal("QUOT-18", home.value("SELECT count(*) FROM message_versions"), 0, "versions left after a clear")


@proves("QUOT-19")
def test_an_edit_adds_the_changed_clauses_and_moves_nothing(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="导演")
    parts = quotes.changed_clauses("片长 90 秒。要竖版！", "片长 60 秒。要竖版！")
    expect_equal("QUOT-05", parts, ["片长 60 秒。"], "the clauses that a change of words changes")
    line = home.say("做两版，片长 90 秒。要竖版！", to="导演", files=[plan])
    first = home.value("SELECT id FROM quotes WHERE message = ?", line)
    edit(home, line, "做两版，片长 60 秒。要竖版！")
    edit(home, line, "片长 60 秒。")
    rows = home.rows("SELECT q.text, q.root FROM quotes q WHERE q.message = ? ORDER BY q.id", line)
    wanted = [("做两版，片长 90 秒。要竖版！", None), ("片长 60 秒。", first)]
    expect_equal("QUOT-19", rows, wanted, "what is kept of a line after a change and a deletion")
    filed = home.rows("SELECT plan FROM quote_filings WHERE quote IN (SELECT id FROM quotes WHERE message = ?)", line)
    expect_equal("QUOT-19", filed, [(plan,), (plan,)], "where both are filed")
    expect_equal("QUOT-19", home.filed(line), [(plan, None)], "where the line is filed")
    reworded = refused_by_the_store(lambda: home.sql("UPDATE quotes SET text = '片长 60 秒' WHERE id = ?", first))
    expect("QUOT-19", reworded, "the store rewords no quote")


@proves("QUOT-23")
def test_who_has_not_read_a_line_reads_the_new_words_only(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="导演")
    home.say("先做分镜", to="导演", files=[plan])
    line = home.say("再做一张海报", to="导演", files=[plan])
    edit(home, line, "再做两张海报")
    home.hop("导演", READ)
    expect_equal("QUOT-23", news(home, home.turn("导演")["id"]), ["user: 再做两张海报"], "what the Bot reads")


@proves("QUOT-24")
def test_who_has_read_it_is_told_once_what_it_says_now_and_said_before(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="导演")
    line = home.say("做 90 秒的片子", to="导演", files=[plan])
    told = "user: I changed this line. It now says: “{}” (before: “{}”)"
    edit(home, line, "做 80 秒的片子")
    edit(home, line, "做 60 秒的片子")
    expect_equal("QUOT-28", notices(home), [(home.bot("导演"),)], "who has read the line and is told")
    home.hop("导演", READ)
    first = home.turn("导演")["id"]
    expected = [told.format("做 60 秒的片子", "做 90 秒的片子")]
    expect_equal("QUOT-24", news(home, first), expected, "what a Bot at work reads at its next hop")
    home.hop("导演", text="好了。")
    edit(home, line, "做 30 秒的片子")
    opened = home.turn("导演")
    at = (opened["id"] > first, opened["plan"], opened["state"])
    expect_equal("QUOT-24", at, (True, plan, "running"), "the segment opened for one whose turn was over")
    expected = [told.format("做 30 秒的片子", "做 60 秒的片子")]
    expect_equal("QUOT-24", news(home, opened["id"]), expected, "what it reads there")
    asked = home.value("SELECT count(*) FROM inbox_items WHERE kind = 'edit' AND author = 'user'")
    expect_equal("QUOT-24", asked, 2, "notices, as lines of the user that have to be disposed of")


@proves("QUOT-24")
def test_a_desk_is_told_there_and_work_that_came_of_it_in_its_place(tmp_path: Path) -> None:
    home = house(tmp_path)
    line = home.say("做一张海报", to="文案", files="new")
    edit(home, line, "做两张海报")
    expect_equal("QUOT-28", notices(home), [(home.bot("文案"),)], "who has read the line and is told")
    home.hop("文案", READ)
    told = ["user: I changed this line. It now says: “做两张海报” (before: “做一张海报”)"]
    expect_equal("QUOT-24", news(home, home.turn("文案")["id"]), told, "what the desk reads")
    home.hop("文案", write("a.png"))
    home.hop("文案", text="好了。")
    edit(home, line, "做三张海报")
    expect_equal("QUOT-24", home.turn("文案")["plan"], 1, "the plan that the next segment works on")
    expect_equal("QUOT-24", len(home.turns("文案")), 2, "segments in all")


@proves("QUOT-28")
def test_an_edit_wakes_nobody_who_had_not_read_the_line(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="剪辑组")
    home.say("@文案 写三句宣传语", to="剪辑组", files=[plan])
    home.hop("文案", text="好了。")
    line = home.say("@导演 做分镜", to="剪辑组", files=[plan])
    home.hop("导演", text="好了。")
    reads = home.value("SELECT count(*) FROM effects WHERE kind = 'read' AND turn IS NULL")
    edit(home, line, "@导演 @文案 停下，这做得不行")
    expect_equal("QUOT-28", len(home.turns("文案")), 1, "turns of a Bot that the edit mentions")
    expect_equal("QUOT-24", len(home.turns("导演")), 2, "turns of the Bot that had read the line")
    home.hop("导演", text="好。")
    asked = home.value("SELECT count(*) FROM effects WHERE kind = 'read' AND turn IS NULL")
    expect_equal("QUOT-28", asked, reads, "readings asked for, before and after the edit")
    quiet = home.say("今天天气不错", to="剪辑组")
    for effect in home.engine.open_effects():
        if effect.kind == "judge":
            home.happens(events.Judged, effect=effect.id, raw="look on")
    edit(home, quiet, "@文案 今天天气不错")
    expect_equal(
        "QUOT-28",
        [len(home.turns(bot)) for bot in ("导演", "文案")],
        [2, 1],
        "turns after an edit of a line that nobody received",
    )


@proves("QUOT-29")
def test_bots_see_that_a_line_was_edited(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="导演")
    line = home.say("做分镜，要 90 秒", to="导演", files=[plan])
    home.hop("导演", text="好了。")
    edit(home, line, "做分镜，要 60 秒")
    home.hop("导演", text="改了。")
    home.say("继续", to="导演", files=[plan])
    read = home.context(home.turn("导演")["id"])
    expect("QUOT-30", "user: 做分镜" in read, f"a line that was not withdrawn stands in the transcript: {read}")
    expect("PLAN-30", "[plan" not in read, f"lines of the segment's own plan have no tag: {read}")
    expect("QUOT-29", "user: 做分镜，要 60 秒 (edited after sending)\n" in read, f"the mark stands behind it: {read}")
    expect("QUOT-29", "in the direct chat with 导演, changed a line: 要 60 秒" in read, f"the words say so: {read}")
    expect("QUOT-29", "in the direct chat with 导演: 做分镜，要 90 秒" in read, "an original line does not")


@proves("QUOT-30")
def test_a_line_that_nobody_has_read_can_be_withdrawn_altogether(tmp_path: Path) -> None:
    home = house(tmp_path)
    plans = [home.opened(name, to="剪辑组") for name in ("新品片", "海报")]
    home.sql("UPDATE bots SET parallel_limit = 1")
    home.say("@导演 @文案 先做分镜", to="剪辑组", files=[plans[0]])
    line = home.say("@导演 @文案 海报要红色的", to="剪辑组", files=[plans[1]])
    quote = home.value("SELECT id FROM quotes WHERE message = ?", line)
    home.requires(1, "红色", plans[1], quote=quote, paraphrase="红")
    expect_equal("QUOT-31", refused(home, events.Withdrawn, message=line), None, "withdrawing a line in two inboxes")
    copies = home.rows("SELECT DISTINCT state FROM inbox_items WHERE message = ?", line)
    expect_equal("QUOT-30", copies, [("void",)], "its copies")
    words = home.rows("SELECT text, erased FROM quotes WHERE message = ?", line)
    expect_equal("QUOT-30", words, [(None, 1)], "its words")
    expect_equal(
        "QUOT-30", home.value("SELECT state FROM requirements"), "no_longer_applies", "what was required by them"
    )
    items = home.rows("SELECT DISTINCT state FROM work_items WHERE plan = ?", plans[1])
    expect_equal("QUOT-30", items, [("idle",)], "work that was queued only for it")
    for bot in ("导演", "文案"):
        home.hop(bot, text="好了。")
    expect_equal("QUOT-30", [len(home.turns(bot)) for bot in ("导演", "文案")], [1, 1], "turns, once slots are free")
    home.say("@导演 海报开始做", to="剪辑组", files=[plans[1]])
    expect("QUOT-30", "红色" not in home.context(home.turn("导演")["id"]), "no Bot's transcript has it")
    unread = home.say("@导演 等等", to="剪辑组", read=False)
    expect_equal("QUOT-30", refused(home, events.Withdrawn, message=unread), None, "a line that is still being read")
    home.read(unread)
    expect_equal("QUOT-30", home.value("SELECT count(*) FROM inbox_items WHERE message = ?", unread), 0, "its copies")
    after = home.say("@导演 好了吗", to="剪辑组", files=[plans[1]])
    expect_equal(
        "QUOT-30", home.value("SELECT state FROM messages WHERE id = ?", after), "delivered", "the line after it"
    )


@proves("QUOT-31")
def test_what_was_read_cannot_be_withdrawn_and_what_was_withdrawn_stays_so(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="导演")
    opening = home.say("先做分镜", to="导演", files=[plan])
    second = home.say("标题换成英文", to="导演", files=[plan])
    expect_equal("QUOT-31", refused(home, events.Withdrawn, message=opening), "already_read", "what opened a turn")
    home.hop("导演", READ)
    expect_equal("QUOT-31", refused(home, events.Withdrawn, message=second), "already_read", "what a Bot has read")
    expect_equal("QUOT-31", edit(home, second, "标题换成法文"), None, "and it can be edited")
    third = home.say("字体大一点", to="导演", files=[plan])
    expect_equal("QUOT-31", refused(home, events.Withdrawn, message=third), None, "what nobody has read")
    expect_equal("QUOT-31", edit(home, third, "字体小一点"), "withdrawn", "an edit of what was withdrawn")
    again = refused(home, events.Withdrawn, message=third)
    expect_equal("QUOT-31", again, "not_withdrawable", "withdrawing it once more")
    reworded = refused_by_the_store(lambda: home.sql("UPDATE messages SET text = '小一点' WHERE id = ?", third))
    expect("QUOT-31", reworded, "the store takes no edit of what was withdrawn")
    refiled = refused_by_the_store(
        lambda: home.sql(
            "INSERT INTO message_filings (message, ord, plan, locked, filed_by) VALUES (?, 9, ?, 0, 'merge')",
            third,
            home.opened("海报", to="导演"),
        )
    )
    expect("QUOT-31", refiled, "the store takes no filing of what was withdrawn")


@proves("QUOT-33")
def test_an_insert_stops_the_step_of_a_claude_code_run(tmp_path: Path) -> None:
    home = with_claude(tmp_path)
    plan = home.opened("新品片", to="剪辑")
    home.say("渲染一版", to="剪辑", files=[plan])
    turn = home.turn("剪辑")["id"]
    home.hop("剪辑", shell("render a"), shell("render b"), run=False)
    expect_equal("DESK-10", home.plans(), ["新品片"], "plans after a command of a segment that has its matter")
    lines = [home.say(text, to="剪辑", files=[plan]) for text in ("改成竖版", "再加字幕")]
    home.happens(events.Inserted, message=lines[1])
    killed = home.value("SELECT json_extract(body, '$.effect') FROM effects WHERE kind = 'kill'")
    running = home.value("SELECT effect FROM calls WHERE arguments LIKE '%render a%'")
    expect_equal("QUOT-33", killed, running, "the call whose command is stopped")
    expect_equal("TURN-15", home.read_in(lines[1], "剪辑"), [turn], "who has read an inserted line at once")
    stopped = (
        "app: Your step was stopped for these lines. What it had not finished has to be run again if it is needed."
    )
    expect_equal("QUOT-33", news(home, turn), ["user: 改成竖版", "user: 再加字幕", stopped], "what it reads at once")
    expect_equal("QUOT-33", home.run("剪辑"), False, "a command that still runs")
    cut = home.value("SELECT max(effect) FROM hops WHERE turn = ?", turn)
    last = home.say("标题换成英文", to="剪辑", files=[plan])
    home.happens(events.Inserted, message=last)
    home.happens(events.Hopped, effect=cut, text="我先停一下。")
    home.happens(events.Hopped, effect=cut, failure="interrupted")
    row = home.turn("剪辑")
    expect_equal("QUOT-33", (row["id"], row["state"]), (turn, "running"), "the segment after its step was stopped")
    expect_equal("QUOT-33", home.said("bot"), [], "what the interrupted step has said")


@proves("QUOT-33")
def test_a_command_that_had_not_begun_is_not_run_for_an_inserted_line(tmp_path: Path) -> None:
    home = with_claude(tmp_path)
    plan = home.opened("新品片", to="剪辑")
    home.say("渲染一版", to="剪辑", files=[plan])
    turn = home.turn("剪辑")["id"]
    home.hop("剪辑", shell("render a"), run=False)
    home.sql("UPDATE effects SET state = 'pending' WHERE kind = 'run_tool'")
    home.happens(events.Inserted, message=home.say("改成竖版", to="剪辑", files=[plan]))
    states = [state for _, state, _ in home.results(turn)]
    expect_equal("QUOT-33", states, ["postponed"], "the command that nobody had begun")
    expect_equal("QUOT-33", home.value("SELECT count(*) FROM effects WHERE kind = 'kill'"), 0, "commands stopped")


@proves("QUOT-34")
def test_an_insert_cuts_the_model_call_and_lets_a_command_finish(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="导演")
    home.say("渲染一版", to="导演", files=[plan])
    turn = home.turn("导演")["id"]
    cut = home.value("SELECT max(effect) FROM hops WHERE turn = ?", turn)
    line = home.say("到哪一步了？", to="导演", files=[plan])
    home.happens(events.Inserted, message=line)
    state = home.value("SELECT state FROM effects WHERE id = ?", cut)
    expect_equal("QUOT-34", state, "void", "the model call in progress")
    expect_equal("TURN-15", home.read_in(line, "导演"), [turn], "who has read an inserted line at once")
    notes = home.value("SELECT count(*) FROM inbox_items WHERE kind = 'note'")
    expect_equal("QUOT-33", notes, 0, "words about a step that was stopped, to a Bot that the application runs")
    expect_equal("QUOT-34", news(home, turn), ["user: 到哪一步了？"], "what is read in place of the call cut off")
    home.happens(events.Hopped, effect=cut, text="渲染好了。")
    expect_equal("QUOT-34", home.turn("导演")["state"], "running", "the segment when the call cut off comes back")
    home.hop("导演", shell("render a"), shell("render b"), run=False)
    home.happens(events.Inserted, message=home.say("做到哪了？", to="导演", files=[plan]))
    states = [state for _, state, _ in home.results(turn)]
    expect_equal("QUOT-34", states, ["started", "postponed"], "the command that runs and the one that did not yet")
    expect_equal("QUOT-34", home.value("SELECT count(*) FROM effects WHERE kind = 'kill'"), 0, "commands stopped")
    home.run("导演")
    expect_equal("QUOT-34", [body["arguments"]["command"] for body in home.ran], ["render a"], "commands that ran")
    expect_equal("QUOT-34", news(home, turn), ["user: 做到哪了？"], "what is read after it")


@proves("QUOT-35")
def test_without_a_step_to_interrupt_the_line_is_read_at_the_next_one(tmp_path: Path) -> None:
    home = house(tmp_path)
    plans = [home.opened(name, to="导演") for name in ("新品片", "海报")]
    home.sql("UPDATE bots SET parallel_limit = 1")
    home.say("先做分镜", to="导演", files=[plans[0]])
    line = home.say("海报要红色的", to="导演", files=[plans[1]])
    told = "There is no step to interrupt at the moment; it is read at the next step."
    expect_equal("QUOT-35", refused(home, events.Inserted, message=line), None, "an insert where no turn runs")
    expect_equal("QUOT-35", home.said()[1:], [told], "what the user is told")
    home.hop("导演", text="好了。")
    expect_equal("QUOT-35", home.read_in(line, "导演"), [home.turn("导演")["id"]], "the turns that have read it")
    inserted = home.say("再大一点", to="导演", files=[plans[1]])
    home.happens(events.Inserted, message=inserted)
    expect_equal("QUOT-35", home.said()[1:], [told], "what the user is told of an insert into a running step")


@proves("QUOT-37")
def test_what_a_claude_code_turn_read_between_calls_opens_no_further_turn(tmp_path: Path) -> None:
    home = with_claude(tmp_path)
    plan = home.opened("新品片", to="剪辑")
    home.say("渲染一版", to="剪辑", files=[plan])
    home.hop("剪辑", shell("render a"), run=False)
    line = home.say("改成竖版", to="剪辑", files=[plan])
    home.run("剪辑")
    expect_equal("QUOT-37", home.read_in(line, "剪辑"), [home.turn("剪辑")["id"]], "the turns that have read the line")
    home.hop("剪辑", text="好了，竖版。")
    expect_equal("QUOT-37", [turn["state"] for turn in home.turns("剪辑")], ["completed"], "turns in all")
