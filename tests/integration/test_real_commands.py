"""A real shell with children: one leaves when it is asked, one does not, one has left the group; all are ended."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tmux_server import eventually, is_alive

from threadrebuild import shell
from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect, Engine
from threadrebuild.collab.store import open_store

READY = "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid()))"
WAITS = "import signal; signal.pause()"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
AWAY = "import os; os.setsid()"


def child(folder: Path, name: str, *before: str) -> str:
    """A process that says that it is there, and waits."""
    return f'{sys.executable} -c "{"; ".join([*before, READY, WAITS])}" {folder / name}'


@contextmanager
def tree(folder: Path, mark: str, *children: str) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, int]]]:
    """A shell that has started these children, by name, and waits for them."""
    started = shell.begin(["sh", "-c", " & ".join([*children, "wait"])], folder, mark)
    names = [each.rpartition("/")[2] for each in children]
    try:
        eventually(lambda: all((folder / name).exists() and (folder / name).read_text() for name in names), "children")
        yield started, {name: int((folder / name).read_text()) for name in names}
    finally:
        shell.end(started.pid, mark, 0)
        started.wait()
        assert started.stdout is not None
        started.stdout.close()


def test_a_command_ends_with_every_process_and_nobody_else_does(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    family = (
        child(tmp_path, "polite"),
        child(tmp_path, "deaf", DEAF),
        child(tmp_path, "away", AWAY, DEAF),
    )
    with (
        tree(tmp_path, "one", *family) as (started, children),
        tree(other, "two", child(other, "friend")) as (_, others),
    ):
        began = time.monotonic()
        assert shell.end(started.pid, "one", 500) == []
        assert time.monotonic() - began >= 0.5, "who does not leave when asked has its grace"
        started.wait()
        assert not any(is_alive(pid) for pid in children.values())
        assert is_alive(others["friend"])


def test_who_leaves_when_asked_is_not_waited_for(tmp_path: Path) -> None:
    with tree(tmp_path, "one", child(tmp_path, "polite")) as (started, children):
        began = time.monotonic()
        assert shell.end(started.pid, "one", 60_000) == []
        assert time.monotonic() - began < 30
        assert not is_alive(children["polite"])


def test_a_group_of_that_number_that_is_another_command_is_left_alone(tmp_path: Path) -> None:
    with tree(tmp_path, "now", child(tmp_path, "friend")) as (started, children):
        assert shell.end(started.pid, "before", 0) == []
        assert is_alive(children["friend"])
        assert started.poll() is None


def test_a_stop_of_the_user_ends_the_real_tree_that_is_on_record(tmp_path: Path) -> None:
    """The engine's own demand drives the door: what it says of the group is all that the door is told."""
    store = open_store(tmp_path / "rooms.db", durable=False)
    engine = Engine(store)
    keys = iter(range(1000))

    def happens(kind: type[events.Event], **fields: object) -> list[Effect]:
        effects = engine.handle(kind(key=str(next(keys)), at=1, **fields))  # type: ignore[arg-type]
        for effect in effects:
            engine.begin(effect.id)
        return effects

    happens(events.BotAdded, name="剪辑")
    happens(events.SessionOpened, session="direct", title="剪辑", members=("剪辑",))
    effects = happens(events.Line, session=1, text="渲染一版")
    while effects and effects[0].kind == "read":
        raw = json.dumps({"kind": "new_work"} if effects[0].subject.startswith("filing") else {"control": "neither"})
        effects = [*effects[1:], *happens(events.Read, effect=effects[0].id, raw=raw)]
        effects = [each for each in effects if each.kind in ("read", "hop")]
    (hop,) = effects
    effects = happens(events.Hopped, effect=hop.id, calls=(events.Call("shell", {"command": "render"}),))
    (run,) = [each for each in effects if each.kind == "run_tool"]
    with tree(tmp_path, "mine", child(tmp_path, "deaf", DEAF)) as (started, children):
        happens(events.Spawned, effect=run.id, group=started.pid, mark="mine")
        (kill,) = [each for each in happens(events.StopPressed, turn=hop.turn) if each.kind == "kill"]
        began = time.monotonic()
        assert shell.end(kill.body["group"], kill.body["mark"], kill.body["grace_ms"]) == []
        assert time.monotonic() - began >= 3
        happens(events.Killed, effect=kill.id)
        started.wait()
        assert not is_alive(children["deaf"])
    assert store.value("SELECT count(*) FROM processes WHERE ended = 0") == 0
    store.close()
