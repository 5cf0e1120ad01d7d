"""The command line of the cores: `candidate`, `verify`, `plan`, `dirty` on files; those of operations are attached.

Exit codes: 0 done, 1 refused, 2 usage, configuration or unreadable input. With `--json` stdout holds one object.
"""

import io
import os
import sys
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, NoReturn

import click

from threadrebuild import __version__
from threadrebuild.carry.candidate import MANIFEST, build_candidate
from threadrebuild.carry.failures import read_failures
from threadrebuild.carry.manifest import read_manifest
from threadrebuild.carry.note import read_note
from threadrebuild.carry.plan import Malformed, plan_file
from threadrebuild.carry.strip_record import strip_record
from threadrebuild.carry.summary import (
    candidate_summary,
    dirty_summary,
    plan_summary,
    verification_summary,
)
from threadrebuild.carry.telling import print_carry
from threadrebuild.carry.verification import verify_candidate
from threadrebuild.carry.window import plan_window
from threadrebuild.commands import COMMANDS
from threadrebuild.config import ConfigError, Settings, find_config, load_settings
from threadrebuild.console import REFUSED, UNUSABLE, config_option, json_option, path_type, print_json
from threadrebuild.project import source_in
from threadrebuild.system import SystemFiles, SystemIds
from threadrebuild.transcript.dirty import WRONG_FOLDER, dirty_ledger
from threadrebuild.transcript.lines import UnreadableInput
from threadrebuild.transcript.reading import read_transcript

DIVISOR_DECIMALS = 4
CHECK_MARKS = {True: "ok  ", False: "FAIL", None: "skip"}

_transcript = click.argument("transcript", type=path_type)
_transcript_or_newest = click.argument("transcript", type=path_type, required=False)
_malformed = click.option(
    "--malformed",
    type=click.Choice(["block", "report"]),
    default="block",
    show_default=True,
    help="Refuse a file with unreadable lines, or go on and list them.",
)


class _Commands(click.Group):
    """A group whose usage errors, too, stand on stdout as one object where JSON was asked for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["as_json"] = "--json" in args
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if ctx.meta["as_json"]:
                print_json({"verdict": "refused", "reason": "usage", "detail": error.format_message()})
            raise


@click.group(cls=_Commands)
@click.version_option(__version__)
def main() -> None:
    """Carry the dialogue of a Claude Code session, byte for byte, into a clean one."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names and texts may hold what no encoding can say


@main.command()
@_transcript
@click.option("--out", type=path_type, required=True, help="Folder for the candidate, its manifest and its ledger.")
@click.option("--session-id", help="Session id of the candidate; random without it.")
@click.option(
    "--carry",
    type=click.Choice(["dialogue", "note"]),
    help="The dialogue alone, or a window note and the recent span whole; as configured without it.",
)
@click.option("--note", type=path_type, help="The window note: a text file; else the configured note_path.")
@click.option("--failures", type=path_type, help="The host's records of failed turns (JSON), for --carry note.")
@click.option(
    "--context-reading",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    help="The host's reading of the old window, for --carry note; estimated without it.",
)
@_malformed
@config_option
@json_option
def candidate(
    transcript: Path,
    out: Path,
    session_id: str | None,
    carry: Literal["dialogue", "note"] | None,
    note: Path | None,
    failures: Path | None,
    context_reading: int | None,
    malformed: Malformed,
    config: Path | None,
    as_json: bool,
) -> None:
    """Build and verify a candidate: OUT/<session id>.jsonl, manifest.json and ledger.json."""
    session_id = SystemIds().new_session_id() if session_id is None else _checked_session_id(session_id, as_json)
    settings = _settings(find_config(config, os.environ), as_json)
    with_note = (carry or settings.carry) == "note"
    if not with_note and (note or failures or context_reading):
        raise click.UsageError("--note, --failures and --context-reading are for --carry note")
    try:
        source = source_in(settings, transcript)
        if with_note:
            written = note or (Path(settings.note_path) if settings.note_path else None)
            if written is None:
                raise click.UsageError("--carry note needs --note FILE, or note_path in the configuration")
            given = read_failures(failures) if failures else ()
            plan = plan_window(source, settings, read_note(written, settings), malformed, given, context_reading)
        else:
            plan = plan_file(source, settings, malformed)
        built = build_candidate(plan, out, session_id, SystemFiles())
    except UnreadableInput as error:
        _unusable("unreadable-input", str(error), as_json)
    _answer(_of_named(candidate_summary(built)), as_json)


@main.command()
@_transcript_or_newest
@click.option(
    "--context-reading",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    help="The host's first context reading after this carry; adds the divisor that follows from it.",
)
@_malformed
@config_option
@json_option
def plan(
    transcript: Path | None,
    context_reading: int | None,
    malformed: Malformed,
    config: Path | None,
    as_json: bool,
) -> None:
    """Show what a carry would do; reads only. Without TRANSCRIPT the newest one of the project folder."""
    settings = _settings(find_config(config, os.environ), as_json)
    try:
        planned = plan_file(source_in(settings, transcript), settings, malformed)
    except UnreadableInput as error:
        _unusable("unreadable-input", str(error), as_json)
    summary = _of_named(plan_summary(planned)) if transcript else plan_summary(planned)
    if context_reading is not None:
        try:
            summary["calibrated_divisor"] = round(planned.divisor_from(context_reading), DIVISOR_DECIMALS)
        except ValueError as error:
            _unusable("usage", f"--context-reading {context_reading}: {error}", as_json)
    _answer(summary, as_json)


