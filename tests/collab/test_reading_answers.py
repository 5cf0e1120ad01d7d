"""What a reading is given, and what of its answer counts: only what stands in the line, or was shown."""

import json
from pathlib import Path

from evening import DOWN, write
from readings import FILING, MEANING, body, comes, filing, household, read_as, says, stored, ticket_of

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, reader


@proves("READ-03")
def test_a_reading_is_given_what_was_said_before_and_answers_five_things(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    ticket = ticket_of(home, film, "片头")
    for state in ("awaiting", "awaiting", "approved"):
        home.sql("INSERT INTO submissions (ticket, origin, state, at) VALUES (?, 'submit', ?, 1)", ticket, state)
    lines = [home.say(f"第 {number} 句", to="剪辑组", files=DOWN) for number in range(5)]
    line = says(home, "第一版行，配乐不对，别的继续", to="剪辑组", reply_to=lines[0])
    given = body(home, line, MEANING)
    expect_equal(
        "READ-03", [each["text"] for each in given["previous"]], ["第 2 句", "第 3 句", "第 4 句"], "lines before"
    )
    expect_equal("READ-03", given.get("replies_to"), "第 0 句", "the line that it replies to")
    shown = [submission["number"] for submission in given.get("submissions", [])]
    expect_equal("READ-03", shown, [1, 2], "the submissions that wait here")
    said = {"control": "resume", "only": False, "status": False, "faults": ["配乐不对"], "releases": [1, 3]}
    comes(home, line, MEANING, said)
    meant = reader.meaning(home.db, line)
    found = [meant.control, meant.only, meant.status, meant.faults, meant.releases]
    expect_equal("READ-03", found, ["resume", False, False, ("配乐不对",), (1,)], "the five answers")


@proves("READ-12")
def test_what_a_line_is_about_is_read_with_all_that_it_could_be_about(tmp_path: Path) -> None:
    home, (film, report) = household(tmp_path / "a", "新品片", "日报")
    ticket = ticket_of(home, film, "分镜", "01", "02")
    home.sql("UPDATE tickets SET owner = ? WHERE id = ?", home.bot("文案"), ticket)
    home.stands(ticket, "in progress")
    for name in ("a", "b", "c", "d"):
        home.sql("INSERT INTO artifacts (path, plan, at) VALUES (?, ?, 1)", f"{name}.png", film)
    for number in range(5):
        home.say(f"第 {number} 句", to="剪辑组", files="unclear")
    home.say("片头再亮一点", to="剪辑组", files=[film])
    home.say("今天的日报", to="剪辑组", files=[report])
    home.sql("UPDATE plans SET dormant = 1 WHERE id = ?", report)
    home.now += 180_000 - 1000
    late = home.value("SELECT count(*) FROM readings WHERE failure = 'timeout'")
    expect_equal("READ-22", late, 0, "readings of those lines that came too late")
    given = body(home, says(home, "标题跟 LOGO 没有对齐", to="剪辑组"), FILING)
    expect_equal(
        "READ-12", [given["line"], given.get("place")], ["标题跟 LOGO 没有对齐", "剪辑组"], "the line and its place"
    )
    before = given["previous"]
    expect_equal(
        "READ-12",
        [each["text"] for each in before],
        [*(f"第 {n} 句" for n in (1, 2, 3, 4)), "片头再亮一点", "今天的日报"],
        "the lines before",
    )
    last = {"speaker": "user", "text": "今天的日报", "plans": [report]}
    expect_equal("READ-12", {key: before[-1][key] for key in last}, last, "the line just before")
    expect_equal("READ-12", before[-1].get("age_ms", 0) // 1000, 182, "how long ago it was said, in s")
    plans = {plan["id"]: plan for plan in given.get("candidates", [])}
    expect_equal("READ-12", sorted(plans), [film, report], "the plans, one of them only because of the lines before")
    about = plans[film]
    wanted = {
        "name": "新品片",
        "goal": "新品片",
        "status": "active",
        "opened_in": "剪辑组",
        "files": ["d.png", "c.png", "b.png"],
        "last_words": "片头再亮一点",
    }
    expect_equal("READ-12", {key: about.get(key) for key in wanted}, wanted, "the plan")
    job = {"id": ticket, "number": 1, "title": "分镜", "status": "in progress", "doer": "文案", "parts": ["01", "02"]}
    expect_equal("READ-12", about["tickets"], [job], "its ticket")
    expect("READ-12", about["active_at"] > 0, "when something last happened on it")


@proves("READ-13")
def test_only_what_was_shown_can_be_answered(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    other = home.opened("别处的", to="文案")
    ticket, theirs = ticket_of(home, film, "分镜", "01"), ticket_of(home, other, "别的")
    expect_equal(
        "READ-13",
        body(home, says(home, "@导演 你好", to="剪辑组"), FILING)["answers"],
        ["plans", "new_work", "on_the_spot", "unclear"],
        "what can be answered",
    )
    for about, wanted in (
        ([{"plan": film}], [(film, None)]),
        ([{"plan": 99}, {"plan": other}], []),
        ([{"plan": 99}, {"plan": film}], [(film, None)]),
        ([{"plan": film, "ticket": ticket}], [(film, ticket)]),
        ([{"plan": film, "ticket": theirs}, {"plan": film, "ticket": 99}], [(film, None)]),
    ):
        line = says(home, "@导演 再亮一点", to="剪辑组")
        for open_ in home.rows("SELECT id FROM messages WHERE state = 'arrived' ORDER BY id"):
            read_as(home, open_[0], filing=filing(*about) if open_[0] == line else None)
        expect_equal(
            "READ-29", home.value("SELECT count(*) FROM readings WHERE used = 0"), 0, "readings of other words"
        )
        expect_equal("READ-13", home.filed(line), wanted, f"what {about} files")
    alone, _ = household(tmp_path / "b")
    first = says(alone, "@导演 你好", to="剪辑组")
    expect_equal("READ-13", body(alone, first, FILING)["answers"], ["new_work", "on_the_spot"], "without a plan")
    read_as(alone, first, filing={"kind": "on_the_spot"})
    read = reader.filing(alone.db, first)
    expect_equal("READ-13", read and read.kind, "on_the_spot", "what it was read as without a plan")


@proves("READ-15")
def test_new_work_and_on_the_spot_are_remembered(tmp_path: Path) -> None:
    for kind, plans in (("new_work", ["新品片", "换个头像"]), ("on_the_spot", ["新品片"])):
        home, _ = household(tmp_path / kind, "新品片")
        line = says(home, "@文案 换个头像", to="剪辑组")
        read_as(home, line, filing={"kind": kind})
        home.hop("文案", events.Call("read_file", {"path": "a.png"}))
        expect_equal("READ-15", home.plans(), ["新品片"], f"plans before anything is done, read as {kind}")
        home.hop("文案", write("a.png"))
        expect_equal("READ-15", home.plans(), plans, f"plans after the first side effect, read as {kind}")


@proves("READ-20")
def test_an_answer_counts_only_in_the_words_of_the_line(tmp_path: Path) -> None:
    home, _ = household(tmp_path / "a")
    words = "片头 太暗了！第 3 镜（夜景）也不对，Logo 很好"
    for faults, wanted in (
        (["片头太暗了"], ("片头 太暗了",)),
        (["第3镜(夜景)也不对。"], ("第 3 镜（夜景）也不对",)),
        (["Ｌｏｇｏ 很好", "片头很暗"], ("Logo 很好",)),
        (["片头很暗", "夜景不行"], (words,)),
        (["", "！"], (words,)),
        ([], ()),
    ):
        line = says(home, words, to="导演")
        comes(home, line, MEANING, {"control": "neither", "faults": faults})
        comes(home, line, FILING, {"kind": "on_the_spot"})
        found = stored(home, line)[0]
        expect_equal(
            "READ-20", [found[0], tuple(json.loads(found[1])["faults"])], [None, wanted], f"what {faults} counts as"
        )
    for raw in ('{"control": "halt"}', '{"control": "stop"', "stop", ""):
        line = says(home, words, to="导演")
        comes(home, line, MEANING, raw=raw)
        expect("READ-20", str(stored(home, line)[0][0]).startswith("unreadable"), f"{raw!r} is no answer")
