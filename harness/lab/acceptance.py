"""What acceptance consists of, as data: who settles each item, and what the read-only checks have to show.

The drill, `accept` and their pages read it from here, so that none of them forgets an item. Rules: TR-154…TR-162.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Who = Literal["checks", "drill", "person"]
Answers = Mapping[str, Mapping[str, Any]]
"""What `doctor`, `plan` and `dirty` answer, by their names, as their `--json` prints it."""


@dataclass(frozen=True)
class Item:
    """One item of acceptance. `who` settles it: read-only checks of production, the drill, or a person alone."""

    rule: str
    name: str
    who: Who
    says: str


ITEMS = (
    Item("TR-154", "throwaway", "drill", "the first switch is a drill with a project and a state folder of its own"),
    Item("TR-155", "read-only checks", "checks", "the read-only checks come first, and each of them holds"),
    Item("TR-156", "recall", "checks", "real sentences of the user and of the assistant stand in the candidate"),
    Item("TR-157", "backup", "person", "the project folder was backed up by hand before the first production run"),
    Item("TR-157", "plan shown", "person", "the plan was shown, and consent was clear, before the request was made"),
    Item("TR-157", "watched", "person", "the request was made, the turn answered as usual, and the switch watched"),
    Item("TR-158", "knows the work", "person", "asked what we are doing, what is done and open, the new session knows"),
    Item("TR-158", "knows the limits", "person", "asked which limits and agreements hold, the new session knows"),
    Item("TR-158", "knows by heart", "person", "it tells two facts from before the switch, files and tools forbidden"),
    Item("TR-159", "heard", "person", "over every outside line a real message of the user arrived in the new session"),
    Item("TR-160", "passed", "drill", "activated, another identity, verified, old transcript unchanged, backup whole"),
    Item("TR-161", "suite", "drill", "the suite runs without a real target; the real program runs in the lab alone"),
    Item("TR-162", "nothing left", "drill", "after the drill no process has outlived its session"),
)


@dataclass(frozen=True)
class Wanted:
    """One read-only check: the field of an answer, what it has to be in words, and whether it is."""

    answer: str
    field: str
    wanted: str
    holds: Callable[[Mapping[str, Any]], bool]
    """Is given the whole answer."""


@dataclass(frozen=True)
class Finding:
    """What a check saw."""

    name: str
    ok: bool
    detail: str


def _is_true(field: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda answer: answer[field] is True


READ_ONLY = (
    Wanted("doctor", "project_dir_exists", "true", _is_true("project_dir_exists")),
    Wanted("doctor", "transcript_count", "more than 0", lambda answer: answer["transcript_count"] > 0),
    Wanted("doctor", "workdir_matches_project", "true", _is_true("workdir_matches_project")),
    Wanted(
        "doctor", "claude_binary", "an absolute path", lambda answer: str(answer["claude_binary"] or "").startswith("/")
    ),
    Wanted(
        "doctor",
        "tmux_target_alive",
        "true, or another door",
        lambda answer: answer["activation"] != "tmux" or answer["tmux_target_alive"] is True,
    ),
    Wanted("doctor", "identity", "set", lambda answer: answer["identity"] is not None),
    Wanted("doctor", "ok", "true", _is_true("ok")),
    Wanted("plan", "source_session_id", "set", lambda answer: bool(answer["source_session_id"])),
    Wanted("plan", "blocked_reason", "empty", lambda answer: not answer["blocked_reason"]),
    Wanted(
        "plan",
        "selected_turns",
        "as many as source_turns, and at least one",
        lambda answer: 0 < answer["selected_turns"] == answer["source_turns"],
    ),
    Wanted("plan", "dropped_oldest_turns", "0", lambda answer: answer["dropped_oldest_turns"] == 0),
    Wanted(
        "plan",
        "startup_frozen",
        "true, or no startup package (TR-040)",
        lambda answer: answer["startup_frozen"] == (answer["startup"]["sha256"] is not None),
    ),
    Wanted("dirty", "noise_ratio", "a share from 0 to 1", lambda answer: 0 <= answer["noise_ratio"] <= 1),
    Wanted(
        "dirty",
        "should_rebuild",
        "true with reasons, false without",
        lambda answer: answer["should_rebuild"] == bool(answer["reasons"]),
    ),
)
"""In the order in which they are looked at (TR-155)."""


def read_only_findings(answers: Answers) -> list[Finding]:
    """The checks in order, to the first that does not hold: nothing is looked at after it (TR-155)."""
    findings: list[Finding] = []
    for found in _looked_at(answers):
        findings.append(found)
        if not found.ok:
            break
    return findings


def items_of(who: Who) -> tuple[Item, ...]:
    """The items that one of the three settles."""
    return tuple(item for item in ITEMS if item.who == who)


def _looked_at(answers: Answers) -> Iterator[Finding]:
    for each in READ_ONLY:
        answer = answers.get(each.answer, {})
        name = f"{each.answer}: {each.field}"
        if each.field not in answer:
            yield Finding(name, False, f"the answer does not say; wanted {each.wanted}")
        else:
            yield Finding(name, each.holds(answer), f"{answer[each.field]}; wanted {each.wanted}")
