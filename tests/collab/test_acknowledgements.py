"""Acknowledgements: two Bots do not go on thanking each other, and nothing else is taken for that."""

from pathlib import Path

from evening import Evening, shell

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import acknowledgements, events

BARE = (
    *(
        "收到",
        "收到，已对齐。",
        "好的，明白了！",
        "OK",
        "ok，got it",
        "Got it, aligned.",
        "Thank you so much!",
        "👌 收到",
    ),
    *("嗯嗯，知道了", "没问题", "All aligned", "辛苦你啦"),
)
MORE = ("收到，我去画", "好的，第二句改短", "明白，明天交", "OK, rendering now", "收到素材后开工", "已", "👌", "")
"""What is said beside it makes it something else; so does the lack of the word that decides."""


class Pair:
    """Two Bots in a group, or in the chat that one of them opened; 导演's first words are `begins`."""

    def __init__(self, folder: Path, *, in_group: bool, level: int = 8) -> None:
        folder.mkdir()
        names = ["导演", "文案", "审片员"]
        self.in_group = in_group
        self.home = Evening(folder, bots=names, rooms={"剪辑组": names}, level=level)
        plan = self.home.opened("新品片", to="剪辑组")
        self.home.say("@导演 和文案对一下", to="剪辑组", files=[plan])
        if not in_group:
            self.home.hop("导演", events.Call("create_direct", {"to": "文案"}))

    def says(self, bot: str, text: str, to: str = "", *before: events.Call, files: tuple[str, ...] = ()) -> list[str]:
        """What a Bot says in its turn before the turn ends; returns who received it."""
        if before:
            self.home.hop(bot, *before)
        to = to or {"导演": "文案", "文案": "导演"}[bot]
        where = "剪辑组" if self.in_group else "导演 ↔ 文案"
        said = {"text": f"@{to} {text}" if self.in_group else text, "session": self.home.session(where), "files": files}
        self.home.hop(bot, events.Call("send_message", said))
        self.home.hop(bot)
        message = self.home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
        return [
            name
            for (name,) in self.home.rows(
                "SELECT b.name FROM message_receivers r JOIN bots b ON b.id = r.bot WHERE r.message = ? ORDER BY b.id",
                message,
            )
        ]


def _exempt(rule: str, folder: Path, *, in_group: bool) -> None:
    for level in (0, 3, 8):
        pair = Pair(folder / f"{rule} {level}", in_group=in_group, level=level)
        # The first acknowledgement answers something: it still wakes. The next one answers only an acknowledgement.
        expect_equal(rule, pair.says("导演", "第二句定稿了"), ["文案"], f"who wakes to news at level {level}")
        expect_equal(
            rule, pair.says("文案", "收到"), ["导演"], f"who wakes to the first acknowledgement, level {level}"
        )
        expect_equal(rule, pair.says("导演", "好的，已对齐"), [], f"who wakes to one that answers it, level {level}")
        expect_equal(rule, len(pair.home.turns("文案")), 1, f"turns of the Bot that was acknowledged, level {level}")
        logged = pair.home.value("SELECT count(*) FROM work_events WHERE type = 'wake.suppressed'")
        expect_equal(rule, logged, 1, "entries of the work log about it")


def _limits(rule: str, folder: Path, *, in_group: bool) -> None:
    def woken(case: str, *steps: tuple[str, str] | tuple[str, str, str, events.Call]) -> list[str]:
        pair = Pair(folder / f"{rule} {case}", in_group=in_group)
        return [pair.says(*step) for step in steps][-1]

    news = ("导演", "第二句定稿了")
    expect_equal(
        rule, woken("work", news, ("文案", "收到"), ("导演", "好的，我去画")), ["文案"], "woken by more than that"
    )
    expect_equal(
        rule, woken("asked", news, ("文案", "第三句呢"), ("导演", "收到")), ["文案"], "woken where work was said"
    )
    ran = shell("ls")
    acting = woken("ran", news, ("文案", "收到"), ("导演", "收到", "", ran))
    expect_equal(rule, acting, ["文案"], "woken by a turn that ran a command")
    acted = woken("had run", news, ("文案", "收到", "", ran), ("导演", "收到"))
    expect_equal(rule, acted, ["文案"], "woken by an answer to a turn that ran a command")
    called = woken("mcp", news, ("文案", "收到"), ("导演", "收到", "", events.Call("mcp+read:board", {})))
    expect_equal(rule, called, ["文案"], "woken by a turn that made an MCP call")


