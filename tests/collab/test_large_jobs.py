"""Large jobs: what is read as one, the split by the plan's lead, and what waits for what."""

import json
from pathlib import Path
from typing import Any

from evening import DOWN, Evening, shell, work_on, write
from requests_over_http import WAYS, Client

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, large_jobs, refiling
from threadrebuild.collab.change import Change
from threadrebuild.collab.target import Target

IMAGE = events.Call("mcp:studio:make_image", {})
SUBMIT = events.Call("submit", {"artifacts": ["cut.mp4"]})


def item(title: str, **more: Any) -> dict[str, Any]:
    """A ticket to open."""
    return {"title": title, "description": f"交一份{title}", **more}


def house(folder: Path, name: str = "home", level: int = 8, large: str | None = "yes") -> Evening:
    """A director and a writer in a group whose plan is a large job; the director leads it and is at work."""
    (folder / name).mkdir()
    home = Evening(folder / name, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]}, level=level)
    home.opened("五分钟短片", to="剪辑组")
    home.sql("UPDATE plans SET large = ?, lead = 1", large)
    home.say("@导演 开始吧", to="剪辑组", files=[1])
    return home


def split(home: Evening, *items: dict[str, Any], bot: str = "导演") -> str:
    """A Bot splits its plan; what it reads of that."""
    home.hop(bot, events.Call("plan_items", {"items": list(items)}))
    return home.results(home.turn(bot)["id"])[-1][1]


def ran(home: Evening, call: events.Call, bot: str = "导演") -> str:
    """How a call of a Bot comes out."""
    home.hop(bot, call)
    return home.results(home.turn(bot)["id"])[-1][1]


def handed_in(home: Evening, ticket: int) -> str:
    """The director hands a film in as what a ticket was for; what it reads of that."""
    path = f"{home.value('SELECT folder FROM tickets WHERE id = ?', ticket)}/film.mp4"
    turn = home.turn("导演")["id"]
    home.hop("导演", events.Call("submit", {"artifacts": ["film.mp4"]}))
    for effect in [each for each in home.engine.open_effects() if each.kind == "hash_files"]:
        film = events.HashedFile(asked="film.mp4", path=path, sha256="00" * 32, size=1)
        home.happens(events.Hashed, effect=effect.id, files=(film,))
    return home.results(turn)[-1][2]


def titles(home: Evening) -> list[str]:
    """The tickets, in order."""
    return [title for (title,) in home.rows("SELECT title FROM tickets ORDER BY id")]


def needs(home: Evening) -> set[tuple[str, str]]:
    """Which ticket waits for which."""
    return set(
        home.rows(
            "SELECT a.title, b.title FROM ticket_dependencies d JOIN tickets a ON a.id = d.ticket"
            " JOIN tickets b ON b.id = d.needs"
        )
    )


def reading(home: Evening) -> dict[str, Any] | None:
    """The reading of how large a matter is, as it was asked."""
    body = home.value("SELECT body FROM effects WHERE subject LIKE 'large job:%' ORDER BY id DESC")
    return json.loads(body) if body else None


def answer(home: Evening, raw: str | None) -> Any:
    """That reading comes back; what the plan then is."""
    effect = home.value("SELECT id FROM effects WHERE subject LIKE 'large job:%' AND state <> 'void'")
    home.happens(events.Read, effect=effect, raw=raw, failure=None if raw else "timeout")
    return home.value("SELECT large FROM plans WHERE id = 1")


