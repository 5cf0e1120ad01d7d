"""The desk: what may be chosen is fixed when it opens, and nothing with a side effect runs before the choice."""

from pathlib import Path

from evening import DOWN, Evening, shell, work_on, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, readonly

MANY = ("新品片", "海报", "年会")


def desk_of(home: Evening) -> list[int]:
    """What the newest turn of the director may choose from."""
    turn = home.turn("导演")["id"]
    return [plan for (plan,) in home.rows("SELECT plan FROM turn_candidates WHERE turn = ? ORDER BY plan", turn)]


def household(folder: Path, name: str = "home", plans: tuple[str, ...] = ()) -> Evening:
    """A director in its direct chat, with these plans open there."""
    (folder / name).mkdir()
    home = Evening(folder / name, bots=["导演"])
    for plan in plans:
        home.opened(plan, to="导演")
    return home


@proves("DESK-04")
def test_the_candidates_are_those_that_the_reading_saw(tmp_path: Path) -> None:
    home = household(tmp_path, plans=MANY[:1])
    line = home.say("改一下颜色", to="导演", read=False)
    home.opened("后来的", to="导演")
    home.read(line, DOWN)
    shown = home.value("SELECT json_extract(body, '$.candidates[0].id') FROM effects WHERE subject LIKE 'filing:%'")
    expect_equal("DESK-04", desk_of(home), [shown], "the desk's candidates")


@proves("DESK-04")
def test_plans_of_the_six_lines_before_are_candidates(tmp_path: Path) -> None:
    for between, wanted in ((5, ["日报", "新品片"]), (6, ["新品片"])):
        home = household(tmp_path, f"{between}", plans=("日报", "新品片"))
        report, running = (home.value("SELECT id FROM plans WHERE name = ?", name) for name in ("日报", "新品片"))
        home.say("今天的日报", to="导演", files=[report])
        home.sql("UPDATE plans SET dormant = 1 WHERE id = ?", report)  # In sight by what was said alone.
        for number in range(between):
            home.say(f"第 {number} 处", to="导演", files=[running])
        home.say("标题跟 LOGO 没有对齐", to="导演")
        names = [home.value("SELECT name FROM plans WHERE id = ?", plan) for plan in desk_of(home)]
        expect_equal("DESK-04", names, wanted, f"candidates with {between} lines in between")


@proves("DESK-05")
def test_the_candidates_are_neither_widened_nor_replaced(tmp_path: Path) -> None:
    for chosen in (2, 3):
        home = household(tmp_path, f"{chosen}", plans=MANY[:2])
        home.say("改一下颜色", to="导演")
        home.sql("UPDATE plans SET status = 'accepted' WHERE id = 2")
        home.opened("后来的", to="导演")
        home.hop("导演", work_on(plan=chosen))
        turn = home.turn("导演")["id"]
        expect_equal(
            "DESK-05", [turn["plan"] for turn in home.live("导演")], [None], f"bound to, having chosen {chosen}"
        )
        expect_equal("DESK-05", desk_of(home), [1, 2], "the candidates later on")
        text = home.context(turn)
        marked = "Candidate 2: 海报" in text and "not available" in text.partition("Candidate 2:")[2]
        expect("DESK-05", marked, f"the accepted one is shown as not available: {text}")
        expect("DESK-05", "后来的" not in text, "the later plan is not offered")
        home.hop("导演", work_on(plan=1))
        expect_equal("DESK-05", [turn["plan"] for turn in home.live("导演")], [1], "what can be chosen")


