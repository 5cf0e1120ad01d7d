"""A reviewed chat with the real CLI: its drafts go through our gate, and the opinion is what it reads next.

The host around the gate is made of lab parts (`review_inside`). Here stands what is said in the chat, and what has to
be true of it afterwards: of what the user was shown, of what the mailbox holds, and of what went over the wire.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from harness.lab.model import NONE_LEFT, Reply
from harness.lab.namespace import run_inside
from harness.lab.session import Place
from harness.lab.wire import sent_texts

INSIDE = "harness.lab.review_inside"
REVIEW_SECONDS = 120
OFFICIAL = "official"
"""The server of the official side's tools."""
SAY = "mailbox_say"
NAME, PAST = "大橘", "大橘是英短蓝猫，七岁。"
"""Somebody who was spoken of before, and what was said."""
STATEMENTS = ("这是本轮唯一一次核对或改稿", "不要再调用核对、检索或其他工具")
"""What every opinion has to say (RV-13)."""
TOOLS_FIRST = "要用的工具先用完"
"""What every turn has to be told (RV-11)."""
LOOKED, SEALED = "looked", "sealed"
"""Files that a tool makes: before a draft, which is allowed, and after one, which is not."""


@dataclass(frozen=True)
class Message:
    """One message of the user: the model's replies up to its draft, then those once it has read the opinion.

    `path` is the way by which the text reaches the gate; `say` is what the review model finds wrong with the draft, and
    `evidence` what history has on it.
    """

    id: str
    path: str
    says: str
    drafting: tuple[Reply, ...]
    say: str
    revising: tuple[Reply, ...]
    evidence: tuple[str, ...] = ()
    ends: str = "sent"

    @property
    def draft(self) -> str:
        """The text that is reviewed."""
        return str(self.drafting[-1].blocks[-1]["text"])

    @property
    def revised(self) -> str:
        """The text written after the opinion."""
        return str(self.revising[-1].blocks[-1]["text"])


def _text(text: str) -> Reply:
    return Reply(({"type": "text", "text": text},))


def _call(id_: str, tool: str, **given: str) -> Reply:
    return Reply(({"type": "tool_use", "id": f"toolu_{id_}", "name": tool, "input": given},))


MESSAGES = (
    Message(
        "pending",
        "official pending",
        f"{NAME}是什么品种来着？",
        (
            _call("looked", "Bash", command=f"touch {LOOKED}"),
            _call("said", f"mcp__{OFFICIAL}__{SAY}", text=f"我不记得{NAME}的品种了。"),
            _text(f"我不记得{NAME}的品种了。"),
        ),
        '别说  不记得: "é" (e\u0301), <b>&amp;</b> 👩‍👩‍👧',
        (_text(f"{NAME}是英短蓝猫，  七岁 (e\u0301)。"),),
        (PAST,),
    ),
    Message(
        "tool after the seal",
        "official pending",
        "再查查它的生日？",
        (_text("它的生日我说得很满。"),),
        "草稿说得太满",
        (_call("sealed", "Bash", command=f"touch {SEALED}"), _text("What nobody may ever read.")),
        ends="failed",
    ),
    Message(
        "hook",
        "app hook",
        "那就说说它爱吃什么。",
        (_text("它什么都爱吃。"),),
        "「什么都爱吃」没有依据\n分成 两行说",
        (_text("它爱吃什么，我还不知道。"),),
    ),
)
"""One by each path, each sent back once; between them one whose revision calls a tool, which fails that turn alone."""


@dataclass(frozen=True)
class Told:
    """What was seen of a chat, in order.

    `lines`: {"who", "did", "text", "where"}, as they happened. `turns`: state by message. `off`: why nothing was
    reviewed. `made`: the files that tools made. `requests`: bodies of the main requests.
    """

    lines: list[dict[str, str]]
    turns: dict[str, str]
    off: list[str]
    made: list[str]
    requests: list[dict[str, Any]]


def play_review(place: Place) -> Told:
    """Run the chat with a place's program, in a folder of its own below. Raises `NoNamespace` and `LabFault`."""
    folder = Path(mkdtemp(dir=place.folder, prefix="review-"))
    words = [str(folder), place.version, *place.program]
    told = json.loads(run_inside(INSIDE, *words, seconds=REVIEW_SECONDS))
    return Told(**told)


