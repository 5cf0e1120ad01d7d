"""What a turn ran, on record: commands and MCP calls, cut to their limits, the first 80, and nothing made up."""

from pathlib import Path
from typing import Any

from evening import Evening, shell
from outside import hopped, ran

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, runs


def _evening(folder: Path) -> Evening:
    """A Bot that has a hop open, on a line for which commands run at once."""
    evening = Evening(folder, bots=["文案"])
    evening.say("把样片转成 mp4", to="文案", files="spot")
    return evening


def _run(evening: Evening, call: events.Call, **came: Any) -> None:
    """A hop with one call, and what that comes to."""
    hopped(evening, "文案", call)
    ran(evening, "文案", **came)


def _rows(evening: Evening) -> list[tuple[Any, ...]]:
    return evening.rows("SELECT command, exit_code, success, duration_ms, output FROM turn_runs ORDER BY turn, ord")


@proves("TURN-24")
def test_a_command_is_recorded_when_it_ends(tmp_path: Path) -> None:
    evening = _evening(tmp_path)
    hopped(evening, "文案", shell("ffmpeg  -i a.mov\n\t a.mp4"))
    expect_equal("TURN-24", _rows(evening), [], "records while the command runs")
    ran(evening, "文案", ok=False, output="帧 1\n", errors="警告\n", exit_code=1, duration_ms=309_000)
    wanted = [("ffmpeg -i a.mov a.mp4", 1, 0, 309_000, "帧 1\n警告\n")]
    expect_equal("TURN-24", _rows(evening), wanted, "the record of a command")
    _run(evening, shell("true"), exit_code=0)
    expect_equal("TURN-24", _rows(evening)[1], ("true", 0, 1, 0, None), "the record of one that printed nothing")


@proves("TURN-24")
def test_of_a_long_command_the_head_is_kept_and_of_a_long_output_the_tail(tmp_path: Path) -> None:
    evening = _evening(tmp_path)
    for length in (299, 300, 301):
        _run(evening, shell("字" * (length - 1) + "尾"), exit_code=0)
    kept = [row[0] for row in _rows(evening)]
    expect_equal("TURN-24", kept, ["字" * 298 + "尾", "字" * 299 + "尾", "字" * 300], "commands around 300 characters")
    for length in (3999, 4000, 4001):
        _run(evening, shell("cat log"), output="头" + "中" * (length - 4), errors="出错了", exit_code=0)
    kept = [row[4] for row in _rows(evening)[3:]]
    wanted = ["头" + "中" * 3995 + "出错了", "头" + "中" * 3996 + "出错了", "中" * 3997 + "出错了"]
    expect_equal("TURN-24", kept, wanted, "outputs around 4000 characters, what went to stderr last")


@proves("TURN-25")
def test_mcp_calls_are_recorded_and_are_no_commands_for_either_engine(tmp_path: Path) -> None:
    for engine in ("endpoint", "claude_agent"):
        folder = tmp_path / engine
        folder.mkdir()
        evening = Evening(folder)
        evening.happens(events.BotAdded, name="文案", engine=engine)
        evening.happens(events.SessionOpened, session="direct", title="文案", members=("文案",))
        evening.say("把样片转成 mp4", to="文案", files="spot")
        _run(evening, events.Call("mcp:images.draw", {"prompt": "鲸"}), output="done")
        turn = evening.turn("文案")["id"]
        expect_equal("TURN-25", runs.commands(evening.db, turn), [], f"commands of a turn with an MCP call ({engine})")
        expect("TURN-25", runs.has_run_anything(evening.db, turn), f"the MCP call is on record ({engine})")
        _run(evening, shell("ls"), exit_code=0)
        ran = [each["command"] for each in runs.commands(evening.db, turn)]
        expect_equal("TURN-25", ran, ["ls"], f"commands of the turn ({engine})")
        _run(evening, events.Call("read_file", {"path": "a.md"}))
        expect_equal("TURN-25", len(_rows(evening)), 2, f"records after a file was read ({engine})")


@proves("TURN-26")
def test_the_first_80_calls_of_a_turn_are_recorded(tmp_path: Path) -> None:
    evening = _evening(tmp_path)
    evening.hop("文案", *(shell(f"echo {number}") for number in range(79)))
    expect_equal("TURN-26", len(_rows(evening)), 79, "records after 79 calls")
    evening.hop("文案", shell("echo 79"))
    expect_equal("TURN-26", _rows(evening)[-1][0], "echo 79", "the record of the 80th call")
    evening.hop("文案", shell("echo 80"))
    expect_equal("TURN-26", len(_rows(evening)), 80, "records after 81 calls")
    expect_equal("TURN-26", len(evening.ran), 81, "calls that ran")
    evening.hop("文案", text="好了")
    evening.say("再来一遍", to="文案", files="spot")
    evening.hop("文案", shell("echo again"))
    expect_equal("TURN-26", _rows(evening)[-1][0], "echo again", "the next turn is counted by itself")


@proves("TURN-34")
def test_what_an_older_version_did_not_keep_is_left_out(tmp_path: Path) -> None:
    evening = _evening(tmp_path)
    _run(evening, shell("ls"), exit_code=0, output="a.mp4", duration_ms=20)
    turn = evening.turn("文案")["id"]
    evening.sql("INSERT INTO turn_runs (turn, ord, kind, command, exit_code) VALUES (?, 1, 'command', 'make', 2)", turn)
    read = runs.commands(evening.db, turn)
    expect_equal("TURN-34", read[1], {"command": "make", "exit_code": 2}, "what is read of an old record")
    wanted = {"command": "ls", "exit_code": 0, "success": 1, "duration_ms": 20, "output": "a.mp4"}
    expect_equal("TURN-34", read[0], wanted, "what is read of a new one of the same turn")
