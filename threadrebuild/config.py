"""Settings: one frozen object with a bound on every value, read from a TOML file or left at the rules' defaults.

A value outside its bounds, an unknown key or a wrong type is refused on loading, naming file, key and reason.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import tomli
from msgspec import Meta

DEFAULT_POISON_PATTERN = (  # TR-075
    r"(?<![A-Za-z])AUP(?![A-Za-z])|Acceptable Use|policy violation|policy blocked|refusal loop"
    r"|毒上下文|中毒|拒绝循环"
)

DAY_SECONDS = 86_400
"""No wait is meant to be longer; it also keeps out what TOML calls `inf`."""
MONTH_HOURS = 744

WINDOW_LINE_TOKENS = 140_000  # WN-08
WINDOW_MARGIN_TOKENS = 16_384  # WN-08
RETAINED_TOKENS = 30_000  # WN-09
IMAGE_PIXELS_PER_TOKEN = 750  # WN-10
IMAGE_TOKENS_MOST = 2_576  # WN-10

PATHS = ("project_dir", "claude_workdir", "resume_pointer_path", "channel_dir", "note_path", "failures_path")
"""Settings that are absolute paths; a worker runs in another folder."""

REPLY_TOOLS = ("mcp__*companion*__reply", "mcp__*telegram*__reply")  # TR-029


class ConfigError(ValueError):
    """A configuration that cannot be used; the message names file, key and reason."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person may set, with the defaults of the rules. Facts of one household have none (TR-138…TR-142)."""

    project_dir: str | None = None
    """Absolute path of the one project folder; without it a transcript's own folder is taken."""

    carry_max_tokens: Annotated[int, Meta(ge=0)] = 0  # TR-139 TR-143
    """0 for no limit, else at least `CARRY_MAX_TOKENS_LEAST`."""
    carry_overflow: Literal["drop_oldest", "block"] = "drop_oldest"  # TR-139
    max_event_chars: Annotated[int, Meta(ge=0)] = 0  # TR-033 TR-139
    """0 carries every text whole; else the longest text in characters, at least `MAX_EVENT_CHARS_LEAST`."""
    include_open_tail: bool = True  # TR-139
    freeze_startup_snapshot: bool = True  # TR-139
    stamp_turns: bool = False  # TR-139
    reply_tools: tuple[str, ...] = REPLY_TOOLS
    """Shell-style patterns of the tools through which the assistant speaks to the user."""
    private_lines: tuple[str, ...] = ()
    """Recipients (`chat_id`) that are the user; empty: every recipient counts, and a note names those seen."""
    fetch_tools: tuple[str, ...] = ()
    """Shell-style patterns of the tools that fetch messages; empty where a channel only notifies."""

    dirty_budget_bytes: Annotated[int, Meta(ge=0)] = 524_288  # TR-053 TR-140
    rebuild_on_original_image_view: bool = True  # TR-140
    poison_pattern: str = DEFAULT_POISON_PATTERN
    tokens_per_other_char_divisor: Annotated[float, Meta(ge=0.5, le=10)] = 1.5  # TR-046
    """Characters a token for all but CJK; local to a household and to be measured there (TR-046)."""
    fixed_load_tokens: Annotated[int, Meta(ge=0)] = 0
    """What lies under the dialogue in every window (system prompt, tools, memory files), as the host shows it."""

    carry: Literal["dialogue", "note"] = "dialogue"
    """What a rebuild keeps: the dialogue alone, or a window note and the recent span whole."""
    note_path: str | None = None
    """Absolute path of the file that the host writes the window note to."""
    failures_path: str | None = None
    """Absolute path of the host's records of failed turns (JSON), for a window change."""
    window_line_tokens: Annotated[int, Meta(ge=1)] = WINDOW_LINE_TOKENS
    context_limit_tokens: Annotated[int, Meta(ge=1)] = 200_000
    """How many tokens the model's window holds."""
    closing_reserve_tokens: Annotated[int, Meta(ge=0)] = 8_000
    """What is kept free for the turn that closes the old window."""
    window_margin_tokens: Annotated[int, Meta(ge=0)] = WINDOW_MARGIN_TOKENS
    retained_tokens: Annotated[int, Meta(ge=1)] = RETAINED_TOKENS
    image_pixels_per_token: Annotated[int, Meta(ge=1)] = IMAGE_PIXELS_PER_TOKEN
    image_tokens_most: Annotated[int, Meta(ge=1)] = IMAGE_TOKENS_MOST

    state_dir: str = "~/.local/state/kael-thread-rebuild"  # TR-138
    claude_workdir: str | None = None
    verify_workdir_matches_project: bool = True
    activation: Literal["tmux", "systemd", "pointer"] = "tmux"  # TR-110
    resume_command: tuple[str, ...] = ()
    """The host's real start command, with the continue flag replaced by resume and `{session_id}` (TR-115)."""
    tmux_target: str | None = None
    """Session, window and pane, as in `cc:0.0`."""
    tmux_socket: str | None = None
    """Name of the tmux server's socket; without it the user's default server."""
    systemd_unit: str | None = None
    resume_pointer_path: str | None = None

    activation_delay_seconds: Annotated[float, Meta(ge=1, le=DAY_SECONDS)] = 3.0  # TR-102 TR-141
    healthcheck_seconds: Annotated[float, Meta(ge=0, le=DAY_SECONDS)] = 5.0  # TR-141
    stable_file_seconds: Annotated[float, Meta(gt=0, le=DAY_SECONDS)] = 1.0  # TR-141
    stable_file_timeout_seconds: Annotated[float, Meta(gt=0, le=DAY_SECONDS)] = 10.0  # TR-141
    systemd_restart_timeout_seconds: Annotated[float, Meta(ge=10, le=DAY_SECONDS)] = 180.0  # TR-141
    channel_dir: str | None = None
    """Folder that the household's channel shares with the worker (TR-L22); without it no message is held."""
    keep_backups_days: Annotated[int, Meta(ge=0)] = 0
    """How long `recover` keeps the artifacts of ended operations; 0 keeps them for ever."""
    require_acceptance: bool = False
    """Whether a request needs a GO of `rebuild-harness accept` on what is there now (TR-157)."""
    acceptance_hours: Annotated[float, Meta(gt=0, le=MONTH_HOURS)] = 24.0
    """How long an acceptance counts."""

    def __post_init__(self) -> None:
        if 0 < self.carry_max_tokens < CARRY_MAX_TOKENS_LEAST:  # TR-069
            raise ValueError(f"carry_max_tokens must be 0 or at least {CARRY_MAX_TOKENS_LEAST}")
        if 0 < self.max_event_chars < MAX_EVENT_CHARS_LEAST:  # TR-033
            raise ValueError(f"max_event_chars must be 0 or at least {MAX_EVENT_CHARS_LEAST}")
        try:
            re.compile(self.poison_pattern)  # TR-075
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"poison_pattern does not compile: {error}") from error
        if self.context_limit_tokens <= self.closing_reserve_tokens + self.window_margin_tokens:
            raise ValueError("context_limit_tokens must leave room beside closing_reserve_tokens and the margin")
        if self.carry == "note" and self.note_path is None:
            raise ValueError('carry = "note" needs note_path')
        for name in self.__struct_fields__:
            value = getattr(self, name)
            texts = [value] if isinstance(value, str) else value if isinstance(value, tuple | list) else ()
            if any("\0" in text for text in texts):  # no path, argument or variable can hold one
                raise ValueError(f"{name} must not hold a NUL character")
        for name in PATHS:
            path = getattr(self, name)
            if path is not None and not Path(path).is_absolute():  # TR-002
                raise ValueError(f"{name} must be an absolute path")
        if self.tmux_target is not None and TMUX_TARGET.fullmatch(self.tmux_target) is None:  # TR-114
            raise ValueError("tmux_target must name session, window and pane, as in cc:0.0")
        if self.systemd_unit is not None and SYSTEMD_UNIT.fullmatch(self.systemd_unit) is None:  # TR-142
            raise ValueError("systemd_unit must be the name of a .service")
        for name in FACTS_OF_DOOR[self.activation]:  # TR-142
            if getattr(self, name) is None:
                raise ValueError(f"activation {self.activation} needs {name}")
        if self.resume_command and SESSION_PLACE not in self.resume_command[1:]:  # TR-142
            raise ValueError(f"resume_command must hold {SESSION_PLACE} as an argument of its own")
        if not SHELL_WORDS.isdisjoint(self.resume_command):  # TR-115
            raise ValueError("resume_command must be a list of arguments, not a line for a shell")


