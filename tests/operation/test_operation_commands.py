"""The command line over operations: every action has its command, exit codes mean one thing, the hook says nothing."""

import contextlib
import json
from pathlib import Path

from calling import activated, call, hook_input, on_disk
from click.testing import CliRunner

from harness.expect import expect, expect_equal, proves
from harness.world.kernel import Fault
from harness.world.night import OLD_SESSION, Night
from threadrebuild.cli import main
from threadrebuild.config import CONFIG_NAME, ConfigError, find_config, load_settings
from threadrebuild.opening import household
from threadrebuild.operation.household import Refused
from threadrebuild.operation.states import State
from threadrebuild.operation.worker import run_worker
from threadrebuild.system import SYSTEMD_QUERY_SECONDS

HOOK_LIMIT_SECONDS = 10.0
WORDS = {"request": "REBUILD", "cancel": "CANCEL", "rollback-request": "ROLLBACK"}


@proves("TR-135")
def test_the_command_line_offers_the_actions_and_asks_for_the_word(tmp_path: Path) -> None:
    night = Night(tmp_path)
    options = {
        "doctor": (),
        "dirty": (),
        "plan": (),
        "request": ("--reason", "--confirm"),
        "status": ("--operation",),
        "cancel": ("--confirm",),
        "rollback-request": ("--confirm",),
        "hook-stop": ("--input",),
        "prepare": (),
        "activate": (),
    }
    for name, wanted in options.items():
        shown = call(night, name, "--help")
        expect_equal("TR-135", shown.exit_code, 0, f"exit of {name} --help")
        for option in wanted:
            expect("TR-135", option in shown.output, f"{name} has {option}: {shown.output}")
    for name in WORDS:
        before = on_disk(tmp_path)
        expect_equal("TR-135", call(night, name).exit_code, 2, f"exit of {name} without --confirm")
        expect_equal("TR-135", on_disk(tmp_path), before, f"what lies on the disk after {name} without --confirm")
    done = call(night, "request", "--reason", "夜里换窗", "--confirm", "REBUILD", "--json")
    expect_equal("TR-135", done.exit_code, 0, f"exit of a request with its word ({done.stderr})")
    expect_equal("TR-135", night.latest().reasons, ["夜里换窗"], "reasons on record")


@proves("TR-136")
def test_a_refusal_leaves_with_1_and_words_a_missing_configuration_with_2(tmp_path: Path) -> None:
    night = Night(tmp_path)
    for name, word in WORDS.items():
        refused = call(night, name, "--confirm", word.lower(), "--json")
        expect_equal("TR-136", refused.exit_code, 1, f"exit of {name} with a wrong word")
        said = json.loads(refused.stdout)
        expect_equal("TR-136", (said["ok"], said["reason"]), (False, "wrong-word"), f"what {name} says on stdout")
        expect("TR-136", word in said["error"] and word in refused.stderr, f"stderr says why: {refused.stderr}")
        wordless = call(night, name, "--confirm", word.lower())
        expect_equal("TR-136", (wordless.exit_code, wordless.stdout), (1, ""), f"{name} without --json")
    done = call(night, "request", "--confirm", "REBUILD", "--json")
    expect_equal("TR-136", (done.exit_code, json.loads(done.stdout)["ok"]), (0, True), "exit and ok of a request")
    with contextlib.chdir(tmp_path):
        missing = CliRunner().invoke(main, ["status", "--config", "nowhere.toml", "--json"])
    expect_equal("TR-136", missing.exit_code, 2, "exit where the configuration is missing")
    expect_equal("TR-136", json.loads(missing.stdout)["reason"], "configuration", "reason of it")


@proves("TR-136")
def test_the_hook_prints_nothing_that_would_reach_the_talk(tmp_path: Path) -> None:
    night = Night(tmp_path)
    silence = {"suppressOutput": True}
    idle = call(night, "hook-stop", given="not even JSON")
    expect_equal("TR-136", (idle.exit_code, json.loads(idle.stdout)), (0, silence), "the hook with nothing to do")
    call(night, "request", "--confirm", "REBUILD")
    blind = call(night, "hook-stop", given="{}")
    expect_equal("TR-136", (blind.exit_code, json.loads(blind.stdout)), (1, silence), "the hook without a transcript")
    expect("TR-136", "transcript_path" in blind.stderr, f"stderr says why: {blind.stderr}")
    busy = call(night, "hook-stop", given=hook_input(night))
    expect_equal("TR-136", (busy.exit_code, json.loads(busy.stdout)), (0, silence), "the hook that starts a worker")
    expect_equal("TR-136", busy.stderr, "", "stderr of the hook that starts a worker")
    for mistake in (["--no-such-option"], ["--input", str(tmp_path / "nowhere")], ["too", "much"]):
        expect_equal("TR-136", call(night, "hook-stop", *mistake).exit_code, 1, f"exit of the hook with {mistake}")