@proves("DESK-06")
def test_a_candidate_is_shown_with_its_newest_files_and_words(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("新品片", "空的"))
    words = "字" * 299 + "末" + "尾"
    expect_equal(
        "ATTR-09", home.filed(home.say(words, to="导演", files=[1])), [(1, None)], "what the words are filed to"
    )
    home.say("抹掉的话", to="导演", files=[1])
    home.sql("UPDATE quotes SET text = NULL, erased = 1 WHERE text = '抹掉的话'")
    home.sql("DELETE FROM quote_filings WHERE plan = 2")
    home.sql("UPDATE plans SET active_at = ? WHERE id = 1", 1_786_845_600_000)
    for number in range(4):
        home.sql("INSERT INTO artifacts (path, plan, at) VALUES (?, 1, 1)", f"work/{number}.png")
    home.say("换个颜色", to="导演")
    shown = {
        int(line.split(":")[0].split()[1]): line
        for line in home.context(home.turn("导演")["id"]).splitlines()
        if line.startswith("Candidate")
    }
    expect_equal("DESK-06", sorted(shown), [1, 2], "the candidates shown")
    for wanted in ("新品片", "08-16 10:00", "work/3.png, work/2.png, work/1.png", f"{'字' * 299}末"):
        expect("DESK-06", wanted in shown[1], f"{wanted} is shown: {shown[1]}")
    for unwanted in ("work/0.png", "尾", "抹掉"):
        expect("DESK-06", unwanted not in shown[1], f"{unwanted} is not shown: {shown[1]}")
    for unwanted in ("newest files", "last words"):
        expect("DESK-06", unwanted not in shown[2], f"{unwanted} stands where there are some only: {shown[2]}")


@proves("DESK-09")
def test_until_bound_a_segment_only_reads_and_talks(tmp_path: Path) -> None:
    home = household(tmp_path, plans=MANY[:1])
    home.say("改一下颜色", to="导演")
    home.hop("导演", events.Call("send_message", {"text": "我先看看。"}))
    expect_equal("DESK-10", home.turn("导演")["plan"], None, "what talking alone binds the desk to")
    reading = ("list_dir", "read_file", "read_skill", "mcp+read:search")
    for tool in reading:
        home.hop("导演", events.Call(tool, {"path": "."}))
        expect_equal("DESK-09", home.turn("导演")["plan"], None, f"what the desk is bound to by {tool}")
    held = [tool for tool, _, result in home.results(home.turn("导演")["id"]) if result == readonly.HELD]
    expect_equal("HOLD-72", held, [], "what is refused as held where nothing is under a hold")
    expect_equal("DESK-09", [each["tool"] for each in home.ran], list(reading), "what ran unbound")
    for tool in ("mcp:search", "shell", "write_file", "another"):
        other = household(tmp_path, tool.replace(":", "-"), plans=MANY[:2])
        other.say("改一下颜色", to="导演")
        other.hop("导演", events.Call(tool, {"path": "."}))
        expect_equal("DESK-09", [each["tool"] for each in other.ran], [], f"what ran of {tool}")


