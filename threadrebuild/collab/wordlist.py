"""The fixed words that a line of the user is read by where no model has read it.

They stay as they are: what they miss is missed, and no words are ever added. Nothing is stopped, resumed, sent back or
released by them.
"""

import re

from threadrebuild.collab.understanding import Meaning

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


def meaning_of(line: str) -> Meaning:
    """What a line means as far as its words tell."""
    stops, resumes = bool(_STOP.search(line)), bool(_RESUME.search(line))
    faults = [clause.strip() for clause in _CLAUSE.findall(line) if _FAULT.search(clause)]
    return Meaning(
        control="both" if stops and resumes else "stop" if stops else "resume" if resumes else "neither",
        status=_STATUS.fullmatch(line) is not None,  # STAT-6
        faults=tuple(faults),
    )
