"""Init: the household is found by looking, and nothing that was there is replaced."""

import json
from pathlib import Path
from typing import Any

from households import in_world, night_of

from harness.expect import expect, expect_equal, proves
from harness.world.night import OLD_SESSION, PANE, TARGET, UNIT, Night
from threadrebuild.config import load_settings
from threadrebuild.doctor import doctor
from threadrebuild.doors import open_door
from threadrebuild.host_settings import OddSettings, hooked_configurations, install_hook
from threadrebuild.init import Chosen, NotFound, config_text, host_folder_of, look, next_steps, write_configuration
from threadrebuild.operation.household import Household

CHANNELS = ("--channels", "plugin:telegram@claude-plugins-official")
WORKDIR = Path("/home/user/project")
HOOK = "threadrebuild hook-stop --config /home/user/config.toml"


def living(folder: Path, door: Any = "tmux") -> Night:
    """A night whose host is called `claude`, with its project folder where a host has it."""
    (folder / "projects").mkdir(parents=True)
    night = night_of(folder / "night", door)
    night.project_dir.rename(folder / "projects" / night.project_dir.name)
    night.project_dir = folder / "projects" / night.project_dir.name
    if door == "tmux":
        process = night.tmux.replace(PANE, "claude", "--continue", *CHANNELS)
        night.processes.folders[process.pid] = WORKDIR
    if door == "systemd":
        night.systemd.start_by(UNIT, lambda: ("claude", "--resume", OLD_SESSION, *CHANNELS))
        night.systemd.start_again(UNIT)
        night.processes.folders[night.systemd.process_in(UNIT).pid] = WORKDIR
    return night


def found_in(night: Night, host_folder: Path, **chosen: Any) -> dict[str, Any]:
    """What init finds; `refused` where it does not."""
    try:
        found = in_world(night, lambda: _look(night, host_folder, Chosen(**chosen)))
    except NotFound as refusal:
        return {"refused": str(refusal)}
    if isinstance(found, NotFound):
        return {"refused": str(found)}
    return {each.key: each.value for each in found}


def _look(night: Night, host_folder: Path, chosen: Chosen) -> Any:
    try:
        return look(night.house.ports, host_folder, chosen)
    except NotFound as refusal:
        return refusal


@proves("TR-002")
def test_the_project_folder_is_the_one_that_belongs_to_the_running_host(tmp_path: Path) -> None:
    night = living(tmp_path)
    newer = tmp_path / "projects" / "-home-user-other"
    newer.mkdir()
    (newer / "x.jsonl").write_text("{}\n")
    found = found_in(night, tmp_path)
    expect_equal("TR-002", found.get("project_dir"), str(night.project_dir), f"project_dir found ({found})")
    for path in night.project_dir.iterdir():
        path.unlink()
    found = found_in(night, tmp_path)
    expect("TR-002", "no transcript lies there" in found.get("refused", ""), f"a folder without transcripts: {found}")


def test_each_door_is_found_by_looking(tmp_path: Path) -> None:
    tmux = found_in(living(tmp_path / "tmux"), tmp_path / "tmux")
    assert tmux["activation"] == "tmux" and tmux["tmux_target"] == TARGET
    assert tmux["resume_command"] == ("claude", "--resume", "{session_id}", *CHANNELS)
    assert tmux["claude_workdir"] == str(WORKDIR)
    night = living(tmp_path / "systemd", "systemd")
    systemd = found_in(night, tmp_path / "systemd", unit=UNIT, pointer=night.pointer)
    assert (systemd["activation"], systemd["systemd_unit"]) == ("systemd", UNIT)
    assert systemd["resume_pointer_path"] == str(night.pointer)
    assert "pointer" in found_in(night, tmp_path / "systemd", unit=UNIT)["refused"]
    night = living(tmp_path / "pointer", "pointer")
    pointer = found_in(night, tmp_path / "pointer", pointer=night.pointer, workdir=WORKDIR)
    assert (pointer["activation"], pointer["resume_pointer_path"]) == ("pointer", str(night.pointer))
    assert "--workdir" in found_in(night, tmp_path / "pointer", pointer=night.pointer)["refused"]


def test_where_looking_does_not_tell_the_person_is_asked(tmp_path: Path) -> None:
    night = living(tmp_path)
    night.processes.folders[night.tmux.open("%9", "DO-NOT-CREATE:0.1", "claude").pid] = WORKDIR
    refused = found_in(night, tmp_path)["refused"]
    assert TARGET in refused and "DO-NOT-CREATE:0.1" in refused and "--target" in refused
    assert found_in(night, tmp_path, target=TARGET)["tmux_target"] == TARGET
    night.tmux.replace(PANE, "bash")
    night.tmux.replace("%9", "bash")
    service = night.systemd.open(UNIT, lambda: ("claude", "--continue"))
    night.processes.units[service.pid] = UNIT
    assert UNIT in found_in(night, tmp_path)["refused"]


