"""Attribution: what a line refers to, else what it was read to be about, and nothing guessed."""

from pathlib import Path
from typing import Any

from evening import DOWN, shell, work_on, write
from readings import FILING, MEANING, asked, body, comes, filed, filing, household, plans_of, read_as, says, ticket_of

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import attribution, events


@proves("ATTR-01")
def test_a_line_has_as_many_targets_as_it_is_about(tmp_path: Path) -> None:
    home, (film, poster) = household(tmp_path / "a", "新品片", "海报")
    ticket = ticket_of(home, film, "分镜", "01", "02")
    line = says(home, "@导演 第一镜和海报都换成红色", to="剪辑组")
    about = filing({"plan": film, "ticket": ticket, "parts": ["01", "02"]}, {"plan": poster})
    read_as(home, line, filing=about)
    wanted = [(film, ticket, "01", 0, "reader"), (film, ticket, "02", 0, "reader"), (poster, None, None, 0, "reader")]
    expect_equal("ATTR-01", filed(home, line), wanted, "what the line is filed to, each with its source")
    found = home.rows("SELECT plan, ticket FROM messages WHERE id = ?", line)
    expect_equal("ATTR-01", found, [(film, ticket)], "what a version sees that knows one target")
    expect_equal("ATTR-03", sorted(turn["plan"] for turn in home.live("导演")), [film, poster], "the plans it reaches")


