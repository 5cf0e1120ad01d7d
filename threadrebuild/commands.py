"""The commands over operations: the same actions as the tools, the hook's entry, the manual steps and the worker.

Exit codes: 0 done, 1 refused, 2 usage or configuration; the hook never leaves with 2. With `--json` stdout holds one
object.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from threadrebuild import actions, doctor, init
from threadrebuild.config import CONFIG_NAME, CONFIG_VARIABLE, ConfigError, find_config
from threadrebuild.console import REFUSED, UNUSABLE, config_option, json_option, leave, path_type, print_json
from threadrebuild.export import export_bundle
from threadrebuild.opening import household
from threadrebuild.operation import coordinator
from threadrebuild.operation.by_hand import activate_by_hand, prepare_by_hand
from threadrebuild.operation.fencing import LostLease
from threadrebuild.operation.household import Household, Refused
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import State
from threadrebuild.operation.store import StoreError
from threadrebuild.operation.worker import run_worker
from threadrebuild.transcript.lines import UnreadableInput

F = TypeVar("F", bound=Callable[..., None])

SILENCE = {"suppressOutput": True}  # TR-136
"""All that the hook ever prints: nothing of it reaches the conversation."""


def confirm_option(word: str) -> Callable[[F], F]:
    """The option by which a person says that this is meant."""
    return click.option(
        "--confirm",
        required=True,  # TR-135
        metavar=word,
        help=f"Exactly {word}.",
    )


operation_option = click.option("--operation", metavar="ID", help="Which operation; the latest without it.")


class HookCommand(click.Command):
    """A command that never leaves with 2: from a Stop hook, 2 holds the turn open and hands its words to the model."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments; those that make no sense are a refusal."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            leave(REFUSED, "usage", error.format_message(), as_json=False)


@click.command()
@click.option("--reason", default="", help="Why; kept with the operation.")
@confirm_option("REBUILD")
@config_option
@json_option
def request(reason: str, confirm: str, config: Path | None, as_json: bool) -> None:
    """Put a rebuild on record; it starts when the current turn has ended."""
    with _household(config, as_json) as house:
        _say(actions.request(house, reason, confirm), as_json)


@click.command()
@operation_option
@config_option
@json_option
def status(operation: str | None, config: Path | None, as_json: bool) -> None:
    """Show an operation with its state and evidence; reads only."""
    with _household(config, as_json) as house:
        answer = actions.status(house, operation)
    if as_json:
        print_json(answer)
        return
    found = answer["operation"]
    if found is None:
        click.echo("no operation yet")
        return
    stale = ", and its worker has gone silent: run recover" if answer["stale"] else ""
    click.echo(f"operation {found['id']}: {found['state']}{stale}")
    for step in found["steps"]:
        detail = f": {step['detail']}" if step["detail"] else ""
        click.echo(f"  {step['at']} {step['event']} -> {step['state']}{detail}")
    if answer["proven"] or answer["stale"]:
        for lacking in answer["shortcomings"]:
            click.echo(f"not passed: {lacking}")
    if answer["proven"]:
        click.echo(answer["proven"]["says"])
    for changed in found["surroundings_changed"]:
        click.echo(f"outside of the transcript, {changed} since the freeze")
    if found["error"]:
        click.echo(f"error: {found['error']}")
    if found["session_conflict"]:
        click.echo("somebody else has changed the session: look by hand before trying again")


@click.command()
@confirm_option("CANCEL")
@operation_option
@config_option
@json_option
def cancel(confirm: str, operation: str | None, config: Path | None, as_json: bool) -> None:
    """Take back a rebuild that has not started."""
    with _household(config, as_json) as house:
        _say(actions.cancel(house, confirm, operation), as_json)


@click.command("rollback-request")
@confirm_option("ROLLBACK")
@operation_option
@config_option
@json_option
def rollback_request(confirm: str, operation: str | None, config: Path | None, as_json: bool) -> None:
    """Ask for the old session back; it happens when the current turn has ended."""
    with _household(config, as_json) as house:
        _say(actions.rollback_request(house, confirm, operation), as_json)


@click.command("hook-stop", cls=HookCommand)
@click.option("--input", "source", type=path_type, help="The host's JSON; standard input without it.")
@config_option
def hook_stop(source: Path | None, config: Path | None) -> None:
    """The host's Stop hook: start the worker for what waits, if anything does, and be back at once."""
    try:
        given = sys.stdin.buffer.read() if source is None else source.read_bytes()
        answer = coordinator.stop_hook(_opened(config), transcript_named(given))
        error = answer.get("error")
    except (ConfigError, Refused, StoreError, OSError) as refusal:
        error = str(refusal)
    print_json(SILENCE)
    if error:
        leave(REFUSED, "hook", str(error), as_json=False)


