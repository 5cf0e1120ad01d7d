"""How the host was really started, compared with how it would be started anew: a missing flag makes it deaf (TR-L21).

Only the way to a session may differ: `--continue` becomes `--resume` with an id (TR-115).
"""

import shlex
from pathlib import PurePath

from threadrebuild.config import SESSION_PLACE
from threadrebuild.doors.host_process import HOST

CONTINUES = frozenset({"--continue", "-c"})
RESUMES = frozenset({"--resume", "-r", "--session-id"})
CHANNEL_FLAGS = frozenset({"--channels", "--dangerously-load-development-channels"})
NO_FLAG = "an argument without a flag"

Arguments = list[tuple[str, ...]]
"""Flags, each with the words that belong to it; words before the first flag stand under an empty one."""


def arguments_of(words: list[str], program: str) -> Arguments | None:
    """What stands after the host's program, but for the way to a session; None where the program does not occur."""
    at = _program_in(words, program)
    if at is None:
        return None
    groups: list[list[str]] = [[""]]
    for word in words[at + 1 :]:
        flag, equals, value = word.partition("=")
        if not word.startswith("-"):
            groups[-1].append(word)
        elif equals:
            groups.append([flag, value])
        else:
            groups.append([word])
    return [tuple(group) for group in _without_the_session(groups) if group != [""]]


def resume_command_of(words: list[str], program: str) -> list[str] | None:
    """The real start command, word for word, with its way to a session replaced by `--resume {session_id}` (TR-115).

    None where the program does not occur in it.
    """
    at = _program_in(words, program)
    if at is None:
        return None
    kept: list[str] = []
    value_of = ""
    for word in words[at + 1 :]:
        flag, equals, _ = word.partition("=")
        if value_of and not word.startswith("-"):
            value_of = ""
        elif flag in CONTINUES or flag in RESUMES:
            value_of = flag if flag in RESUMES and not equals else ""
        else:
            kept.append(word)
            value_of = ""
    return [*words[: at + 1], "--resume", SESSION_PLACE, *kept]


def words_of(line: str) -> list[str]:
    """The words of a start command that is shown as one line; a line within quotes is parted too."""
    try:
        words = shlex.split(line)
        return shlex.split(words[0]) if len(words) == 1 else words
    except ValueError:
        return []


def missing_in(intended: Arguments, real: Arguments) -> list[str]:
    """Flags of the real start that the intended one lacks or gives other words; names only, words may be secret."""
    return [flag or NO_FLAG for flag, *_ in (group for group in real if group not in intended)]  # TR-L21


def single_consumers(arguments: Arguments) -> list[str]:
    """Channels and plugins that a start loads: of each only one process may poll at a time (TR-169)."""
    return [word for flag, *words in arguments if flag in CHANNEL_FLAGS for word in words]  # TR-169


def _program_in(words: list[str], program: str) -> int | None:
    names = {HOST, PurePath(program).name}
    return next((at for at, word in enumerate(words) if PurePath(word).name in names), None)


def _without_the_session(groups: list[list[str]]) -> list[list[str]]:
    kept: list[list[str]] = [[""]]
    for flag, *words in groups:
        if flag in CONTINUES:
            kept[0] += words
        elif flag in RESUMES:
            kept[0] += words[1:]
        elif flag == "":
            kept[0] += words
        else:
            kept.append([flag, *words])
    return kept