def test_what_init_writes_loads_opens_and_pleases_doctor(tmp_path: Path) -> None:
    night = living(tmp_path)
    found = in_world(night, lambda: look(night.house.ports, tmp_path, Chosen()))
    assert all(each.source for each in found)
    config = tmp_path / "new" / "config.toml"
    assert in_world(night, lambda: write_configuration(config, found, night.house.ports))
    assert not in_world(night, lambda: write_configuration(config, found, night.house.ports)), "once is enough"
    assert config.read_text(encoding="utf-8") == config_text(found)
    settings = load_settings(config)
    house = Household(settings, night.house.store, open_door(settings, night.house.ports), night.house.ports)
    report = in_world(night, lambda: doctor(house))
    assert report.ok, [check for check in report.checks if not check.ok]
    config.write_text(config_text(found).replace(found[0].source, "another process") + "stamp_turns = true\n")
    assert not in_world(night, lambda: write_configuration(config, found, night.house.ports)), (
        "what it says is the same"
    )
    config.write_text("# mine\n")
    try:
        write_configuration(config, found, night.house.ports)
    except NotFound as refusal:
        assert str(config) in str(refusal)
    else:
        raise AssertionError("a configuration of the person's own was replaced")
    assert config.read_text() == "# mine\n"


def test_claude_config_dir_decides_where_the_host_keeps_its_files() -> None:
    assert host_folder_of({"CLAUDE_CONFIG_DIR": "/srv/claude"}, Path("/home/user")) == Path("/srv/claude")
    assert host_folder_of({}, Path("/home/user")) == Path("/home/user/.claude")


def test_the_registration_names_only_reading_tools_as_free_of_prompts() -> None:
    allowed = next(line for line in next_steps(Path("/c.toml")) if "without asking" in line)
    names = {name.rpartition("__")[2] for name in allowed.partition(": ")[2].split(", ")}
    assert names == {f"thread_rebuild_{name}" for name in ("doctor", "dirty", "plan", "status")}


def installed(night: Night, path: Path, text: str | None) -> tuple[Any, Path | None]:
    """The settings after installing the hook into a file that holds `text`, and the backup."""
    if text is not None:
        path.write_text(text, encoding="utf-8")
    try:
        backup = install_hook(path, HOOK, night.files)
    except OddSettings:
        return {}, None
    return json.loads(path.read_text(encoding="utf-8")), backup


ENTRY = {"type": "command", "command": HOOK, "timeout": 10}


@proves("TR-182")
def test_without_a_stop_entry_the_smallest_complete_structure_is_written(tmp_path: Path) -> None:
    night = Night(tmp_path / "night")
    wanted = [{"hooks": [ENTRY]}]
    other = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}
    for name, text, kept in [
        ("no file", None, {}),
        ("an empty file", "", {}),
        ("an empty object", "{}", {}),
        ("settings without hooks", '{"model": "opus", "语言": "中文"}', {"model": "opus", "语言": "中文"}),
        ("hooks of other kinds", json.dumps({"hooks": other}), {}),
    ]:
        folder = tmp_path / name
        folder.mkdir()
        after, _ = installed(night, folder / "settings.json", text)
        seen = after.get("hooks", {}).get("Stop")
        expect_equal("TR-182", seen, wanted, f"{name}: Stop hooks")
        hooks = {key: value for key, value in after.get("hooks", {}).items() if key != "Stop"}
        expect_equal("TR-182", hooks, other if "kinds" in name else {}, f"{name}: hooks of other kinds")
        rest = {key: value for key, value in after.items() if key != "hooks"}
        expect_equal("TR-182", rest, kept, f"{name}: other settings")


@proves("TR-100")
def test_the_hook_is_appended_after_a_backup_and_only_once(tmp_path: Path) -> None:
    night = Night(tmp_path / "night")
    mine = {"hooks": [{"type": "command", "command": "say done", "timeout": 3}]}
    for number, before in enumerate([{"hooks": {"Stop": [mine]}}, {"hooks": {"Stop": [mine, mine]}, "model": "opus"}]):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "settings.json"
        text = json.dumps(before, indent=4)
        fresh, _ = installed(night, folder / "fresh.json", "{}")
        expect("TR-182", fresh.get("hooks"), "nothing was written where there was no Stop entry")
        after, backup = installed(night, path, text)
        stops = after["hooks"]["Stop"]
        expect_equal("TR-100", stops[:-1], before["hooks"]["Stop"], "the hooks that were there")
        entries = [hook["command"] for group in stops for hook in group["hooks"]]
        expect_equal("TR-100", entries.count(HOOK), 1, f"our hook among {entries}")
        expect("TR-100", backup is not None and backup.read_text() == text, f"backup {backup}")
        again, second = installed(night, path, None)
        expect_equal("TR-100", (again, second), (after, None), "settings and backup after installing again")
        stops.pop()
        path.write_text(json.dumps(after))
        expect_equal("TR-100", hooked_configurations(path), [], "configurations hooked after taking the entry out")
        third, other_backup = installed(night, path, None)
        expect_equal("TR-100", len(third["hooks"]["Stop"]), len(stops) + 1, "hooks after putting it back")
        expect(
            "TR-100", other_backup != backup and backup is not None and backup.read_text() == text, "the first backup"
        )
        expect_equal("TR-100", hooked_configurations(path), [Path("/home/user/config.toml")], "configurations hooked")


def test_settings_that_are_not_understood_are_left_as_they_are(tmp_path: Path) -> None:
    night = Night(tmp_path / "night")
    path = tmp_path / "settings.json"
    for text in ("{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": {"Stop": ["x"]}}', "// comment\n{}"):
        path.write_text(text)
        try:
            install_hook(path, HOOK, night.files)
        except OddSettings:
            assert path.read_text() == text
        else:
            raise AssertionError(f"{text} was taken for settings")


def test_a_settings_file_behind_a_link_stays_behind_it(tmp_path: Path) -> None:
    night = Night(tmp_path / "night")
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    installed(night, link, None)
    assert link.is_symlink() and hooked_configurations(real)
