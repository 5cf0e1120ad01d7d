"""What an expectation of a scenario may demand of a carry. Each names its rule, and each can fail.

The first key beside `rule` says what is demanded, further keys say how.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from harness.report.words import WARNINGS as KNOWN_CODES
from harness.scenario.seen import ScenarioFault, Seen, quoted, times

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Met:
    """Whether a demand is met; what was wanted and what was seen, in words."""

    ok: bool
    wanted: str
    seen: str


class Demand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a scenario may expect, of whatever kind: it names its rule."""

    rule: str


class Form(Demand, frozen=True, kw_only=True):
    """One demand on a carry. Its second field is the key that names it."""

    decided: ClassVar[str] = "turns"
    """The kind of run log step that shows what decided it."""
    needs_candidate: ClassVar[bool] = True

    def met(self, seen: Seen) -> Met:
        """Look. Raises `ScenarioFault` where the demand makes no sense of this carry."""
        raise NotImplementedError


class Carried(Form, frozen=True, kw_only=True):
    """The text is part of what is said in the candidate, exactly so many `times`, and (with `as`) by that role."""

    carried: Text
    times: Count = 1
    role: Role | None = msgspec.field(name="as", default=None)

    def met(self, seen: Seen) -> Met:
        found = [block for block in seen.said if self.carried in block.text]
        count = sum(block.text.count(self.carried) for block in found if self.role in (None, block.role))
        by = f" as {self.role}" if self.role else ""
        wanted = f"{quoted(self.carried)} is said{by} {times(self.times)}"
        return Met(count == self.times, wanted, f"{times(count)}: {seen.where(self.carried)}")


class InOrder(Form, frozen=True, kw_only=True):
    """These texts are said one after the other, each in a message of its own."""

    in_order: Annotated[list[Text], Meta(min_length=2)]

    def met(self, seen: Seen) -> Met:
        texts = [block.text for block in seen.said]
        places = [next((at for at, text in enumerate(texts) if part in text), -1) for part in self.in_order]
        ok = -1 not in places and places == sorted(set(places))
        shown = [f"{quoted(part)} {at + 1 or 'nowhere'}" for part, at in zip(self.in_order, places, strict=True)]
        wanted = f"in this order: {', '.join(map(quoted, self.in_order))}"
        return Met(ok, wanted, f"places in the talk: {', '.join(shown)}")


class NotCarried(Form, frozen=True, kw_only=True):
    """The text stands in the source, and nowhere in the candidate."""

    not_carried: Text

    def met(self, seen: Seen) -> Met:
        _demand_in_source(seen, self.not_carried)
        count = seen.in_candidate(self.not_carried)
        return Met(count == 0, f"{quoted(self.not_carried)} stays behind", seen.where(self.not_carried))


class NotSaid(Form, frozen=True, kw_only=True):
    """The text stands in the source, and nobody (with `as`: not that role) says it in the candidate."""

    not_said: Text
    role: Role | None = msgspec.field(name="as", default=None)

    def met(self, seen: Seen) -> Met:
        _demand_in_source(seen, self.not_said)
        found = [block for block in seen.said if self.not_said in block.text and self.role in (None, block.role)]
        who = f"no {self.role}" if self.role else "nobody"
        return Met(not found, f"{who} says {quoted(self.not_said)}", seen.where(self.not_said))


class Startup(Form, frozen=True, kw_only=True):
    """The frozen startup snapshot holds the text, once."""

    startup: Text

    def met(self, seen: Seen) -> Met:
        count = sum(block.text.count(self.startup) for block in seen.blocks if block.word == "startup")
        wanted = f"the startup snapshot holds {quoted(self.startup)} once"
        return Met(count == 1, wanted, f"{times(count)}: {seen.where(self.startup)}")


class Turns(Form, frozen=True, kw_only=True):
    """So many turns are carried."""

    turns: Annotated[int, Meta(ge=1)]

    def met(self, seen: Seen) -> Met:
        return Met(seen.summary["turns"] == self.turns, f"{self.turns} turns", f"{seen.summary['turns']} turns")


class Figures(Form, frozen=True, kw_only=True):
    """Figures of the answer of `threadrebuild candidate --json`; `{ at_least = N }` stands for N or more."""

    figures: Annotated[dict[str, Any], Meta(min_length=1)]
    decided: ClassVar[str] = "candidate"
    needs_candidate: ClassVar[bool] = False

    def met(self, seen: Seen) -> Met:
        return figures_met(self.figures, seen.summary, "the carry's answer")


class Dirty(Form, frozen=True, kw_only=True):
    """Figures of the answer of `threadrebuild dirty --json`, in the same way."""

    dirty: Annotated[dict[str, Any], Meta(min_length=1)]
    decided: ClassVar[str] = "dirty"
    needs_candidate: ClassVar[bool] = False

    def met(self, seen: Seen) -> Met:
        return figures_met(self.dirty, seen.dirty, "the dirty ledger")


