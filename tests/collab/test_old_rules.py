"""Rules from before the ledger are taken into it once: what the user wrote or said in force, the rest for reference."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evening import Evening

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import requirements, videos
from threadrebuild.collab.store import open_store
from threadrebuild.database import Database

SAID = "片尾的 logo 要放大,字幕用宋体"


class Before:
    """A store of a version that had no ledger, with three plans of one group and one of another chat."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.home = Evening(folder, bots=["导演"], rooms={"剪辑组": ["导演"]})
        self.home.sql("DROP TRIGGER acceptance_and_rules_are_the_users")

    def plan(self, name: str = "新品片", to: str = "剪辑组", film: str = "") -> int:
        """A plan that was there, and what was handed in on it."""
        plan = self.home.opened(name, to=to)
        self.home.say(f"@导演 {name}开始", to=to, files=[plan])
        self.home.hop("导演", text="好了。")
        if film:
            self.handed_in(plan, film)
        return plan

    def handed_in(self, plan: int, file: str) -> None:
        """A Bot has said something in a plan, with a file."""
        line = self.home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
        self.home.sql("UPDATE messages SET plan = ? WHERE id = ?", plan, line)
        self.home.sql("INSERT INTO message_files (message, ord, path) VALUES (?, 9, ?)", line, file)

    def tool(self, plan: int, name: str) -> None:
        """A Bot has used a tool in a plan."""
        turn = self.home.value("SELECT max(id) FROM turns WHERE plan = ?", plan)
        self.home.sql(
            "INSERT INTO calls (turn, hop, ord, name, arguments, effectful, state) VALUES (?, 1, 9, ?, '{}', 1, 'ok')",
            turn,
            name,
        )

    def organizer_writes(self, plan: int, *rules: str, field: str = "rules") -> None:
        """The organizer of that version has written rules into the points."""
        self._revise(plan, rules, field, "organizer", None)

    def user_writes(self, plan: int, *rules: str, kept: bool = True) -> None:
        """The user has written rules on the board; a version before it kept no words of that."""
        event = self.home.value("SELECT max(seq) FROM events")
        self.home.sql("INSERT INTO user_actions (event, kind, request) VALUES (?, 'button', 'board')", event)
        self._revise(plan, rules, "rules", "user", self.home.value("SELECT max(id) FROM user_actions"))
        for rule in rules if kept else ():
            self.home.sql(
                "INSERT INTO quotes (source, text, seq, at) VALUES ('board', ?, ?, ?)", rule, event, self.home.now
            )
            quote = self.home.value("SELECT max(id) FROM quotes")
            self.home.sql("INSERT INTO quote_filings (quote, plan) VALUES (?, ?)", quote, plan)

    def opened(self) -> Database:
        """The store as the version with a ledger first opens it."""
        self.home.sql("UPDATE meta SET rules_taken_in = 0")
        self.home.db.close()
        return open_store(self.home.path, durable=False)

    def _revise(self, plan: int, rules: Sequence[str], field: str, cause: str, cause_id: int | None) -> None:
        sql = "SELECT number, points FROM plan_revisions WHERE plan = ? ORDER BY number DESC"
        newest = self.home.db.row(sql, plan)
        assert newest is not None
        points = json.loads(newest["points"])
        points[field] = [*points[field], *rules]
        self.home.sql(
            "INSERT INTO plan_revisions (plan, number, points, cause, cause_id, at) VALUES (?, ?, ?, ?, ?, ?)",
            *(plan, newest["number"] + 1, json.dumps(points), cause, cause_id, self.home.now),
        )


def ledger(db: Database) -> list[tuple[Any, ...]]:
    """What stands in the ledger: words, state, and for what."""
    return [tuple(row) for row in db.rows("SELECT span, state, scope, plan FROM requirements ORDER BY id")]


def words(db: Database, rule: str) -> str | None:
    """The user's words that the entry of a rule stands on."""
    sql = "SELECT q.text FROM requirements r JOIN quotes q ON q.id = r.quote WHERE r.span = ?"
    found: str | None = db.value(sql, rule)
    return found


@proves("REQ-37")
def test_rules_are_taken_in_by_whose_they_are_and_once(tmp_path: Path) -> None:
    before = Before(tmp_path)
    plan = before.plan()
    before.home.say(f"@导演 {SAID}", to="剪辑组", files=[plan])
    before.organizer_writes(plan, "片尾的logo要放大", "旁白不要抢戏", "。")
    before.organizer_writes(plan, "交付三个版本", "旁白不要抢戏", field="acceptance")
    before.user_writes(plan, "片长不限")
    before.user_writes(plan, "不要真人", kept=False)
    db = before.opened()
    found = {span: state for span, state, _, _ in ledger(db)}
    expect_equal("REQ-37", found.get("片长不限"), "active", "what the user wrote on the board")
    expect_equal("REQ-37", words(db, "片长不限"), "片长不限", "the words kept of it, which it stands on")
    expect_equal("REQ-37", found.get("不要真人"), "active", "what the user wrote on the board before words were kept")
    expect_equal("REQ-37", words(db, "不要真人"), "不要真人", "the words that it stands on from now on")
    expect_equal(
        "REQ-37", found.get("片尾的 logo 要放大"), "active", "what is found in the user's words, but for spaces"
    )
    expect_equal("REQ-37", words(db, "片尾的 logo 要放大"), f"@导演 {SAID}", "the line that it stands on")
    expect_equal("REQ-37", found.get("旁白不要抢戏"), "legacy", "what nobody knows the source of")
    expect_equal("REQ-37", words(db, "旁白不要抢戏"), None, "the words that it stands on")
    expect_equal("REQ-37", found.get("交付三个版本"), "legacy", "acceptance that nobody knows the source of")
    expect_equal("REQ-37", len(ledger(db)), 5, "entries: one for each rule that says anything")
    in_force = {row["span"] for row in requirements.applying(db, plan)}
    expect_equal("REQ-37", in_force, {"片长不限", "不要真人", "片尾的 logo 要放大"}, "what a Bot has to keep to")
    db.write("INSERT INTO quotes (source, text, seq, at) VALUES ('said', '旁白不要抢戏', 1, 1)")
    db.write("UPDATE plan_revisions SET points = json_set(points, '$.rules[#]', '后来的一条')")
    db.close()
    again = open_store(before.home.path, durable=False)
    expect_equal("REQ-37", len(ledger(again)), 5, "entries after the second opening")


