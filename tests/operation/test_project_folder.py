"""Which folder is the project's: named after the working directory, never guessed, never the root above all."""

from pathlib import Path

import msgspec
from households import night_of, rebuilt

from harness.expect import expect, expect_equal, proves
from harness.world.night import OLD_SESSION, PANE, Night
from threadrebuild.config import ConfigError, Settings, load_settings
from threadrebuild.operation.states import State
from threadrebuild.project_folder import NAME_LONGEST, folder_fault, folder_name

ROOT_ABOVE, WRITES_TO, NOT_COVERED = "the root above", "writes to a folder", "not covered"


def fault(folder: Path, workdir: str, verify: bool = True) -> str:
    """What is wrong with a project folder for a working directory; empty where nothing is."""
    settings = Settings(
        project_dir=str(folder), claude_workdir=workdir, verify_workdir_matches_project=verify, state_dir="/nonexistent"
    )
    return folder_fault(settings) or ""


@proves("TR-003")
def test_the_folder_is_named_after_the_working_directory(tmp_path: Path) -> None:
    for workdir, wanted in [
        ("/root", "-root"),
        ("/", "-"),
        ("/home/user/my.app v2", "-home-user-my-app-v2"),
        ("/srv/ä_b-c", "-srv---b-c"),
    ]:
        expect_equal("TR-003", folder_name(workdir), wanted, f"folder for {workdir}")
    good = fault(tmp_path / "-root", "/root")
    expect("TR-002", ROOT_ABOVE not in good, "one project's folder is not the root above all")
    expect("TR-L31", NOT_COVERED not in good, "a plain path is covered")
    expect("TR-003", WRITES_TO not in good, f"-root belongs to /root: {good}")
    for folder, workdir in [("-", "/root"), ("-root", "/"), ("root", "/root"), ("-Root", "/root"), ("-root-", "/root")]:
        expect(
            "TR-003", WRITES_TO in fault(tmp_path / folder, workdir), f"{folder} is taken for the folder of {workdir}"
        )
        expect(
            "TR-003", WRITES_TO not in fault(tmp_path / folder, workdir, verify=False), "the check can be switched off"
        )


@proves("TR-003")
def test_prepare_refuses_the_wrong_folder_before_anything_is_switched(tmp_path: Path) -> None:
    night = night_of(tmp_path, "tmux", claude_workdir="/home/user")
    old = night.tmux.process_in(PANE)
    operation = rebuilt(night)
    expect_equal("TR-003", operation.state, State.FAILED, "end with the wrong project folder")
    said = operation.error or ""
    expect("TR-003", "-home-user" in said and night.project_dir.name in said, f"both names are shown: {said}")
    expect("TR-003", night.tmux.process_in(PANE) is old and old.alive, "the pane was touched")
    names = [path.name for path in night.project_dir.iterdir()]
    expect_equal("TR-003", names, [f"{OLD_SESSION}.jsonl"], "what lies in the project folder")


@proves("TR-002")
def test_the_root_above_all_projects_and_relative_paths_are_refused(tmp_path: Path) -> None:
    for line, wanted in [
        ('project_dir = "projects/-root"', True),
        ('project_dir = "~/x"', True),
        ('project_dir = "/home/user/.claude/projects/-root"', False),
    ]:
        config = tmp_path / "config.toml"
        config.write_text(line, encoding="utf-8")
        expect("WN-08", "must leave room" not in refusal(config), "nothing is wrong with the window's limits")
        expect_equal("TR-002", "absolute" in refusal(config), wanted, f"{line} is refused as no absolute path")
    projects = tmp_path / "projects"
    project = projects / "-home-user-project"
    (project / OLD_SESSION / "subagents").mkdir(parents=True)
    renamed = tmp_path / "copy"
    (renamed / "-home-user-project").mkdir(parents=True)
    for folder, wanted in [(projects, True), (renamed, True), (project, False), (tmp_path / "absent", False)]:
        seen = ROOT_ABOVE in fault(folder, "/home/user/project", verify=False)
        expect_equal("TR-002", seen, wanted, f"{folder.name} is refused as the root above all projects")
    night = Night(tmp_path / "night")
    house_root = msgspec.structs.replace(night.settings, project_dir=str(night.project_dir.parent))
    expect("TR-002", ROOT_ABOVE in (folder_fault(house_root) or ""), "the folder above a project's is refused")


def refusal(config: Path) -> str:
    """Why a configuration is refused on loading; empty where it is not."""
    try:
        load_settings(config)
    except ConfigError as error:
        return str(error)
    return ""


@proves("TR-L31")
def test_what_the_measured_rule_does_not_cover_is_refused_by_name(tmp_path: Path) -> None:
    expect("TR-002", ROOT_ABOVE not in fault(tmp_path / "-root", "/root"), "one project's folder is not the root")
    longest = "/" + "a" * (NAME_LONGEST - 1)
    for workdir, wanted in [
        ("/home/user/my.app", False),
        ("/home/user/a b", False),
        ("/home/用户", False),
        (longest, False),
        (longest + "a", True),
        ("/home/user/\uffff", False),
        ("/home/user/\U00010000", True),
        ("/home/user/🏠", True),
    ]:
        said = fault(tmp_path / folder_name(workdir), workdir)
        expect_equal(
            "TR-L31", NOT_COVERED in said, wanted, f"{workdir[:20]}… ({len(workdir)} characters) is refused by name"
        )
        expect("TR-L31", not wanted or workdir in said, f"the refusal names the directory: {said}")
