"""Versions of the Claude Code CLI, fetched from the npm registry into the user's cache folder, each once.

A package is taken only if its bytes have the SHA-512 that the registry states for it, and appears whole or not at all.
"""

import base64
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

NATIVE = "@anthropic-ai/claude-code-linux-x64"
JAVASCRIPT = "@anthropic-ai/claude-code"
LAST_JAVASCRIPT = (2, 1, 112)
"""The last version that is taken as JavaScript; the newer ones are native programs."""
FETCH_SECONDS = 300

_VERSION = re.compile(r"\d+\.\d+\.\d+")


class Unavailable(RuntimeError):
    """A version that cannot be had or cannot run on this machine, with the reason."""


class WrongBytes(Unavailable):
    """What came from the registry is not what the registry states."""


def is_version(text: str) -> bool:
    """Whether it looks like one, as in 2.1.199."""
    return _VERSION.fullmatch(text) is not None


def program_of(version: str) -> list[str]:
    """The first words of the command that runs `version`, installed if it was not yet.

    Raises `Unavailable` where the version, npm, the registry or node is missing, and `WrongBytes`.
    """
    if not is_version(version):
        raise Unavailable(f"{version!r} is no version, as in 2.1.199")
    is_native = tuple(map(int, version.split("."))) > LAST_JAVASCRIPT
    if is_native and (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise Unavailable(f"{version}: the native program is for Linux on x86-64")
    node = shutil.which("node")
    if not is_native and node is None:
        raise Unavailable(f"{version} is JavaScript and node is not installed")
    folder = cache_folder() / version
    if not folder.exists():
        _install(f"{NATIVE if is_native else JAVASCRIPT}@{version}", folder)
    return [str(folder / "claude")] if is_native else [str(node), str(folder / "cli.js")]


def cache_folder() -> Path:
    """Where installed versions are kept."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if Path(cache).is_absolute() else Path.home() / ".cache") / "threadrebuild" / "cli"


def _install(package: str, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetching-") as name:
        staging = Path(name)
        stated = json.loads(_npm(staging, "view", package, "dist.integrity", "--json") or "null")
        if not isinstance(stated, str):
            raise Unavailable(f"the registry has no {package}")
        packed = staging / _npm(staging, "pack", package, "--silent", "--pack-destination", name).strip()
        check_integrity(packed, stated)
        unpack(packed, staging)
        if folder.exists():
            return  # somebody else was faster
        try:
            (staging / "package").rename(folder)
        except OSError as error:
            if not folder.exists():
                raise Unavailable(f"{folder}: {error.strerror}") from error


def check_integrity(path: Path, stated: str) -> None:
    """Raises `WrongBytes` unless the file has the SHA-512 that `stated` names, as in `sha512-<base64>`."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    if f"sha512-{base64.b64encode(digest).decode()}" not in stated.split():
        raise WrongBytes(f"{path.name} does not have the bytes that the registry states")


def unpack(packed: Path, folder: Path) -> None:
    """Write the regular files of a package below `folder`. Raises `WrongBytes` where one would lie elsewhere."""
    with tarfile.open(packed) as archive:  # the first Pythons 3.11 have no extraction filters
        for member in archive:
            source = archive.extractfile(member) if member.isfile() else None
            if source is None:
                continue
            place = PurePosixPath(member.name)
            if place.is_absolute() or ".." in place.parts:
                raise WrongBytes(f"{packed.name} holds {member.name!r}, which lies outside of it")
            target = folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            with source, target.open("xb") as file:
                shutil.copyfileobj(source, file)
            target.chmod(0o755 if member.mode & 0o100 else 0o644)


def _npm(staging: Path, *words: str) -> str:
    command = ["npm", *words, "--cache", str(staging / "npm"), "--no-update-notifier", "--ignore-scripts"]
    try:
        done = subprocess.run(
            command, cwd=staging, capture_output=True, text=True, timeout=FETCH_SECONDS, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        raise Unavailable("npm is not installed") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"npm {words[0]} {words[1]}: no answer within {FETCH_SECONDS} s") from None
    if done.returncode:
        if "E404" in done.stderr:
            raise Unavailable(f"the registry has no {words[1]}")
        said = next((line for line in done.stderr.splitlines() if line.strip()), f"exit code {done.returncode}")
        raise Unavailable(f"npm {words[0]} {words[1]}: {said}")
    return done.stdout