@proves("LARGE-01", "LARGE-02")
def test_a_matter_is_read_once_with_what_the_user_has_said_of_it(tmp_path: Path) -> None:
    outcomes = (
        ('{"large": "yes", "why": "五分钟"}', "yes"),
        ('{"large": "no"}', "no"),
        ('{"large": "unclear"}', "no"),
        ("{}", "no"),
        ("{", None),
        (DOWN, None),
    )
    for at, (raw, large) in enumerate(outcomes):
        (tmp_path / str(at)).mkdir()
        home = Evening(tmp_path / str(at), bots=["导演"])
        home.reads_size = True
        home.opened("新品片", to="导演")
        home.say("给门店的屏幕用", to="导演", files=[1])
        home.sql("UPDATE effects SET subject = 'before:' || id, state = 'void' WHERE subject LIKE 'large job:%'")
        home.sql("UPDATE plans SET dormant = 1")
        home.say("要做五分钟的片子", to="导演", attach=[f"{home.value('SELECT folder FROM plans')}/a.mp4"])
        expect_equal("PLAN-18", home.value("SELECT dormant FROM plans"), 0, "whether the matter of a line sleeps")
        asked = reading(home)
        expect("LARGE-02", asked is not None, "a line that is filed to a matter has that read")
        assert asked is not None
        expect_equal("LARGE-02", (asked["line"], asked["tools"]), ("要做五分钟的片子", []), "what is read")
        said = asked.get("said")
        expect("LARGE-02", "给门店的屏幕用" in (said or ()), f"what was said before is shown: {said}")
        for kind in ("minutes of video", "episode", "chapters", "many pages", "dozens"):
            expect("LARGE-01", kind in asked.get("asks", ""), f"“{kind}” in {asked.get('asks')}")
        found = answer(home, raw)
        expect_equal("LARGE-04", found is None, large is None, f"whether a matter is unread still, read as {raw}")
        expect_equal("LARGE-02", found, large, f"the matter read as {raw}")
        home.say("片头要快", to="导演", files=[1])
        count = home.value("SELECT count(*) FROM effects WHERE subject LIKE 'large job:%'")
        expect_equal("LARGE-02", count, 1, "how often a matter is read")
    for level, is_read in ((4, False), (5, True)):
        (tmp_path / f"level {level}").mkdir()
        old = Evening(tmp_path / f"level {level}", bots=["导演"], level=level)
        old.reads_size = True
        old.opened("新品片", to="导演")
        old.say("要做五分钟的片子", to="导演", files=[1])
        expect_equal("LARGE-02", reading(old) is not None, is_read, f"whether it is read at level {level}")