def review_faults(told: Told) -> list[str]:
    """What was wrong with a chat, each once; nothing where all of it went as it has to. Rule: WN-07."""
    if told.off:
        return [f"review is off: {', '.join(told.off)}"]
    found = [*_turns(told), *_shown(told), *_mailbox(told), *_order(told), *_seal(told), *_wire(told)]
    return list(dict.fromkeys(found))


def _turns(told: Told) -> Iterator[str]:
    for message in MESSAGES:
        if (state := told.turns.get(message.id)) != message.ends:
            yield f"the turn {message.id!r} is {state}, not {message.ends}"


def _shown(told: Told) -> Iterator[str]:
    wanted = [(each.id, each.revised) for each in MESSAGES if each.ends == "sent"]
    shown = [(each["where"], each["text"]) for each in _did(told, "phone", "shows")]
    if shown != wanted:
        yield f"the user was shown {shown}, not {wanted}"


def _mailbox(told: Told) -> Iterator[str]:
    holds = [(each["where"], each["text"]) for each in _did(told, "mailbox", "records")]
    wanted = [(SAY, MESSAGES[0].revised)]
    if holds != wanted:
        yield f"the mailbox holds {holds}, not {wanted}"
    if not _did(told, "mailbox", "keeps"):
        yield "the mailbox's tool was never called"


def _order(told: Told) -> Iterator[str]:
    """Each draft was judged once, and nothing was shown before the verdict on it."""
    for message in MESSAGES:
        drafts = [each["text"] for each in _did(told, "reviewer", "is asked") if each["where"] == message.id]
        if drafts != [message.draft]:
            yield f"the reviewer did not get the draft of {message.id!r} once, as it was written"
        whose = [each["who"] for each in told.lines if each["where"] == message.id]
        if "phone" in whose and "gate" not in whose[: whose.index("phone")]:
            yield f"something was shown of {message.id!r} before the verdict"


def _seal(told: Told) -> Iterator[str]:
    if LOOKED not in told.made:
        yield "a tool called before the draft was not run"
    if SEALED in told.made:
        yield "a tool called after the seal was run"
    outcomes = [each["text"] for each in _did(told, "tool", "is called")]
    if outcomes != ["ran", "sealed"]:
        yield f"the calls of tools came to {outcomes}, not to one that ran and one that met the seal"


def _wire(told: Told) -> Iterator[str]:
    """What the model read: the rule on tools in each turn, and each opinion after its draft, as the gate wrote it."""
    if not all(TOOLS_FIRST in json.dumps(each.get("system"), ensure_ascii=False) for each in told.requests):
        yield "a request does not say that tools come before the draft"
    said = [[(each.role, each.text) for each in sent_texts(body["messages"])] for body in told.requests]
    if any(NONE_LEFT in text for texts in said for _, text in texts):
        yield "more was asked of the model than the script says"
    opinions = {each["where"]: each["text"] for each in _did(told, "gate", "advises")}
    for message in MESSAGES:
        opinion = opinions.get(message.id, "")
        missing = [each for each in (*STATEMENTS, message.say, *message.evidence) if each not in opinion]
        if missing:
            yield f"the opinion on {message.id!r} does not say {missing[0]!r}"
        elif not any(_follows(texts, message, opinion) for texts in said):
            yield f"the opinion on {message.id!r} did not go over the wire after its draft, as it was written"
    for text in [message.revised for message in MESSAGES[:-1] if message.ends == "sent"]:
        if not said or ("assistant", text) not in said[-1]:
            yield f"what was sent is not what the model's next request holds: {text!r}"


def _follows(texts: list[tuple[str, str]], message: Message, opinion: str) -> bool:
    """Whether an opinion follows a draft: the text of an input, or within what the CLI says of its Stop hook."""
    if ("assistant", message.draft) not in texts:
        return False
    behind = texts[texts.index(("assistant", message.draft)) + 1 :]
    return any(
        role != "assistant" and (text == opinion if message.path != "app hook" else opinion in text)
        for role, text in behind
    )


def _did(told: Told, who: str, did: str) -> list[dict[str, str]]:
    return [each for each in told.lines if (each["who"], each["did"]) == (who, did)]
