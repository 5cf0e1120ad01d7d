"""Plans under a hold: parked in both places while it stands, and afterwards what they were before."""

import json
from itertools import product
from pathlib import Path
from typing import Any

from evening import Evening, shell
from requests_over_http import WAYS, Client

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, plans

ROOM = "剪辑组"


def house(folder: Path, *, level: int = 8, name: str = "") -> Evening:
    """Two Bots in a group, where a plan is open."""
    if name:
        folder = folder / name
        folder.mkdir()
    home = Evening(folder, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)
    home.opened("新品片", to=ROOM)
    return home


def hold(home: Evening, scope: str, **over: int) -> int:
    """The user stops something from a menu."""
    home.happens(events.HoldMade, scope=scope, **over)
    return int(home.value("SELECT max(id) FROM holds"))


def hold_room(home: Evening) -> int:
    """The user stops the group's work."""
    return hold(home, "session", session=home.session(ROOM))


def lift(home: Evening, made: int) -> None:
    """The user presses lift."""
    home.happens(events.HoldLifted, hold=made)


def edit(home: Evening, plan: int = 1, **said: Any) -> None:
    """The user writes on the board."""
    home.happens(events.BoardEdited, plan=plan, **said)


def status(home: Evening, plan: int = 1) -> tuple[str, str]:
    """A plan's status in its two places: its row, and its points."""
    return home.value("SELECT status FROM plans WHERE id = ?", plan), plans.points_of(home.db, plan)["status"]


def active_holds(home: Evening) -> list[tuple[str, str]]:
    """The scopes and sources of the holds that stand."""
    return home.rows("SELECT scope, source FROM holds WHERE lifted_by IS NULL ORDER BY id")


def speak_of(home: Evening, plan: int) -> None:
    """The user says something of a plan in a direct chat, so that it is kept for that."""
    home.say(f"{home.value('SELECT folder FROM plans WHERE id = ?', plan)}/a.md 怎么样", to="导演")


def put_aside(home: Evening, plan: int = 1) -> None:
    """Another plan has taken a plan's place, as in an old store."""
    home.sql("UPDATE plans SET status = 'parked', displaced = 1, current_of = NULL WHERE id = ?", plan)


def park_of_old(home: Evening, plan: int = 1) -> None:
    """A plan was parked before there were holds: in both places."""
    points = plans.points_of(home.db, plan) | {"status": "parked"}
    home.sql("UPDATE plans SET status = 'parked' WHERE id = ?", plan)
    home.sql(
        "UPDATE plan_revisions SET points = ? WHERE plan = ? AND number ="
        " (SELECT max(number) FROM plan_revisions WHERE plan = ?)",
        json.dumps(points, ensure_ascii=False),
        plan,
        plan,
    )


def current(home: Evening) -> int | None:
    """The group's one current plan."""
    return plans.current(home.db, home.session(ROOM))


def at_work(home: Evening, bot: str = "导演", plan: int = 1) -> None:
    """A Bot has a command running on a plan."""
    home.say(f"@{bot} 开工", to=ROOM, files=[plan])
    home.hop(bot, shell("render"), run=False)


