"""Weighs a made-up talk in the test's own folder."""

from pathlib import Path
from typing import Any

from harness.world.talk import Talk
from threadrebuild.config import ConfigError, Settings, load_settings
from threadrebuild.transcript.dirty import Dirty, dirty_ledger
from threadrebuild.transcript.reading import read_transcript


def weigh_file(path: Path, **settings: Any) -> Dirty:
    """The dirty ledger of a transcript that is there."""
    chosen = Settings(**settings)
    return dirty_ledger(read_transcript(path, chosen), chosen)


def weigh(talk: Talk, folder: Path, **settings: Any) -> Dirty:
    """Write a talk as a transcript into `folder` and weigh it."""
    return weigh_file(talk.write(folder / "weighed.jsonl"), **settings)


def small_talk() -> Talk:
    """A question and its answer, and nothing beside them."""
    talk = Talk()
    talk.user("下雨了吗？")
    talk.assistant("下了。")
    return talk


def noisy_talk(characters: int) -> Talk:
    """A talk with a skill body whose JSON string takes two bytes more than `characters`; nothing else weighs."""
    talk = small_talk()
    talk.meta("x" * characters)
    return talk


def refused(folder: Path, toml: str) -> str:
    """Why settings from a file that holds `toml` are refused; empty where they are taken."""
    path = folder / "settings.toml"
    path.write_text(toml, encoding="utf-8")
    try:
        load_settings(path)
    except ConfigError as error:
        return str(error)
    return ""
