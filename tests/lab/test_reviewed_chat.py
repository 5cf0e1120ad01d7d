"""What is demanded of a chat that the real CLI was reviewed in, by made-up findings: each thing amiss is told."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.lab.model import NONE_LEFT
from harness.lab.review import LOOKED, MESSAGES, PAST, SAY, SEALED, STATEMENTS, TOOLS_FIRST, Told, review_faults

PENDING, FAILED, HOOK = MESSAGES
Block = tuple[str, str]


def opinion(number: int) -> str:
    message = MESSAGES[number]
    return "\n".join(["<review-problems>", *STATEMENTS, message.say, *message.evidence, "</review-problems>"])


def line(who: str, did: str, text: str, where: str) -> dict[str, str]:
    return {"who": who, "did": did, "text": text, "where": where}


def request(*blocks: Block) -> dict[str, Any]:
    messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in blocks]
    return {"system": [{"type": "text", "text": f"persona {TOOLS_FIRST}"}], "messages": messages}


def good() -> Told:
    first = [("user", PENDING.says), ("assistant", PENDING.draft), ("user", opinion(0))]
    second = [*first, ("assistant", PENDING.revised), ("assistant", FAILED.draft), ("user", opinion(1))]
    third = [*second, ("assistant", HOOK.draft), ("user", f"Stop hook feedback:\n{opinion(2)}")]
    return Told(
        lines=[
            line("tool", "is called", "ran", "Bash"),
            line("mailbox", "keeps", PENDING.draft, SAY),
            line("reviewer", "is asked", PENDING.draft, PENDING.id),
            line("gate", "advises", opinion(0), PENDING.id),
            line("phone", "shows", PENDING.revised, PENDING.id),
            line("mailbox", "records", PENDING.revised, SAY),
            line("reviewer", "is asked", FAILED.draft, FAILED.id),
            line("gate", "advises", opinion(1), FAILED.id),
            line("tool", "is called", "sealed", "Bash"),
            line("reviewer", "is asked", HOOK.draft, HOOK.id),
            line("gate", "advises", opinion(2), HOOK.id),
            line("phone", "shows", HOOK.revised, HOOK.id),
        ],
        turns={PENDING.id: "sent", FAILED.id: "failed", HOOK.id: "sent"},
        off=[],
        made=[LOOKED],
        requests=[request(*first), request(*second), request(*third)],
    )


def said_otherwise(told: Told, old: str, new: str) -> Told:
    """The same chat with another text on the wire."""
    requests = [
        request(*((each["role"], each["content"][0]["text"].replace(old, new)) for each in body["messages"]))
        for body in told.requests
    ]
    return replace(told, requests=requests)


def lines(told: Told, change: Callable[[list[dict[str, str]]], None]) -> Told:
    changed = [dict(each) for each in told.lines]
    change(changed)
    return replace(told, lines=changed)


def test_a_chat_that_went_as_it_has_to_has_no_faults() -> None:
    assert review_faults(good()) == []


SPOILT: dict[str, tuple[Callable[[Told], Told], str]] = {
    "review is off": (lambda told: replace(told, off=["prompt relay"]), "review is off: prompt relay"),
    "the seal failed more than its turn": (
        lambda told: replace(told, turns={**told.turns, HOOK.id: "failed"}),
        f"the turn {HOOK.id!r} is failed, not sent",
    ),
    "a turn that met the seal went on": (
        lambda told: replace(told, turns={**told.turns, FAILED.id: "sent"}),
        f"the turn {FAILED.id!r} is sent, not failed",
    ),
    "the draft was shown": (
        lambda told: lines(told, lambda each: each[4].update(text=PENDING.draft)),
        "the user was shown",
    ),
    "shown before the verdict": (
        lambda told: lines(told, lambda each: each.insert(0, each.pop(4))),
        f"something was shown of {PENDING.id!r} before the verdict",
    ),
    "the mailbox holds the draft": (
        lambda told: lines(told, lambda each: each[5].update(text=PENDING.draft)),
        "the mailbox holds",
    ),
    "the mailbox was never asked": (lambda told: lines(told, lambda each: each.pop(1)), "the mailbox's tool was never"),
    "the reviewer got another text": (
        lambda told: lines(told, lambda each: each[2].update(text=PENDING.draft.strip("。"))),
        f"the reviewer did not get the draft of {PENDING.id!r}",
    ),
    "reviewed twice": (
        lambda told: lines(told, lambda each: each.insert(4, each[2])),
        f"the reviewer did not get the draft of {PENDING.id!r} once",
    ),
    "a sealed tool ran": (lambda told: replace(told, made=[LOOKED, SEALED]), "a tool called after the seal was run"),
    "every tool is refused": (lambda told: replace(told, made=[]), "a tool called before the draft was not run"),
    "the sealed call was never made": (
        lambda told: lines(told, lambda each: each.pop(8)),
        "the calls of tools came to ['ran']",
    ),
    "tools are not said to come first": (
        lambda told: replace(told, requests=[*told.requests[:-1], {**told.requests[-1], "system": []}]),
        "a request does not say that tools come before the draft",
    ),
    "a second round": (
        lambda told: said_otherwise(told, HOOK.draft, NONE_LEFT),
        "more was asked of the model than the script says",
    ),
    "an opinion without a statement": (
        lambda told: lines(told, lambda each: each[3].update(text=opinion(0).replace(STATEMENTS[1], ""))),
        f"the opinion on {PENDING.id!r} does not say {STATEMENTS[1]!r}",
    ),
    "an opinion without its evidence": (
        lambda told: lines(told, lambda each: each[3].update(text=opinion(0).replace(PAST, ""))),
        f"the opinion on {PENDING.id!r} does not say {PAST!r}",
    ),
    "an opinion with a byte changed": (
        lambda told: said_otherwise(told, "e\u0301", "é"),
        f"the opinion on {PENDING.id!r} did not go over the wire",
    ),
    "an opinion wrapped in another text": (
        lambda told: said_otherwise(told, opinion(1), f"feedback: {opinion(1)}"),
        f"the opinion on {FAILED.id!r} did not go over the wire",
    ),
    "the hook's opinion cut short": (
        lambda told: said_otherwise(told, opinion(2), opinion(2)[:-1]),
        f"the opinion on {HOOK.id!r} did not go over the wire",
    ),
    "sent something else than the model wrote": (
        lambda told: said_otherwise(told, PENDING.revised, PENDING.revised + " "),
        "what was sent is not what the model's next request holds",
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_what_is_amiss_is_told(name: str) -> None:
    spoil, reason = SPOILT[name]
    faults = review_faults(spoil(good()))
    assert any(fault.startswith(reason) for fault in faults), faults