@proves("TR-097")
def test_a_rebuild_needs_the_transcript_that_the_hook_names_a_rollback_does_not(tmp_path: Path) -> None:
    night = Night(tmp_path)
    expect_equal("TR-098", call(night, "hook-stop", given="{}").exit_code, 0, "exit of the hook with nothing to do")
    call(night, "request", "--confirm", "REBUILD")
    for given in ("{}", '{"transcript_path": ""}', '{"transcript_path": 7}', "[]", "nonsense", ""):
        blind = call(night, "hook-stop", given=given)
        expect_equal("TR-097", blind.exit_code, 1, f"exit of the hook with {given!r}")
        expect_equal("TR-097", night.latest().state, State.PENDING, f"state after the hook with {given!r}")
        expect_equal("TR-097", night.spawner.started, [], "workers started")
    (tmp_path / "input.json").write_text(hook_input(night), encoding="utf-8")
    seeing = call(night, "hook-stop", "--input", str(tmp_path / "input.json"))
    expect_equal("TR-097", (seeing.exit_code, night.latest().state), (0, State.SCHEDULED), "with a transcript")
    expect_equal("TR-004", night.latest().transcript_path, str(night.host.transcript(OLD_SESSION)), "the transcript")
    night.world.run()
    expect_equal("TR-097", call(night, "rollback-request", "--confirm", "ROLLBACK").exit_code, 0, "exit of asking back")
    back = call(night, "hook-stop", given="{}")
    expect_equal("TR-097", back.exit_code, 0, f"exit of the hook of a rollback ({back.stderr})")
    expect_equal("TR-097", night.latest().state, State.ROLLBACK_SCHEDULED, "state of the rollback")


@proves("TR-181")
def test_the_hook_is_back_within_its_limit_whoever_holds_the_lock(tmp_path: Path) -> None:
    night = Night(tmp_path)
    call(night, "request", "--confirm", "REBUILD")
    holder = night.world.process("worker that hangs")

    def hang() -> None:
        with night.house.store.lock():
            night.world.sleep(3600)

    took: list[float] = []

    def hook() -> None:
        begun = night.world.now
        call(night, "hook-stop", given=hook_input(night))
        took.append((night.world.now - begun).total_seconds())

    night.world.start(holder, hang)
    night.world.start(night.world.process("hook"), hook, after=1.0)
    night.world.run(600)
    expect("TR-181", took, "the hook comes back while another process holds the lock")
    expect("TR-181", took[0] + SYSTEMD_QUERY_SECONDS < HOOK_LIMIT_SECONDS, f"there is time left to ask: {took}")
    expect_equal("TR-181", night.latest().state, State.PENDING, "the request still waits")
    night.world.kill(holder)
    call(night, "hook-stop", given=hook_input(night))
    expect_equal("TR-181", night.latest().state, State.SCHEDULED, "the request at the end of the next turn")


@proves("TR-181")
def test_the_hook_leaves_what_takes_time_to_a_worker(tmp_path: Path) -> None:
    night = _with_a_dead_switch(tmp_path)
    took: list[float] = []

    def hook() -> None:
        begun = night.world.now
        call(night, "hook-stop", given=hook_input(night))
        took.append((night.world.now - begun).total_seconds())

    before = list(night.spawner.started)
    night.world.start(night.world.process("hook"), hook, after=3600.0)
    night.world.run(3600.1)
    expect("TR-181", took and took[0] < HOOK_LIMIT_SECONDS, f"the hook is back at once: {took}")
    expect_equal("TR-181", len(night.spawner.started), len(before) + 1, "workers started")
    night.world.run()
    error = night.latest().error or ""
    expect("TR-L23", "no identity" not in error, f"an identity is on record: {error}")
    expect_equal("TR-181", night.latest().state, State.ACTIVATED, "what the worker made of it")