@proves("DESK-10")
def test_the_first_side_effect_comes_after_the_choice(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("做一个 logo", to="导演")
    home.hop("导演", write("logo.svg"), run=False)
    effectful = home.rows("SELECT effectful FROM calls")
    expect_equal("DESK-09", effectful, [(1,)], "whether writing a file has a side effect")
    turn = home.turn("导演")
    refused = home.results(turn["id"])[0][2] == readonly.HELD
    expect("HOLD-72", not refused, "nothing is refused as held where nothing is under a hold")
    expect_equal(
        "DESK-10", [turn["mode"], turn["plan"]], ["work", 1], "what the segment is, before the file is written"
    )
    home.run("导演")
    folder = home.value("SELECT folder FROM tickets")
    expect_equal("DESK-10", [each["folder"] for each in home.ran], [folder], "where it is written")


@proves("DESK-11", "DESK-12")
def test_what_is_done_on_the_spot_opens_no_plan_whatever_the_tool(tmp_path: Path) -> None:
    for number, plans in enumerate(((), MANY[:1], MANY)):
        home = household(tmp_path, f"{number}", plans=plans)
        home.say("补一下它们的上下文大小配置", to="导演", files="spot")
        situation = home.context(home.turn("导演")["id"])
        for call in (write("config.toml"), shell("make"), events.Call("mcp:update_endpoint", {"size": 1})):
            home.hop("导演", call)
        expect_equal(
            "DESK-11",
            [(each["tool"], each["folder"]) for each in home.ran],
            [("write_file", ""), ("shell", ""), ("mcp:update_endpoint", "")],
            "what ran, and where",
        )
        expect_equal("DESK-12", home.plans(), list(plans), "the plans that there are")
        home.hop("导演", text="都补好了。")
        turn = home.turn("导演")
        expect_equal("DESK-11", [turn["state"], turn["end_reason"]], ["completed", "answered"], "how it ended")
        expect("DESK-11", "on the spot" in situation, f"the situation says so: {situation}")


@proves("DESK-12")
def test_a_call_that_writes_opens_no_plan_by_itself(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("把窗口改成 200k", to="导演", files="spot")
    home.hop("导演", write("config.toml"))
    expect_equal("DESK-12", home.plans(), [], "plans that the writing call opened")


@proves("DESK-14")
def test_a_line_that_was_not_read_follows_the_count_of_candidates(tmp_path: Path) -> None:
    outcomes = {(): [1], MANY[:1]: [1], MANY[:2]: [None]}
    for number, (plans, bound) in enumerate(outcomes.items()):
        home = household(tmp_path, f"{number}", plans=plans)
        home.say("补一下配置", to="导演", files=DOWN)
        home.hop("导演", write("config.toml"), run=False)
        seen = [turn["plan"] for turn in home.live("导演")]
        expect_equal("DESK-14", seen, bound, f"what the call found the segment bound to, with {len(plans)} plans")
        home.run("导演")
        expect_equal("DESK-14", len(home.ran), int(bound != [None]), f"calls that ran with {len(plans)} plans")


@proves("DESK-15")
def test_a_new_matter_opens_a_plan_at_its_first_side_effect(tmp_path: Path) -> None:
    for number, plans in enumerate(((), MANY[:1], MANY)):
        home = household(tmp_path, f"{number}", plans=plans)
        home.say("做一个 logo", to="导演", files="new")
        situation = home.context(home.turn("导演")["id"])
        expect_equal("DESK-15", home.plans(), list(plans), "plans before anything is done")
        home.hop("导演", write("logo.svg"))
        unbound = [each for each in home.ran if each["folder"] == ""]
        expect_equal("DESK-11", unbound, [], "calls that ran as if on the spot")
        expect_equal("DESK-15", home.plans(), [*plans, "做一个 logo"], "plans after the first side effect")
        expect("DESK-15", "new matter" in situation, f"the situation says so: {situation}")


@proves("DESK-15")
def test_a_new_matter_that_is_only_talked_about_leaves_no_plan(tmp_path: Path) -> None:
    home = household(tmp_path, plans=MANY[:2])
    home.say("要不要做一个 logo", to="导演", files="new")
    home.hop("导演", text="可以。")
    expect_equal("DESK-15", home.plans(), list(MANY[:2]), "plans after an answer alone")
    home.say("做一个 logo", to="导演", files="new")
    home.hop("导演", work_on(plan=2), write("logo.svg"))
    unbound = [each for each in home.ran if each["folder"] == ""]
    expect_equal("DESK-11", unbound, [], "calls that ran as if on the spot")
    chosen = [turn["plan"] for turn in home.live("导演")]
    expect_equal("DESK-15", chosen, [2], "what the Bot chose before, by work_on")


@proves("DESK-16")
def test_without_a_candidate_the_users_request_opens_a_plan_with_one_ticket(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("做一个 logo", to="导演")
    home.hop("导演", write("logo.svg"))
    tickets = home.rows("SELECT t.plan, b.name FROM tickets t JOIN bots b ON b.id = t.owner")
    expect_equal("DESK-16", tickets, [(1, "导演")], "the tickets and who is responsible for them")
    expect_equal("DESK-16", [each["tool"] for each in home.ran], ["write_file"], "what ran then")


@proves("DESK-16")
def test_a_bots_line_opens_no_plan(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    home.say("@导演 你怎么看", to="剪辑组")
    home.hop("导演", text="@文案 写三句吧。")
    home.hop("文案", write("copy.md"))
    refused = [state for _, state, _ in home.results(home.turn("文案")["id"])]
    expect_equal("DESK-16", (home.plans(), home.ran, refused), ([], [], ["refused"]), "plans, calls that ran, answers")
    home.say("@文案 写三句吧", to="剪辑组")
    home.hop("文案", text="好。")
    home.hop("文案", write("copy.md"))
    expect_equal("DESK-16", home.plans(), ["写三句吧"], "plans after the user has asked")


@proves("DESK-17")
def test_a_plan_is_called_by_its_line_without_the_names(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["Alpha", "Beta"], rooms={"大厅": ["Alpha", "Beta"]})
    for line, title in (
        ("@Alpha 做一个 logo", "做一个 logo"),
        ("做 @Beta 要的 @Alpha 海报", "做 要的 海报"),
        ("@Alpha @Beta", "@Alpha @Beta"),
    ):
        home.say(line, to="大厅", files="new")
        home.hop("Alpha", write("a"))
        expect_equal("DESK-17", home.plans()[-1:], [title], f"what the plan of {line!r} is called")
        for bot in ("Alpha", "Beta", "Beta"):
            home.hop(bot, text="好。")


@proves("DESK-19")
def test_the_only_candidate_is_the_default(tmp_path: Path) -> None:
    home = household(tmp_path, plans=MANY[:1])
    line = home.say("改一下颜色", to="导演")
    situation = home.context(home.turn("导演")["id"])
    home.hop("导演", write("a.svg"), run=False)
    expect_equal(
        "DESK-19", [turn["plan"] for turn in home.live("导演")], [1], "what it is bound to before the call runs"
    )
    home.run("导演")
    expect_equal("DESK-19", [each["folder"] for each in home.ran], ["work/001-新品片"], "where it runs")
    expect_equal("DESK-19", home.filed(line), [(1, None)], "where the line is filed")
    stated = "By default this belongs to plan 1" in situation and "work_on({plan:{new:{title}}})" in situation
    expect("DESK-19", stated, f"the default and the way out of it are stated: {situation}")


@proves("DESK-19")
def test_from_the_default_a_line_is_split_off_first(tmp_path: Path) -> None:
    home = household(tmp_path, plans=MANY[:1])
    line = home.say("做一个 logo", to="导演")
    home.hop("导演", work_on(plan={"new": {"title": "logo"}}), write("logo.svg"))
    bound = [turn["plan"] for turn in home.live("导演")]
    expect_equal("DESK-19", (bound, home.plans()), ([2], ["新品片", "logo"]), "the new plan and what is worked on")
    expect_equal("DESK-19", home.filed(line), [(2, None)], "where the line is filed")


@proves("DESK-20")
def test_among_several_candidates_the_bot_chooses_first(tmp_path: Path) -> None:
    for count in (2, 3):
        home = household(tmp_path, f"{count}", plans=MANY[:count])
        home.say("改一下颜色", to="导演")
        home.hop("导演", write("a.svg"))
        turn = home.turn("导演")
        expect_equal("DESK-20", (home.ran, turn["plan"]), ([], None), "what ran, and what the segment is bound to")
        ((_, state, told),) = home.results(turn["id"])
        listed = all(f"{number} {name}" in told for number, name in enumerate(MANY[:count], 1))
        expect("DESK-20", state == "refused" and listed and "{new:{title}}" in told, f"it is told the choice: {told}")
        home.hop("导演", work_on(plan=2), write("a.svg"))
        expect_equal("DESK-20", [each["folder"] for each in home.ran], ["work/002-海报"], "what runs after the choice")


@proves("DESK-28", "DESK-08")
def test_attribution_costs_a_bounce_only_at_the_desk(tmp_path: Path) -> None:
    home = household(tmp_path, plans=MANY[:2])
    home.say("改一下颜色", to="导演", files=[1])
    home.hop("导演", work_on(plan=2), work_on(plan=99))
    states = [state for _, state, _ in home.results(home.turn("导演")["id"])]
    expect_equal("DESK-28", states, ["refused", "refused"], "the choices of a bound segment")
    expect_equal("DESK-28", home.turn("导演")["bounces"], 0, "what they cost it")
    home.say("另外一件", to="导演")
    home.hop("导演", work_on(plan=99), plan=None)
    home.hop("导演", work_on(plan=99))
    desk = next(turn for turn in home.turns("导演") if turn["mode"] == "desk")
    expect("DESK-08", desk["bounces"] >= 1, "at a desk such a choice costs a bounce")
