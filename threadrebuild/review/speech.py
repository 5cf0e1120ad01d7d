"""The host's own rules on what a draft says, which need no model: claims of forgetting, admitted guesses, re-asking.

Each yields the name to look up in history. Only known names and pronouns count; what the user brings up for the first
time in this very turn does not.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

PRONOUNS = ("他", "她", "它")  # RV-28

_FORGETS = re.compile(  # RV-24
    r"不(?:太|大|怎么|再)?记得|记不(?:太)?(?:得|起|清|住)|想不(?:太)?起|没(?:有|什么|啥|任何|太多)*印象"
    r"|(?:找|查|翻|搜)(?:了[^，。；]{0,6})?(?:也|都|还是)?[没不]有?(?:找|查|翻|搜)?[到着见]"
    r"|没有?(?:找|查|翻|搜)[到着见]|(?:找|查|翻|搜)不(?:到|着|见|出来)|(?<![别没])(?<!不要)(?<!没有)忘(?:了|记|掉|干净)"
)
_GUESSES = re.compile(  # RV-25
    r"(?:瞎|乱|随口|凭空)?[猜蒙]的|没有?(?:再|来得及|专门|特意)?(?:去)?(?:翻|查|核对|确认|看)(?!到|着|见)"
)
_STABLE = (
    r"品种|什么[猫狗鸟鱼]",
    r"名字|叫什么|叫啥|怎么称呼",
    r"生日|(?:哪天|哪年|几号|什么时候)(?:出)?生",
    r"毛色|什么(?:颜)?色|[毛身]是?什么样",
    r"长相|长(?:得|的)?(?:什么|啥|怎么)样|什么模样",
    r"年龄|年纪|多大|几岁|多少岁",
)
_STABLE_FACT = re.compile("|".join(_STABLE))
_QUESTION = re.compile(r"[？?]|[吗呢么](?:$|[，。！~～])|什么|哪|几|多大|多少|啥|怎么")
_SENTENCE = re.compile(r"[^。！？!?；;\n]*[。！？!?；;\n]?")
_NOT_MINE = re.compile(r"[你您](?:们)?[^我，,]*$|(?<![对和跟于])(?:他|她|它)(?:们)?[^我，,]*$")
"""Before the words of a claim: somebody else it is who forgets or guesses."""

Rule = Literal["forgets", "guesses", "asks again"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of a draft that history has to be asked about."""

    rule: Rule
    name: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Talk:
    """What a draft answers: the user's message, what was said before it (oldest first), and the names known.

    `names` maps each name to the id of the message that first told it.
    """

    message_id: str
    said: str
    before: Sequence[str]
    names: Mapping[str, str]


def claims(draft: str, talk: Talk) -> list[Claim]:
    """The claims of a draft, in order (RV-24 to RV-30)."""
    found: list[Claim] = []
    at = 0
    for sentence in _SENTENCE.findall(draft):
        for rule in _rules_of(sentence):
            for name in _about(draft[:at], sentence, talk):
                if talk.names[name] == talk.message_id:  # RV-30
                    continue
                found.append(Claim(rule, name, sentence.strip()))
        at += len(sentence)
    return found


def names_in(text: str, names: Mapping[str, str]) -> list[str]:
    """The names in a text, each alone: what a search may be asked for (RV-27). A name within a longer one is none."""
    found = [
        name
        for name in names
        if name.strip() and name in text  # RV-27
    ]
    longer = {name for name in found for other in found if name != other and name in other}
    return sorted(set(found) - longer, key=text.rfind)


def _rules_of(sentence: str) -> list[Rule]:
    rules: list[Rule] = []
    if _says(_FORGETS, sentence):
        rules.append("forgets")
    if _says(_GUESSES, sentence):
        rules.append("guesses")
    if _asks_again(sentence):
        rules.append("asks again")
    return rules


def _says(pattern: re.Pattern[str], sentence: str) -> bool:
    found = pattern.search(sentence)
    return found is not None and _NOT_MINE.search(sentence[: found.start()]) is None


def _asks_again(sentence: str) -> bool:
    return (
        _STABLE_FACT.search(sentence) is not None  # RV-29
        and _QUESTION.search(sentence) is not None  # RV-26
    )


def _about(before: str, sentence: str, talk: Talk) -> list[str]:
    """Whom a sentence is about: the names in it, else whom its pronoun stands for."""
    named = names_in(sentence, talk.names)
    if named or not _has_pronoun(sentence):
        return named
    texts = [talk.said, before]
    if _has_pronoun(talk.said):
        texts = [*talk.before, *texts]
    return names_in("\n".join(texts), talk.names)[-1:]


def _has_pronoun(text: str) -> bool:
    return any(each in text.replace("其他", "").replace("吉他", "") for each in PRONOUNS)