class Ledger(Form, frozen=True, kw_only=True):
    """At least so many bytes of the source are in this class of the byte ledger."""

    ledger: str
    at_least: Count
    decided: ClassVar[str] = "ledger"
    needs_candidate: ClassVar[bool] = False

    def met(self, seen: Seen) -> Met:
        from threadrebuild.transcript.ledger import REASONS

        if self.ledger not in REASONS:
            raise ScenarioFault(f"the byte ledger has no class {self.ledger!r}; it has {', '.join(REASONS)}")
        count = seen.summary["ledger"].get(self.ledger, 0)
        return Met(count >= self.at_least, f"at least {self.at_least} bytes of {self.ledger}", f"{count} bytes")


class Refused(Form, frozen=True, kw_only=True):
    """The carry is refused for this reason (and at this line), and leaves no file."""

    refused: Text
    line: Annotated[int, Meta(ge=0)] | None = None
    decided: ClassVar[str] = "candidate"
    needs_candidate: ClassVar[bool] = False

    def met(self, seen: Seen) -> Met:
        ok = seen.summary["reason"] == self.refused and self.line in (None, seen.summary["line"])
        at = "" if self.line is None else f" at line {self.line}"
        return Met(ok, f"it is refused ({self.refused}){at}", f"line {seen.summary['line']}: {seen.outcome}")


class Warned(Form, frozen=True, kw_only=True):
    """A warning of this code is given, (with `line`) about that line, (with `says`) in these words."""

    warning: Text
    line: Count | None = None
    says: str = ""
    decided: ClassVar[str] = "warnings"
    needs_candidate: ClassVar[bool] = False

    def met(self, seen: Seen) -> Met:
        given = [each for each in seen.summary["warnings"] if each["code"] == self.warning]
        ok = any(self.line in (None, each["line"]) and self.says in each["detail"] for each in given)
        at = f" about line {self.line}" if self.line else ""
        says = f" that says {quoted(self.says)}" if self.says else ""
        shown = "; ".join(f"line {each['line']}: {quoted(each['detail'])}" for each in given)
        return Met(ok, f"a warning {self.warning}{at}{says}", shown or f"the codes {', '.join(sorted(seen.codes))}")


class NotWarned(Form, frozen=True, kw_only=True):
    """No warning of this code is given, which has to be one that the report knows."""

    no_warning: Text
    decided: ClassVar[str] = "warnings"
    needs_candidate: ClassVar[bool] = False

    def met(self, seen: Seen) -> Met:
        if self.no_warning not in KNOWN_CODES:
            raise ScenarioFault(f"no warning is called {self.no_warning!r}; known are {', '.join(KNOWN_CODES)}")
        codes = ", ".join(sorted(seen.codes)) or "none"
        return Met(self.no_warning not in seen.codes, f"no warning {self.no_warning}", f"the codes {codes}")


FORMS: dict[str, type[Form]] = {
    form.__struct_fields__[1]: form
    for form in (
        *(Carried, InOrder, NotCarried, NotSaid, Startup, Turns, Figures, Dirty, Ledger, Refused, Warned, NotWarned),
    )
}
"""The forms by the key that names them."""


def look(form: Form, seen: Seen) -> Met:
    """Hold one demand against a carry. What is demanded of a candidate fails where there is none."""
    met = form.met(seen)
    if form.needs_candidate and seen.candidate is None:
        return Met(False, met.wanted, seen.outcome)
    return met


def _demand_in_source(seen: Seen, text: str) -> None:
    if not seen.in_source(text):
        raise ScenarioFault(f"{quoted(text)} does not stand in the source: its absence would prove nothing")


def figures_met(wanted: dict[str, Any], seen: dict[str, Any], whose: str) -> Met:
    """Whether figures are as wanted; `whose` names them. Raises `ScenarioFault` for a figure that is not among them."""
    unknown = [name for name in wanted if name not in seen]
    if unknown:
        raise ScenarioFault(f"{whose} has no figure {unknown[0]!r}; it has {', '.join(seen)}")
    shown = {name: _shown(wanted[name], seen[name]) for name in wanted}
    ok = all(_fits(wanted[name], seen[name]) for name in wanted)
    return Met(ok, ", ".join(f"{name} = {value}" for name, value in wanted.items()), f"{shown}"[1:-1])


def _shown(wanted: Any, seen: Any) -> Any:
    """Of a table only what is asked for."""
    if isinstance(wanted, dict) and isinstance(seen, dict):
        return {name: seen.get(name) for name in wanted}
    return seen


def _fits(wanted: Any, seen: Any) -> bool:
    if isinstance(wanted, dict) and wanted.keys() == {"at_least"}:
        return isinstance(seen, int | float) and bool(seen >= wanted["at_least"])
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(_fits(value, seen.get(name)) for name, value in wanted.items())
    if isinstance(wanted, list) and isinstance(seen, tuple):
        return wanted == list(seen)
    return type(wanted) is type(seen) and bool(wanted == seen)