@proves("MENT-15")
def test_an_acknowledgement_that_answers_one_wakes_nobody_in_a_group(tmp_path: Path) -> None:
    _exempt("MENT-15", tmp_path, in_group=True)
    _limits("MENT-15", tmp_path, in_group=True)
    third = Pair(tmp_path / "third", in_group=True)
    third.says("导演", "第二句定稿了")
    third.says("文案", "收到")
    expect_equal("MENT-15", third.says("导演", "收到", "审片员"), ["审片员"], "woken who had acknowledged nothing")


@proves("MENT-21")
def test_an_acknowledgement_that_answers_one_wakes_nobody_in_a_chat_between_bots(tmp_path: Path) -> None:
    _exempt("MENT-21", tmp_path, in_group=False)
    _limits("MENT-21", tmp_path, in_group=False)
    other = Pair(tmp_path / "other", in_group=False)
    other.says("导演", "第二句定稿了")
    other.home.say("@审片员 告诉导演你看过了", to="剪辑组")
    other.home.hop("审片员", text="@导演 收到")
    expect_equal("MENT-21", other.says("导演", "收到"), ["文案"], "woken who had acknowledged nothing")
    for files, text in (((), "收到？"), (("a.md",), "收到"), ((), "收到/好的")):
        pair = Pair(tmp_path / f"limit {files} {text.replace('/', '-')}", in_group=False)
        pair.says("导演", "第二句定稿了")
        pair.says("文案", "收到")
        expect_equal("MENT-21", pair.says("导演", text, files=files), ["文案"], f"woken by {text} with {files}")


@proves("MENT-16")
def test_a_question_a_file_a_path_or_an_unknown_name_is_no_mere_acknowledgement(tmp_path: Path) -> None:
    cases = (("收到？", ()), ("got it, ok?", ()), ("收到", ("a.md",)), ("收到/好的", ()), ("@文安 收到", ()))
    for number, (text, files) in enumerate(cases):
        pair = Pair(tmp_path / f"{number}", in_group=True)
        pair.says("导演", "第二句定稿了")
        pair.says("文案", "收到")
        if "文安" in text:  # Sent back once, for the name.
            pair.home.hop("导演", events.Call("send_message", {"text": f"@文案 {text}"}))
        expect_equal("MENT-16", pair.says("导演", text, files=files), ["文案"], f"woken by {text} with {files}")
    plain = Pair(tmp_path / "plain", in_group=True)
    plain.says("导演", "第二句定稿了")
    plain.says("文案", "收到")
    expect_equal("MENT-16", plain.says("导演", "收到"), [], "woken by the same without any of that")


@proves("MENT-15")
def test_bare_words_are_an_acknowledgement_and_no_others(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})

    def is_bare(text: str) -> bool:
        line = home.say(text or "。", to="剪辑组", read=False)
        row = home.db.row("SELECT * FROM messages WHERE id = ?", line)
        assert row is not None
        return acknowledgements.is_bare(home.db, row)

    for name in ("文案", "导演"):
        for text in BARE:
            expect("MENT-15", is_bare(f"@{name} {text}"), f"{text!r} is a bare acknowledgement")
        for text in MORE:
            expect("MENT-15", not is_bare(f"@{name} {text}"), f"{text!r} is not")