@proves("TR-095")
def test_a_request_only_puts_itself_on_record(tmp_path: Path) -> None:
    night = Night(tmp_path)
    process = night.resident()
    call(night, "request", "--confirm", "REBUILD")
    operation = night.latest()
    expect_equal("TR-095", operation.state, State.PENDING, "state once the request has returned")
    expect("TR-095", process.alive and night.resident() is process, "the process that asked lives on")
    expect_equal("TR-095", night.spawner.started, [], "workers started by the request")
    early: list[str] = []

    def work() -> None:
        try:
            run_worker(night.house, operation.id, "early")
            early.append("worked")
        except Refused:
            early.append("refused")

    night.world.start(night.world.process("worker"), work)
    night.world.run()
    expect_equal("TR-095", early, ["refused"], "a worker before the turn has ended")
    expect("TR-095", process.alive, "the process that asked lives on")
    call(night, "hook-stop", given=hook_input(night))
    night.world.run()
    expect("TR-099", night.latest().state is not State.SCHEDULED, "the one worker is let in")
    expect_equal("TR-095", night.latest().state, State.ACTIVATED, "state after the turn has ended")
    expect("TR-095", not process.alive, "the old process was replaced then")


@proves("TR-095")
def test_asking_leaves_a_broken_switch_to_a_worker(tmp_path: Path) -> None:
    for name, word in WORDS.items():
        night = _with_a_dead_switch(tmp_path / name)
        night.world.kill(night.resident())
        night.world.now = night.world.now.replace(year=2027)
        dead, started = night.resident(), len(night.spawner.started)
        asked = call(night, name, "--confirm", word)
        expect_equal("TR-081", asked.exit_code, 1, f"exit of {name} while a switch has no end")
        expect("TR-095", night.resident() is dead, f"{name} brings no session back by itself")
        expect_equal("TR-095", len(night.spawner.started), started + 1, f"workers that {name} leaves it to")
        night.world.run()
        expect_equal("TR-095", night.latest().state, State.ROLLED_BACK, "what the worker made of it")


@proves("TR-134")
def test_an_answer_tells_to_go_on_and_that_nothing_has_happened_yet(tmp_path: Path) -> None:
    night = activated(tmp_path / "rollback")
    other = Night(tmp_path / "request")
    for house, name, state in (
        (other, "request", State.PENDING),
        (night, "rollback-request", State.ROLLBACK_PENDING),
    ):
        answer = json.loads(call(house, name, "--confirm", WORDS[name], "--json").stdout)
        expect_equal("TR-134", answer["state"], state, f"state in the answer of {name}")
        step = answer["next_step"]
        expect("TR-134", "reply" in step and "follows when this turn has ended" in step, f"{name} says: {step!r}")
        spoken = call(house, "status")
        expect("TR-134", f": {state}" in spoken.stdout, f"the operation waits: {spoken.stdout}")


@proves("TR-093")
def test_status_shows_the_named_or_the_latest_and_changes_nothing(tmp_path: Path) -> None:
    night = activated(tmp_path)
    first = night.latest().id
    night.world.now = night.world.now.replace(year=2027)
    call(night, "request", "--confirm", "REBUILD")
    second = night.latest().id
    before = on_disk(tmp_path)
    latest, named = _status(night), _status(night, "--operation", first)
    expect_equal("TR-093", (latest or {}).get("id"), second, "the operation without a name")
    expect_equal("TR-093", (named or {}).get("id"), first, "the operation by its name")
    for evidence in ("source", "candidate", "cas_identity", "verification", "door_command", "steps"):
        expect("TR-093", named and named[evidence], f"{evidence} is shown")
    expect_equal("TR-093", call(night, "status", "--operation", "abcdef").exit_code, 1, "exit for an unknown name")
    expect_equal("TR-093", on_disk(tmp_path), before, "what lies on the disk")


@proves("TR-093")
def test_status_says_that_a_worker_has_gone_silent_and_leaves_it_at_that(tmp_path: Path) -> None:
    night = _with_a_dead_switch(tmp_path)
    night.world.now = night.world.now.replace(year=2027)
    before = on_disk(tmp_path)
    answer = json.loads(call(night, "status", "--json").stdout)
    expect_equal("TR-093", (answer["operation"] or {}).get("state"), State.ACTIVATING, "state that is shown")
    expect_equal("TR-093", answer["stale"], True, "stale")
    expect_equal("TR-093", on_disk(tmp_path), before, "what lies on the disk")


@proves("TR-171")
def test_an_empty_worker_log_says_nothing_about_an_operation(tmp_path: Path) -> None:
    night = activated(tmp_path)
    night.house.store.worker_log.write_bytes(b"")
    shown = _status(night)
    expect("TR-171", shown is not None, "the operation is shown although the log is empty")
    assert shown is not None
    expect_equal("TR-171", shown["state"], State.ACTIVATED, "state that is shown")
    expect_equal("TR-171", len(shown["steps"]), len(night.latest().steps), "steps that are shown")
    night.house.store.worker_log.write_text("a worker started and nothing came of it\n", encoding="utf-8")
    expect_equal("TR-171", _status(night), shown, "what is shown when the log says otherwise")


