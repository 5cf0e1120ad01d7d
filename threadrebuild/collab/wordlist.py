"""The fixed words that a line of the user is read by where no model has read it.

They stay as they are: what they miss is missed, and no words are ever added. Nothing is stopped, resumed, sent back or
released by them.
"""

import re

from threadrebuild.collab.understanding import Meaning, Speech

_STOP = re.compile(r"停下|停一下|先停|别做了|住手|\bstop\b", re.IGNORECASE)  # READ-22
_RESUME = re.compile(r"继续|接着做|\b(resume|continue|go on)\b", re.IGNORECASE)
_STATUS = re.compile(  # READ-08
    r"((@\S+\s+)*+\W*+|\W*+)(现在|那|这个|都|你)?(做)?(怎么样了|进度(怎么样|如何|到哪)?了?|到哪(一步|儿|里)?了|好了[吗没]"
    r"|how is it going|any progress)\W*",
    re.IGNORECASE,
)
_FAULT = re.compile(  # READ-22
    r"太假|太差|难看|不好看|不行|不对|不满意|没对齐|没有对齐|重做|返工|\b(ugly|wrong|redo)\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"[^，,。！？!?；;\n]+")


_GOING_ON = re.compile(
    r"正在(做|编写|处理|整理|渲染|画|写|生成|剪)|着手|马上(做|写|画|开始|处理)|稍后|随后(给|发|补|奉上|\s*($|[。！!，,；;…]))|我将"
    r"|接下来我?(会|来)|弄好(了)?(再)?(发|告诉)|\b(still working|working on it|i will|i'll|will follow|later today)\b",
    re.IGNORECASE,
)
_TESTED = re.compile(r"已(经)?(测试|验证|运行)|测试通过|验证通过|跑通|\b(tested|verified|tests pass)\b", re.IGNORECASE)
_NOT_TESTED = re.compile(r"(未|没有?|尚未)(测试|验证|运行)|\b(not|un)[ -]?(tested|verified)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:[^。！？!?.\n]|\.(?!\s))+[。！？!?.]?")


def speech_of(text: str) -> Speech:
    """What a Bot's words say as far as they tell by themselves; whether they only ask for a nod they never tell."""
    going_on = next((sentence for sentence in sentences(text) if _GOING_ON.search(sentence)), "")  # END-20 CLOS-01
    return Speech(going_on=going_on, tested=bool(_TESTED.search(text)))


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order."""
    return [sentence.strip() for sentence in _SENTENCE.findall(text) if sentence.strip()]


def says_not_tested(text: str) -> bool:
    """Whether a text says plainly that something has not been tested."""
    return bool(_NOT_TESTED.search(text))


def meaning_of(line: str) -> Meaning:
    """What a line means as far as its words tell."""
    stops, resumes = bool(_STOP.search(line)), bool(_RESUME.search(line))
    faults = [clause.strip() for clause in _CLAUSE.findall(line) if _FAULT.search(clause)]
    return Meaning(
        control="both" if stops and resumes else "stop" if stops else "resume" if resumes else "neither",
        status=_STATUS.fullmatch(line) is not None,  # STAT-6
        faults=tuple(faults),
    )
