"""Settings: one frozen object with a bound on every value, read from a TOML file or left at the rules' defaults.

A value outside its bounds, an unknown key or a wrong type is refused on loading, naming file, key and reason.
"""

import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import tomli
from msgspec import Meta

DEFAULT_POISON_PATTERN = (  # TR-075
    r"(?<![A-Za-z])AUP(?![A-Za-z])|Acceptable Use|policy violation|policy blocked|refusal loop"
    r"|毒上下文|中毒|拒绝循环"
)

REPLY_TOOLS = ("mcp__companion__reply", "mcp__*companion*__reply", "mcp__*telegram*__reply")  # TR-029


class ConfigError(ValueError):
    """A configuration that cannot be used; the message names file, key and reason."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person may set about carrying (TR-139, TR-140), with the defaults of the rules."""

    project_dir: str | None = None
    """Absolute path of the one project folder; without it a transcript's own folder is taken."""

    carry_max_tokens: Annotated[int, Meta(ge=0)] = 0
    """0 for no limit, else at least `CARRY_MAX_TOKENS_LEAST`."""
    carry_overflow: Literal["drop_oldest", "block"] = "drop_oldest"
    max_event_chars: Annotated[int, Meta(ge=0)] = 0  # TR-033
    """0 carries every text whole; else the longest text in characters, at least `MAX_EVENT_CHARS_LEAST`."""
    include_open_tail: bool = True
    freeze_startup_snapshot: bool = True
    stamp_turns: bool = False
    reply_tools: tuple[str, ...] = REPLY_TOOLS
    """Shell-style patterns of the tools through which the assistant speaks to the user."""
    private_lines: tuple[str, ...] = ()
    """Recipients (`chat_id`) that are the user; empty: every recipient counts, and a note names those seen."""

    dirty_budget_bytes: Annotated[int, Meta(ge=0)] = 524_288  # TR-053
    rebuild_on_original_image_view: bool = True
    poison_pattern: str = DEFAULT_POISON_PATTERN
    tokens_per_other_char_divisor: Annotated[float, Meta(ge=0.5, le=10)] = 1.5  # TR-046
    """Characters a token for all but CJK; local to a household and to be measured there (TR-046)."""
    fixed_load_tokens: Annotated[int, Meta(ge=0)] = 0
    """What lies under the dialogue in every window (system prompt, tools, memory files), as the host shows it."""

    def __post_init__(self) -> None:
        if 0 < self.carry_max_tokens < CARRY_MAX_TOKENS_LEAST:  # TR-069
            raise ValueError(f"carry_max_tokens must be 0 or at least {CARRY_MAX_TOKENS_LEAST}")
        if 0 < self.max_event_chars < MAX_EVENT_CHARS_LEAST:  # TR-033
            raise ValueError(f"max_event_chars must be 0 or at least {MAX_EVENT_CHARS_LEAST}")
        try:
            re.compile(self.poison_pattern)  # TR-075
        except re.error as error:
            raise ValueError(f"poison_pattern does not compile: {error}") from error
        if self.project_dir is not None and not Path(self.project_dir).is_absolute():
            raise ValueError("project_dir must be an absolute path")


CARRY_MAX_TOKENS_LEAST = 5_000  # TR-069
MAX_EVENT_CHARS_LEAST = 500


def load_settings(path: Path) -> Settings:
    """Read a TOML file. Raises `ConfigError` for a missing file, bad TOML, unknown keys and values out of bounds."""
    try:
        with path.open("rb") as file:
            values = tomli.load(file)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}") from error
