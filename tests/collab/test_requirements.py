"""The ledger's store: entries stand on the user's words, are only added, and end by the user's own action."""

from pathlib import Path
from typing import Any

from evening import Evening
from ledger import act, begun, board, in_force, is_refused, numbers, read, state
from scribing import FILM, ROOM, entries, row, says, studio

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.store import open_store

BACKGROUND = "前三镜背景严重跳跃"
LINE = f"{BACKGROUND}，重做"
INSERTED = (
    "INSERT INTO requirements (number, quote, span, source, scope, plan, state, at)"
    " VALUES ((SELECT ifnull(max(number), 0) + 1 FROM requirements), ?, ?, ?, 'plan', ?, ?, 0)"
)


def house(tmp_path: Path) -> tuple[Evening, int]:
    """A plan with one line of the user, which is the newest quote."""
    tmp_path.mkdir(parents=True, exist_ok=True)
    home = Evening(tmp_path, bots=["导演", "剪辑"], rooms={ROOM: ["导演", "剪辑"]})
    home.lead("导演", ROOM)
    plan = home.opened(FILM, to=ROOM)
    home.say(f"@导演 {LINE}", to=ROOM, files=[plan])
    return home, plan


def newest(home: Evening) -> int:
    """The newest quote."""
    return int(home.value("SELECT max(id) FROM quotes"))


@proves("REQ-01")
def test_an_entry_is_the_users_own_characters_with_all_that_is_known_beside_them(tmp_path: Path) -> None:
    home, plan = studio(tmp_path / "said")
    says(home, LINE, plan, add=[row("前三镜 背景严重跳跃！", paraphrase="前三镜背景要连贯", category="背景")])
    says(home, "还是跳：前三镜背景严重跳跃", plan, again=[{"entry": 1, "quote": BACKGROUND}])
    known = home.rows("SELECT number, span, paraphrase, category, polarity, scope, source FROM requirements")
    wanted = [(1, BACKGROUND, "前三镜背景要连贯", "背景", "want", "plan", "scribe")]
    expect_equal("REQ-01", known, wanted, "the entry: number, quote, paraphrase and what it is")
    sayings = home.rows("SELECT q.text FROM requirement_said s JOIN quotes q ON q.id = s.quote ORDER BY q.id")
    expect_equal("REQ-01", sayings, [(LINE,), ("还是跳：前三镜背景严重跳跃",)], "the words behind each saying")
    expect_equal("REQ-01", home.value("SELECT json_extract(points, '$.rules') FROM plan_revisions"), "[]", "the points")
    for length, kept in ((299, 299), (300, 300), (301, 300), (1500, 300)):
        home, plan = house(tmp_path / str(length))
        board(home, plan, rules=("长" * length,))
        expect_equal(
            "REQ-01", home.value("SELECT length(span) FROM requirements"), kept, f"kept of {length} characters"
        )


@proves("REQ-02")
def test_the_store_refuses_an_entry_that_is_no_part_of_the_users_words(tmp_path: Path) -> None:
    home, plan = house(tmp_path)
    quote = newest(home)
    for source in ("scribe", "complaint", "board", "import"):
        for words in (BACKGROUND.replace("背景", "人物"), f"{BACKGROUND}了", "。！", ""):
            refused = is_refused(home, INSERTED, quote, words, source, plan, "active")
            expect("REQ-02", refused, f"“{words}” by {source} is no part of “{LINE}”, and is in the ledger")
        for words in (BACKGROUND, "前三镜 背景，严重跳跃", "重做"):
            refused = is_refused(home, INSERTED, quote, words, source, plan, "active")
            expect("REQ-02", not refused, f"“{words}” by {source} is a part of “{LINE}”")
    changed = "UPDATE requirements SET span = '人物跳跃' WHERE id = 1"
    expect("REQ-02", is_refused(home, changed), "an entry gets other words later")
    home.say("@导演 字幕用白色", to=ROOM, files=[plan])
    expect(
        "REQ-02",
        is_refused(home, "UPDATE requirements SET quote = ? WHERE id = 1", newest(home)),
        "an entry is put on other words later",
    )
    home.sql("UPDATE quotes SET text = NULL, erased = 1 WHERE id = ?", quote)
    expect("REQ-02", is_refused(home, INSERTED, quote, BACKGROUND, "scribe", plan, "active"), "on erased words")
    for source, state_ in (("import", "active"), ("import", "pending"), ("scribe", "legacy"), ("board", "active")):
        refused = is_refused(home, INSERTED, None, "字幕用白色", source, plan, state_)
        expect("REQ-02", refused, f"an entry by {source} that is {state_} stands on nothing")
    expect("REQ-02", not is_refused(home, INSERTED, None, "字幕用白色", "import", plan, "legacy"), "an old rule may")
    old = home.value("SELECT max(number) FROM requirements")
    stands = "UPDATE requirements SET quote = ? WHERE number = ?"
    home.say("@导演 片头用黑色", to=ROOM, files=[plan])
    expect("REQ-02", is_refused(home, stands, newest(home), old), "an old rule is put on words that do not say it")
    home.say("@导演 好，字幕 用白色", to=ROOM, files=[plan])
    expect("REQ-02", not is_refused(home, stands, newest(home), old), "an old rule is put on words that say it")


