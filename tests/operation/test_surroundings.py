"""What lies outside of the transcript and shapes the system prompt: kept at the freeze, compared at the first start."""

import json
from pathlib import Path

from households import asked, in_state, rebuilt

from harness.expect import expect, expect_equal, proves
from harness.world.night import Night
from threadrebuild.operation.record import Operation
from threadrebuild.operation.surroundings import changes, surroundings


class Home:
    """A night's household in a home with instructions, settings and a list of servers."""

    def __init__(self, folder: Path) -> None:
        self.host = folder / "home" / ".claude"
        self.workdir = folder / "work" / "project"
        self.workdir.mkdir(parents=True)
        self.host.mkdir(parents=True)
        self.state = self.host.parent / ".claude.json"
        self.write(self.host / "CLAUDE.md", "be kind")
        self.write(self.host / "settings.json", "{}")
        self.write(self.workdir / "CLAUDE.md", "the project's own")
        self.write(self.workdir.parent / "CLAUDE.md", "of the folder above")
        self.servers(notes={"command": "notes"})
        self.night = Night(
            self.host / "projects", claude_workdir=str(self.workdir), verify_workdir_matches_project=False
        )

    def write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")

    def servers(self, startups: int = 1, **servers: object) -> None:
        """The host's own state, which changes at every start."""
        projects = {str(self.workdir): {"mcpServers": servers}}
        self.write(self.state, json.dumps({"numStartups": startups, "projects": projects}))

    def switched(self, meanwhile: object = None) -> Operation:
        """A rebuild to its end, something happening between freeze and first start."""
        night = asked(self.night)
        if callable(meanwhile):
            in_state(night, "verifying", meanwhile)
        night.end_turn()
        night.world.run()
        return night.latest()


@proves("TR-L29")
def test_what_changed_outside_of_the_transcript_is_told(tmp_path: Path) -> None:
    quiet = Home(tmp_path / "quiet")
    operation = quiet.switched(lambda: quiet.servers(2, notes={"command": "notes"}))
    expect_equal("TR-095", operation.state, "activated", "a night in which nothing is in the way")
    names = ["MCP servers", "host/CLAUDE.md", "host/settings.json", "workdir/../CLAUDE.md", "workdir/CLAUDE.md"]
    expect_equal(
        "TR-L29", [name for name in sorted(operation.surroundings) if name in names], names, "kept at the freeze"
    )
    expect_equal("TR-L29", operation.surroundings_changed, [], "nothing but the host's own count of starts changed")
    for number, (change, wanted) in enumerate(
        [
            (lambda home: home.write(home.workdir / "CLAUDE.md", "another"), "workdir/CLAUDE.md is another"),
            (lambda home: home.write(home.workdir.parent / "CLAUDE.md", "x"), "workdir/../CLAUDE.md is another"),
            (lambda home: (home.host / "CLAUDE.md").unlink(), "host/CLAUDE.md is gone"),
            (lambda home: home.write(home.workdir / "CLAUDE.local.md", "x"), "workdir/CLAUDE.local.md is new"),
            (lambda home: home.write(home.host / "settings.json", '{"model":"x"}'), "host/settings.json is another"),
            (lambda home: home.servers(2), "MCP servers is another"),
        ]
    ):
        home = Home(tmp_path / str(number))
        operation = home.switched(lambda home=home, change=change: change(home))
        expect_equal("TR-095", operation.state, "activated", f"what is told stops nothing: {wanted}")
        expect_equal("TR-L29", operation.surroundings_changed, [wanted], "told at the first start")
    expect_equal(
        "TR-L29", changes({"a": "1", "b": "1"}, {"b": "2", "c": "1"}), ["a is gone", "b is another", "c is new"], ""
    )


def test_no_private_folder_stands_in_the_names(tmp_path: Path) -> None:
    operation = Home(tmp_path).switched()
    assert not [name for name in operation.surroundings if str(tmp_path) in name or "project" in name]
    assert all(len(digest) == 64 for digest in operation.surroundings.values())


def test_a_household_without_any_of_it_has_nothing_to_tell(tmp_path: Path) -> None:
    night = Night(tmp_path / "home" / ".claude" / "projects")
    assert surroundings(night.house) == {}
    assert rebuilt(night).surroundings_changed == []


def test_a_state_of_the_host_that_is_none_is_left_alone(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for content in ("[]", "none", '{"projects": []}'):
        home.write(home.state, content)
        assert "MCP servers" not in surroundings(home.night.house)
    expect("TR-L29", home.state.exists(), "it was only read")