@proves("TR-138")
def test_the_configuration_is_named_else_in_the_environment_else_here(tmp_path: Path) -> None:
    named, other = tmp_path / "named.toml", tmp_path / "other.toml"
    variables = {"KAEL_REBUILD_CONFIG": str(other)}
    with contextlib.chdir(tmp_path):
        expect_equal("TR-138", find_config(None, {}), None, "where nobody named one and there is none")
        Path("config.toml").touch()
        expect_equal("TR-138", find_config(named, variables), named, "the option goes before the environment")
        expect_equal("TR-138", find_config(None, variables), other, "the environment goes before the folder")
        expect_equal("TR-138", find_config(None, {}), Path("config.toml"), f"the folder's own {CONFIG_NAME}")
        expect_equal("TR-138", find_config(None, {"KAEL_REBUILD_CONFIG": ""}), Path("config.toml"), "an empty name")


@proves("TR-138")
def test_a_configuration_without_a_project_folder_opens_no_household(tmp_path: Path) -> None:
    whole = (
        f'project_dir = "{tmp_path}"\nclaude_workdir = "/home/user/project"\n'
        'tmux_target = "DO-NOT-CREATE:0.0"\nresume_command = ["/bin/false", "{session_id}"]\n'
    )
    config = tmp_path / "config.toml"
    config.write_text(whole, encoding="utf-8")
    state_dir = load_settings(config).state_dir
    expect_equal("TR-138", state_dir, "~/.local/state/kael-thread-rebuild", "the state folder where none is named")
    try:
        opened = household(config).settings.project_dir
    except ConfigError as error:
        opened = str(error)
    expect_equal("TR-138", opened, str(tmp_path), "the project folder of a whole configuration")
    config.write_text(whole.partition("\n")[2], encoding="utf-8")
    try:
        household(config)
        refused = ""
    except ConfigError as error:
        refused = str(error)
    expect("TR-138", "project_dir" in refused, f"a configuration without project_dir is refused by name: {refused!r}")


def test_the_manual_steps_lead_through_the_same_states(tmp_path: Path) -> None:
    night = Night(tmp_path)
    source = str(night.host.transcript(OLD_SESSION))
    said: list[tuple[int, str]] = []

    def by_hand() -> None:
        for arguments in (
            ("prepare", source),
            ("activate",),
            ("request", "--confirm", "REBUILD"),
            ("activate",),
            ("prepare", source),
            ("prepare", source),
            ("activate",),
            ("activate",),
        ):
            done = call(night, *arguments)
            said.append((done.exit_code, str(night.house.store.latest() and night.latest().state)))

    night.world.start(night.world.process("person"), by_hand)
    night.world.run()
    assert said == [
        (1, "None"),
        (1, "None"),
        (0, "pending"),
        (1, "pending"),
        (0, "verifying"),
        (1, "verifying"),
        (0, "activated"),
        (1, "activated"),
    ]
    assert night.latest().candidate is not None
    assert night.resident().command == night.resumed(str(night.latest().new_session_id))


def test_a_prepared_operation_waits_an_hour_for_its_person_and_not_longer(tmp_path: Path) -> None:
    night = Night(tmp_path)
    seen: list[tuple[int, State]] = []

    def by_hand() -> None:
        call(night, "request", "--confirm", "REBUILD")
        call(night, "prepare", str(night.host.transcript(OLD_SESSION)))
        night.world.sleep(3590)
        call(night, "recover")
        seen.append((0, night.latest().state))
        night.world.sleep(20)
        seen.append((call(night, "activate").exit_code, night.latest().state))

    night.world.start(night.world.process("person"), by_hand)
    night.world.run()
    assert seen == [(0, State.VERIFYING), (1, State.FAILED)]
    assert list(night.project_dir.glob("*.jsonl")) == [night.host.transcript(OLD_SESSION)]


