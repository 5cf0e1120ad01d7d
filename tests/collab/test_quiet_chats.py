"""Whoever opens a chat with another Bot is told when that goes quiet, below the supervisor; nobody is told twice."""

from pathlib import Path

from evening import Evening, write
from stopping import folder_of, stop

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.store import open_store

ROOM = "剪辑组"
SECOND = 1 / 60


def house(folder: Path, *, level: int = 2) -> Evening:
    """Two Bots in a group."""
    return Evening(folder, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)


def opens_chat(home: Evening, text: str = "写一句宣传语") -> int:
    """The director opens a chat with the copywriter, from its live turn, and says something there; returns it."""
    home.hop("导演", events.Call("create_direct", {"to": "文案"}))
    session = int(home.value("SELECT max(id) FROM sessions"))
    home.hop("导演", events.Call("send_message", {"text": text, "session": session}))
    home.hop("导演", text="找了。")
    return session


def asks(home: Evening) -> int:
    """The user wants something of the copywriter through the director; returns the chat that this opens."""
    home.say("@导演 找文案写一句", to=ROOM, files="spot")
    return opens_chat(home)


def reports(home: Evening) -> list[tuple[str, str]]:
    """What the director was told of chats that are quiet, and where."""
    kept = "SELECT count(*) FROM work_events WHERE type = 'wake.suppressed'"
    expect_equal("HOLD-62", home.value(kept), 0, "wakes that a hold kept back, where there is none")
    return home.rows(
        "SELECT m.text, s.title FROM inbox_items i JOIN messages m ON m.id = i.message"
        " JOIN sessions s ON s.id = m.session WHERE i.kind = 'report' ORDER BY i.id"
    )


@proves("CHKB-13")
def test_the_opener_is_told_where_it_opened_the_chat(tmp_path: Path) -> None:
    for level in (0, 2, 3):
        home = house(folder_of(tmp_path, level), level=level)
        asks(home)
        home.hop("文案", text="好酒不怕巷子深。")
        home.hop("导演")
        expect_equal("CHKB-13", reports(home), [], f"what it is told at once, at level {level}")
        home.later(9 * SECOND)
        expect_equal("CHKB-13", reports(home), [], f"what it is told within ten seconds, at level {level}")
        home.later(2 * SECOND)
        told = reports(home)
        expect_equal("CHKB-13", [where for _, where in told], [ROOM], f"where it is told, at level {level}")
        for part in ("导演 ↔ 文案", "文案 spoke last", "好酒不怕巷子深。", "Say here first"):
            expect("CHKB-13", part in told[0][0], f"“{part}” in what it is told: {told[0][0]}")
        woken = home.turn("导演")
        expect_equal("CHKB-13", woken["session"], home.session(ROOM), "where the turn is that it opens")
        expect("CHKB-13", "is quiet" in home.context(woken["id"]), "what that turn reads")


@proves("CHKB-13")
def test_it_is_told_that_nobody_answered_and_its_own_check_back_gives_way(tmp_path: Path) -> None:
    home = house(tmp_path, level=1)
    home.say("@导演 找文案写一句", to=ROOM, files="spot")
    home.hop("导演", events.Call("check_back", {"after_minutes": 60, "note": "看文案"}))
    opens_chat(home)
    home.hop("文案", write("a.md"))
    home.later(1)
    expect_equal("CHKB-13", reports(home), [], "while the other is at work there")
    home.hop("文案", events.Call("check_back", {"after_minutes": 5, "note": "看看写得怎么样"}))
    home.hop("文案")
    home.later(1)
    expect_equal("CHKB-13", reports(home), [], "while a check-back is pending there")
    home.later(5)
    home.hop("文案")
    home.later(1)
    told = reports(home)
    expect("CHKB-13", len(told) == 1 and "nobody has answered you" in told[0][0], f"what it is told: {told}")
    pending = home.rows("SELECT state FROM waits WHERE note = '看文案'")
    expect_equal("CHKB-13", pending, [("void",)], "its own check-back there")


