"""Whether a line asks something, as far as its words tell; what is wished for in the form of a question asks too."""

import re

_MARK = re.compile(r"[?？][\s\"'”’」』)）]*$")  # TURN-10
_PARTICLE = re.compile(r"(吗|么|呢|没|没有)[\s。.!！~～…]*$")  # TURN-10
_WORDS = re.compile(  # TURN-10
    r"怎么样了|到哪(一步|儿|里)?了|进度(怎么样|如何|到哪)|做到第几|(还要|还有|得)多久|什么时候(能|可以|会|好|做完|给)"
    r"|\b(how (far|is|are|much|many|long|soon)|any progress|are you (done|ready)|is it (done|ready)|when will)\b",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether a text asks something."""
    return any(pattern.search(text) for pattern in (_MARK, _PARTICLE, _WORDS))