@click.command()
@click.argument("transcript", type=path_type)
@config_option
@json_option
def prepare(transcript: Path, config: Path | None, as_json: bool) -> None:
    """First manual step: freeze TRANSCRIPT for the pending request, build the candidate and verify it."""
    with _household(config, as_json) as house:
        operation = prepare_by_hand(house, transcript)
    _say_end(operation, State.VERIFYING, as_json)


@click.command()
@config_option
@json_option
def activate(config: Path | None, as_json: bool) -> None:
    """Second manual step: switch to what was prepared. Run it outside of the session that it replaces."""
    with _household(config, as_json) as house:
        operation = activate_by_hand(house)
    _say_end(operation, State.ACTIVATED, as_json)


@click.command()
@config_option
@json_option
def recover(config: Path | None, as_json: bool) -> None:
    """Bring every operation whose worker is gone to an end; remove backups that were kept for their time."""
    with _household(config, as_json) as house:
        moved = coordinator.recover(house)
    if as_json:
        print_json({"ok": True, "operations": [actions.shown(each) for each in moved]})
        return
    for each in moved:
        click.echo(f"operation {each.id}: {each.state}: {each.steps[-1].detail}")
    if not moved:
        click.echo("nothing to recover")


@click.command(hidden=True)
@click.argument("operation")
@config_option
def worker(operation: str, config: Path | None) -> None:
    """Drive a scheduled operation to its end; the hook starts this."""
    with _household(config, as_json=False) as house:
        ended = run_worker(house, operation, f"worker-{os.getpid()}")
    click.echo(f"{ended.updated_at} operation {ended.id}: {ended.state}")


@click.command()
@click.argument("operation")
@click.option("--redact", is_flag=True, help="Without it nothing leaves.")
@config_option
@json_option
def export(operation: str, redact: bool, config: Path | None, as_json: bool) -> None:
    """Print an operation's evidence for asking for help, as JSON without private word, token or path."""
    with _household(config, as_json) as house:
        if not redact:  # TR-L32
            raise Refused("not-redacted", "evidence leaves redacted only: --redact")
        print_json(export_bundle(house, operation))


@click.command()
@config_option
def mcp(config: Path | None) -> None:
    """Serve the seven tools over stdio."""
    with _household(config, as_json=False) as house:
        from threadrebuild.mcp import serve  # heavy, and no other command needs it

        serve(house)


COMMANDS = (
    init.command,
    doctor.command,
    request,
    status,
    cancel,
    rollback_request,
    hook_stop,
    prepare,
    activate,
    recover,
    worker,
    export,
    mcp,
)


def transcript_named(given: bytes) -> str | None:
    """The `transcript_path` in a host's hook input; None where it names none, or is no JSON object (TR-097)."""
    try:
        value = json.loads(given)
    except (ValueError, RecursionError):
        return None
    path = value.get("transcript_path") if isinstance(value, dict) else None
    return path if isinstance(path, str) else None


def _opened(config: Path | None) -> Household:
    found = find_config(config, os.environ)
    if found is None:
        raise ConfigError(
            f"no configuration: name one with --config or in {CONFIG_VARIABLE}, or put {CONFIG_NAME} here"
        )
    return household(found)


@contextmanager
def _household(config: Path | None, as_json: bool) -> Iterator[Household]:
    """The household of a command; what it refuses becomes words and an exit code."""
    try:
        yield _opened(config)
    except ConfigError as error:
        leave(UNUSABLE, "configuration", str(error), as_json)
    except UnreadableInput as error:
        leave(UNUSABLE, "unreadable-input", str(error), as_json)
    except Refused as error:
        leave(REFUSED, error.reason, str(error), as_json)
    except LostLease as error:
        leave(REFUSED, "lost-lease", str(error), as_json)
    except StoreError as error:
        leave(REFUSED, "store", str(error), as_json)
    except OSError as error:
        leave(REFUSED, "system", str(error), as_json)


def _say(answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    click.echo(f"operation {answer['operation']}: {answer['state']}")
    if "joined" in answer:
        click.echo(answer["joined"])
    if "next_step" in answer:
        click.echo(answer["next_step"])
    if "warning" in answer:
        click.echo(f"warning: {answer['warning']}")


def _say_end(operation: Operation, wanted: State, as_json: bool) -> None:
    """What came of a manual step; anything but the state it leads to is a refusal."""
    if operation.state is not wanted:
        leave(REFUSED, "failed", operation.error or f"operation {operation.id} is {operation.state}", as_json)
    if as_json:
        print_json({"ok": True, "operation": actions.shown(operation)})
    else:
        click.echo(f"operation {operation.id}: {operation.state}")
