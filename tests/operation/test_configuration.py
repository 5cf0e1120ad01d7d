"""What may be configured, within which bounds, and what holds where nothing is."""

from pathlib import Path

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.carry.plan import plan_file
from threadrebuild.config import ConfigError, Settings, load_settings

ENDLESS = ("inf", "nan", "-inf")


def loaded(folder: Path, text: str) -> Settings | str:
    """The settings of a file with this text, or why they are refused."""
    file = folder / "settings.toml"
    file.write_text(text, encoding="utf-8")
    try:
        return load_settings(file)
    except ConfigError as error:
        return str(error)


def expect_bounds(rule: str, folder: Path, key: str, taken: list[object], refused: list[object]) -> None:
    """Values of a key that load, and values that are refused with the key's name."""
    for value in taken:
        found = loaded(folder, f"{key} = {value}")
        expect(rule, isinstance(found, Settings), f"{key} = {value} loads: {found}")
        expect_equal(rule, str(getattr(found, key)).lower(), str(value).strip('"').lower(), key)
    for value in refused:
        found = loaded(folder, f"{key} = {value}")
        expect(rule, isinstance(found, str) and key in found, f"{key} = {value} is refused by name: {found}")


@proves("TR-139")
def test_keys_of_the_carry(tmp_path: Path) -> None:
    expect_bounds("TR-139", tmp_path, "carry_max_tokens", [0, 5000, 5001, 1_000_000], [-1, 1, 100, 4999, '"5000"', 5e3])
    expect_bounds("TR-139", tmp_path, "max_event_chars", [0, 500, 501], [-1, 1, 499])
    expect_bounds("TR-139", tmp_path, "carry_overflow", ['"drop_oldest"', '"block"'], ['"drop"', '""', 1])
    for key in ("include_open_tail", "freeze_startup_snapshot", "stamp_turns"):
        expect_bounds("TR-139", tmp_path, key, ["true", "false"], [1, '"true"'])
    nothing_set = loaded(tmp_path, "")
    assert isinstance(nothing_set, Settings)
    expect_equal("TR-139", nothing_set.carry_overflow, "drop_oldest", "carry_overflow by default")
    expect_equal("TR-139", nothing_set.include_open_tail, True, "include_open_tail by default")
    expect_equal("TR-139", nothing_set.freeze_startup_snapshot, True, "freeze_startup_snapshot by default")
    # The rule's own default is true; the decisions turn stamps off unless a household asks for them.
    expect_equal("TR-139", nothing_set.stamp_turns, False, "stamp_turns by default")


@proves("TR-140")
def test_keys_of_the_dirty_ledger(tmp_path: Path) -> None:
    expect_bounds("TR-140", tmp_path, "dirty_budget_bytes", [0, 1, 524_288], [-1, 0.5, '"0"'])
    expect_bounds("TR-140", tmp_path, "rebuild_on_original_image_view", ["true", "false"], [1])
    nothing_set = loaded(tmp_path, "")
    assert isinstance(nothing_set, Settings)
    expect_equal("TR-140", nothing_set.dirty_budget_bytes, 524_288, "dirty_budget_bytes by default")
    expect_equal("TR-140", nothing_set.rebuild_on_original_image_view, True, "original image views count by default")


@proves("TR-141")
def test_keys_of_time(tmp_path: Path) -> None:
    expect("TR-069", isinstance(loaded(tmp_path, "carry_max_tokens = 0"), Settings), "no cap is no cap out of bounds")
    expect_bounds("TR-141", tmp_path, "activation_delay_seconds", [1.0, 1.5], [0, 0.9, -3, *ENDLESS])
    expect_bounds("TR-141", tmp_path, "healthcheck_seconds", [0.0, 0.5], [-0.1, *ENDLESS])
    expect_bounds("TR-141", tmp_path, "stable_file_seconds", [0.1, 1.0], [0, -1, *ENDLESS])
    expect_bounds("TR-141", tmp_path, "stable_file_timeout_seconds", [0.1, 1.0], [0, -1, *ENDLESS])
    expect_bounds("TR-141", tmp_path, "systemd_restart_timeout_seconds", [10.0, 10.5], [1, 9.9, *ENDLESS])
    nothing_set = loaded(tmp_path, "")
    assert isinstance(nothing_set, Settings)
    defaults = {
        "activation_delay_seconds": 3.0,
        "healthcheck_seconds": 5.0,
        "stable_file_seconds": 1.0,
        "stable_file_timeout_seconds": 10.0,
        "systemd_restart_timeout_seconds": 180.0,
    }
    for key, value in defaults.items():
        expect_equal("TR-141", getattr(nothing_set, key), value, f"{key} by default")


@proves("TR-143")
def test_no_cap_is_the_default_and_no_turn_is_too_old(tmp_path: Path) -> None:
    for text in ("", "carry_max_tokens = 0"):
        settings = loaded(tmp_path, text)
        cap = settings.carry_max_tokens if isinstance(settings, Settings) else settings
        expect_equal("TR-143", cap, 0, f"carry_max_tokens of a file that says {text!r}")
    talk = Talk()
    turns = 40
    for number in range(turns):
        talk.user(f"第 {number} 句 " + "长" * 900)
        talk.assistant("嗯。" * 300)
    source = tmp_path / "talk.jsonl"
    source.write_bytes(talk.bytes())
    assert isinstance(settings, Settings)
    plan = plan_file(source, settings)
    expect("TR-143", plan.estimated_tokens > 30_000, f"more is carried than any small cap: {plan.estimated_tokens}")
    expect_equal("TR-143", (len(plan.selected), plan.dropped_oldest_turns), (turns, 0), "turns carried and dropped")


def test_no_setting_holds_a_character_that_no_path_or_argument_can(tmp_path: Path) -> None:
    for key, value in (
        ("state_dir", '"/a\\u0000b"'),
        ("project_dir", '"/a\\u0000b"'),
        ("resume_command", '["claude\\u0000", "{session_id}"]'),
    ):
        assert (
            loaded(tmp_path, f"{key} = {value}") == f"{tmp_path / 'settings.toml'}: {key} must not hold a NUL character"
        )
