"""The opinion that a review hands back to the model: what is wrong, the evidence found for it, and no further round.

It is empty where the draft passes. Problems and evidence stand in blocks of their own, which a window change knows and
takes out of the session's record once the turn is over.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from threadrebuild.review.client import Problem
from threadrebuild.review.search import Search
from threadrebuild.review.speech import Claim, Rule

ONLY_ONCE = "这是本轮唯一一次核对或改稿"  # RV-13
NO_MORE = "不要再调用核对、检索或其他工具"  # RV-13
PROBLEMS_TAG, EVIDENCE_TAG = "review-problems", "review-evidence"
_QUOTED_TAG = re.compile(f"<(?=/?(?:{PROBLEMS_TAG}|{EVIDENCE_TAG})\\b)")
NOT_CHECKED = "没核到，不等于没有：不要因此改成不确定的说法，也不要写相反的事实"

SAYS: Mapping[Rule, str] = {
    "forgets": "草稿说不记得「{name}」，历史里有",
    "guesses": "草稿里「{name}」这件事是猜的，历史里有",
    "asks again": "草稿又问起「{name}」，用户早就说过，答案在下面就别再问",
}

RESTS_ON_HISTORY = frozenset(
    {
        "unsure",  # RV-21
        "correct",  # RV-22
    }
)
"""Kinds of problem that mean nothing where history could not be checked."""


def opinion_of(
    claims: Sequence[Claim],
    asked: Sequence[str],
    problems: Sequence[Problem],
    violated: Sequence[str],
    searches: Mapping[str, Search],
) -> str:
    """The opinion on a draft.

    `asked`: the names that the reviewer wanted looked up; `violated`: the fridge notes that the draft violates;
    `searches`: all that were made, by name.
    """
    found = [
        *_of_notes(violated),
        *_of_claims(claims, searches),
        *_of_questions(asked, searches),
        *_of_problems(problems, searches),
    ]
    if not found:
        return ""
    evidence = [line for name, search in searches.items() for line in _evidence(name, search)]
    problems_block = _block(PROBLEMS_TAG, [f"{ONLY_ONCE}。{NO_MORE}。", *found])
    return "\n".join([problems_block, _block(EVIDENCE_TAG, evidence)] if evidence else [problems_block])


def _block(tag: str, lines: Sequence[str]) -> str:
    # A quoted tag would end the block early, and what is behind it would pass for somebody's words.
    return "\n".join([f"<{tag}>", *(_QUOTED_TAG.sub("＜", line) for line in lines), f"</{tag}>"])


def _of_notes(violated: Sequence[str]) -> Iterator[str]:
    for text in violated:
        yield f"草稿违反了这张冰箱贴（原文）：\n{text}"


def _of_claims(claims: Sequence[Claim], searches: Mapping[str, Search]) -> Iterator[str]:
    for claim in claims:
        if searches[claim.name].outcome == "found":
            yield f"{SAYS[claim.rule].format(name=claim.name)}：{claim.sentence}"


def _of_questions(asked: Sequence[str], searches: Mapping[str, Search]) -> Iterator[str]:
    for name in asked:
        if searches[name].outcome == "found":
            yield f"草稿里关于「{name}」的话，对照下面的历史核对一遍"


def _of_problems(problems: Sequence[Problem], searches: Mapping[str, Search]) -> Iterator[str]:
    unchecked = {name for name, search in searches.items() if search.outcome == "not checked"}
    for problem in problems:
        if problem.kind in RESTS_ON_HISTORY and problem.about in unchecked:
            continue
        if problem.say.strip():
            yield problem.say


def _evidence(name: str, search: Search) -> Iterator[str]:
    match search.outcome:
        case "found":
            yield f"历史里关于「{name}」："
            yield from search.passages
        case "absent":
            yield f"历史里查过「{name}」，没有。"
        case "not checked":
            yield f"「{name}」{NOT_CHECKED}。"