@proves("HOLD-31")
def test_a_bot_that_an_older_version_let_go_is_free_until_a_line_ends_the_hold(tmp_path: Path) -> None:
    home = house(tmp_path)
    free = home.bot("文案")
    made = hold(home, "everything")
    home.sql("UPDATE holds SET effect = json_set(effect, '$.released_bots', json_array(?)) WHERE id = ?", free, made)
    held = home.rows(
        "SELECT DISTINCT w.bot FROM hold_hits x JOIN work_items w ON w.id = x.id WHERE x.kind = 'work_item'"
    )
    expect_equal("HOLD-31", held, [], "Bots held, of those that have work")
    for bot, opens in (("文案", 1), ("导演", 0)):
        row = (
            "INSERT INTO turns (bot, session, state, mode, work_item, began_seq, began_at) VALUES (?, ?, ?, ?, ?, 1, 1)"
        )
        item = home.db.write("INSERT INTO work_items (bot, session) VALUES (?, 1)", home.bot(bot))
        refused = ""
        try:
            home.sql(row, home.bot(bot), home.session(ROOM), "running", "desk", item)
        except Exception as error:
            refused = str(error)
        expect_equal("HOLD-31", refused, "" if opens else "held", f"a live turn of {bot} written by an older version")
        home.sql(
            "UPDATE turns SET state = 'stopped', end_reason = 'gone' WHERE bot = ? AND work_item = ?",
            home.bot(bot),
            item,
        )
    before = home.value("SELECT effect -> '$.released_bots' FROM holds WHERE id = ?", made)
    home.say("@导演 开工", to=ROOM, files=[1])
    expect_equal("HOLD-31", active_holds(home), [], "holds that stand after the next line")
    after = home.value("SELECT effect -> '$.released_bots' FROM holds WHERE id = ?", made)
    expect_equal("HOLD-31", after, before, "Bots let go singly, as it is on record")
    again = hold(home, "everything")
    home.say("@文案 开工", to=ROOM, files=[1])
    written = home.value("SELECT effect -> '$.released_bots' FROM holds WHERE id = ?", again)
    expect_equal("HOLD-31", written, None, "Bots let go singly by a new line")


@proves("HOLD-35")
def test_a_plan_is_parked_in_both_places_and_no_edit_that_sends_its_status_back_revives_it(tmp_path: Path) -> None:
    for scope in ("plan", "session"):
        home = house(tmp_path, name=scope)
        home.opened("海报", to="文案")
        hold(home, "plan", plan=1) if scope == "plan" else hold_room(home)
        expect_equal("HOLD-35", status(home), ("parked", "parked"), f"row and points of a plan under a {scope} hold")
        expect_equal("HOLD-35", status(home, 2), ("active", "active"), "row and points of a plan elsewhere")
        edit(home, goal="60 秒的新品片", status=plans.points_of(home.db, 1)["status"])
        expect_equal("HOLD-35", status(home), ("parked", "parked"), "after an edit that sends the status back")
        expect_equal("HOLD-35", plans.points_of(home.db, 1)["goal"], "60 秒的新品片", "the goal, which was changed")


@proves("HOLD-36")
def test_what_is_halted_is_still_the_sessions_current_plan(tmp_path: Path) -> None:
    home = house(tmp_path, level=1)
    expect_equal("HOLD-36", current(home), 1, "the current plan before")
    made = hold_room(home)
    expect_equal("HOLD-36", (current(home), status(home)[0]), (1, "parked"), "the current plan under the hold")
    lift(home, made)
    expect_equal("HOLD-36", (current(home), status(home)[0]), (1, "active"), "the current plan after the lift")


@proves("HOLD-37")
def test_what_was_displaced_before_is_displaced_again_after_the_lift(tmp_path: Path) -> None:
    for flagged in (0, 1):
        home = house(tmp_path, name=str(flagged))
        home.opened("海报", to=ROOM)
        put_aside(home)
        home.sql("UPDATE plans SET displaced = ? WHERE id = 1", flagged)
        made = hold_room(home)
        expect_equal("HOLD-35", status(home, 2), ("parked", "parked"), "of one that was not displaced, under the hold")
        expect_equal("HOLD-37", status(home), ("parked", "parked"), "row and points of a displaced plan under the hold")
        lift(home, made)
        expect_equal("HOLD-37", status(home), ("parked", "active"), "row and points after the lift")
        expect_equal("HOLD-44", status(home, 2), ("active", "active"), "of one that was not displaced")
        before = len(home.turns("导演"))
        home.later(60)
        expect_equal("HOLD-37", len(home.turns("导演")), before, "turns for which somebody was called back")