@proves("LARGE-02")
def test_a_line_that_is_moved_to_another_matter_has_that_read(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    home.opened("新品片", to="导演")
    home.opened("海报", to="导演")
    home.reads_size = True
    line = home.say("要做五分钟的片子", to="导演", files=[2])
    home.sql("UPDATE effects SET state = 'void', subject = 'before:' || id WHERE subject LIKE 'large job:1'")
    expect_equal("ATTR-21", home.filed(line), [(2, None)], "what the line was filed to")
    change = Change(home.db, home.value("SELECT max(seq) FROM events"), home.now, 8)
    with home.db.transaction():
        refiling.refile(change, line, [Target(1)])
    expect_equal("ATTR-21", home.filed(line), [(1, None)], "what it is filed to now")
    asked = home.rows("SELECT json_extract(body, '$.line') FROM effects WHERE subject = 'large job:1'")
    expect_equal("LARGE-02", asked, [("要做五分钟的片子",)], "what is read of the matter that it was moved to")


@proves("LARGE-04")
def test_a_reading_never_overrides_the_user(tmp_path: Path) -> None:
    for away in WAYS:
        for at, (large, wanted) in enumerate((("no_split", "no_split"), ("yes", "yes"))):
            (tmp_path / f"{away}{at}").mkdir()
            home = Evening(tmp_path / f"{away}{at}", bots=["导演"])
            home.reads_size = True
            home.opened("新品片", to="导演")
            home.say("要做五分钟的片子", to="导演", files=[1])
            done = Client(home, away=away)("PUT", "tasks/1/large", large=large)
            expect_equal("LARGE-04", done.status, 200, f"the user's word, remote = {away}")
            read = "no" if large == "yes" else "yes"
            expect_equal("LARGE-04", answer(home, json.dumps({"large": read})), wanted, f"{large}, then read as {read}")
    home = house(tmp_path, large="yes")
    expect_equal("LARGE-05", ran(home, IMAGE), "refused", "an image before the split")
    home.happens(events.PlanSized, plan=1, large="no_split")
    expect_equal("LARGE-04", ran(home, IMAGE), "ok", "an image once the user wants no split")
    home.sql("UPDATE plans SET large = 'no'")
    home.happens(events.PlanSized, plan=1, large="yes")
    expect_equal("LARGE-04", ran(home, IMAGE), "refused", "an image of what the user has declared large")


@proves("LARGE-05")
def test_before_the_split_nothing_is_made_and_nothing_handed_in(tmp_path: Path) -> None:
    for level in (5, 8):
        home = house(tmp_path, str(level), level)
        for call in (IMAGE, SUBMIT):
            expect_equal("LARGE-05", ran(home, call), "refused", f"{call.name} before the split, at level {level}")
        expect_equal("LARGE-05", len(home.ran), 0, f"what has run outside, at level {level}")
        expect_equal("LARGE-07", split(home, item("样片", sample=True), item("其余")), "ok", "the split")
        expect_equal("LARGE-05", ran(home, IMAGE), "ok", "an image after the split")
        expect_equal("LARGE-05", len(home.ran), 1, f"what has run outside then, at level {level}")
    for name, level, large in (("old", 4, "yes"), ("small", 8, "no"), ("unread", 8, None)):
        other = house(tmp_path, name, level, large)
        expect_equal("LARGE-05", ran(other, IMAGE), "ok", f"an image of {name}")


@proves("LARGE-06")
def test_what_needs_no_split_is_done_before_it(tmp_path: Path) -> None:
    home = house(tmp_path)
    text = home.context(home.turn("导演")["id"])
    expect("LARGE-06", "split it first with plan_items" in text, f"that it is to be split first, in {text}")
    reads = events.Call("mcp+read:studio:list", {})
    for call in (events.Call("read_file", {"path": "a"}), write("notes.md"), write("make.py"), shell("ls"), reads):
        expect_equal("LARGE-06", ran(home, call), "ok", f"{call.name} before the split")
    expect_equal("LARGE-05", ran(home, IMAGE), "refused", "an image before the split")
    expect_equal("LARGE-07", split(home, item("样片", sample=True), item("其余")), "ok", "the split")
    after = home.context(home.turn("导演")["id"])
    expect("LARGE-06", "split it first" not in after, f"what is read after the split: {after}")


@proves("LARGE-07")
def test_a_large_job_is_split_round_one_sample_or_not_at_all(tmp_path: Path) -> None:
    home = house(tmp_path)
    wrong = (
        [item("第一场"), item("第二场")],
        [item("第一场", sample=True), item("第二场", sample=True), item("第三场")],
        [item("样片", sample=True)],
        [item("设定"), item("样片", after=["设定"], sample=True)],
    )
    for items in wrong:
        expect_equal("LARGE-07", (split(home, *items), titles(home)), ("refused", []), f"a split into {items}")
    expect_equal("LARGE-07", split(home, item("样片", sample=True), item("第二场")), "ok", "a split round a sample")
    samples = home.rows("SELECT title, sample FROM tickets ORDER BY id")
    expect_equal("LARGE-07", samples, [("样片", 1), ("第二场", 0)], "the sample")


@proves("LARGE-08")
def test_all_that_is_not_approved_waits_for_the_sample_but_what_that_needs(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.sql("INSERT INTO tickets (plan, number, title, folder, at) VALUES (1, 1, '片名', 'x', 1)")
    home.stands(1, "approved")
    split(
        home,
        item("大纲"),
        item("设定集", after=["大纲"]),
        item("样片", after=["设定集"], sample=True),
        item("第二场"),
    )
    wanted = {("设定集", "大纲"), ("样片", "设定集"), ("第二场", "样片")}
    expect_equal("LARGE-08", needs(home), wanted, "what waits for what")
    split(home, item("第三场"))
    expect_equal("LARGE-08", needs(home), wanted | {("第三场", "样片")}, "with one that was split off later")


@proves("LARGE-09", "LARGE-10")
def test_a_ticket_begins_once_what_it_needs_has_been_handed_in(tmp_path: Path) -> None:
    # Whether the second scene can begin while the first stands so.
    cases = {
        "todo": False,
        "in progress": False,
        "submitted": True,
        "in_review": True,
        "approved": True,
        "dropped": True,
    }
    for stage, begins in cases.items():
        home = house(tmp_path, stage)
        split(home, item("第一场", sample=True), item("第二场"))
        if stage != "todo":
            home.stands(1, stage)
        ask = {"to": "文案", "ask": "做第二场", "expects": "deliverable", "ticket": 2, "continue": True}
        question = {**ask, "expects": "answer", "ask": "第二场要几天"}
        if not begins:
            expect("TICK-31", large_jobs.unmet(home.db, 2) != [], f"what is not approved waits, with the first {stage}")
        outcome = "ok" if begins else "refused"
        rule = "LARGE-10" if begins else "LARGE-09"
        expect_equal(rule, ran(home, events.Call("delegate", ask)), outcome, f"its deliverable, with the first {stage}")
        expect_equal("DEL-09", ran(home, events.Call("delegate", question)), "ok", "a question about it")
        expect_equal(rule, ran(home, work_on(plan=1, ticket=2)), outcome, f"work on it, with the first {stage}")
        home.hop("导演", text="好。")
        home.say("@导演 第二场", to="剪辑组", files=[(1, 2)])
        made = [ran(home, call) == "refused" for call in (IMAGE, shell("ls"), SUBMIT)]
        expect_equal(rule, made, [not begins, False, not begins], f"what is made, with the first {stage}")
    home = house(tmp_path, "rework")
    split(home, item("第一场", sample=True), item("第二场"))
    for stage in ("rework", "in progress"):
        home.stands(1, stage)
        expect_equal("LARGE-10", len(large_jobs.unmet(home.db, 2)), 1, f"what is in {stage} and was never handed in")
    home.stands(1, "submitted")
    for stage in ("rework", "in progress"):
        home.stands(1, stage)
        expect_equal("LARGE-10", large_jobs.unmet(home.db, 2), [], f"what is in {stage} and was handed in before")
    old = house(tmp_path, "old", 4)
    old.sql("INSERT INTO tickets (plan, number, title, folder, at) VALUES (1, 1, '甲', 'x', 1), (1, 2, '乙', 'y', 1)")
    old.sql("INSERT INTO ticket_dependencies (ticket, needs) VALUES (2, 1)")
    expect_equal("LARGE-09", ran(old, work_on(plan=1, ticket=2)), "ok", "at level 4")


@proves("LARGE-14", "LARGE-15")
def test_nobody_is_asked_to_approve_a_sample_and_stills_do_not_make_do(tmp_path: Path) -> None:
    home = house(tmp_path)
    split(home, item("第一场", sample=True), item("第二场"))
    text = home.context(home.turn("导演")["id"])
    expect("LARGE-14", "Do not ask the user to approve the sample" in text, f"in {text}")
    expect("LARGE-15", "Still images that pad the running time are no way" in text, f"in {text}")
    small = house(tmp_path, "small", large="no")
    seen = small.context(small.turn("导演")["id"])
    expect("LARGE-14", "approve the sample" not in seen, f"where there is no sample: {seen}")
    expect("LARGE-15", "Still images" not in seen, f"where nothing is large: {seen}")


@proves("LARGE-14")
def test_a_sample_is_handed_in_with_the_same_words_as_any_other_ticket(tmp_path: Path) -> None:
    for level in (5, 8):
        home = house(tmp_path, str(level), level)
        split(home, item("第一场", sample=True), item("第二场"))
        expect("LARGE-14", "Do not ask the user to approve" in home.context(home.turn("导演")["id"]), "what is read")
        said = []
        for ticket in (1, 2):
            home.hop("导演", text="好。")
            home.say("@导演 接着做", to="剪辑组", files=[(1, ticket)])
            said.append(handed_in(home, ticket))
        expect("LARGE-14", "handed in" in said[0], f"what is read of a sample that was handed in: {said[0]}")
        expect_equal("LARGE-14", said[0].replace("submission 1", "submission 2"), said[1], "beside any other ticket")


@proves("TICK-21")
def test_parts_are_declared_and_never_guessed_from_a_name(tmp_path: Path) -> None:
    home = house(tmp_path, large="no")
    made = split(home, item("镜头", doer="导演", parts=["C03", "C04"]))
    expect_equal("LARGE-07", made, "ok", "a split of what is not large")
    parts = "SELECT name, stage FROM parts ORDER BY name"
    expect_equal("TICK-21", home.rows(parts), [("C03", "todo"), ("C04", "todo")], "what the lead has declared")
    ran(home, work_on(plan=1, ticket=1))
    ran(home, write("C03_final.mp4"))
    ran(home, write("C05_final.mp4"))
    expect_equal("TICK-21", home.rows(parts), [("C03", "todo"), ("C04", "todo")], "after files of such names")
    for away in WAYS:
        Client(home, away=away)("PATCH", "tickets/1", add_parts=["C06", "C03"])
    wanted = [("C03", "todo"), ("C04", "todo"), ("C06", "todo")]
    expect_equal("TICK-21", home.rows(parts), wanted, "with one that the user has added")
    home.sql("UPDATE parts SET stage = 'approved' WHERE name <> 'C04'")
    expect_equal("TICK-21", Client(home)("GET", "tickets/1").said.get("approved_parts"), "2/3", "how many are approved")


@proves("TICK-22", "TICK-23")
def test_one_call_of_the_lead_splits_with_doers_reviewers_and_order(tmp_path: Path) -> None:
    home = house(tmp_path, large="no")
    expect_equal("TICK-22", split(home), "ok", "a call of the Bot that leads the plan")
    items = [item("分镜", doer="导演", reviewer="文案"), item("旁白", doer="文案", after=["分镜"])]
    made = split(home, *items)
    expect_equal("TICK-01", titles(home), ["分镜", "旁白"] if made == "ok" else [], f"what a call makes that is {made}")
    expect_equal("TICK-23", made, "ok", "a split that names a reviewer who does not do the ticket")
    found = home.rows("SELECT title, owner, reviewer FROM tickets ORDER BY id")
    expect_equal("TICK-22", [each[:2] for each in found], [("分镜", 1), ("旁白", 2)], "who does what")
    expect_equal("TICK-23", [each[2] for each in found], [2, None], "the reviewer named in the split")
    expect_equal("TICK-22", needs(home), {("旁白", "分镜")}, "what waits for what")
    own = split(home, item("封面", doer="导演", reviewer="导演"))
    expect_equal("TICK-23", (own, titles(home)), ("refused", ["分镜", "旁白"]), "a doer that reviews itself")
    circle = split(home, {"ticket": 1, "after": [2]})
    expect_equal("BALL-13", (circle, needs(home)), ("refused", {("旁白", "分镜")}), "a circle")
    home.hop("导演", text="拆好了。")
    home.say("@文案 你来", to="剪辑组", files=[1])
    other = split(home, item("片尾"), bot="文案")
    expect_equal("TICK-22", (other, titles(home)), ("refused", ["分镜", "旁白"]), "the split of one that does not lead")
    for level, outcome in ((4, "refused"), (5, "ok")):
        at_level = house(tmp_path, f"level {level}", level, "no")
        expect_equal("TICK-22", split(at_level, *items), outcome, f"the same split at level {level}")


@proves("TICK-33")
def test_the_user_makes_an_unfinished_ticket_the_sample(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, str(away))
        split(home, item("第一场", sample=True), item("第二场"), item("第三场"))
        expect_equal("LARGE-08", needs(home), {("第二场", "第一场"), ("第三场", "第一场")}, "what waits for the sample")
        call = Client(home, away=away)
        again = call("PATCH", "tickets/1", sample=True)
        expect_equal("TICK-33", (again.status, again.error), (409, "is_sample"), "the sample itself")
        home.stands(3, "approved")
        finished = call("PATCH", "tickets/3", sample=True)
        expect_equal("TICK-33", (finished.status, finished.error), (409, "finished"), "an approved ticket")
        done = call("PATCH", "tickets/2", sample=True)
        expect_equal("TICK-33", (done.status, done.said["sample"]), (200, 1), f"another, remote = {away}")
        samples = [sample for (sample,) in home.rows("SELECT sample FROM tickets ORDER BY id")]
        expect_equal("TICK-33", samples, [0, 1, 0], "the sample")
        expect_equal("LARGE-08", needs(home), {("第一场", "第二场")}, "what waits for it")
        home.sql("UPDATE plans SET large = 'no'")
        expect_equal("TICK-33", call("PATCH", "tickets/1", sample=True).status, 200, "in a plan that has one")
    small = house(tmp_path, "small", large="no")
    split(small, item("第一场"))
    refused = Client(small)("PATCH", "tickets/1", sample=True)
    expect_equal("TICK-33", (refused.status, refused.error), (409, "no_large_job"), "where nothing is large")
