"""What a line refers to by itself: five signals, which add up and are taken as they stand."""

from pathlib import Path

from evening import Evening
from readings import FILING, body, filed, filing, household, plans_of, read_as, says, ticket_of

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


@proves("ATTR-06")
def test_what_a_line_refers_to_adds_up_in_order(tmp_path: Path) -> None:
    home, made = household(tmp_path / "a", "卡片", "批注", "引用", "附件", "正文", "交付")
    folder = {plan: home.value("SELECT folder FROM plans WHERE id = ?", plan) for plan in made}
    card, annotated, quoted, attached, written, delivered = made
    said = home.say("@导演 看看", to="剪辑组", files=[quoted, card])
    handed_in = home.say("@导演 这是交付", to="剪辑组", files=[delivered])
    expect_equal("ATTR-01", plans_of(home, said), [quoted, card], "the line that is quoted")
    line = says(
        home,
        f"都改成红色，{folder[written]}/说明.md里写了",
        to="剪辑组",
        card_plan=card,
        annotations=(
            events.Annotation(f"{folder[annotated]}/a.png", "这里", None),
            events.Annotation("elsewhere/b.png", "这里", handed_in),
        ),
        reply_to=said,
        files=(f"{folder[attached]}/ref.png",),
    )
    read_as(home, line)
    wanted = [card, annotated, delivered, quoted, attached, written]
    expect_equal("ATTR-06", plans_of(home, line), wanted, "the plans, in the order of the signals")
    expect_equal("ATTR-06", {(locked, by) for *_, locked, by in filed(home, line)}, {(1, "reference")}, "their source")


@proves("ATTR-06")
def test_each_signal_stands_alone(tmp_path: Path) -> None:
    home, (film, poster) = household(tmp_path / "a", "新品片", "海报")
    ticket = ticket_of(home, film, "分镜_a")
    folder = home.value("SELECT folder FROM plans WHERE id = ?", film)
    for what, more in {
        "a card": {"card_plan": film},
        "an annotation": {"annotations": (events.Annotation(f"{folder}/a.png", "这里"),)},
        "an attachment": {"files": (f"{folder}/ref.png",)},
    }.items():
        line = says(home, "改成红色", to="剪辑组", **more)
        read_as(home, line)
        expect_equal("ATTR-06", home.filed(line), [(film, None)], what)
    for text, target in {
        f"看/home/me/{folder}/分镜_a/第一镜.png，换掉": [(film, ticket)],
        f"“{folder}/x.md”": [(film, None)],
        f"no{folder}/x.md": [],
        f"{folder}x/y.md": [],
        f"{folder}/分镜ba/y.md": [(film, None)],
    }.items():
        line = says(home, text, to="剪辑组")
        read_as(home, line)
        expect_equal("ATTR-06", home.filed(line), target, f"what {text} points to")
    # A file that its turn has made is that work's, wherever it lies; so is what was handed in from a turn.
    home.sql("INSERT INTO artifacts (path, plan, written, at) VALUES ('out/final.mp4', ?, 1, 1)", poster)
    line = says(home, "这里再亮一点", to="剪辑组", annotations=(events.Annotation("out/final.mp4", "这里"),))
    read_as(home, line)
    expect_equal("ATTR-06", home.filed(line), [(poster, None)], "an annotated file that a plan has made")


@proves("ATTR-07")
def test_what_a_bot_says_belongs_to_its_work(tmp_path: Path) -> None:
    for level, wanted in ((2, [1]), (3, [1, 2])):
        home, (film, poster) = household(tmp_path / f"{level}", "新品片", "海报", level=level)
        home.say("@导演 做起来", to="剪辑组", files=[film])
        turn = home.turn("导演")["id"]
        home.hop("导演", events.Call("send_message", {"text": "我在做了", "session": home.session("剪辑组")}))
        said = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
        expect_equal("ATTR-07", filed(home, said), [(film, None, None, 1, "reference")], "what its line is filed to")
        _delegates(home, turn, poster)
        home.hop("导演", events.Call("send_message", {"text": "海报归文案", "session": home.session("剪辑组")}))
        said = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
        expect_equal("ATTR-07", plans_of(home, said), wanted, f"a line that hands work on, at level {level}")


def _delegates(home: Evening, turn: int, plan: int) -> None:
    home.sql(
        "INSERT INTO calls (turn, hop, ord, name, arguments, effectful) VALUES (?, 99, 0, 'delegate', '{}', 0)", turn
    )
    home.sql("UPDATE calls SET state = 'ok' WHERE turn = ?", turn)
    home.sql(
        "INSERT INTO work_items (bot, plan, session) VALUES (?, ?, ?)", home.bot("文案"), plan, home.session("剪辑组")
    )
    home.sql(
        "INSERT INTO delegations (from_item, to_item, turn, session, plan, ask, expects, at)"
        " SELECT work_item, (SELECT max(id) FROM work_items), id, ?, ?, '海报', 'answer', 1 FROM turns WHERE id = ?",
        home.session("剪辑组"),
        plan,
        turn,
    )


@proves("ATTR-15")
def test_a_reference_reaches_what_is_accepted_or_asleep(tmp_path: Path) -> None:
    for number, sets in enumerate(("status = 'accepted'", "dormant = 1")):
        home, (film,) = household(tmp_path / f"{number}", "新品片")
        folder = home.value("SELECT folder FROM plans WHERE id = ?", film)
        said = home.say("@导演 看看", to="剪辑组", files=[film])
        home.sql(f"UPDATE plans SET {sets}")
        quoted = says(home, "这里换成红色", to="剪辑组", reply_to=said)
        noted = says(home, "换成红色", to="剪辑组", annotations=(events.Annotation(f"{folder}/a.png", "这里"),))
        for line in (quoted, noted):
            read_as(home, line)
        expect_equal("ATTR-15", plans_of(home, quoted), [film], f"a quote reply where {sets}")
        expect_equal("ATTR-06", plans_of(home, noted), [film], f"an annotation where {sets}")


@proves("ATTR-17")
def test_an_annotated_file_names_its_part_and_moves_nothing(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    ticket = ticket_of(home, film, "分镜", "03", "07")
    home.sql("UPDATE parts SET file = 'out/now.mp4', stage = 'submitted' WHERE name = '07'")
    line = says(home, "@导演 这里太暗", to="剪辑组", annotations=(events.Annotation("out/now.mp4", "太暗"),))
    read_as(home, line, {"faults": ["太暗"]})
    expect_equal("ATTR-17", filed(home, line), [(film, ticket, "07", 1, "reference")], "the part of the annotated file")
    praised = says(home, "@导演 第三镜真好，07 再亮一点", to="剪辑组")
    expect("ATTR-17", "only parts that" in body(home, praised, FILING)["asks"], "what a reading is told of parts")
    read_as(home, praised, filing=filing({"plan": film, "ticket": ticket, "parts": ["07"]}))
    expect_equal("ATTR-16", [part for _, _, part, *_ in filed(home, praised)], ["07"], "the parts of what was read")
    stages = home.rows("SELECT name, stage FROM parts ORDER BY name")
    expect_equal("ATTR-17", stages, [("03", "todo"), ("07", "submitted")], "how far the parts are")