@proves("HOLD-39")
def test_what_another_plan_displaces_under_the_hold_is_displaced_after_the_lift(tmp_path: Path) -> None:
    for level in (1, 2):
        home = house(tmp_path, level=level, name=str(level))
        made = hold_room(home)
        home.opened("海报", to=ROOM)
        opened, newest = ("PLAN-19", 2) if level == 1 else ("PLAN-09", None)
        expect_equal(opened, current(home), newest, f"the current plan under the hold, at level {level}")
        lift(home, made)
        wanted = ("parked", "active") if level == 1 else ("active", "active")
        rule = "HOLD-39" if level == 1 else "HOLD-44"
        expect_equal(rule, status(home), wanted, f"row and points of the plan held first, at level {level}")
        expect_equal("HOLD-44", status(home, 2), ("active", "active"), "of the plan opened under the hold")
        expect_equal("HOLD-39", current(home), newest, f"the current plan after the lift, at level {level}")


@proves("HOLD-40")
def test_a_plan_that_opens_in_a_held_session_starts_parked(tmp_path: Path) -> None:
    home = house(tmp_path)
    made = hold_room(home)
    home.opened("海报", to=ROOM)
    home.opened("片尾", to="文案")
    expect_equal("HOLD-40", status(home, 2), ("parked", "parked"), "row and points of a plan opened there")
    revisions = home.value("SELECT count(*) FROM plan_revisions WHERE plan = 2")
    expect_equal("HOLD-40", revisions, 1, "versions of its points: it begins so")
    expect_equal("HOLD-40", status(home, 3), ("active", "active"), "row and points of a plan opened elsewhere")
    lift(home, made)
    expect_equal("HOLD-40", status(home, 2), ("active", "active"), "row and points after the lift")


