"""How far a stop reaches along delegations: captured when it is made, matter by matter, and ended by the user alone."""

from pathlib import Path

from delegating import ROOM, asked, at_work, chain, delegate, hear, home_of, reply, states
from evening import Evening
from holding import CHAIN, hold, holds, lift
from holding import at_work as working
from stopping import is_taken

from harness.expect import expect, expect_equal, proves


def covered(home: Evening) -> list[tuple[str, int]]:
    """What a hold covers besides its scope: Bots, each in a plan."""
    rows = "SELECT b.name, h.plan FROM hold_cover h JOIN bots b ON b.id = h.bot WHERE h.plan IS NOT NULL ORDER BY b.id"
    return home.rows(rows)


@proves("DEL-36")
def test_a_stop_reaches_three_levels_of_open_delegations_down(tmp_path: Path) -> None:
    home, plan = chain(tmp_path / "open", *CHAIN)
    hold(home, "bot", bot=home.bot("导演"))
    expect_equal("DEL-36", covered(home), [(name, plan) for name in CHAIN[1:4]], "what is covered of a chain of five")
    expect_equal("DEL-36", working(home), ["配音"], "who is at work after the first of five was stopped")

    home, plan = asked(tmp_path / "replied")
    reply(home, "文案")
    home.say("@文案 再看看", to=ROOM, files=[plan])
    hold(home, "bot", bot=home.bot("导演"))
    expect_equal("DEL-36", (covered(home), working(home)), ([], ["文案"]), "who is covered that has replied, who works")


@proves("DEL-37")
def test_a_receiver_of_two_is_covered_by_either(tmp_path: Path) -> None:
    for stopped in ("导演", "剪辑"):
        home = home_of(tmp_path / stopped, "导演", "剪辑", "文案")
        plan = home.opened("新品片", to=ROOM)
        for bot in ("导演", "剪辑"):
            home.say(f"@{bot} 做", to=ROOM, files=[plan])
            delegate(home, bot, "文案")
        hear(home, "文案")
        expect_equal("DEL-37", working(home), ["文案"], "who is at work for two that asked")
        hold(home, "bot", bot=home.bot(stopped))
        expect_equal("DEL-37", (covered(home), working(home)), ([("文案", plan)], []), f"after {stopped} was stopped")


@proves("DEL-38")
def test_a_helper_is_covered_in_that_matter_only(tmp_path: Path) -> None:
    home, plan = asked(tmp_path)
    other = home.opened("海报", to="文案")
    home.say("写海报", to="文案", files=[other])
    hold(home, "bot", bot=home.bot("导演"))
    expect_equal("DEL-38", covered(home), [("文案", plan)], "what is covered of the helper")
    plans = [turn["plan"] for turn in home.live("文案")]
    expect_equal("DEL-38", plans, [other], "the plans that the helper goes on with")


@proves("DEL-39")
def test_a_later_delegation_widens_nothing(tmp_path: Path) -> None:
    home, plan = chain(tmp_path, *CHAIN)
    number = hold(home, "bot", bot=home.bot("导演"))
    before = covered(home)
    third = home.opened("片尾", to=ROOM)
    home.say("@配音 片尾", to=ROOM, files=[third])
    delegate(home, "配音", "文案")
    expect_equal("DEL-36", len(before), 3, "what the hold covers")
    expect_equal("DEL-39", covered(home), before, "what it covers after another delegation to one whom it reaches")
    live = [turn["plan"] for turn in home.live("文案")]
    expect_equal("DEL-39", live, [third], "what that one works on")
    wider = is_taken(home, "INSERT INTO hold_cover (hold, bot, plan) VALUES (?, 5, ?)", number, plan)
    expect_equal("DEL-39", wider, False, "more cover, for the store")


@proves("DEL-40")
def test_only_the_user_ends_such_a_hold(tmp_path: Path) -> None:
    home, _ = chain(tmp_path, *CHAIN)
    number = hold(home, "bot", bot=home.bot("导演"))
    reply(home, "配音")
    expect_equal("DEL-40", (states(home)[-1], holds(home)), ("replied", ["bot"]), "the hold after a reply from below")
    expect_equal("DEL-40", working(home), [], "who is at work")
    action = home.value("SELECT min(id) FROM user_actions")
    by_nobody = is_taken(home, "UPDATE holds SET lifted_by = ? WHERE id = ?", action, number)
    expect_equal("DEL-40", by_nobody, False, "a lift by nothing that the user did since")
    lift(home, number)
    expect("DEL-40", not holds(home) and "画师" in working(home), "who goes on after the user's lift")


def test_who_asked_is_not_stopped_with_whom_it_asked(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path, "导演", "文案")
    delegate(home, "导演", "文案", **{"continue": True})
    hold(home, "bot_in_plan", bot=home.bot("文案"), plan=plan)
    assert working(home) == ["导演"]
