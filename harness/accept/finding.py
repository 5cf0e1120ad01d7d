"""What was looked at and what was seen, and the verdict that follows: what was not looked at is no GO."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["holds", "fails", "not checked"]
Verdict = Literal["GO", "NO-GO"]


@dataclass(frozen=True)
class Finding:
    """One check: its name, the rule it rests on, how it stands, and what was seen, in a sentence."""

    name: str
    rule: str | None
    state: State
    said: str

    def shown(self) -> dict[str, Any]:
        """As in the command's JSON."""
        return {"name": self.name, "rule": self.rule, "state": self.state, "said": self.said}


def found(name: str, rule: str | None, holds: bool, said: str) -> Finding:
    """A check that was made."""
    return Finding(name, rule, "holds" if holds else "fails", said)


def verdict(findings: Iterable[Finding]) -> Verdict:
    """GO where there are checks and every one of them was made and holds (TR-155)."""
    states = {finding.state for finding in findings}
    return "GO" if states == {"holds"} else "NO-GO"


def reasons(findings: Iterable[Finding]) -> list[str]:
    """Why there is no GO, a line for each check that does not hold, those not made for one reason together."""
    names: dict[tuple[State, str], list[str]] = {}
    for each in findings:
        if each.state != "holds":
            names.setdefault((each.state, each.said), []).append(each.name)
    return [f"{', '.join(together)}: {said}" for (_, said), together in names.items()]


def recall(role: str, sentences: Sequence[str], old: Sequence[str], new: Sequence[str]) -> Finding:
    """Whether each sentence that a side really said stands in what that side says in the candidate (TR-156).

    `old` and `new` are the texts of this side alone: the other side's quotation would hide a lost message.
    """
    name = f"recall of the {role}"
    missing = {where: _missing(sentences, texts) for where, texts in (("old", old), ("new", new))}
    if not sentences:
        return Finding(name, "TR-156", "not checked", f"no sentence of the {role} that could be looked up")
    said = (
        f"{len(sentences)} sentences of the {role} looked up among the {role}'s own: "
        f"{missing['old']} not found in the old session, {missing['new']} not found in the new one"
    )
    return found(name, "TR-156", not any(missing.values()), said)


def _missing(sentences: Iterable[str], texts: Iterable[str]) -> int:
    said = list(texts)
    return sum(not any(sentence in text for text in said) for sentence in sentences)