@proves("HOLD-41")
def test_a_held_plan_can_be_marked_done_and_stays_so(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.opened("海报", to=ROOM)
    made = hold_room(home)
    edit(home, status="done")
    expect_equal("HOLD-41", status(home), ("done", "done"), "row and points under the hold")
    lift(home, made)
    expect_equal("HOLD-41", status(home), ("done", "done"), "row and points after the lift")
    expect_equal("HOLD-44", status(home, 2), ("active", "active"), "of one that was not marked")


@proves("HOLD-41")
def test_done_by_the_organizer_of_old_takes_effect_and_active_does_not(tmp_path: Path) -> None:
    for says, under, after in (("done", "done", "done"), ("active", "parked", "active"), (None, "parked", "active")):
        home = house(tmp_path, level=1, name=str(says))
        home.say("到哪了", to=ROOM)
        made = hold_room(home)
        asked = next(each for each in home.engine.open_effects() if each.kind == "organizer")
        raw = json.dumps({"status": says} if says else {})
        home.happens(events.Organized, effect=asked.id, raw=raw)
        expect_equal("HOLD-41", status(home), (under, under), f"row and points, the organizer having said {says}")
        lift(home, made)
        expect_equal(
            "HOLD-41" if says == "done" else "HOLD-44", status(home), (after, after), "row and points after the lift"
        )


@proves("HOLD-42")
def test_a_hold_and_its_lift_are_one_version_each_and_an_older_edit_is_refused(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, name=str(away))
        call = Client(home, away=away)
        seen = call("GET", "tasks/1").said
        made = hold(home, "plan", plan=1)
        causes = home.rows("SELECT cause, cause_id FROM plan_revisions WHERE plan = 1 AND number > ?", seen["revision"])
        expect_equal("HOLD-42", causes, [("hold", made)], "versions that the hold has made")
        late = {"revision": seen["revision"], "goal": "长一点", "status": "active"}
        for key in ("a", "a", "b"):
            refused = call("PATCH", "tasks/1/spec", key=key, **late)
            expect_equal("HOLD-42", (refused.status, refused.error), (409, "revision_conflict"), "an edit from before")
        expect_equal("HOLD-42", status(home), ("parked", "parked"), "the plan after that edit")
        under = call("GET", "tasks/1").said
        expect_equal("HOLD-42", under["revision_cause"], "hold", "the cause of the newest version, as it is shown")
        lift(home, made)
        causes = home.rows(
            "SELECT cause, cause_id FROM plan_revisions WHERE plan = 1 AND number > ?", under["revision"]
        )
        expect_equal("HOLD-42", causes, [("hold", made)], "versions that the lift has made")
        again = call("PATCH", "tasks/1/spec", revision=under["revision"], status="parked")
        expect_equal("HOLD-42", (again.status, again.error), (409, "revision_conflict"), "an edit from under the hold")
        expect_equal("HOLD-42", active_holds(home), [], "holds that it has made")
        newest = call("GET", "tasks/1").said["revision"]
        fine = call("PATCH", "tasks/1/spec", key="c", revision=newest, goal="长一点")
        expect_equal("HOLD-42", (fine.status, fine.said.get("points", {}).get("goal")), (200, "长一点"), "a fresh edit")
        repeated = call("PATCH", "tasks/1/spec", key="c", revision=newest, goal="长一点")
        expect_equal("HOLD-42", repeated.status, 200, "the same request again")


@proves("HOLD-44")
def test_after_the_lift_a_plan_is_what_it_was_and_has_its_place_if_that_is_free(tmp_path: Path) -> None:
    home = house(tmp_path, name="done")
    made = hold_room(home)
    home.sql("UPDATE plans SET status = 'done' WHERE id = 1")
    lift(home, made)
    expect_equal("HOLD-41", status(home)[0], "done", "the row of a plan that was marked done meanwhile")
    for level, slot in ((1, 1), (2, None)):
        home = house(tmp_path, level=level, name=f"free {level}")
        made = hold_room(home)
        home.sql("UPDATE plans SET current_of = NULL WHERE id = 1")
        lift(home, made)
        expect_equal("HOLD-44", status(home), ("active", "active"), f"row and points at level {level}")
        expect_equal("HOLD-44", current(home), slot, f"the current plan at level {level}, its place vacated meanwhile")
    home = house(tmp_path, level=1, name="taken")
    made = hold_room(home)
    home.opened("海报", to=ROOM)
    lift(home, made)
    expect_equal("HOLD-44", current(home), 2, "the current plan where the place was taken")
    legacy = house(tmp_path, name="legacy")
    legacy.sql("UPDATE plans SET current_of = ? WHERE id = 1", legacy.session(ROOM))
    made = hold_room(legacy)
    legacy.sql("UPDATE plans SET current_of = NULL WHERE id = 1")
    lift(legacy, made)
    expect_equal("HOLD-44", current(legacy), 1, "the current plan of an old store, its place vacated meanwhile")


@proves("HOLD-45")
def test_a_plan_under_two_holds_is_parked_until_the_last_is_lifted(tmp_path: Path) -> None:
    for first in ("plan", "session"):
        for lifted_first in (0, 1):
            home = house(tmp_path, name=f"{first} {lifted_first}")
            made = [hold(home, "plan", plan=1)] if first == "plan" else [hold_room(home)]
            made.append(hold_room(home) if first == "plan" else hold(home, "plan", plan=1))
            lift(home, made[lifted_first])
            expect_equal("HOLD-45", status(home), ("parked", "parked"), "row and points under the hold that is left")
            lift(home, made[1 - lifted_first])
            expect_equal("HOLD-45", status(home), ("active", "active"), "row and points after both were lifted")


@proves("HOLD-46")
def test_a_hold_on_less_than_a_plan_leaves_its_status_alone(tmp_path: Path) -> None:
    home = house(tmp_path)
    at_work(home, "导演")
    at_work(home, "文案")
    turn = home.turn("导演")["id"]
    home.sql("INSERT INTO tickets (plan, number, title, folder, at) VALUES (1, 1, '分镜', 'a', 0)")
    bot = home.bot("导演")
    for scope, over in (
        ("bot", {"bot": bot}),
        ("bot_in_plan", {"bot": bot, "plan": 1}),
        ("ticket", {"ticket": 1}),
        ("turn", {"turn": turn}),
    ):
        hold(home, scope, **over)
        expect_equal("HOLD-46", status(home), ("active", "active"), f"row and points under a hold on a {scope}")
    expect_equal("HOLD-46", [row["state"] for row in home.live("文案")], ["running"], "another Bot's work on the plan")
    hold(home, "plan", plan=1)
    expect_equal("HOLD-46", status(home), ("parked", "parked"), "row and points under a hold on the plan")


@proves("HOLD-47")
def test_a_hold_on_everything_changes_no_status_and_is_listed_with_those_on_the_whole_plan(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, name=str(away))
        home.opened("海报", to="文案")
        call = Client(home, away=away)
        everything = hold(home, "everything")
        expect_equal("HOLD-47", status(home), ("active", "active"), "row and points under a hold on everything")
        others = [hold(home, "bot", bot=home.bot("导演")), hold(home, "bot_in_plan", bot=home.bot("导演"), plan=1)]
        held = [everything, hold(home, "plan", plan=1), hold_room(home)]
        found = {plan: [each["id"] for each in call("GET", f"tasks/{plan}").said["held_by"]] for plan in (1, 2)}
        expect_equal("HOLD-47", found, {1: held, 2: [everything]}, f"what covers each plan as a whole, beside {others}")


@proves("HOLD-48")
def test_what_holds_a_plan_is_told_as_of_the_read(tmp_path: Path) -> None:
    home = house(tmp_path)
    call = Client(home)

    def seen() -> list[int]:
        return [each["id"] for each in call("GET", "tasks/1").said["held_by"]]

    before, row = seen(), home.rows("SELECT * FROM plans")
    made = hold(home, "everything")
    expect_equal("HOLD-48", (before, seen()), ([], [made]), "what holds it, before and under a hold on everything")
    expect_equal("HOLD-48", home.rows("SELECT * FROM plans"), row, "the plan's row, which is not touched")
    told = home.rows("SELECT body FROM effects WHERE kind = 'push' AND subject LIKE 'plan%'")
    expect_equal("HOLD-48", told, [], "changes of the plan that clients are told of")
    lift(home, made)
    expect_equal("HOLD-48", seen(), [], "what holds it after the lift")


@proves("HOLD-49")
def test_parking_by_the_old_route_is_a_hold_on_the_plan_and_ends_what_runs_there(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, name=str(away))
        home.opened("海报", to=ROOM)
        at_work(home, "导演", 1)
        at_work(home, "文案", 2)
        for _ in range(2):
            done = Client(home, away=away)("PATCH", "tasks/1/spec", key="park", status="parked")
            expect_equal("HOLD-49", done.status, 200, f"the route, remote = {away}")
        expect_equal("HOLD-49", active_holds(home), [("plan", "user_button")], "holds that stand")
        expect_equal("HOLD-49", home.turn("导演")["state"], "stopped", "what ran in the plan")
        expect_equal("HOLD-49", home.turn("文案")["state"], "running", "what ran in another plan")
        expect_equal("HOLD-49", status(home), ("parked", "parked"), "row and points")


@proves("HOLD-50")
def test_active_or_done_by_the_old_route_lifts_the_plans_own_hold_only(tmp_path: Path) -> None:
    for wanted in ("active", "done"):
        home = house(tmp_path, name=wanted)
        call = Client(home)
        own, room = hold(home, "plan", plan=1), hold_room(home)
        everything = hold(home, "everything")
        shown = call("PATCH", "tasks/1/spec", key="on", status=wanted).said
        expect_equal(
            "HOLD-50", [each["id"] for each in shown["held_by"]], [room, everything], "the holds that are left"
        )
        stays = "parked" if wanted == "active" else "done"
        rule = "HOLD-50" if wanted == "active" else "HOLD-41"
        expect_equal(rule, status(home), (stays, stays), f"row and points, {wanted} under the group's hold")
        lift(home, room)
        expect_equal(rule, status(home), (wanted, wanted), "row and points once the group's hold is lifted")
        again = hold(home, "plan", plan=1) if wanted == "active" else own
        call("PATCH", "tasks/1/spec", key="again", status=wanted)
        expect_equal(rule, status(home), (wanted, wanted), "row and points under a hold on everything")
        expect_equal("HOLD-50", active_holds(home), [("everything", "user_button")], f"what stands beside {again}")


@proves("HOLD-50")
def test_what_the_plans_hold_had_stopped_goes_on_where_it_is_made_active(tmp_path: Path) -> None:
    for wanted, goes_on in (("active", 1), ("done", 0)):
        home = house(tmp_path, name=wanted)
        at_work(home)
        edit(home, status="parked")
        edit(home, status=wanted)
        expect_equal("HOLD-50", len(home.live("导演")), goes_on, f"segments that go on with a plan made {wanted}")


@proves("HOLD-51")
def test_whether_an_edit_changes_the_status_is_told_by_the_points(tmp_path: Path) -> None:
    home = house(tmp_path)
    put_aside(home)
    edit(home, goal="60 秒", status="active")
    expect_equal("HOLD-51", status(home), ("parked", "active"), "a displaced plan after an edit of its goal alone")
    made = hold(home, "plan", plan=1)
    edit(home, goal="70 秒", status="parked")
    expect_equal("HOLD-51", [each["id"] for each in home.db.rows("SELECT id FROM holds")], [made], "holds ever made")
    edit(home, status="active")
    expect_equal("HOLD-51", active_holds(home), [], "holds that stand after a real change")


@proves("HOLD-52")
def test_below_the_level_of_holds_parked_is_only_a_status(tmp_path: Path) -> None:
    for level in (1, 0):
        home = house(tmp_path, level=level, name=str(level))
        home.say("@导演 开工", to=ROOM)
        home.hop("导演", shell("render"), run=False)
        edit(home, status="parked")
        expect_equal("HOLD-52", status(home), ("parked", "parked"), f"row and points at level {level}")
        state = "running" if level == 0 else "stopped"
        expect_equal("HOLD-52", home.turn("导演")["state"], state, f"what runs in the plan at level {level}")
        edit(home, status="active")
        expect_equal("HOLD-52", (status(home), current(home)), (("active", "active"), 1), f"after that, level {level}")


# ---------------------------------------------------------------- keeping the record, and the start


@proves("HOLD-95")
def test_a_hold_outlives_the_line_that_caused_it_and_the_chat(tmp_path: Path) -> None:
    for end in (events.SessionCleared, events.SessionDeleted):
        home = house(tmp_path, name=end.__name__)
        line = home.say("海报先停", to=ROOM, files=[1])
        made = hold_room(home)
        home.sql("UPDATE holds SET source_message = ? WHERE id = ?", line, made)
        home.happens(end, session=home.session(ROOM))
        found = home.rows("SELECT source_message, lifted_by FROM holds WHERE id = ?", made)
        expect_equal("HOLD-95", found, [(None, None)], "its line, and who has lifted it")
        refused = ""
        try:
            home.sql("DELETE FROM holds WHERE id = ?", made)
        except Exception as error:
            refused = str(error)
        expect("HOLD-95", "never deleted" in refused, f"deleting it is refused, saw {refused!r}")


@proves("HOLD-96")
def test_a_plan_that_a_hold_names_is_kept(tmp_path: Path) -> None:
    named = {
        "on it": lambda home: hold(home, "plan", plan=1),
        "on a Bot within it": lambda home: hold(home, "bot_in_plan", bot=home.bot("导演"), plan=1),
        "on a ticket of it": lambda home: hold(home, "ticket", ticket=1),
        "in what it covers besides": lambda home: _covers(home, 1),
        "nothing": lambda home: hold(home, "everything"),
    }
    for (what, make), deletes in product(named.items(), (False, True)):
        home = house(tmp_path, name=f"{what} {deletes}")
        home.sql("INSERT INTO tickets (plan, number, title, folder, at) VALUES (1, 1, '分镜', 'a', 0)")
        made = make(home)
        lift(home, made)
        clear = {"session": home.session(ROOM), "erase_quotes": True}
        home.happens(events.SessionDeleted if deletes else events.SessionCleared, **clear)
        kept = what != "nothing"
        expect_equal("HOLD-96", "新品片" in home.plans(), kept, f"whether a plan is there, a lifted hold being {what}")
        gone = True
        try:
            with home.db.transaction():
                for table in ("plan_revisions", "quote_filings", "tickets"):
                    home.sql(f"DELETE FROM {table} WHERE plan = 1")
                home.sql("DELETE FROM plans WHERE id = 1")
        except Exception:
            gone = False
        expect_equal("HOLD-96", gone, what == "nothing", f"whether it can be deleted, a lifted hold being {what}")


def _covers(home: Evening, plan: int) -> int:
    made = hold(home, "everything")
    home.sql(
        "INSERT INTO hold_cover (hold, bot, plan) SELECT id, ?, ? FROM holds WHERE id = ?", home.bot("导演"), plan, made
    )
    return made


@proves("HOLD-97")
def test_what_a_deleted_groups_hold_had_parked_is_under_a_hold_of_its_own(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.opened("片尾", to="文案")
    speak_of(home, 1)
    room = hold_room(home)
    home.happens(events.SessionDeleted, session=home.session(ROOM))
    found = home.rows("SELECT id, plan, source FROM holds WHERE id <> ? AND lifted_by IS NULL", room)
    expect_equal("HOLD-97", [each[1:] for each in found], [(1, "migration")], "holds made when the group went")
    expect_equal("HOLD-97", status(home), ("parked", "parked"), "row and points after that")
    expect_equal("HOLD-97", home.value("SELECT session FROM plans WHERE id = 1"), None, "the group that it belongs to")
    lift(home, found[0][0])
    expect_equal("HOLD-97", status(home), ("active", "active"), "row and points after the lift of its own")
    expect_equal("HOLD-97", active_holds(home), [("session", "user_button")], "what stands: the group's, out of reach")
    lift(home, room)
    expect_equal("HOLD-97", (status(home), status(home, 2)), (("active", "active"),) * 2, "after the group's too")


@proves("HOLD-97")
def test_a_displaced_plan_is_displaced_again_after_the_lift_of_its_own_hold(tmp_path: Path) -> None:
    home = house(tmp_path)
    speak_of(home, 1)
    put_aside(home)
    hold_room(home)
    home.happens(events.SessionDeleted, session=home.session(ROOM))
    lift(home, home.value("SELECT id FROM holds WHERE source = 'migration'"))
    expect_equal("HOLD-97", status(home), ("parked", "active"), "row and points, as before the group's hold")


@proves("HOLD-98")
def test_so_is_what_was_parked_in_the_old_way_unless_it_has_a_hold(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.opened("海报", to=ROOM)
    home.opened("片尾", to=ROOM)
    for plan in (1, 2, 3):
        speak_of(home, plan)
    park_of_old(home, 1)
    put_aside(home, 3)
    home.sql("UPDATE plans SET displaced = 0 WHERE id = 3")
    own = hold(home, "plan", plan=2)
    room = hold_room(home)
    home.happens(events.SessionDeleted, session=home.session(ROOM))
    found = home.rows("SELECT id, plan, source FROM holds WHERE id NOT IN (?, ?) ORDER BY id", own, room)
    wanted = [(1, "migration"), (3, "migration")]
    expect_equal("HOLD-98", [each[1:] for each in found], wanted, "holds made: none for the one that has its own")
    lift(home, found[0][0])
    expect_equal("HOLD-44", status(home), ("active", "active"), "what was parked in the old way, after the lift")
    lift(home, own)
    expect_equal("HOLD-44", status(home, 2), ("active", "active"), "what had a hold of its own, after its lift")
    plain = house(tmp_path, name="no hold")
    speak_of(plain, 1)
    park_of_old(plain, 1)
    plain.happens(events.SessionDeleted, session=plain.session(ROOM))
    expect_equal("HOLD-98", active_holds(plain), [], "holds made where the group had none")


@proves("HOLD-99")
def test_a_start_takes_over_what_was_parked_before_there_were_holds(tmp_path: Path) -> None:
    for level, made in ((0, []), (1, [("plan", "legacy")]), (8, [("plan", "legacy")])):
        home = house(tmp_path, level=level, name=str(level))
        park_of_old(home)
        for start in ("first", "second"):
            home.crash()
            expect_equal("HOLD-99", active_holds(home), made, f"holds after the {start} start, at level {level}")
        if not made:
            continue
        home.say("@导演 接着做", to=ROOM, files=[1])
        expect_equal("HOLD-99", status(home), ("parked", "parked"), "row and points after a line about it")
        lift(home, 1)
        expect_equal("HOLD-99", status(home), ("active", "active"), "row and points after the user's lift")
        home.crash()
        expect_equal("HOLD-99", active_holds(home), [], "holds after the next start")
    held = house(tmp_path, name="held")
    hold_room(held)
    held.crash()
    expect_equal("HOLD-99", active_holds(held), [("session", "user_button")], "holds where one has parked the plan")


@proves("HOLD-100")
def test_a_start_leaves_what_is_merely_displaced(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.opened("海报", to=ROOM)
    put_aside(home, 1)
    park_of_old(home, 2)
    home.crash()
    expect_equal("HOLD-100", status(home), ("parked", "active"), "row and points of a displaced plan after the start")
    plans_held = home.rows("SELECT plan FROM holds")
    expect_equal("HOLD-100", plans_held, [(2,)], "plans taken over: the one that was parked in both places")


@proves("HOLD-101")
def test_a_start_puts_under_their_holds_what_is_not_yet(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.opened("海报", to="文案")
    at_work(home)
    home.run("导演")
    home.hop("导演", events.Call("check_back", {"after_minutes": 600, "note": "看渲染"}))
    home.hop("导演", text="渲染着。")
    made = _hold_of_another_version(home)
    log = "SELECT body FROM work_events WHERE type = 'daemon.log'"
    expect_equal("HOLD-101", (status(home), home.rows(log)), (("active", "active"), []), "as the other version left it")
    home.crash()
    expect_equal("HOLD-101", status(home), ("parked", "parked"), "row and points of the covered plan")
    expect_equal("HOLD-101", home.rows("SELECT state FROM waits"), [("suspended",)], "the covered check-back")
    expect_equal("HOLD-101", status(home, 2), ("active", "active"), "row and points of a plan that is free")
    expect_equal("HOLD-101", len(home.rows(log)), 1, "entries on it in the log")
    home.crash()
    expect_equal("HOLD-101", len(home.rows(log)), 1, "entries after another start, with nothing to mend")
    lift(home, made)
    expect_equal("HOLD-101", status(home), ("active", "active"), "row and points after the lift")
    expect_equal("HOLD-101", home.rows("SELECT state FROM waits"), [("open",)], "the check-back after the lift")


def _hold_of_another_version(home: Evening) -> int:
    """A hold on the plan that a version wrote which did not come to what it covers."""
    return home.db.write(
        "INSERT INTO holds (scope, plan, source, seq, at) SELECT 'plan', 1, 'user_button', max(seq), 0 FROM events"
    )
