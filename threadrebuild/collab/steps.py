"""What runs a step of the application that is none of a Bot's hops: the user's choice for that step, if any.

Lines can also be read by a model of the user's own Claude Code, on an account that the user has listed. That costs the
account's plan, so the user alone chooses it; a Bot changes the model to one of the endpoints, or to none.
"""

import sqlite3
from typing import Any, Literal

import msgspec

from threadrebuild.collab.change import Change, Conflict
from threadrebuild.collab.events import (
    AccountListed,
    AccountRemoved,
    EngineChosen,
    ModelChosen,
    ModelMarked,
    PromptChanged,
    StepSwitched,
)
from threadrebuild.collab.toolbox import Refused, checked, tool
from threadrebuild.database import Database

AT_ONCE_BY_CLAUDE = 2  # READ-25
WITH_SCRIBE = ("video",)  # SCRB-01
"""The kinds of engine that have the scribe by themselves."""


ON_CLAUDE = ("reader", "picture_judgement")
"""The steps that can run on a model of Claude Code."""


class _Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    step: Literal["judgement", "reader", "scribe", "picture_judgement"]
    model: str | None = None
    engine: Literal["endpoint", "claude_agent"] = "endpoint"


def choose(change: Change, event: ModelChosen) -> None:
    """Keep the model that the user has chosen for a step; without one the step runs on what it does by itself.

    Raises ValueError for a Claude model where it cannot run.
    """
    account = None
    if event.engine == "claude_agent":
        if event.step not in ON_CLAUDE or event.model is None:
            raise ValueError("only the reading of lines and the judging of pictures run on a model of Claude Code")
        account = _account(change.db, event.account)
    action = change.user_action("button", event.key)
    _keep(change, event.step, event.model, account, action)


@tool("choose_model", effectful=True)
def choose_model(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """Change the model of a step for the user, to one of an endpoint or to the default. Raises `Refused`."""
    wanted = checked(arguments, _Choice)
    if wanted.engine == "claude_agent":  # READ-25
        raise Refused("Only the user can choose a model of Claude Code for this.")
    _keep(change, wanted.step, wanted.model, None, None)
    change.log("model.chosen", bot=turn["bot"], turn=turn["id"], step=wanted.step, chosen=wanted.model)
    return f"{wanted.step} runs on {wanted.model or 'the default model'}."


def list_account(change: Change, event: AccountListed) -> None:
    """Put a Claude account on the list of those that the application may use."""
    change.db.write(
        "INSERT INTO claude_accounts (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET listed = 1", event.name
    )


def remove_account(change: Change, event: AccountRemoved) -> None:
    """Take an account off the list. Raises `Conflict` for one that reads lines: another has to be chosen first."""
    if change.db.value("SELECT 1 FROM step_models WHERE account = ?", event.account):  # READ-25
        raise Conflict("account_in_use", f"account {event.account} reads the user's lines; choose another first")
    change.db.write("UPDATE claude_accounts SET listed = 0 WHERE id = ?", event.account)


def choose_engine(change: Change, event: EngineChosen) -> None:
    """Keep what kind of work the application is for."""
    change.db.write("UPDATE meta SET engine = ?", event.engine)


def switch(change: Change, event: StepSwitched) -> None:
    """Keep whether the user wants a step."""
    change.db.write(f"UPDATE meta SET {event.step} = ?", None if event.on is None else int(event.on))


def scribe_is_on(db: Database) -> bool:
    """Whether the user's words are read by the scribe: as the user wants it, else as the kind of engine has it."""
    wanted: int | None = db.value("SELECT scribe FROM meta")
    if wanted is not None:  # SCRB-01
        return bool(wanted)
    return db.value("SELECT engine FROM meta") in WITH_SCRIBE  # SCRB-01


def reword(change: Change, event: PromptChanged) -> None:
    """Keep what the user wants a step to be told; without words it is told what it is told by itself."""
    change.db.write("DELETE FROM step_prompts WHERE step = ?", event.step)
    if event.text is not None:
        change.db.write("INSERT INTO step_prompts (step, text) VALUES (?, ?)", event.step, event.text)


def prompt(db: Database, step: str, otherwise: str) -> str:
    """What a step's model is told."""
    changed = db.value("SELECT text FROM step_prompts WHERE step = ?", step)
    if changed is not None:  # ATTR-19
        otherwise = changed
    return otherwise


def mark(change: Change, event: ModelMarked) -> None:
    """Keep whether an endpoint's model can see pictures."""
    change.db.write("DELETE FROM seeing_models WHERE model = ?", event.model)
    if event.sees:
        change.db.write("INSERT INTO seeing_models (model) VALUES (?)", event.model)


def sees(db: Database, name: str | None) -> bool:
    """Whether an endpoint's model is marked as able to see pictures."""
    return bool(db.value("SELECT 1 FROM seeing_models WHERE model = ?", name))


def model(db: Database, step: str) -> str | None:
    """The model chosen for a step."""
    chosen: str | None = db.value("SELECT model FROM step_models WHERE step = ?", step)
    return chosen


def runs_on(db: Database, step: str) -> dict[str, Any]:
    """Where a step runs, as its effect says it: model (None for the default), account, and how many at once."""
    account = db.value("SELECT account FROM step_models WHERE step = ?", step)
    by_claude = account is not None
    return {
        "model": model(db, step),
        "account": account,
        "slots": f"{step} by Claude" if by_claude else step,  # READ-24
        "at_once": AT_ONCE_BY_CLAUDE if by_claude else None,
    }


def _keep(change: Change, step: str, name: str | None, account: int | None, action: int | None) -> None:
    change.db.write("DELETE FROM step_models WHERE step = ?", step)
    if name is not None:
        change.db.write(
            "INSERT INTO step_models (step, model, account, chosen_by) VALUES (?, ?, ?, ?)", step, name, account, action
        )


def _account(db: Database, wanted: int | None) -> int:
    """The account that the user has chosen, which with only one on the list is that one. Raises ValueError."""
    listed = [row["id"] for row in db.rows("SELECT id FROM claude_accounts WHERE listed = 1 ORDER BY id")]
    if wanted in listed or (wanted is None and len(listed) == 1):
        return int(wanted or listed[0])
    raise ValueError(f"account {wanted} is none of those listed: {listed}")