@proves("ATTR-02")
def test_what_is_not_decided_yet_is_still_work(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    state = "SELECT filing FROM messages WHERE id = ?"
    about, open_ = (
        home.say("@导演 改颜色", to="剪辑组", files=[film]),
        home.say("@文案 看一下", to="剪辑组", files=DOWN),
    )
    home.say("@没有 你好", to="剪辑组")
    note = home.value("SELECT id FROM messages WHERE author = 'app'")
    known = home.value("SELECT plan FROM messages WHERE id = ?", about)
    expect_equal("ATTR-01", known, film, "its target, to a version that knows one")
    expect_equal("ATTR-02", home.value(state, about), "filed", "a line with a target")
    expect_equal("ATTR-02", home.value(state, open_), "undetermined", "a line that nobody could read")
    expect_equal("ATTR-02", len(home.turns("文案")), 1, "segments that the undecided line opens")
    home.hop("文案", work_on(plan=film))
    expect_equal("ATTR-02", home.value(state, open_), "filed", "the line once its Bot has decided")
    if note is not None:
        expect_equal("ATTR-02", home.value(state, note), "none", "a line of the application")


@proves("ATTR-03")
def test_attribution_is_no_place_and_moves_no_plan(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    first, second = ticket_of(home, film, "分镜"), ticket_of(home, film, "配乐")
    folder = home.value("SELECT folder FROM plans WHERE id = ?", film)
    before = home.rows("SELECT id, session, folder FROM plans")
    line = says(home, f"看 {folder}/分镜/a.png 和 {folder}/配乐/b.wav", to="导演")
    read_as(home, line)
    expect_equal("ATTR-03", home.filed(line), [(film, first), (film, second)], "both tickets")
    desks = [turn["id"] for turn in home.turns("导演") if turn["mode"] == "desk"]
    expect_equal("DESK-01", desks, [], "desks that a filed line opens")
    expect_equal("ATTR-03", [turn["plan"] for turn in home.turns("导演")], [film], "segments for two tickets of a plan")
    expect_equal("ATTR-03", home.turn("导演")["session"], home.session("导演"), "where the line is answered")
    expect_equal("ATTR-03", home.rows("SELECT id, session, folder FROM plans"), before, "where the plan belongs")


@proves("ATTR-04")
def test_a_stop_beside_other_words_is_attributed_as_usual(tmp_path: Path) -> None:
    for number, control in enumerate(("stop", "both")):
        home, (film, poster) = household(tmp_path / f"{number}", "新品片", "海报")
        home.say("@导演 做起来", to="剪辑组", files=[film])
        home.hop("导演", write("a.md"), run=False)
        turn = home.turn("导演")["id"]
        read = says(home, "先停,把第三镜换成夜景", to="剪辑组")
        read_as(home, read, {"control": control}, filing({"plan": film}))
        expect_equal("ATTR-04", plans_of(home, read), [film], "what it was read to be about")
        quoted = says(home, "先停,把第三镜换成夜景", to="剪辑组", reply_to=read)
        read_as(home, quoted, {"control": control})
        expect_equal("ATTR-04", plans_of(home, quoted), [film], "what it refers to")
        path = home.value("SELECT folder FROM plans WHERE id = ?", poster) + "/a.png"
        written = says(home, f"先停,{path} 换成夜景", to="剪辑组")
        read_as(home, written, {"control": control})
        expect_equal("ATTR-04", plans_of(home, written), [poster], "the path in it")
        home.run("导演")
        expect_equal("ATTR-04", home.read_in(read, "导演"), [turn], "the segment on the plan that listens it in")


@proves("ATTR-05")
def test_go_on_is_attributed_as_usual(tmp_path: Path) -> None:
    home, (_, poster) = household(tmp_path / "a", "新品片", "海报")
    for words, only in (("继续", True), ("继续做第二集,片头换成夜景", False)):
        line = says(home, f"@导演 {words}", to="剪辑组")
        read_as(home, line, {"control": "resume", "only": only}, filing({"plan": poster}))
        expect_equal("ATTR-05", plans_of(home, line), [poster], f"what {words} is about")
        expect_equal("ATTR-05", home.value("SELECT state FROM messages WHERE id = ?", line), "delivered", words)
    expect_equal("ATTR-05", [turn["plan"] for turn in home.turns("导演")], [poster], "what it opens")


@proves("ATTR-08")
def test_a_reference_is_not_read_and_not_overridden(tmp_path: Path) -> None:
    home, (film, poster) = household(tmp_path / "a", "新品片", "海报")
    said = home.say("@导演 看看", to="剪辑组", files=[film])
    quoted = says(home, "换成海报那种红", to="剪辑组", reply_to=said)
    expect_equal("ATTR-08", asked(home, quoted, FILING), [], "what is asked about a line that quotes")
    comes(home, quoted, FILING, filing({"plan": poster}))
    comes(home, quoted, MEANING, {})
    expect_equal("ATTR-08", plans_of(home, quoted), [film], "what it is filed to")


@proves("READ-11")
def test_what_refers_to_nothing_is_read_twice_at_once(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    said = home.say("@导演 看看", to="剪辑组", files=[film])
    folder = home.value("SELECT folder FROM plans WHERE id = ?", film)
    plain = says(home, "换成红色", to="导演")
    expect_equal("READ-11", len(asked(home, plain, FILING)), 1, "calls for a line that refers to nothing")
    at = "SELECT event FROM effects WHERE kind = 'read' AND subject LIKE ?"
    both = [home.value(at, f"{kind}:{plain}:%") for kind in (MEANING, FILING)]
    expect_equal("READ-11", both[0], both[1], "the step in which both are asked")
    refers: dict[str, dict[str, Any]] = {
        "换成红色": {"reply_to": said},
        f"{folder}/a.png 换成红色": {},
        "用这张": {"files": (f"{folder}/ref.png",)},
        "这里": {"annotations": (events.Annotation(f"{folder}/a.png", "这里"),)},
        "归到这件": {"card_plan": film},
    }
    for text, more in refers.items():
        line = says(home, text, to="剪辑组", **more)
        expect_equal("READ-11", asked(home, line, FILING), [], f"calls for a line that refers: {text}")
        read_as(home, line)


@proves("ATTR-09")
def test_a_reading_files_by_default(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    ticket = ticket_of(home, film, "分镜", "01")
    line = says(home, "@导演 第一镜再亮一点", to="剪辑组")
    read_as(home, line, filing=filing({"plan": film, "ticket": ticket, "parts": ["01"]}))
    expect_equal("ATTR-09", filed(home, line), [(film, ticket, "01", 0, "reader")], "the default that it is filed to")
    home.hop("导演", work_on(new={"title": "另一件"}))
    expect_equal("ATTR-09", plans_of(home, line), [film + 1], "what its Bot has split it off to")


@proves("READ-14")
def test_what_was_read_becomes_the_attribution_and_all_else_is_the_bots_choice(tmp_path: Path) -> None:
    home, (film, poster) = household(tmp_path / "a", "新品片", "海报")
    line = says(home, "@导演 两件都再亮一点", to="剪辑组")
    read_as(home, line, filing=filing({"plan": poster}, {"plan": film}))
    wanted = [(poster, None, None, 0, "reader"), (film, None, None, 0, "reader")]
    expect_equal("READ-14", filed(home, line), wanted, "what it was read to be about")
    for kind in ("unclear", "new_work", "on_the_spot"):
        line = says(home, f"@文案 再亮一点 {kind}", to="剪辑组")
        read_as(home, line, filing={"kind": kind})
        expect_equal("READ-14", home.filed(line), [], f"a line that was read as {kind}")
        expect_equal("READ-14", home.turn("文案")["mode"], "desk", f"where its Bot chooses: {kind}")


@proves("ATTR-10")
def test_what_was_read_to_be_about_nothing_is_decided_at_the_desk(tmp_path: Path) -> None:
    cases: dict[str, dict[str, Any]] = {
        "a new matter": {"said": {"kind": "new_work"}},
        "on the spot": {"said": {"kind": "on_the_spot"}},
        "unclear": {"said": {"kind": "unclear"}},
        "no model": {"failure": "no model"},
        "unreadable": {"raw": "{"},
        "another form": {"said": {"kind": "perhaps"}},
    }
    for number, (what, came) in enumerate(cases.items()):
        home, _ = household(tmp_path / f"{number}", "新品片")
        line = says(home, "@文案 再亮一点", to="剪辑组")
        comes(home, line, MEANING, {})
        comes(home, line, FILING, **came)
        state = home.value("SELECT filing FROM messages WHERE id = ?", line)
        expect_equal("ATTR-10", [state, home.filed(line)], ["undetermined", []], f"how it is filed, {what}")
        modes = [(turn["mode"], turn["plan"]) for turn in home.turns("文案")]
        expect_equal("ATTR-10", modes, [("desk", None)], f"the Bot that decides, {what}")


@proves("READ-16")
def test_no_words_say_what_a_line_is_about(tmp_path: Path) -> None:
    came: dict[str, Any]
    for number, came in enumerate(({"failure": "timeout"}, {"failure": "no model"}, {"raw": "C09"})):
        home, (film,) = household(tmp_path / f"{number}", "C09 片尾")
        ticket_of(home, film, "C09", "C09")
        line = says(home, "@文案 C09 太假", to="剪辑组")
        comes(home, line, MEANING, {})
        comes(home, line, FILING, **came)
        state = home.value("SELECT filing FROM messages WHERE id = ?", line)
        expect_equal("READ-16", [state, home.filed(line)], ["undetermined", []], f"how it is filed after {came}")
        expect_equal("READ-16", home.turn("文案")["mode"], "desk", "where that is chosen")


@proves("ATTR-11")
def test_nothing_is_a_default(tmp_path: Path) -> None:
    for number, (words, others) in enumerate(
        {
            "制作《一拳超人》动画": (),  # The only plan left, of the only group.
            "好": (),  # Right behind what its Bot said there.
            "新品片再改一版": ("海报",),  # It begins with a plan's name.
            "第 1 件、C01、01 都不对": ("海报",),  # It has numbers of plans and tickets in it.
        }.items()
    ):
        home, (film, *_) = household(tmp_path / f"{number}", "新品片", *others)
        ticket_of(home, film, "C01", "C01")
        home.say("@导演 先做着", to="剪辑组", files=[film])
        home.hop("导演", text="做好了。")
        line = home.say(f"@导演 {words}", to="剪辑组", files=DOWN)
        found = [home.value("SELECT filing FROM messages WHERE id = ?", line), home.filed(line)]
        expect_equal("ATTR-11", found, ["undetermined", []], f"what {words} is filed to without a model")
        expect_equal("ATTR-11", home.turn("导演")["plan"], None, f"what its Bot's segment works on for {words}")


@proves("ATTR-16")
def test_parts_are_declared_and_never_recognised(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    ticket = ticket_of(home, film, "分镜", "07", "08")
    folder = home.value("SELECT folder FROM tickets WHERE id = ?", ticket)
    home.sql("UPDATE parts SET file = ? WHERE name = '07'", f"{folder}/shot_07.mp4")
    said = says(home, "@导演 shot 7 和第 7 镜、07 都换成夜景", to="剪辑组")
    read_as(home, said, filing=filing({"plan": film, "ticket": ticket, "parts": ["7", "shot_07", "08"]}))
    expect_equal("READ-13", set(home.filed(said)), {(film, ticket)}, "the ticket that was read")
    expect_equal("ATTR-16", filed(home, said), [(film, ticket, "08", 0, "reader")], "the parts of what was read")
    written = says(home, f"看 {folder}/shot_07.mp4", to="剪辑组", files=(f"{folder}/shot_08.mp4",))
    read_as(home, written)
    expect_equal("ATTR-06", {part for _, _, part, *_ in filed(home, written)}, {None}, "the parts of a path")
    home.hop("导演", write(f"{folder}/shot_09.mp4"), shell("render shot 10"))
    expect_equal("ATTR-16", home.rows("SELECT name FROM parts"), [("07",), ("08",)], "the parts that there are")


@proves("ATTR-19")
def test_a_wrong_filing_is_put_right_by_words(tmp_path: Path) -> None:
    home, (film, poster) = household(tmp_path / "a", "新品片", "海报")
    right = home.say("@导演 海报和片子用一个红", to="剪辑组", files=[poster, film])
    home.say("@导演 再亮一点", to="剪辑组", files=[film])
    quoted = says(home, "说的是这件", to="剪辑组", reply_to=right)
    read_as(home, quoted)
    expect_equal("ATTR-19", plans_of(home, quoted), [poster, film], "what a quote of the right line is filed to")
    told = body(home, right, FILING)["asks"]
    home.happens(events.PromptChanged, step="filing", text="说到红色，多半是海报。")
    later = says(home, "@导演 再红一点", to="剪辑组")
    expect_equal("ATTR-19", body(home, later, FILING)["asks"], "说到红色，多半是海报。", "what the reading is told")
    expect("ATTR-19", body(home, later, MEANING)["asks"] != body(home, later, FILING)["asks"], "the other is not")
    home.happens(events.PromptChanged, step="filing", text=None)
    read_as(home, later)
    expect_equal(
        "ATTR-19", body(home, says(home, "@导演 好", to="剪辑组"), FILING)["asks"], told, "what it is told again"
    )


@proves("ATTR-20")
def test_looking_at_an_attribution_wakes_nothing(tmp_path: Path) -> None:
    home, (film, asleep, untouched) = household(tmp_path / "a", "新品片", "睡着的", "没碰过的")
    ticket = ticket_of(home, asleep, "旧任务")
    home.sql("UPDATE plans SET dormant = 1 WHERE id = ?", asleep)
    line = home.say("@导演 再亮一点", to="剪辑组", files=[film])
    before = home.rows("SELECT * FROM plans"), home.value("SELECT total_changes()")
    seen = attribution.view(home.db, line)
    after = home.rows("SELECT * FROM plans"), home.value("SELECT total_changes()")
    expect_equal("ATTR-20", after, before, "the plans, and how many rows were ever written")
    listed = {plan["id"]: plan for plan in seen.get("plans", [])}
    expect_equal("ATTR-20", sorted(listed), [film, asleep, untouched], "the plans of the workspace")
    expect_equal("ATTR-20", [each["id"] for each in listed[asleep]["tickets"]], [ticket], "the tickets of one asleep")
    expect_equal("ATTR-20", seen["targets"], [{"plan": film, "ticket": None, "part": None}], "where the line is filed")