@main.command()
@_transcript
@click.option("--out", type=path_type, required=True, help="The new file; nothing is overwritten.")
@_malformed
@config_option
@json_option
def strip(transcript: Path, out: Path, malformed: Malformed, config: Path | None, as_json: bool) -> None:
    """Write the record without what its reviews gave the model, once the turns that used it are over."""
    settings = _settings(find_config(config, os.environ), as_json)
    try:
        done = strip_record(source_in(settings, transcript), out, settings, SystemFiles(), malformed)
    except FileExistsError:
        _unusable("output-exists", f"{out} is there already; nothing is overwritten", as_json)
    except UnreadableInput as error:
        _unusable("unreadable-input", str(error), as_json)
    except OSError as error:
        _unusable("output", f"{out}: {error.strerror or error}", as_json)
    if as_json:
        print_json({"record": str(out), **asdict(done)})
    else:
        click.echo(f"{done.bytes:,} bytes taken out of {len(done.lines)} rows: {out}")
        if done.breakpoint_line is not None:
            click.echo(f"the prompt cache holds up to line {done.breakpoint_line}")


@main.command()
@_transcript_or_newest
@config_option
@json_option
def dirty(transcript: Path | None, config: Path | None, as_json: bool) -> None:
    """Weigh the run traces of a transcript against the budget; reads only, and only advises."""
    settings = _settings(find_config(config, os.environ), as_json)
    try:
        weighed = dirty_ledger(read_transcript(source_in(settings, transcript), settings), settings)
    except UnreadableInput as error:
        _unusable("unreadable-input", str(error), as_json)
    summary = _of_named(dirty_summary(weighed)) if transcript else dirty_summary(weighed)
    if as_json:
        print_json(summary)
        return
    for name, count in sorted(weighed.categories.items(), key=lambda each: -each[1]):
        click.echo(f"{name:16} {count:>15,} bytes")
    click.echo(f"{'total':16} {weighed.total_bytes:>15,} bytes, budget {weighed.dirty_budget_bytes:,}")
    click.echo(
        f"{'dialogue':16} {weighed.conversation_bytes:>15,} bytes in {weighed.conversation_turns} turns, "
        f"noise ratio {weighed.noise_ratio}"
    )
    click.echo("a rebuild is advised: " + "; ".join(weighed.reasons) if weighed.should_rebuild else "no rebuild is due")
    for note in summary["notes"]:
        click.echo(f"note: {note}")


@main.command()
@click.argument("candidate", type=path_type)
@json_option
def verify(candidate: Path, as_json: bool) -> None:
    """Check a candidate on disk, against the manifest beside it where there is one; reads only."""
    if candidate.is_dir():
        _unusable("unreadable-input", f"{candidate}: a folder; name the .jsonl in it", as_json)
    beside = candidate.parent / MANIFEST
    try:
        manifest = read_manifest(beside) if beside.exists() else None
        others = sorted(path for path in candidate.parent.glob("*.jsonl") if path != candidate and path.is_file())
        verification = verify_candidate(candidate, candidate.stem, manifest, others)
    except OSError as error:
        _unusable("unreadable-input", f"{error.filename or candidate}: {error.strerror or error}", as_json)
    except ValueError as error:
        _unusable("unreadable-input", f"not a manifest: {error}", as_json)
    summary = {
        "verdict": "verified" if verification.ok else "refused",
        "reason": None if verification.ok else "verification-failed",
        "candidate": str(candidate),
        "manifest": str(beside) if manifest else None,
        **verification_summary(verification),
    }
    if as_json:
        print_json(summary)
    else:
        for check in verification.checks:
            click.echo(f"{CHECK_MARKS[check.ok]} {check.name}: {check.detail}")
    sys.exit(0 if verification.ok else REFUSED)


def _of_named(summary: dict[str, Any]) -> dict[str, Any]:
    """The answer on a file that a person has named: no doubt about where it was found."""
    return {**summary, "notes": [note for note in summary["notes"] if not note.endswith(WRONG_FOLDER)]}


def _settings(config: Path | None, as_json: bool) -> Settings:
    if config is None:
        return Settings()
    try:
        return load_settings(config)
    except ConfigError as error:
        _unusable("configuration", str(error), as_json)


def _checked_session_id(session_id: str, as_json: bool) -> str:
    """A host resumes only sessions whose file name is a UUID."""
    try:
        is_uuid = str(uuid.UUID(session_id)) == session_id.lower()
    except ValueError:
        is_uuid = False
    if not is_uuid:
        _unusable(
            "usage",
            f"--session-id {session_id!r} is not a UUID like 123e4567-e89b-42d3-a456-426614174000",
            as_json,
        )
    return session_id.lower()


def _answer(summary: dict[str, Any], as_json: bool) -> NoReturn:
    """Print a plan or a candidate and leave with its exit code."""
    refused = summary["verdict"] == "refused"
    if as_json:
        print_json(summary)
    else:
        print_carry(summary)
    if refused:
        click.echo(f"refused ({summary['reason']}): {summary['detail']}", err=True)
    sys.exit(REFUSED if refused else 0)


def _unusable(reason: str, detail: str, as_json: bool) -> NoReturn:
    if as_json:
        print_json({"verdict": "refused", "reason": reason, "detail": detail})
    click.echo(f"error: {detail}", err=True)
    sys.exit(UNUSABLE)


for _command in COMMANDS:
    main.add_command(_command)


if __name__ == "__main__":
    main()