@proves("CHKB-14")
def test_it_is_not_told_again_without_a_new_line(tmp_path: Path) -> None:
    home = house(tmp_path)
    session = asks(home)
    home.hop("文案", text="好酒不怕巷子深。")
    home.hop("导演")
    home.later(1)
    expect_equal("CHKB-14", len(reports(home)), 1, "reports of the first round")
    home.hop("导演", text="文案写好了：好酒不怕巷子深。")
    home.sql(
        "INSERT INTO effects (event, kind, subject, body) VALUES (1, 'timer', ?, ?)",
        f"chat_quiet:{session}",
        f'{{"due": {home.now + 1000}}}',
    )
    home.later(5)
    expect_equal("CHKB-14", len(reports(home)), 1, "reports once it is quiet again, with nothing new said")
    home.say("@导演 再要一句", to=ROOM, files="spot")
    home.hop("导演", events.Call("send_message", {"text": "再来一句", "session": session}))
    home.hop("导演", text="要了。")
    home.hop("文案", text="酒香十里。")
    home.hop("导演")
    home.later(1)
    expect_equal("CHKB-14", len(reports(home)), 2, "reports once something new was said")


@proves("CHKB-14")
def test_two_bots_do_not_spin_against_silence(tmp_path: Path) -> None:
    for name, answered, wanted in (("silence", False, 1), ("an answer", True, 2)):
        home = house(folder_of(tmp_path, name))
        asks(home)
        home.hop("文案", text="好酒不怕巷子深。") if answered else home.hop("文案")
        home.hop("导演") if answered else None
        home.later(1)
        expect_equal("CHKB-14", len(reports(home)), 1, f"reports of a chat that the user wanted, {name}")
        session = int(home.value("SELECT max(id) FROM sessions"))
        home.hop("导演", events.Call("send_message", {"text": "在吗？再来一句", "session": session}))
        home.hop("导演", text="催了。")
        home.hop("文案", text="酒香十里。") if answered else home.hop("文案")
        home.hop("导演") if answered else None
        home.later(1)
        expect_equal("CHKB-14", len(reports(home)), wanted, f"reports after it spoke there when it was told, {name}")


@proves("CHKB-14")
def test_what_the_user_stopped_or_a_restart_cut_is_not_reported(tmp_path: Path) -> None:
    for name, wanted in (("stopped", 0), ("cut", 0), ("ended", 1)):
        home = house(folder_of(tmp_path, name))
        session = asks(home)
        home.hop("文案", text="好酒不怕巷子深。")
        assert home.turn("导演")["session"] == session
        match name:
            case "stopped":
                stop(home, "导演")
            case "cut":
                home.hop("导演", write("a.md"), run=False)
                home.crash()
            case _:
                home.hop("导演")
        home.later(5)
        expect_equal("CHKB-14", len(reports(home)), wanted, f"reports of a chat whose last turn was {name}")


@proves("CHKB-19")
def test_from_the_supervisors_level_neither_runs_and_what_was_set_before_is_void(tmp_path: Path) -> None:
    def nudges(home: Evening) -> int:
        return int(home.value("SELECT count(*) FROM inbox_items WHERE kind = 'nudge'"))

    for level, wanted in ((4, 0), (8, 0), (3, 1)):
        home = house(folder_of(tmp_path, level), level=level)
        asks(home)
        home.hop("文案", text="好酒不怕巷子深。")
        home.hop("导演")
        timers = home.value("SELECT count(*) FROM effects WHERE subject LIKE 'chat_quiet:%'")
        rule = "CHKB-13" if wanted else "CHKB-19"
        expect_equal(rule, timers > 0, bool(wanted), f"whether a chat is watched at level {level}")
        home.later(5)
        expect_equal("CHKB-19", len(reports(home)), wanted, f"reports at level {level}")
        home.opened("新品片", to="导演", tickets=[("粗剪", "导演")])
        home.say("做起来", to="导演", files=[1])
        home.hop("导演", text="先到这里。", plan=1)
        home.later(5)
        expect_equal("CHKB-19", nudges(home), wanted, f"nudges at level {level}")

    home = house(folder_of(tmp_path, "raised"), level=3)
    asks(home)
    home.hop("文案", text="好酒不怕巷子深。")
    home.hop("导演")
    home.db.close()
    home.db = open_store(home.path, 4, durable=False)
    home.engine.db = home.db
    home.later(5)
    expect_equal("CHKB-19", reports(home), [], "reports that were due after the level rose")
    left = home.rows("SELECT 1 FROM effects WHERE subject LIKE 'chat_quiet:%' AND state IN ('pending', 'started')")
    expect_equal("CHKB-19", left, [], "what is still to ring")
