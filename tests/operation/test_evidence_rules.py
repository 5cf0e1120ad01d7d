"""What an operation leaves on record, where, and what never gets from there into the new thread.

Also what a person is told by that record: whether somebody else interfered, and what a way back has kept.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import msgspec
from households import asked, in_state, rebuilt

from harness.expect import expect, expect_equal, proves
from harness.world.disk import SimulatedFiles
from harness.world.night import OLD_SESSION, Night
from harness.world.talk import Talk
from threadrebuild.carry.plan import plan_file
from threadrebuild.carry.summary import plan_summary
from threadrebuild.operation import coordinator
from threadrebuild.operation.household import Refused
from threadrebuild.operation.states import ENDS, State
from threadrebuild.operation.store import StoreError
from threadrebuild.system import SystemFiles, SystemLocks, SystemSpawner

OTHER_SESSION = "bbbbbbbb-0000-4000-8000-000000000002"
PACKAGE = "# 家规\n先喂鱼，再开灯。"
SECRET = "钥匙在第三块砖下面"
SHARED_FIGURES = (
    *("source_turns", "selected_turns", "open_tail_turns", "dropped_oldest_turns"),
    *("estimated_tokens", "poison_score", "startup_frozen"),
)
EVIDENCE = ("manifest_sha256", "manifest", "sha256", "startup_snapshot_sha256", "items")


def long_talk() -> Talk:
    """A session with a startup package, a rewound branch, run traces and words of both sides."""
    talk = Talk()
    talk.startup([PACKAGE], "早上好")
    talk.assistant("早，我在。")
    fork = talk.mark()
    talk.user("那边说过的话")
    talk.assistant("回去之前的回答")
    talk.rewind(fork)
    talk.user(SECRET)
    talk.tool("Bash", {"command": "cat letter"}, result="信里的内容")
    talk.assistant("记住了，不说出去。")
    return talk


def night_with(folder: Path, **settings: object) -> Night:
    """A household with that session."""
    return Night(folder, talk=long_talk(), **settings)


def expect_same_holder(night: Night) -> None:
    """The door was held throughout by whom it was when the turn ended."""
    expect("TR-105", "when the turn ended" not in (night.latest().error or ""), "nobody took the door")


@proves("TR-073")
def test_preview_and_operation_report_the_same_figures(tmp_path: Path) -> None:
    cases: dict[str, dict[str, object]] = {
        "plain": {},
        "no package": {"freeze_startup_snapshot": False},
        "poisoned": {"poison_pattern": "早|我在"},
        "open": {"include_open_tail": False},
    }
    for name, settings in cases.items():
        night = night_with(tmp_path / name, **settings)
        night.talk(lambda talk: talk.user("可以换窗了"))
        previewed = plan_summary(plan_file(night.host.transcript(OLD_SESSION), night.settings))
        night.ask_for_rebuild()
        night.end_turn()
        night.world.run()
        expect_same_holder(night)
        stored = night.latest().stats
        for figure in SHARED_FIGURES:
            expect("TR-073", figure in stored, f"{name}: the operation reports {figure}")
            expect_equal("TR-073", stored[figure], previewed[figure], f"{name}: {figure} of the operation")
        expect_equal("TR-073", stored["blocked_reason"], previewed["blocked_reason"], f"{name}: why it is blocked")


@proves("TR-144")
def test_all_data_of_an_operation_lies_in_its_places(tmp_path: Path) -> None:
    for ended in ("activated", "failed"):
        night = night_with(tmp_path / ended)
        before = {path for path in night.project_dir.parent.rglob("*") if path.is_file()}
        if ended == "failed":
            asked(night)
            in_state(night, "verifying", lambda night=night: night.talk(lambda talk: talk.user("等等")))  # type: ignore[misc]
            night.end_turn()
            night.world.run()
            operation = night.latest()
        else:
            operation = rebuilt(night)
        expect_equal("TR-144", operation.state, ended, "how it ended")
        state, artifacts = Path(night.settings.state_dir), f"artifacts/{operation.id}"
        made = {path for path in night.project_dir.parent.rglob("*") if path.is_file()} - before
        inside = {path.relative_to(state).as_posix() for path in made if path.is_relative_to(state)}
        wanted = {f"operations/{operation.id}.json", f"{artifacts}/manifest.json", f"{artifacts}/ledger.json"}
        wanted |= {f"{artifacts}/{OLD_SESSION}.jsonl", f"{artifacts}/startup_snapshot.txt"}
        wanted |= {f"{artifacts}/{operation.new_session_id}.jsonl"} if ended == "activated" else set()
        expect_equal("TR-144", inside, wanted, f"{ended}: files of the operation")
        outside = {path.name for path in made if not path.is_relative_to(state)}
        candidate = f"{operation.new_session_id}.jsonl"
        expect_equal("TR-144", outside, {candidate} if ended == "activated" else set(), f"{ended}: files elsewhere")
        source, folder = operation.source, state / artifacts
        assert source is not None
        frozen = night.host.wrote(OLD_SESSION)[: source.bytes]
        expect_equal("TR-144", (folder / f"{OLD_SESSION}.jsonl").read_bytes(), frozen, "the backup")
        snapshot = (folder / "startup_snapshot.txt").read_text(encoding="utf-8")
        expect("TR-144", msgspec.json.encode(PACKAGE)[1:-1].decode() in snapshot, "the snapshot holds the package")
    store = night.house.store
    expect_equal("TR-144", store.worker_log, state / "worker.log", "where the worker writes")
    real = type(store)(tmp_path / "real", SystemFiles(), SystemLocks(tmp_path / "claims"))
    with real.lock():
        held = [path.name for path in (tmp_path / "real").iterdir()]
    expect_equal("TR-144", held, ["coordinator.lock"], "the lock")


@proves("TR-146")
def test_the_record_holds_evidence_and_no_word(tmp_path: Path) -> None:
    night = night_with(tmp_path)
    operation = rebuilt(night)
    expect_same_holder(night)
    state = Path(night.settings.state_dir)
    stored = msgspec.json.decode((state / "operations" / f"{operation.id}.json").read_bytes())
    for name in ("stats", "dirty_at_prepare", "verification", "door_command", "cas_identity", "source", "candidate"):
        expect("TR-146", stored.get(name), f"the operation file holds {name}")
    for name in EVIDENCE:
        expect("TR-146", stored["candidate"].get(name), f"of the candidate it holds {name}")
    expect("TR-146", stored["source"]["sha256"] and stored["state"] == "activated", "digest and final state")
    words = [text for _, text in long_talk().said] + [PACKAGE, "那边说过的话", "回去之前的回答", "信里的内容"]
    record = (state / "operations" / f"{operation.id}.json").read_text(encoding="utf-8")
    backup = (state / "artifacts" / operation.id / f"{OLD_SESSION}.jsonl").read_text(encoding="utf-8")
    for text in words:
        seen = [msgspec.json.encode(text)[1:-1].decode(), ascii(text)[1:-1]]
        expect("TR-146", not any(each in record for each in seen), f"“{text}” stands in the operation file")
        expect("TR-146", seen[0] in backup, f"“{text}” stands in the backup, where it can be seen")


@proves("TR-071")
def test_what_was_never_switched_to_is_removed_and_what_was_is_kept(tmp_path: Path) -> None:
    for name, lives, typed in [("never used", [], True), ("died, and the old one too", [1.0, 1.0], False)]:
        night = asked(Night(tmp_path / name))
        night.host.lives = list(lives)
        if typed:
            in_state(night, "verifying", lambda night=night: night.talk(lambda talk: talk.user("等等")))  # type: ignore[misc]
        night.end_turn()
        night.world.run()
        ended = night.latest()
        expect_equal("TR-088", ended.state, State.FAILED, f"end of a candidate that was {name} ({ended.error})")
        places = [night.project_dir, Path(night.settings.state_dir)]
        left = [path for place in places for path in place.rglob(f"*{ended.new_session_id}*")]
        expect_equal("TR-071", bool(left), not typed, f"whether something is left of a candidate that {name}")
        expect_equal("TR-071", ended.candidate_discarded, typed, f"whether it says so, {name}")


@proves("TR-149")
def test_one_step_that_does_not_match_abandons_the_whole(tmp_path: Path) -> None:
    meddle: dict[str, Callable[[Night], object]] = {
        "a word more": lambda night: night.talk(lambda talk: talk.user("还有一句")),
        "another candidate": lambda night: _append(night, b"\n"),
        "another session": lambda night: night.host.begin(OTHER_SESSION, Talk(seed=7)),
        "another process": lambda night: night.take_door(OLD_SESSION),
    }
    for name, happens in meddle.items():
        night = asked(Night(tmp_path / name))
        in_state(night, "verifying", lambda night=night, happens=happens: happens(night))  # type: ignore[misc]
        night.end_turn()
        night.world.run()
        expect("TR-L34", "switching the same" not in (night.latest().error or ""), "nobody else is switching")
        expect_equal("TR-149", night.latest().state, State.FAILED, f"end after {name}")
        expect_equal("TR-149", night.tmux.respawned, 0, f"uses of the door after {name}")
    with patch.object(SimulatedFiles, "sync", _one_row_short(SimulatedFiles.sync)):
        short = Night(tmp_path / "short")
        rebuilt(short)
    expect_equal("TR-149", short.latest().state, State.FAILED, "end with one item left out of the candidate")
    expect_equal("TR-149", short.tmux.respawned, 0, "uses of the door with one item left out")
    expect_equal("TR-149", [path.stem for path in short.project_dir.glob("*.jsonl")], [OLD_SESSION], "what is left")
    whole = Night(tmp_path / "whole")
    error = rebuilt(whole).error or ""
    expect("TR-107", "at the last moment" not in error, f"nobody came in between: {error}")
    expect_equal("TR-149", whole.latest().state, State.ACTIVATED, "end where every step matches")


@proves("TR-151")
def test_what_lies_in_the_cold_store_never_comes_back_into_a_talk(tmp_path: Path) -> None:
    night = night_with(tmp_path)
    memory = [night.project_dir / "memory" / "MEMORY.md", tmp_path / "home" / "CLAUDE.md"]
    for file in memory:
        file.parent.mkdir(parents=True)
        file.write_text("记忆", encoding="utf-8")
    older = Talk(seed=9)
    older.user("只在旧备份里说过的话")
    older.assistant("嗯")
    cold = Path(night.settings.state_dir) / "artifacts" / "older" / f"{OTHER_SESSION}.jsonl"
    cold.parent.mkdir(parents=True)
    older.write(cold)
    asked(night)
    night.world.run()
    with suppress(Refused):
        coordinator.stop_hook(night.house, str(cold))
    night.world.run()
    carried = [path for path in night.project_dir.glob("*.jsonl") if "旧备份" in path.read_text(encoding="utf-8")]
    expect_equal("TR-151", carried, [], "sessions that hold what only an older backup held")
    expect("TR-151", night.latest().state is not State.ACTIVATED, "a backup is no session to go on with")
    if night.latest().state in ENDS:
        night.ask_for_rebuild()
    night.end_turn()
    night.world.run()
    expect_equal("TR-151", night.latest().state, State.ACTIVATED, "the session itself is carried")
    kept = [file.read_text(encoding="utf-8") for file in memory]
    expect_equal("TR-151", kept, ["记忆", "记忆"], "memory, which is not this tool's")
    expect_equal("TR-151", [path.name for path in (night.project_dir / "memory").iterdir()], ["MEMORY.md"], "and more")


@proves("TR-184")
def test_nothing_of_the_evidence_becomes_an_item_and_the_layers_stay_apart(tmp_path: Path) -> None:
    night = night_with(tmp_path)
    operation = rebuilt(night)
    error = operation.error or ""
    expect("TR-060", "session_id: " not in error, f"every row names the session: {error}")
    expect("TR-184", "mark: " not in error, f"every block says which layer it is of: {error}")
    expect_equal("TR-087", operation.state, State.ACTIVATED, "how it ended")
    assert operation.source is not None and operation.candidate is not None
    text = night.host.transcript(operation.candidate.session_id).read_text(encoding="utf-8")
    rows = [msgspec.json.decode(line) for line in text.splitlines()]
    items = [
        (word, block["text"])
        for row in rows
        for word, block in zip(row["threadrebuild"], row["message"]["content"], strict=True)
    ]
    expect("TR-036", PACKAGE in text.replace("\\n", "\n"), "the startup package is there")
    layers = ["startup" if word == "startup" else "bridging" for word, _ in items]
    expect_equal("TR-184", layers, ["startup"] + ["bridging"] * (len(items) - 1), "layers of the new thread, in order")
    expect("TR-184", PACKAGE in items[0][1], "the startup layer holds the package")
    expect("TR-184", not any(PACKAGE in said for _, said in items[1:]), "and the dialogue does not")
    digests = [operation.source.sha256, operation.candidate.sha256, operation.candidate.manifest_sha256]
    for evidence in [operation.id, *operation.reasons, *digests, *(digest for _, digest in operation.candidate.items)]:
        said = [each for _, each in items if evidence in each]
        expect_equal("TR-184", said, [], f"items that hold {evidence} of the record")


@proves("TR-092")
def test_a_conflict_is_told_from_a_failure_and_nothing_retries_it(tmp_path: Path) -> None:
    for name, happens, conflict in [
        ("somebody", lambda night: night.host.begin(OTHER_SESSION, Talk(seed=7)), True),
        ("a word", lambda night: night.talk(lambda talk: talk.user("还有一句")), False),
    ]:
        night = asked(Night(tmp_path / name))
        in_state(night, "verifying", lambda night=night, happens=happens: happens(night))  # type: ignore[misc]
        night.end_turn()
        night.world.run()
        expect_equal("TR-086", night.latest().state, State.FAILED, f"end after {name}")
        expect_equal("TR-092", night.latest().session_conflict, conflict, f"whether {name} means a conflict")
        stored = msgspec.json.encode(night.latest())
        night.end_turn()
        night.world.run()
        coordinator.recover(night.house)
        night.world.run()
        expect_equal("TR-092", msgspec.json.encode(night.latest()), stored, f"the operation after {name}, left alone")
        expect_equal("TR-092", len(night.spawner.started), 1, f"workers, with {name}")


@proves("TR-078")
def test_there_are_eleven_states_and_four_of_them_end_a_rebuild(tmp_path: Path) -> None:
    active = ("pending", "scheduled", "running", "verifying", "activating", "rollback_pending", "rollback_scheduled")
    ends = ("activated", "cancelled", "failed", "rolled_back")
    expect_equal("TR-078", {str(state) for state in State}, {*active, *ends}, "states there are")
    night = Night(tmp_path)
    night.ask_for_rebuild()
    night.world.run()
    operation, store = night.latest(), night.house.store
    for name in (*active, *ends):
        operation.state = State(name)
        store.save(operation)
        found = store.active()
        expect_equal("TR-078", found is None, name in ends, f"whether {name} is an end")
        expect_equal("TR-078", night.latest().state, name, "the state that is read back")
    file = Path(night.settings.state_dir) / "operations" / f"{operation.id}.json"
    file.write_text(file.read_text().replace('"state": "rolled_back"', '"state": "rolled_forward"', 1))
    try:
        read = night.latest().state
    except StoreError as error:
        expect("TR-078", "rolled_forward" in str(error) or str(file) in str(error), f"the file is named: {error}")
    else:
        expect("TR-078", False, f"a state that is none of the eleven was read as {read}")


@proves("TR-101")
def test_the_worker_is_a_process_of_its_own_that_reads_what_is_on_record(tmp_path: Path) -> None:
    with patch("threadrebuild.system.subprocess.Popen") as started:
        started.return_value.wait.return_value = 0
        SystemSpawner(tmp_path / "house.toml", tmp_path / "worker.log").start_worker("abc", leave_service=False)
    command, how = started.call_args.args[0], started.call_args.kwargs
    expect("TR-101", how.get("start_new_session"), "it is in a session of its own, so that no hang-up reaches it")
    expect_equal("TR-101", command[-3:], ["abc", "--config", str(tmp_path / "house.toml")], "all that it is told")


def _append(night: Night, data: bytes) -> None:
    with night.host.transcript(night.latest().new_session_id or "").open("ab") as file:
        file.write(data)


def _one_row_short(sync: Callable[..., None]) -> Callable[..., None]:
    """A disk that loses the second row of a candidate before it is read back."""

    def syncing(files: SimulatedFiles, file: object) -> None:
        sync(files, file)
        path = Path(getattr(file, "path"))  # noqa: B009
        if path.name.endswith(".jsonl.part"):
            lines = path.read_bytes().splitlines(keepends=True)
            path.write_bytes(b"".join(lines[:1] + lines[2:]))

    return syncing