TMUX_TARGET = re.compile(r"[A-Za-z0-9_@-][A-Za-z0-9_@. -]*:[0-9]+\.[0-9]+|%[0-9]+")
SYSTEMD_UNIT = re.compile(r"[A-Za-z0-9:_.@\\-]+\.service")
FACTS_OF_DOOR: dict[str, tuple[str, ...]] = {
    "tmux": (),
    "systemd": ("systemd_unit", "resume_pointer_path"),
    "pointer": ("resume_pointer_path",),
}
"""What a configuration that names a door has to hold for loading; tmux is also the default of those without a door."""
SESSION_PLACE = "{session_id}"
SHELL_WORDS = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>"})
CONFIG_VARIABLE = "KAEL_REBUILD_CONFIG"  # TR-138
CONFIG_NAME = "config.toml"  # TR-138
CARRY_MAX_TOKENS_LEAST = 5_000  # TR-069 TR-139
MAX_EVENT_CHARS_LEAST = 500  # TR-033 TR-139


def find_config(named: Path | None, variables: Mapping[str, str]) -> Path | None:
    """The configuration file to read (TR-138): the one named, else the environment's, else `config.toml` here.

    None where nobody named one and there is none here; a file that was named and is missing is left to its reader.
    """
    if named is not None:
        return named
    if variables.get(CONFIG_VARIABLE):
        return Path(variables[CONFIG_VARIABLE])
    here = Path(CONFIG_NAME)
    return here if here.exists() else None


def load_settings(path: Path) -> Settings:
    """Read a TOML file. Raises `ConfigError` for a missing file, bad TOML, unknown keys and values out of bounds."""
    try:
        with path.open("rb") as file:
            values = tomli.load(file)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (tomli.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}") from error
