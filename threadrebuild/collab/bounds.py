"""What lies outside the workspace, as far as its words tell; whoever touches the machine looks again at what is there.

It is told narrowly: a command that only looks as if it left is refused, and its check can be written another way.
"""

import posixpath
import re
from collections.abc import Iterator

PROGRAMS = ("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
"""Folders of programs, which a command may name: to run one is not to leave the workspace."""
DEVICES = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr")

_ADDRESS = re.compile(r"\bhttps?://[^\s;|&<>()`\"']*")
_HERE = re.compile(r"\$PWD\b|\$\{PWD\}|\$\(pwd\)|`pwd`")
_ELSEWHERE = re.compile(r"\$\{?(?:HOME|OLDPWD|TMPDIR)\b[^}\s/]*\}?")
_SPACE = re.compile(r"\$\{?IFS\b\}?")
_VARIABLE = re.compile(r"\$\{\w+[^}]*\}|\$\w+|\$[@*#?]")
_QUOTE = re.compile(r"[\"'\\]")
_TOKEN = re.compile(r"[;|&<>()`\n]+|[^\s;|&<>()`\[\]{},=:@+]+")
_OPERATOR = re.compile(r"[;|&<>()`\n]+")
_PATH_IN_OPTION = re.compile(r"/|\.\.|~")


def leaves(path: str, folder: str = "") -> bool:
    """Whether a path, written as seen from a folder of the workspace, names something outside of it."""
    if "\0" in path or any(each.startswith(("/", "~")) for each in (path, folder)):  # CHK-03
        return True
    there = posixpath.normpath(posixpath.join(folder, path))
    return there.split("/")[0] == ".."  # CHK-03


def command_leaves(command: str, folder: str = "") -> bool:
    """Whether a shell's command, run in a folder of the workspace, names something outside of it."""
    return leaves(folder) or any(_is_outside(path, at) for path, at in paths_in(command, folder))  # CHK-03


def paths_in(command: str, folder: str = "") -> Iterator[tuple[str, str]]:
    """The words of a command that could be paths, each with the folder it is taken from.

    What a variable stands for is not known: it is written as `*`.
    """
    text = _ADDRESS.sub(" ", command)
    text = _ELSEWHERE.sub("~", _HERE.sub(".", _SPACE.sub(" ", text)))
    text = _VARIABLE.sub("*", text)
    # A quote within a word is no end of it for the shell, but may be one for the program that reads it.
    yield from _words(_QUOTE.sub("", text), folder)
    yield from _words(_QUOTE.sub(" ", text), folder)


def _words(text: str, folder: str) -> Iterator[tuple[str, str]]:
    tokens = _TOKEN.findall(text)
    at = folder
    for number, token in enumerate(tokens):
        if _OPERATOR.fullmatch(token):
            # Whether another folder was really entered is only sure for what follows on its success.
            at = at if token == "&&" else folder
            continue
        path = _PATH_IN_OPTION.search(token) if token.startswith("-") else None
        yield (token[path.start() :] if path else token), at
        if token == "cd":
            to = tokens[number + 1] if number + 1 < len(tokens) else "&"
            if _OPERATOR.match(to) or to.startswith("-"):
                yield "~", at
            elif tokens[number + 2 : number + 3] == ["&&"]:
                at = posixpath.join(at, to)


def _is_outside(path: str, folder: str) -> bool:
    is_of_the_system = path in DEVICES or posixpath.dirname(path) in PROGRAMS
    return not is_of_the_system and leaves(path, folder)
