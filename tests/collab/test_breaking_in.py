"""A line that a working Bot has not read yet: it waits for the running command, is taken back, or is read at once."""

from pathlib import Path

from evening import Evening, shell
from outside import hopped, ran

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, runs


def _rendering(folder: Path, engine: str = "endpoint") -> tuple[Evening, int]:
    """A Bot that runs a long command on a plan: evening, turn."""
    folder.mkdir(exist_ok=True)
    evening = Evening(folder)
    evening.happens(events.BotAdded, name="导演", engine=engine)
    evening.happens(events.SessionOpened, session="direct", title="导演", members=("导演",))
    plan = evening.opened("新品片", to="导演")
    evening.say("渲染样片", to="导演", files=[plan])
    hopped(evening, "导演", shell("render all"))
    return evening, evening.turn("导演")["id"]


def _further(evening: Evening) -> int:
    """A further line on the same plan."""
    return evening.say("落款写鲸落影业", to="导演", files=[evening.value("SELECT id FROM plans")])


@proves("TURN-11")
def test_a_long_command_runs_to_its_end_and_the_line_is_read_then(tmp_path: Path) -> None:
    evening, turn = _rendering(tmp_path / "claude", "claude_agent")
    evening.happens(events.Inserted, message=_further(evening))
    stopped = [effect.kind for effect in evening.engine.open_effects()]
    expect("QUOT-33", "kill" in stopped, "direct insert stops the command of a Bot run by Claude Code")
    for inserted in (False, True):
        evening, turn = _rendering(tmp_path / str(inserted))
        line = _further(evening)
        if inserted:
            evening.happens(events.Inserted, message=line)
        expect_equal("TURN-11", evening.read_in(line, "导演"), [], "who has read the line while the command runs")
        is_running = evening.run("导演")
        expect("TURN-11", is_running, "the command goes on running")
        expect_equal("TURN-11", evening.results(turn)[0][1], "ok", "what became of the command")
        expect_equal("TURN-11", evening.read_in(line, "导演"), [turn], "who has read the line once it has ended")


@proves("TURN-15")
def test_a_line_that_nobody_has_read_is_taken_back(tmp_path: Path) -> None:
    evening, turn = _rendering(tmp_path)
    line = _further(evening)
    evening.happens(events.Withdrawn, message=line)
    ran(evening, "导演")
    expect_equal("TURN-15", evening.read_in(line, "导演"), [], "who has read a line that was taken back")
    expect("TURN-15", "落款写鲸落影业" not in evening.context(turn), "its words are not in the next hop")
    kept = _further(evening)
    hopped(evening, "导演", shell("render again"))
    evening.run("导演")
    expect_equal("TURN-15", evening.read_in(kept, "导演"), [turn], "who has read one that was not")


@proves("TURN-15")
def test_a_line_that_nobody_has_read_is_read_at_once(tmp_path: Path) -> None:
    evening, turn = _rendering(tmp_path, "claude_agent")
    line = _further(evening)
    expect_equal("TURN-15", evening.read_in(line, "导演"), [], "who has read the line before it is inserted")
    evening.happens(events.Inserted, message=line)
    expect_equal("TURN-15", evening.read_in(line, "导演"), [turn], "who has read it once it is inserted")
    expect("TURN-15", "落款写鲸落影业" in evening.context(turn), "its words are in the hop that begins")


@proves("TURN-27")
def test_records_go_with_the_conversation(tmp_path: Path) -> None:
    for kind, name in ((events.SessionCleared, "导演"), (events.SessionDeleted, "剪辑组")):
        (tmp_path / name).mkdir()
        evening = Evening(tmp_path / name, bots=["导演"], rooms={"剪辑组": ["导演"]})
        evening.say("@导演 转码", to=name, files="spot")
        evening.hop("导演", shell("ffmpeg a.mov"), text="")
        turn = evening.turn("导演")["id"]
        expect_equal("TURN-27", len(runs.commands(evening.db, turn)), 1, "the commands of the turn")
        evening.happens(kind, session=evening.session(name))
        try:
            left: list[object] = list(runs.commands(evening.db, turn))
        except ValueError:
            left = []
        expect_equal("TURN-27", left, [], f"commands after {kind.__name__}")
        expect_equal("TURN-27", evening.rows("SELECT * FROM turn_runs"), [], f"records after {kind.__name__}")
