"""Acceptance before a switch: the verdict of a look at everything, and exactly what it was a verdict on.

The harness writes it; a household with `require_acceptance` takes no request without it. A verdict is on a
configuration, a transcript and a program, each by its digest, and it ages: talk goes on, and so do machines.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from threadrebuild.config import Settings
from threadrebuild.installed_cli import InstalledCli, installed_cli
from threadrebuild.operation.household import Household, Refused
from threadrebuild.project import source_in
from threadrebuild.transcript.lines import UnreadableInput, digest_of

FILE = "acceptance.json"
SHOWN = 12
"""Digits of a digest that a sentence shows."""


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What a verdict is on. Digests are SHA-256, as hex."""

    configuration_sha256: str
    """Of the values in force, not of the file: a process that read it long ago may hold others."""
    transcript: str
    transcript_bytes: int
    transcript_sha256: str
    """Of the first `transcript_bytes` bytes: the request itself is said in the talk, so that the file has grown."""
    cli: str
    """The program, with every link followed: an upgrade puts another one behind the same name."""
    cli_sha256: str
    cli_version: str


class Acceptance(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict as it lies in the state folder: names of checks and digests, and no word of the dialogue (TR-146)."""

    verdict: Literal["GO", "NO-GO"]
    at: Annotated[datetime, Meta(tz=True)]
    """When it was reached."""
    failed: list[str]
    """Names of the checks that did not hold or were not made; empty for a GO."""
    subject: Subject | None
    """None where it was not even clear what it would be on."""
    format: Literal[1] = 1


def subject_of(settings: Settings, transcript: Path, size: int, cli: InstalledCli) -> Subject:
    """What a verdict of now would be on, by the first `size` bytes of a transcript. Raises OSError."""
    return Subject(
        configuration_sha256=settings_digest(settings),
        transcript=str(transcript.resolve()),
        transcript_bytes=size,
        transcript_sha256=digest_of(transcript, size),
        cli=str(cli.file),
        cli_sha256=digest_of(cli.file, cli.file.stat().st_size),
        cli_version=cli.version,
    )


def settings_digest(settings: Settings) -> str:
    """SHA-256 over all values in force, those left at their defaults too: new defaults are another configuration."""
    return sha256(msgspec.json.encode(settings, order="deterministic")).hexdigest()


def store_acceptance(house: Household, acceptance: Acceptance) -> Path:
    """Write a verdict durably and privately, in place of the one before; the file it lies in. Raises OSError."""
    files, final = house.ports.files, _file(house)
    with house.store.lock():
        part = final.with_suffix(".part")
        files.remove(part)
        with files.create(part) as file:
            file.write(msgspec.json.format(msgspec.json.encode(acceptance), indent=1))
            files.sync(file)
        files.replace(part, final)
        files.sync_folder(final.parent)
    return final


def read_acceptance(house: Household) -> Acceptance | None:
    """The last verdict; None where there is none. Raises `Refused` for a file that holds none."""
    path = _file(house)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Acceptance)
    except FileNotFoundError:
        return None
    except (msgspec.DecodeError, RecursionError, OSError) as error:
        raise Refused("not-accepted", f"{path}: no acceptance: {error}") from None


def require_acceptance(house: Household, transcript: Path | None = None) -> None:
    """Raise `Refused` where the household wants a verdict first and the last is no GO on what is here now.

    It has to be on this transcript; without one, on the newest. The reason names each digest that differs.
    """
    if not house.settings.require_acceptance:
        return
    accepted = read_acceptance(house)
    fault = "nothing has been accepted yet" if accepted is None else _fault(house, accepted, transcript)
    if fault is not None:  # TR-157
        raise Refused("not-accepted", f"{fault}; run rebuild-harness accept and look at its plan")


def differences(accepted: Subject, now: Subject) -> list[str]:
    """What of a subject is another by now, in words, with both digests."""
    found = []
    if accepted.configuration_sha256 != now.configuration_sha256:
        found.append(_changed("configuration", accepted.configuration_sha256, now.configuration_sha256))
    if (accepted.transcript, accepted.transcript_sha256) != (now.transcript, now.transcript_sha256):
        names = [Path(each.transcript).name for each in (accepted, now)]
        found.append(_changed("transcript", accepted.transcript_sha256, now.transcript_sha256, *names))
    if (accepted.cli, accepted.cli_sha256, accepted.cli_version) != (now.cli, now.cli_sha256, now.cli_version):
        versions = accepted.cli_version, now.cli_version
        found.append(_changed("CLI", accepted.cli_sha256, now.cli_sha256, *versions))
    return found


def _changed(what: str, before: str, now: str, before_name: str = "", now_name: str = "") -> str:
    accepted, present = f"{before_name} {before[:SHOWN]}".strip(), f"{now_name} {now[:SHOWN]}".strip()
    return f"the {what} was {accepted} and is {present}"


def _fault(house: Household, accepted: Acceptance, transcript: Path | None) -> str | None:
    """Why a verdict is no reason to go on; None where it is one."""
    if accepted.verdict != "GO" or accepted.subject is None:  # TR-155
        return f"the last acceptance, of {accepted.at}, is NO-GO: {', '.join(accepted.failed)}"
    age = house.ports.clock.now() - accepted.at
    if not timedelta() <= age <= timedelta(hours=house.settings.acceptance_hours):
        return f"the acceptance is of {accepted.at}, and acceptance_hours is {house.settings.acceptance_hours:g}"
    cli = installed_cli(house.settings, house.ports.processes)
    if isinstance(cli, str):
        return cli
    try:
        source = source_in(house.settings, transcript)
        now = subject_of(house.settings, source, accepted.subject.transcript_bytes, cli)
    except (UnreadableInput, OSError) as error:
        return str(error)
    changed = differences(accepted.subject, now)
    return f"changed since the acceptance: {'; '.join(changed)}" if changed else None


def _file(house: Household) -> Path:
    return house.store.state_dir / FILE