@proves("REQ-03")
def test_what_an_answer_leaves_out_stays_and_nothing_is_taken_out(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    says(home, "背景要连贯，字幕用白色", plan, add=[row("背景要连贯"), row("字幕用白色")])
    before = home.rows("SELECT * FROM requirements ORDER BY id")
    rewritten: dict[str, Any] = {"requirements": [row("配乐用鼓点")], "delete": [1], "remove": [1, 2]}
    says(home, "配乐用鼓点", plan, add=[row("配乐用鼓点")], **rewritten)
    after = home.rows("SELECT * FROM requirements ORDER BY id")
    expect_equal("REQ-03", after[:2], before, "what there was, after an answer that leaves it out")
    expect_equal("REQ-03", entries(home), ["背景要连贯", "字幕用白色", "配乐用鼓点"], "what is in force")
    says(home, "背景还是要连贯", plan, again=[{"entry": 1, "quote": "背景还是要连贯"}])
    for table in ("requirements", "requirement_sayings"):
        expect("REQ-03", home.value(f"SELECT count(*) FROM {table}") > 0, f"there are {table} to take out")
    expect("REQ-03", is_refused(home, "DELETE FROM requirement_sayings"), "sayings can be deleted")
    expect("REQ-03", is_refused(home, "DELETE FROM requirements WHERE number = 3"), "entries can be deleted")


@proves("REQ-04")
def test_an_entry_leaves_the_active_ones_by_the_users_own_action_only(tmp_path: Path) -> None:
    home, plan = studio(tmp_path / "scribe")
    says(home, "背景要连贯", plan, add=[row("背景要连贯", category="背景")])
    again = {"state": "superseded", "status": "not_a_requirement"}
    says(
        home,
        "背景跳一点也行，就这样",
        plan,
        change=[{"entry": 1, "quote": "背景跳一点也行", "category": "背景", **again}],
        again=[{"entry": 1, "quote": "就这样", **again}],
    )
    expect_equal("REQ-04", state(home, 1), "active", "an entry that a model says is superseded")
    others = ("pending", "superseded", "no_longer_applies", "not_a_requirement", "legacy")
    for other in others:
        home, plan = house(tmp_path / other)
        home.requires(1, BACKGROUND, plan)
        ended = f"UPDATE requirements SET state = '{other}'"
        expect("REQ-04", is_refused(home, ended), f"an entry turns {other} by itself")
    home, plan = house(tmp_path / "user")
    home.requires(1, BACKGROUND, plan)
    expect_equal("REQ-04", act(home, 1, plan, "no_longer_applies"), None, "the user's button is taken")
    expect_equal("REQ-04", state(home, 1), "no_longer_applies", "an entry that the user has ended")
    actions = home.rows("SELECT u.kind FROM requirements r JOIN user_actions u ON u.id = r.ended_by")
    expect_equal("REQ-04", actions, [("button",)], "what ended it")
    unheard = is_refused(home, INSERTED, newest(home), BACKGROUND, "scribe", plan, "fulfilled")
    expect("REQ-04", unheard, "an entry is in a seventh state")


@proves("REQ-06")
def test_only_later_words_replace_an_entry(tmp_path: Path) -> None:
    for later in (True, False):
        home, plan = house(tmp_path / str(later))
        quotes = []
        for words in ("片子约 2 分钟", "改成 3 分钟"):
            home.say(f"@导演 {words}", to=ROOM, files=[plan])
            quotes.append(newest(home))
        first, second = quotes if later else quotes[::-1]
        spans = ("约 2 分钟", "改成 3 分钟") if later else ("改成 3 分钟", "约 2 分钟")
        home.requires(1, spans[0], plan, quote=first)
        home.requires(2, spans[1], plan, quote=second, state="pending", replaces=1)
        refused = act(home, 2, plan, "confirm")
        expect_equal("REQ-06", refused, None if later else "earlier_words", f"confirming what was said later={later}")
        wanted = ("superseded", "active") if later else ("active", "pending")
        expect_equal("REQ-06", (state(home, 1), state(home, 2)), wanted, "the old entry and what would replace it")


@proves("REQ-07")
def test_clearing_a_conversation_leaves_the_ledger_alone(tmp_path: Path) -> None:
    home, plan = house(tmp_path)
    other = home.opened("第二支片", to=ROOM)
    room = home.session(ROOM)
    home.requires(1, BACKGROUND, plan)
    home.requires(2, "重做", plan, scope="conversation", session=room)
    expect_equal("REQ-40", in_force(home, plan), [1, 2], "what is in force before")
    expect_equal("REQ-40", in_force(home, other), [2], "what is in force in the other plan")
    before = home.rows("SELECT * FROM requirements ORDER BY id")
    home.happens(events.SessionCleared, session=room)
    expect_equal("REQ-07", home.rows("SELECT * FROM requirements ORDER BY id"), before, "the ledger after a clear")
    expect_equal("REQ-07", [in_force(home, each) for each in (plan, other)], [[1, 2], [2]], "what is in force then")
    home.happens(events.SessionDeleted, session=room)
    after = home.rows("SELECT number, scope, session, state FROM requirements ORDER BY id")
    wanted = [(1, "plan", None, "active"), (2, "conversation", None, "active")]
    expect_equal("REQ-07", after, wanted, "the ledger after the group was deleted: scope, conversation, state")
    expect_equal("REQ-07", [in_force(home, each) for each in (plan, other)], [[1, 2], [2]], "what is in force still")
    new = home.opened("海报", to="导演")
    expect_equal("REQ-07", in_force(home, new), [], "what is in force for a plan from elsewhere")


@proves("REQ-08")
def test_what_stood_on_erased_words_has_no_text_and_does_not_apply(tmp_path: Path) -> None:
    for erase in (True, False):
        home, plan = house(tmp_path / str(erase))
        home.requires(1, BACKGROUND, plan, paraphrase="背景要连贯")
        home.requires(2, "重做", plan, state="pending")
        home.happens(events.SessionCleared, session=home.session(ROOM), erase_quotes=erase)
        seen = home.rows("SELECT span, paraphrase, state FROM requirements ORDER BY id")
        kept = [(BACKGROUND, "背景要连贯", "active"), ("重做", "", "pending")]
        gone: list[Any] = [(None, "", "no_longer_applies")] * 2
        expect_equal("REQ-08", seen, gone if erase else kept, f"entries after a clear with erase={erase}")


@proves("REQ-09")
def test_a_bots_words_never_become_a_requirement(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    home.say("先出一版", to=ROOM, files=[plan])
    tried = [
        events.Call(name, {"text": "用户要 4K", "plan": plan, "quote": "4K"})
        for name in ("add_requirement", "record_requirement", "requirements", "scribe")
    ]
    home.hop("导演", *tried, text="用户说要 4K，记下来。")
    home.hop("导演", text="用户要 4K，背景要连贯。")
    expect("REQ-09", "用户要 4K，背景要连贯。" in home.said("bot"), "the Bot has said so")
    asked = home.rows("SELECT json_extract(body, '$.line') FROM effects WHERE kind = 'scribe'")
    expect_equal("REQ-09", asked, [("先出一版",)], "what the scribe reads")
    expect_equal("REQ-09", home.rows("SELECT * FROM requirements"), [], "the ledger after a Bot says what is wanted")
    line = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    quoted = "INSERT INTO quotes (session, message, source, text, seq, at) VALUES (1, ?, 'said', '要 4K', 1, 0)"
    expect("REQ-09", is_refused(home, quoted, line), "what a Bot said is kept as the user's words")
    mine = home.value("SELECT max(id) FROM messages WHERE author = 'user'")
    expect("REQ-09", not is_refused(home, quoted, mine), "what the user said is kept")
    for writer, taken in (("scribe", True), ("complaint", True), ("board", True), ("import", True), ("bot", False)):
        refused = is_refused(home, INSERTED, newest(home), "要 4K", writer, plan, "active")
        expect_equal("REQ-09", refused, not taken, f"an entry by {writer} is refused")


@proves("REQ-28")
def test_an_entry_is_for_the_ticket_named_else_the_conversation_else_the_plan(tmp_path: Path) -> None:
    always = "以后每部片都要背景连贯"
    for name, more, wanted in (
        ("plain", {}, ("plan", None, None)),
        ("named", {"tickets": [2]}, ("ticket", 2, None)),
        ("always", {"every": True}, ("conversation", None, 3)),
        ("both", {"tickets": [2], "every": True}, ("ticket", 2, None)),
    ):
        home, plan = studio(tmp_path / name, tickets=("分镜", "配乐"))
        expect_equal("REQ-28", home.session(ROOM), 3, "the conversation")
        says(home, always, plan, add=[row("背景连贯", **more)])
        seen = home.rows("SELECT scope, ticket, session FROM requirements")
        expect_equal("REQ-28", seen, [wanted], f"what an entry is for, {name}")
    home, plan = studio(tmp_path / "next")
    says(home, always, plan, add=[row("背景连贯", every=True)])
    says(home, "这部字幕用白色", plan, add=[row("字幕用白色")])
    following = home.opened("第二支片", to=ROOM)
    expect_equal("REQ-28", in_force(home, following), [1], "what the next plan of the conversation has")


@proves("REQ-30")
def test_what_was_widened_stays_so_and_is_narrowed_and_widened_by_the_user(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    other = home.opened("第二支片", to=ROOM)
    says(home, "要还原真实的比赛镜头，字幕用白色", plan)
    home.requires(1, "要还原真实的比赛镜头", plan, scope="conversation", session=home.session(ROOM), nature="craft")
    home.requires(2, "字幕用白色", plan)
    home.db.close()
    home.db = open_store(home.path, durable=False)
    home.engine.db = home.db
    widths = home.rows("SELECT number, scope FROM requirements ORDER BY id")
    expect_equal("REQ-30", widths, [(1, "conversation"), (2, "plan")], "scopes after the store is opened anew")
    expect_equal("REQ-30", act(home, 1, other, "not_for_this_plan"), None, "narrowed for one plan")
    expect_equal("REQ-33", [in_force(home, each) for each in (plan, other)], [[2, 1], []], "what is in force then")
    expect_equal("REQ-30", act(home, 2, plan, "whole_conversation"), None, "widened by the button")
    expect_equal("REQ-30", in_force(home, other), [2], "what another plan has of that")


@proves("REQ-32")
def test_a_new_plan_inherits_from_its_first_turn_and_says_from_where(tmp_path: Path) -> None:
    home, plan = house(tmp_path)
    home.requires(1, BACKGROUND, plan, scope="conversation", session=home.session(ROOM))
    home.requires(2, "重做", plan)
    for to, wanted in ((ROOM, 1), ("导演", 0)):
        new = home.opened("第二支片", to=to)
        home.say("@导演 做第二支片", to=to, files=[new])
        turn = home.turn("导演")
        first = home.value("SELECT first_turn FROM plans WHERE id = ?", new)
        expect_equal("REQ-32", turn["id"], first, "the plan's first segment")
        lines = read(home, turn["id"])
        expect_equal("REQ-32", numbers(lines), [1] * wanted, f"what a new plan in {to} has in its first segment")
        expect_equal("REQ-32", ["继承自「新品片」" in line for line in lines], [True] * wanted, "it says from where")
        home.hop("导演", text="好。")
    own = read(home, begun(home, plan))
    expect_equal("REQ-32", [each for each in own if "继承自" in each], [], "what is the plan's own is not inherited")


@proves("REQ-33")
def test_what_is_not_for_one_plan_comes_back_by_restoring_or_saying_it(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    other, third = home.opened("第二支片", to=ROOM), home.opened("第三支片", to=ROOM)
    says(home, "以后每部片都要背景连贯", plan, add=[row("背景连贯", every=True)])
    home.requires(9, "背景连贯", plan, state="pending")
    expect("REQ-40", 9 not in in_force(home, plan), "what waits for the user is in force")
    for back in ("restore", "words"):
        act(home, 1, other, "not_for_this_plan")
        seen = [in_force(home, each) for each in (plan, other, third)]
        expect_equal("REQ-33", seen, [[1], [], [1]], "what is in force in each plan")
        if back == "restore":
            expect_equal("REQ-33", act(home, 1, other, "restore"), None, "restore is taken")
        else:
            says(home, "背景连贯", other, add=[row("背景连贯")])
        expect_equal("REQ-33", in_force(home, other), [1], f"what is in force again by {back}")
    sayings = home.value("SELECT count(*) FROM requirement_said WHERE requirement = 1")
    expect_equal("REQ-33", sayings, 2, "how often it was said")
    expect_equal("REQ-33", home.value("SELECT count(*) FROM requirements WHERE number <> 9"), 1, "entries")
