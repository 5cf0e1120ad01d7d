"""The command `tell`: somebody is told of a red run over a channel of theirs, and the message is read back.

Exit codes: 0 it was delivered, or there was nothing to tell; 1 the channel is unproved; 2 usage or unreadable input.
"""

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO

import click

UNPROVED = 1
UNUSABLE = 2
SECONDS = 60


@dataclass(frozen=True)
class CommandChannel:
    """A channel of two commands: one takes the text and prints its id, one takes an id and prints the text."""

    sending: list[str]
    reading: list[str]

    def send(self, text: str) -> str:
        """The id that was printed. Raises OSError where the command fails."""
        return _printed(self.sending, text).strip()

    def received(self, message_id: str) -> str | None:
        """What the receiver has. Raises OSError where the command fails."""
        return _printed([*self.reading, message_id], "")


@click.command()
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--send", required=True, help="Command that sends what it reads and prints the id of the message.")
@click.option("--read", required=True, help="Command that prints, at the receiver, the message of the id it is given.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def tell(run: Path, send: str, read: str, as_json: bool) -> None:
    """Tell somebody of a RUN (a folder that `run` or `replay` wrote) that is red, and prove that the message arrived.

    Its checks decide whether it is red. What the sender answers counts for nothing: the message has to be read back
    under its id. The outcome becomes a step of the run log, and stands in the report.
    """
    from harness.criteria.alerts import tell as tell_of
    from harness.report.page import write_report
    from harness.runlog import RunLog, read_begun
    from harness.runs import PAGE, RUN_LOG

    log = run / RUN_LOG
    channel = CommandChannel(_words("--send", send), _words("--read", read))
    try:
        steps, torn = read_begun(log)
    except (OSError, ValueError) as error:
        _unusable(f"{log}: no run log: {error}")
    try:
        # Opened before anything is sent: what cannot be recorded is not sent.
        with log.open("r+", encoding="utf-8", newline="") as file:
            _to_its_end(file, torn)
            told = tell_of(steps, channel, text_of(steps))
            more = RunLog(file)
            more.step = len(steps)
            more.add("alert", **told.shown())
        write_report(log, run / PAGE)
    except OSError as error:
        _unusable(str(error))
    click.echo(json.dumps(told.shown(), ensure_ascii=False) if as_json else f"{told.state}: {told.said}")
    sys.exit(UNPROVED if told.state == "channel unproved" else 0)


def text_of(steps: list[dict[str, Any]]) -> str:
    """What is told of a run: how much is red, by label, and the command that plays it again."""
    from harness.facts import plain

    end: dict[str, Any] = next((step for step in reversed(steps) if step["kind"] == "end"), {})
    command = next((str(step.get("command", "")) for step in steps if step["kind"] == "run"), "")
    counts = [f"{count} {label}" for label, count in (end.get("labels") or {}).items() if count]
    said: str = plain(f"{end.get('red', '?')} red ({', '.join(counts) or 'cut short'})\n{command}")
    return said


def _words(option: str, command: str) -> list[str]:
    """A command as the words of its argv."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.UsageError(f"{option} {command!r}: {error}") from None
    if not words:
        raise click.UsageError(f"{option} names no command")
    return words


def _to_its_end(file: TextIO, torn: bool) -> None:
    """Go where the next line begins; a last line that broke off is no step, and makes room for one."""
    whole = file.read()
    if torn:
        file.seek(len(whole[: whole.rfind("\n") + 1].encode()))
        file.truncate()
    elif whole and not whole.endswith("\n"):
        file.write("\n")


def _unusable(detail: str) -> NoReturn:
    click.echo(f"error: {detail}", err=True)
    sys.exit(UNUSABLE)


def _printed(command: list[str], text: str) -> str:
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except ValueError as error:
        raise OSError(f"{command[0]}: {error}") from None
    except subprocess.TimeoutExpired:
        raise OSError(f"{command[0]}: no answer within {SECONDS} s") from None
    if done.returncode:
        raise OSError(f"{command[0]}: exit {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()[:200]}")
    return done.stdout.decode("utf-8", "replace")