@proves("TR-138")
def test_the_previews_look_for_their_configuration_in_the_same_places(tmp_path: Path) -> None:
    night = Night(tmp_path / "night")
    config, empty = tmp_path / "elsewhere.toml", tmp_path / "empty"
    config.write_text(f'project_dir = "{night.project_dir}"\n', encoding="utf-8")
    empty.mkdir()
    for name in ("plan", "dirty"):
        with contextlib.chdir(empty):
            bare = CliRunner().invoke(main, [name, "--json"], env={"KAEL_REBUILD_CONFIG": None})
            expect_equal("TR-138", bare.exit_code, 2, f"exit of {name} without transcript and configuration")
            alone = CliRunner().invoke(main, [name, str(night.host.transcript(OLD_SESSION)), "--json"])
            expect_equal("TR-138", alone.exit_code, 0, f"exit of {name} with a transcript alone ({alone.stderr})")
            named = CliRunner().invoke(main, [name, "--config", str(config), "--json"])
            expect_equal("TR-138", named.exit_code, 0, f"exit of {name} --config ({named.stderr})")
            pointed = CliRunner().invoke(main, [name, "--json"], env={"KAEL_REBUILD_CONFIG": str(config)})
            expect_equal("TR-138", pointed.stdout, named.stdout, f"what {name} says by the environment")
        (tmp_path / "config.toml").write_bytes(config.read_bytes())
        with contextlib.chdir(tmp_path):
            here = CliRunner().invoke(main, [name, "--json"])
            expect_equal("TR-138", here.stdout, named.stdout, f"what {name} says by the folder's own file")


@proves("TR-138")
def test_a_candidate_is_built_by_the_same_configuration_as_its_preview(tmp_path: Path) -> None:
    night = Night(tmp_path / "night")
    source = str(night.host.transcript(OLD_SESSION))
    config, here = tmp_path / "elsewhere.toml", tmp_path / "here"
    here.mkdir()
    for place in (config, here / "config.toml"):
        place.write_text("fixed_load_tokens = 4321\n", encoding="utf-8")
    for folder, variable in ((here, None), (tmp_path, str(config))):
        with contextlib.chdir(folder):
            out = str(tmp_path / f"out of {folder.name}")
            for command in (["plan", source], ["candidate", source, "--out", out]):
                done = CliRunner().invoke(main, [*command, "--json"], env={"KAEL_REBUILD_CONFIG": variable})
                expect_equal("TR-138", done.exit_code, 0, f"exit of {command[0]} ({done.stderr})")
                load = json.loads(done.stdout)["fixed_load_tokens"]
                expect_equal("TR-138", load, 4321, f"the fixed load that {command[0]} was given")


def test_status_tells_that_an_activation_is_unproven(tmp_path: Path) -> None:
    said = call(activated(tmp_path), "status").stdout
    assert "unproven" in said or "not proven" in said, said


def test_a_second_request_joins_and_a_second_cancel_finds_nothing(tmp_path: Path) -> None:
    night = Night(tmp_path)
    assert "already" not in call(night, "request", "--reason", "one", "--confirm", "REBUILD").stdout
    assert "already pending; reason added" in call(night, "request", "--reason", "two", "--confirm", "REBUILD").stdout
    assert "the reason is known" in call(night, "request", "--reason", "two", "--confirm", "REBUILD").stdout
    assert call(night, "cancel", "--confirm", "CANCEL").exit_code == 0
    again = call(night, "cancel", "--confirm", "CANCEL")
    assert (again.exit_code, "nothing waits" in again.stderr) == (1, True)


def test_status_in_words_and_of_nothing(tmp_path: Path) -> None:
    night = Night(tmp_path)
    assert call(night, "status").stdout == "no operation yet\n"
    assert call(night, "recover").stdout == "nothing to recover\n"
    call(night, "request", "--confirm", "REBUILD")
    assert f"operation {night.latest().id}: pending" in call(night, "status").stdout
    assert call(night, "status", "--operation", "../../etc/passwd").exit_code == 1


def _status(night: Night, *arguments: str) -> dict[str, object] | None:
    found: dict[str, object] | None = json.loads(call(night, "status", *arguments, "--json").stdout)["operation"]
    return found


def _with_a_dead_switch(folder: Path) -> Night:
    """A night whose worker was killed right after it had replaced the process, with long health checks."""
    counted = Night(folder / "counted", healthcheck_seconds=60.0)
    steps: list[int] = []
    respawn = counted.tmux.respawn
    counted.tmux.respawn = lambda *given: (respawn(*given), steps.append(counted.world.step))[0]  # type: ignore[method-assign]
    _ask(counted)
    night = Night(folder / "night", healthcheck_seconds=60.0, faults=(Fault(steps[0] + 1, "kill"),))
    _ask(night)
    assert night.latest().state is State.ACTIVATING
    return night


def _ask(night: Night) -> None:
    night.ask_for_rebuild()
    night.end_turn()
    night.world.run()
