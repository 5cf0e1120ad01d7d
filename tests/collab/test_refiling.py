"""Refiling: what nobody has read goes where the line belongs now, and what was read stays as it was."""

import json
from pathlib import Path

from evening import Evening, write
from readings import refused

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, refiling
from threadrebuild.collab.change import Change
from threadrebuild.collab.target import Target

HOLD = "INSERT INTO holds (scope, plan, source, seq, at) VALUES ('plan', ?, 'user_text', 1, 1)"


def household(folder: Path) -> tuple[Evening, int, int]:
    """A director with a plan that was opened by mistake, and the one that its line belongs to."""
    home = Evening(folder, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    return home, home.opened("新事", to="剪辑组"), home.opened("宣传片", to="剪辑组")


def card(home: Evening, line: int, plan: int, *offers: int, kind: str = "new") -> int:
    """A card of the application about a line that opened a plan, posted before such cards were given up."""
    shown = json.dumps({"card": kind, "line": line, "plan": plan, "offers": list(offers)})
    home.sql(
        "INSERT INTO messages (session, author, seq, at, text, state, filing, control)"
        " VALUES (?, 'app', 1, 1, '新开', 'delivered', 'none', ?)",
        home.session("剪辑组"),
        shown,
    )
    return int(home.value("SELECT max(id) FROM messages"))


def merge(home: Evening, line: int, plan: int, into: int) -> str | None:
    """The user merges; the code where that is refused."""
    return refused(home, events.ControlPressed, message=card(home, line, plan, into), action="merge_plan", plan=into)


def refile(home: Evening, line: int, *now: Target) -> None:
    """An older version of the application has refiled a line by hand."""
    with home.db.transaction():
        home.now += 1000
        home.sql("INSERT INTO events (key, kind, at, body) VALUES (?1, 'Refiled', ?1, '{}')", home.now)
        event = home.value("SELECT max(seq) FROM events")
        refiling.refile(Change(home.db, event, home.now, home.value("SELECT level FROM meta")), line, list(now))


def copies(home: Evening, line: int, kind: str = "line") -> list[tuple[object, ...]]:
    """The copies of a line: Bot, plan, state."""
    return home.rows(
        "SELECT b.name, w.plan, i.state FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
        " JOIN bots b ON b.id = w.bot WHERE i.message = ? AND i.kind = ? ORDER BY i.id",
        line,
        kind,
    )


def in_plan(found: list[tuple[object, ...]], plan: int) -> list[tuple[object, ...]]:
    """Of copies of a line those in one plan: Bot and state."""
    return [(bot, state) for bot, of, state in found if of == plan]


@proves("ATTR-21")
def test_only_a_merge_on_an_old_card_refiles(tmp_path: Path) -> None:
    home, new, right = household(tmp_path)
    line = home.say("@导演 片头换个颜色", to="剪辑组", files=[new])
    second = home.opened("另一件新事", to="剪辑组")
    locked = home.say(f"@导演 看 {home.value('SELECT folder FROM plans WHERE id = ?', second)}/a.png", to="剪辑组")
    other = card(home, line, new, right, kind="status")
    code = refused(home, events.ControlPressed, message=other, action="merge_plan", plan=right)
    expect_equal("ATTR-21", [code, home.filed(line)], ["invalid", [(new, None)]], "a press on another card")
    expect_equal("ATTR-21", merge(home, line, new, right), None, "a press on the old card")
    expect_equal("ATTR-21", home.filed(line), [(right, None)], "where the line is filed")
    expect_equal("ATTR-21", merge(home, locked, second, right), None, "a press for a line that pointed there itself")
    expect_equal("ATTR-21", home.filed(locked), [(right, None)], "where the line is filed that was locked")
    logged = [
        json.loads(said) for (said,) in home.rows("SELECT body FROM work_events WHERE type = 'attribution.changed'")
    ]
    expect_equal("ATTR-21", [each["message"] for each in logged], [line, locked], "what the work log says was refiled")
    for each in (line, home.say("@导演 再换", to="剪辑组", files=[right])):
        code = merge(home, each, new, right)
        expect_equal("ATTR-21", code, "attribution_changed", "a press for a line that is not filed there")
    home.say("@导演 归到宣传片", to="剪辑组", files=[home.opened("第三件", to="剪辑组")])
    home.hop("导演", events.Call("work_on", {"plan": right}))
    expect_equal("ATTR-21", home.filed(line), [(right, None)], "where the line stays, whatever is said later")


@proves("ATTR-22")
def test_unread_copies_go_where_the_line_belongs_now(tmp_path: Path) -> None:
    home, new, right = household(tmp_path)
    home.say("@导演 新事做起来", to="剪辑组", files=[new])
    home.hop("导演", write("a.md"), run=False)
    line = home.say("@导演 片头换个颜色", to="剪辑组", files=[new])
    merge(home, line, new, right)
    turn = home.live("导演")[-1]
    expect_equal("ATTR-22", [turn["plan"], turn["trigger_message"]], [right, line], "what opened, with no hold there")
    expect_equal(
        "ATTR-22", in_plan(copies(home, line), right), [("导演", "read")], "the copy where the line belongs now"
    )
    # Into a live segment, into two plans, and under a hold of the target's.
    third, second = home.opened("海报", to="剪辑组"), home.opened("另一件新事", to="剪辑组")
    home.say("@导演 另一件也做起来", to="剪辑组", files=[second])
    heard = home.say("@导演 片头再亮一点", to="剪辑组", files=[second])
    refile(home, heard, Target(right), Target(third))
    found = copies(home, heard)
    expect_equal("ATTR-22", in_plan(found, right), [("导演", "queued")], "the copy in the plan that runs")
    expect_equal("ATTR-22", in_plan(found, third), [("导演", "queued")], "the copy in the plan that has no slot")
    fourth = home.opened("年会", to="剪辑组")
    home.sql(HOLD, fourth)
    held = home.say("@导演 音乐也换", to="剪辑组", files=[second])
    merge(home, held, second, fourth)
    expect_equal("ATTR-22", in_plan(copies(home, held), fourth), [("导演", "held")], "the copy under the target's hold")


@proves("ATTR-22")
def test_a_held_copy_goes_on_where_nothing_is_held(tmp_path: Path) -> None:
    home, new, right = household(tmp_path)
    home.say("@导演 新事做起来", to="剪辑组", files=[new])
    home.hop("导演", write("a.md"), run=False)
    line = home.say("@导演 片头换个颜色", to="剪辑组", files=[new])
    home.sql("UPDATE inbox_items SET state = 'held' WHERE message = ?", line)
    merge(home, line, new, right)
    expect_equal("ATTR-22", in_plan(copies(home, line), right), [("导演", "read")], "the copy that was held before")


@proves("ATTR-23")
def test_what_was_read_stays_and_its_reader_is_told(tmp_path: Path) -> None:
    home, new, right = household(tmp_path)
    line = home.say("@导演 片头换个颜色", to="剪辑组", files=[new])
    home.hop("导演", text="换好了。")
    before = home.rows("SELECT * FROM turns"), copies(home, line)
    merge(home, line, new, right)
    expect_equal("ATTR-23", home.rows("SELECT * FROM turns WHERE id = 1"), before[0], "the segment that has read it")
    expect_equal("ATTR-24", copies(home, line), before[1], "the copy that was read")
    told = copies(home, line, "correction")
    expect_equal("ATTR-23", told, [("导演", right, "read")], "what its reader is told, and where")
    expect(
        "ATTR-23", "片头换个颜色" in home.context(home.turn("导演")["id"]), "the line is read again where it belongs"
    )


@proves("ATTR-24")
def test_a_line_that_belongs_nowhere_is_read_by_nobody_any_more(tmp_path: Path) -> None:
    home, new, _ = household(tmp_path)
    line = home.say("@导演 新事做起来", to="剪辑组", files=[new])
    home.hop("导演", write("a.md"), run=False)
    unread = home.say("@导演 片头换个颜色", to="剪辑组", files=[new])
    refile(home, unread)
    expect_equal("ATTR-24", copies(home, unread), [("导演", new, "superseded")], "the copy that nobody has read")
    expect_equal("ATTR-02", home.value("SELECT filing FROM messages WHERE id = ?", unread), "none", "how it is filed")
    home.run("导演")
    expect_equal("ATTR-24", home.read_in(unread, "导演"), [], "the turns that read it later")
    expect_equal("ATTR-24", copies(home, line), [("导演", new, "read")], "the copy of the line that is at work")
    states = [turn["state"] for turn in home.turns("导演")]
    expect_equal("ATTR-24", states, ["running"], "the segment that is at work")
    expect_equal("ATTR-24", home.rows("SELECT path FROM artifacts"), [("a.md",)], "what was done already")


@proves("ATTR-25")
def test_a_correction_lifts_no_hold_and_moves_nothing(tmp_path: Path) -> None:
    home, new, right = household(tmp_path)
    home.sql(HOLD, right)
    line = home.say("@导演 片头换个颜色", to="剪辑组", files=[new], attach=["ref.png"])
    home.hop("导演", write("a.md"))
    sql = (
        f"SELECT id, scope, plan, lifted_by, void FROM holds WHERE plan = {right}",
        "SELECT path, plan, ticket FROM artifacts",
        "SELECT id, plan, ticket, cwd, cwd_changes FROM turns",
    )
    before = [home.rows(each) for each in sql]
    expect_equal("ATTR-25", merge(home, line, new, right), None, "the press")
    for query, was in zip(sql, before, strict=True):
        expect_equal("ATTR-25", home.rows(query), was, query)
    kept = in_plan(copies(home, line, "correction"), right)
    expect_equal("ATTR-25", kept, [("导演", "held")], "what its reader is told, with the target held")
    expect_equal("ATTR-25", len(home.turns("导演")), 1, "segments, with the target held")
    expect("ATTR-25", len(before[1]) == 2 and before[2][0][3] != "", "there are files and a folder to leave alone")


@proves("ATTR-26")
def test_a_segment_that_is_at_a_line_is_told_to_leave_it(tmp_path: Path) -> None:
    home, new, right = household(tmp_path)
    third = home.opened("海报", to="剪辑组")
    line = home.say("@导演 片头换个颜色", to="剪辑组", files=[new])
    stays = home.say("@文案 写三句", to="剪辑组", files=[new, third])
    refile(home, line, Target(right))
    home.hop("导演", write("a.md"), plan=new)
    wrong = home.turns("导演")[0]["id"]
    expect("ATTR-26", "do not act on it here" in home.context(wrong), f"told at the next hop: {home.context(wrong)}")
    expect("ATTR-26", "宣传片" in home.context(wrong), "told where it went")
    refile(home, stays, Target(new), Target(right))
    at_it = next(turn["id"] for turn in home.turns("文案") if turn["plan"] == new)
    home.hop("文案", write("b.md"), plan=new)
    expect("ATTR-26", "do not act on it here" not in home.context(at_it), "a segment whose plan it still belongs to")
    # An undecided desk is told too.
    asked = home.say("@文案 换个颜色", to="剪辑组")
    desk = home.turn("文案")["id"]
    refile(home, asked, Target(right))
    home.hop("文案", events.Call("read_file", {"path": "a"}), turn=desk)
    expect("ATTR-26", "do not act on it here" in home.context(desk), f"the desk is told: {home.context(desk)}")


@proves("ATTR-27")
def test_what_was_required_in_a_line_moves_with_it_once(tmp_path: Path) -> None:
    home, new, right = household(tmp_path)
    third = home.opened("海报", to="剪辑组")
    line = home.say("@导演 片头用红色", to="剪辑组", files=[new, third])
    quote = home.value("SELECT id FROM quotes WHERE message = ?", line)
    home.requires(1, "片头用红色", new, quote=quote)
    home.requires(2, "用红色", third, quote=quote)
    home.say("@导演 片尾用蓝色", to="剪辑组", files=[new])
    home.requires(3, "片尾用蓝色", new)
    expect_equal("ATTR-21", merge(home, line, new, right), None, "the press on the card")
    found = home.rows("SELECT number, quote, plan FROM requirements ORDER BY id")
    wanted = [(1, quote, right), (2, quote, third), (3, home.value("SELECT max(id) FROM quotes"), new)]
    expect_equal("ATTR-27", found, wanted, "the requirements: number, words, plan")
