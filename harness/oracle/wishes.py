"""Wishes never shrink: what is in force of what the user asks for is told from the run log's `event` and `act` steps.

An entry ends, is put aside or is put in force by something that the user did to it; a model adds to the ledger only
what the user has said. Whatever else happens leaves every entry as it was.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Step = dict[str, Any]
ENDS = ("no_longer_applies", "not_a_requirement", "superseded")
BOARD = ("acceptance", "rules")
ERASING = ("SessionCleared", "SessionDeleted")
BY_BUTTON = {
    "no_longer_applies": "no_longer_applies",
    "not_a_requirement": "not_a_requirement",
    "all_mine": "active",
    "make_standing": "active",
}
"""Buttons on lines and cards, each with the state that an entry has after it."""


@dataclass
class Judge:
    """Reads `event` and `act` steps in order, and says what of them ought not to be."""

    entries: dict[int, Step] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    """All that the user has said, folded."""
    _board: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    """The lines of plans as the user has left them on the board, folded."""
    _deleted: list[str] = field(default_factory=list)
    """The lines that the user has just deleted there."""
    _event: Step = field(default_factory=dict)

    def take(self, step: Step) -> list[str]:
        """Take one step in; returns what is wrong with it, in words."""
        if step["kind"] == "event":
            self._happened(step)
            return []
        if step["what"] != "wish":
            return []
        before = self.entries.get(step["entry"])
        self.entries[step["entry"]] = step
        wrong = self._comes(step) if before is None else self._changes(before, step)
        by = self._event.get("what", "nothing")
        return [f"entry {step['entry']} “{step['words']}” {each} by {by}" for each in wrong]

    # ---------------------------------------------------------------- what happens

    def _happened(self, step: Step) -> None:
        self._event, self._deleted = step, []
        self.said += [folded(text) for text in _words(step)]
        if step["what"] == "BoardEdited":
            for name in BOARD:
                if step.get(name) is not None:
                    self._write_board(step["plan"], name, [folded(line) for line in step[name]])
            stands = {line for (plan, _), lines in self._board.items() if plan == step["plan"] for line in lines}
            self._deleted = [line for line in self._deleted if line not in stands]

    def _write_board(self, plan: int, name: str, lines: list[str]) -> None:
        self._deleted += [line for line in self._board.get((plan, name), []) if line not in lines]
        self._board[plan, name] = lines

    # ---------------------------------------------------------------- what becomes of an entry

    def _comes(self, new: Step) -> Iterator[str]:
        if new["state"] not in ("active", "pending", "legacy"):
            yield f"comes as {new['state']}"
        if new["state"] == "active" and new["replaces"] is not None:
            yield "replaces another"
        if new["state"] == "legacy":
            return
        words = folded(new["words"] or "")
        if not words:
            yield "comes without words"
        elif not any(words in said for said in self.said):
            yield "stands on what the user has not said"

    def _changes(self, before: Step, now: Step) -> Iterator[str]:
        for name in before:
            match name:
                case "state":
                    if now["state"] != before["state"] and not self._may_become(before, now):
                        yield f"was {before['state']} and becomes {now['state']}"
                case "aside":
                    more = set(now["aside"]) - set(before["aside"])
                    if any(not self._may_put_aside(before, plan) for plan in more):
                        yield "is put aside"
                case "said":
                    if not set(before["said"]) <= set(now["said"]):
                        yield "was said less often"
                case "words" | "paraphrase":
                    if now[name] != before[name] and not self._was_erased(now):
                        yield f"had the {name} “{before[name]}”"
                case "scope" | "ticket" | "session":
                    if now[name] != before[name] and not self._may_widen(before):
                        yield f"had the {name} {before[name]}"
                case _:
                    if now[name] != before[name] and not (name == "quote" and before["state"] == "legacy"):
                        yield f"had the {name} {before[name]}"

    def _may_become(self, before: Step, now: Step) -> bool:
        event = self._event
        if now["state"] == "superseded":
            return any(self._is_put_in_force(each) for each in self._instead_of(now))
        match event.get("what"):
            case "RequirementActed" if event["requirement"] == now["entry"]:
                wanted = {"confirm": "active", **{each: each for each in ENDS}}
                return bool(wanted.get(event["action"]) == now["state"])
            case "BoardEdited" if now["state"] == "active":
                return before["state"] in ("pending", "legacy") and self._is_on_board(before)
            case "BoardEdited":
                return now["state"] in ENDS and folded(before["words"]) in self._deleted
            case "ControlPressed":
                return bool(BY_BUTTON.get(event["action"]) == now["state"])
            case _:
                return now["state"] == "no_longer_applies" and self._was_erased(now)

    def _instead_of(self, entry: Step) -> list[Step]:
        return [each for each in self.entries.values() if each["replaces"] == entry["entry"]]

    def _is_put_in_force(self, entry: Step) -> bool:
        match self._event.get("what"):
            case "RequirementActed":
                return (self._event["requirement"], self._event["action"]) == (entry["entry"], "confirm")
            case "BoardEdited":
                return self._is_on_board(entry)
            case _:
                return False

    def _may_put_aside(self, entry: Step, plan: int) -> bool:
        event = self._event
        match event.get("what"):
            case "RequirementActed":
                mine = (event["requirement"], event["plan"], event["action"])
                return mine == (entry["entry"], plan, "not_for_this_plan")
            case "BoardEdited":
                return bool(event["plan"] == plan) and folded(entry["words"]) in self._deleted
            case _:
                return False

    def _may_widen(self, entry: Step) -> bool:
        event = self._event
        match event.get("what"):
            case "RequirementActed":
                return (event["requirement"], event["action"]) == (entry["entry"], "whole_conversation")
            case "ControlPressed":
                return bool(event["action"] == "make_standing")
            case what:
                return what == "SessionDeleted"

    def _was_erased(self, now: Step) -> bool:
        """Whether the user has had the words erased that an entry stood on."""
        what, wanted = self._event.get("what"), bool(self._event.get("erase_quotes"))
        return now["words"] is None and (what == "Withdrawn" or (what in ERASING and wanted))

    def _is_on_board(self, entry: Step) -> bool:
        wanted = folded(entry["words"] or "")
        return any(wanted in lines for (plan, _), lines in self._board.items() if plan == self._event["plan"])


def faults(steps: Iterable[Step]) -> list[str]:
    """All that ought not to be among the steps of a run log."""
    judge = Judge()
    return [said for step in steps if step["kind"] in ("event", "act") for said in judge.take(step)]


def folded(text: str) -> str:
    """A text as words are compared: without spaces, punctuation and symbols, wide and narrow alike."""
    signs = unicodedata.normalize("NFKC", text)
    return "".join(each for each in signs if unicodedata.category(each)[0] in "LMN")


def _words(step: Step) -> Iterator[str]:
    """What the user says in an event."""
    for name in ("text", "words", "body", "goal", "title", "description"):
        if isinstance(step.get(name), str):
            yield step[name]
    if isinstance(step.get("chosen"), list | tuple):
        yield "".join([*step["chosen"], step.get("words", "")])
    for name in BOARD:
        yield from step.get(name) or ()
    for annotation in step.get("annotations") or ():
        yield annotation["text"]
