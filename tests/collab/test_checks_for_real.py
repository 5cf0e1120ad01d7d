"""The core and the runner together: what is asked really runs, and what came of it stands on the board."""

from pathlib import Path
from typing import Any

from checking import accepted, added, running
from ending import ROOM, at_work, hops, send
from evening import Evening, shell
from test_continuity import CLEAN, asked, bad, judge

from threadrebuild.checking.run import Probe, run
from threadrebuild.collab import checks, events
from threadrebuild.collab.measures import Seen


def really_run(home: Evening, workspace: Path, film: Seen | None = None) -> None:
    """Whatever is to be run is run; a film is seen to be like that."""
    probe: dict[str, Probe] = {} if film is None else {"probe": lambda path: film}
    while running(home):
        effect = running(home)[0]
        ran = run(effect.body, workspace, **probe)
        home.happens(events.CheckRan, effect=effect.id, **ran._asdict())


def told(home: Evening, check: int) -> tuple[str, str]:
    """How a check has ended, and what is said of it."""
    last = checks.last_run(home.db, checks.one(home.db, check))
    assert last is not None
    return last["outcome"], last["detail"]


def test_what_the_core_asks_is_what_the_runner_runs(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path / "home")
    accepted(home, plan)
    workspace = tmp_path / "workspace"
    (workspace / "report").mkdir(parents=True)
    (workspace / "report/a.md").write_text("三个月回本\n")
    (workspace / "out").symlink_to(tmp_path)
    given: list[tuple[str, dict[str, Any], tuple[str, str]]] = [
        ("file_exists", {"path": "report/a.md"}, ("passed", "report/a.md 在")),
        ("file_exists", {"path": "report/b.md"}, ("failed", "report/b.md 不在")),
        ("file_exists", {"path": "out/home"}, ("out_of_bounds", "out/home 在工作区外，没有跑")),
        ("contains", {"path": "report/a.md", "text": "半年"}, ("failed", "report/a.md 里没有“半年”")),
        ("matches", {"path": "report/a.md", "pattern": "^三个月"}, ("passed", "report/a.md 匹配 ^三个月")),
        ("command", {"command": "exit 2"}, ("failed", "退出码 2，应为 0")),
        ("command", {"command": "cat report/a.md", "output": "三个月回本"}, ("passed", "退出码 0")),
        ("command", {"command": "echo 1", "output": "2"}, ("failed", "输出和期望的不一样")),
        ("continuity", {"glob": "report/*.md"}, ("error", "只有一部分，没有衔接可看")),
    ]
    for kind, body, wanted in given:
        check = added(home, plan, kind, body)
        really_run(home, workspace)
        assert told(home, check) == wanted, (kind, body)
        home.happens(events.CheckDeleted, check=check)


def test_the_seams_that_the_runner_finds_are_judged(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path / "home")
    accepted(home, plan)
    (tmp_path / "report.md").write_text("# 背景\n3 亿\n# 市场\n2.6 亿\n# 结论\n3 亿\n")
    check = added(home, plan, "continuity", {"file": "report.md"})
    really_run(home, tmp_path)
    assert [each.body["seam"] for each in asked(home)] == ["背景→市场", "市场→结论", None]
    assert [each.body["before"] for each in asked(home)[:2]] == ["3 亿", "2.6 亿"]
    assert asked(home)[2].body["parts"][1]["numbers"] == ["2.6 亿"]
    judge(home, bad("两个数"), CLEAN, bad("市场规模两个数"))
    assert told(home, check) == ("failed", "2 处衔接里 1 处有问题：背景→市场：两个数；整体：市场规模两个数")


def test_a_film_that_is_handed_over_is_measured_against_what_the_user_said(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path / "home")
    home.say("@导演 片长约 2 分钟", to=ROOM, files=[plan])
    hops(home, "导演", shell("make cut"))
    (tmp_path / "deliverables").mkdir()
    (tmp_path / "deliverables/EP01_MASTER.mp4").write_text("a film")
    hops(home, "导演", send("成片", files=["deliverables/EP01_MASTER.mp4"]))
    really_run(home, tmp_path, Seen(duration=107.0, width=1920, height=1080, frame_rate=25.0))
    check = home.value("SELECT id FROM checks WHERE item = 'duration'")
    assert told(home, check) == ("failed", "deliverables/EP01_MASTER.mp4：107.00 秒")