@proves("REQ-37")
def test_a_long_rule_keeps_as_much_as_an_entry_has(tmp_path: Path) -> None:
    for count in (300, 301):
        before = Before(tmp_path / str(count))
        plan = before.plan()
        before.organizer_writes(plan, "长" * count)
        expect_equal(
            "REQ-37", ledger(before.opened()), [("长" * 300, "legacy", "plan", plan)], f"of {count} characters"
        )


@proves("REQ-37")
def test_a_rule_that_the_user_brought_back_is_the_users(tmp_path: Path) -> None:
    before = Before(tmp_path)
    plan = before.plan()
    before.organizer_writes(plan, "只用一种字体")
    before.home.sql(
        "INSERT INTO plan_revisions (plan, number, points, cause, at) SELECT plan, number + 1,"
        " json_set(points, '$.rules', json('[]')), 'organizer', at FROM plan_revisions WHERE plan = ?1"
        " AND number = (SELECT max(number) FROM plan_revisions WHERE plan = ?1)",
        plan,
    )
    before.user_writes(plan, "只用一种字体", kept=False)
    expect_equal("REQ-37", ledger(before.opened()), [("只用一种字体", "active", "plan", plan)], "a rule written again")


@proves("REQ-38")
def test_what_a_film_keeps_to_is_for_its_conversation(tmp_path: Path) -> None:
    rules = ("背景要连贯", "色调偏冷", "机械臂在左手", "周五交付")
    made = {"delivered": "片/成片.MP4", "by a tool": "", "a text": "稿.md"}
    for name, file in made.items():
        before = Before(tmp_path / name)
        plan = before.plan(film=file)
        if name == "by a tool":
            before.tool(plan, "submit_video")
        before.organizer_writes(plan, *rules)
        db = before.opened()
        expect_equal(
            "REQ-36", videos.delivered(db, plan), name == "delivered", f"whether a film came of a plan: {name}"
        )
        found = {span: scope for span, _, scope, _ in ledger(db)}
        wide = "plan" if name == "a text" else "conversation"
        for rule in rules[:3]:
            expect_equal("REQ-38", found.get(rule), wide, f"{rule} of a plan: {name}")
        expect_equal("REQ-38", found.get(rules[3]), "plan", f"{rules[3]} of a plan: {name}")


@proves("REQ-38")
def test_a_rule_of_several_plans_is_one_entry(tmp_path: Path) -> None:
    before = Before(tmp_path)
    plans = [before.plan(name) for name in ("第一集", "第二集")]
    other = before.plan("海报", to="导演")
    before.organizer_writes(plans[0], "旁白不要抢戏", "周五交付")
    before.user_writes(plans[1], "旁白,不要抢戏")
    before.organizer_writes(other, "旁白不要抢戏")
    db = before.opened()
    shared = [row for row in ledger(db) if row[0].startswith("旁白") and row[3] != other]
    expect_equal("REQ-38", len(shared), 1, "entries of a rule that two plans of a conversation share")
    expect_equal(
        "REQ-38", shared, [("旁白,不要抢戏", "active", "conversation", plans[1])], "what is known of any of them"
    )
    for plan in plans:
        found = [row["span"] for row in requirements.applying(db, plan)]
        expect("REQ-38", "旁白,不要抢戏" in found, f"plan {plan} keeps to it: {found}")
    expect("REQ-38", ("旁白不要抢戏", "legacy", "plan", other) in ledger(db), "another conversation has its own")


@proves("REQ-38")
def test_a_rule_that_is_inherited_already_is_no_new_entry(tmp_path: Path) -> None:
    before = Before(tmp_path)
    first, second = before.plan("第一集"), before.plan("第二集")
    room = before.home.session("剪辑组")
    quote = before.home.value("SELECT id FROM quotes WHERE text = '@导演 第一集开始'")
    before.home.requires(1, "第一集开始", first, quote=quote, scope="conversation", session=room)
    before.organizer_writes(second, "第一集,开始", "另一条")
    found = [span for span, *_ in ledger(before.opened())]
    expect_equal("REQ-38", found, ["第一集开始", "另一条"], "the ledger after the rules were taken in")
