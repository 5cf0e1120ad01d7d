"""The numbers that the user's words really give, found by fixed rules: none that means something else in them.

Each rule is a phrase in which № stands for the number, spaces left out. The numbers that fit none of them count.
"""

import re
from dataclasses import dataclass
from typing import Literal, cast

from threadrebuild.collab import figure_forms
from threadrebuild.collab.figure_forms import LENGTH, NUMERAL, SHAPES, Form

Item = Literal["duration", "resolution", "aspect", "frame_rate"]
Bound = Literal["bare", "about", "at_least", "at_most"]
MARK = "№"
"""Stands for the number in a clause; no text has it, once its width is made alike."""
REACH = 100
"""How many characters before and after a number say what it is."""

CLAUSE = re.compile(r"(?:[^,。!?;、\n]|(?<=\d),(?=\d{3}(?!\d)))+")
_QUALIFIED = r"(?:大约|大概|约|差不多|将近|接近|至少|最少|最多|至多|不超过|不少于|最长|最短|顶多|起码|要|是|为|:)*"
SHAPING = (
    r"(?:(?:剪|做|改|压|砍|缩|拉|延|加|减|降|升|提|调|变|换|裁|设|渲染|导出|输出|调整|统一)[短长高低]?[成到为]"
    r"|控制[在到]|限制[在到])"
)
_SHAPED = (
    SHAPING + _QUALIFIED + MARK,  # REQ-12
    rf"压在{_QUALIFIED}№(?:以|之)?内",  # REQ-12
    rf"{LENGTH}定在{_QUALIFIED}№",  # REQ-12
)
_ONE_OF_TWO = rf"(?:{NUMERAL}|小时|分钟?|秒钟?|[pPkKs帧]|fps|屏)"
_TO = r"(?:-|~|—|–|到|至)"
_OR = r"(?:或者?|还是|/)"
_NO_NUMBER = (
    rf"{_ONE_OF_TWO}{_TO}№|№{_TO}(?:{NUMERAL})",  # REQ-11
    rf"{_ONE_OF_TWO}{_OR}№|№{_OR}(?:{NUMERAL}|.屏)",  # WORDS-10
)
"""A range, and one of two."""
_ASKING = re.compile("能不能|要不要|是不是|用不用|会不会|该不该|想不想|需不需要|可不可以")  # REQ-15
_NOT = r"(?:不要|不能|不可以?|不得|不许|不准|不该|不应该?|不|别)再?"
_NOT_OVER = re.compile(_NOT + r"(?:超过?|多于|高于|长于|大于)")  # REQ-15
_NOT_UNDER = re.compile(_NOT + r"(?:少于|低于|短于|小于)")  # REQ-15
_NOT_WANTED = (
    "不要|不用|不需要|不想|不是|不能|不许|不准|不得|不做|无需|没必要|避免|禁止|(?<![特分区级类个])别(?![的忘])"
)
_REFUSED = (
    rf"(?:{_NOT_WANTED})[^№\d]*№",  # REQ-11 WORDS-10
    r"№的?[就都也]?(?:不要|不用|不需要|不行)[了啦吧]*$",  # REQ-11 WORDS-10
)
_ELSEWHERE: dict[Item, tuple[str, ...]] = {
    "duration": (
        r"第№",  # REQ-11
        r"№(?:左右|上下|前后)?的?(?:处|时(?!长)|时候|那|这里|地方|位置|开始|出现|进|切|转|淡|响|起(?!步))",  # REQ-11
        r"(?:前|头|(?<![然之以随])后|开场|结尾|末尾|片头|片尾|倒数|中间|每)№",  # REQ-11
        r"(?:限你|给你|限时|再给|留给)[^№]*№",  # REQ-11
        r"№(?:以内|之内|内|后|左右)?(?:就|要|得|能|可以|必须|请|先)?"  # REQ-11
        r"(?:回复|回我|答复|告诉|通知|给我|发我|发给|交|[弄做搞剪渲][完好定出]|完成|出片|出来|上线)",
        r"№[之以]?前(?!后)|№[之以]?后(?![半期])",  # REQ-11
    ),
    "resolution": (
        r"№字(?![幕体号样])",  # REQ-11
        r"(?:预算|报价|价格?|费用|成本|花)[^№]*№|№(?:块|元|预算|报价)",  # WORDS-11
        r"(?:码率|比特率)[^№]*№|№(?:码率|bps)",  # WORDS-11
    ),
    "aspect": (
        r"比分[^№]*№",  # REQ-13
    ),
    "frame_rate": (),
}
"""Phrases in which a number is none of a film."""
_UNLESS_NAMED = (
    r"在№(?!(?:以|之)?内)|[压叠贴盖]在№",  # REQ-11
    r"(?:等|渲染|导出|上传|下载|排队|预计|估计|任务|耗时|用时|开会|会议|休息)[^№]*№",  # REQ-11
    r"№(?:左右|上下)?(?:能|可以)[好行完搞]",  # REQ-11
)
"""Phrases in which a duration is none of a film, unless a word for its length stands before it."""
_DECADE = re.compile(r"(?:19|20)?[2-9]0\s*s")
_ERA = re.compile(r"№(?!$|以|之|内|左右|上下|前后|的|就|吧|打底|起步|封顶|长|,|片)")  # REQ-14

_AT_MOST = (
    r"(?:不超过|最多|至多|不到|(?<!不)(?:少于|低于|短于|小于))[^№\d]{0,6}№",  # REQ-10
    r"(?:最长|上限|顶多)[^№\d]{0,6}№|№(?:封顶|顶多)",  # WORDS-06
    r"№(?:(?:以|之)?内(?!容)|以下)",  # REQ-10
)
_AT_LEAST = (
    r"(?:不少于|至少|最少|起码|(?<!不)(?:超过|多于|高于|长于|大于))[^№\d]{0,6}№",  # REQ-10
    r"(?:最低|最短|下限)[^№\d]{0,6}№|№(?:打底|起步)",  # WORDS-06
    r"№(?:以上|往上)",  # REQ-10
)
_ABOUT = (
    r"(?:约|大概|差不多|将近|接近)[^№\d]{0,4}№",  # REQ-10
    r"№(?:左右|上下|前后)",  # REQ-10
)
_SAYS_NOTHING_ELSE = re.compile(
    rf"{LENGTH}|分辨率|画幅|比例|帧率|成片|片子|视频|{SHAPING}|大约|约|大概|差不多|左右|上下|以内|之内|内|以上|以下"
    r"|至少|最少|最多|至多|最长|最短|上限|下限|顶多|不超过|不少于|不要超过|不能少于|就行|即可|就好|[要是为的吧就到在]"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that words give, with the clause that it stands in and where it stands in the text."""

    item: Item
    value: str
    bound: Bound
    shaped: bool
    """Whether a verb that says what a film is made into stands directly before it."""
    phrase: str
    """What is around it in its clause, without spaces, № in its place."""
    clause: int
    """The number of its clause in the text."""
    begin: int
    end: int


def given(text: str, line: str = "") -> list[Figure]:
    """The numbers that a text gives, in order. `line` is the whole line that it was taken from, where it is a part."""
    text = figure_forms.normal(text)
    whole = text + figure_forms.normal(line)
    found: list[Figure] = []
    for number, clause in enumerate(CLAUSE.finditer(text)):
        for form in figure_forms.forms(clause[0], whole):
            figure = _figure(clause[0], form, number, clause.start())
            if figure is not None:
                found.append(figure)
    if any(":" in figure.value for figure in found):  # REQ-13
        return [figure for figure in found if figure.value not in SHAPES.values()]
    return found


def nothing_else(text: str) -> bool:
    """Whether a text gives one number and says nothing besides what it measures, how exactly, and to make it so."""
    figures = given(text, "画幅")
    if len(figures) != 1:
        return False
    text = figure_forms.normal(text)
    rest = text[: figures[0].begin] + text[figures[0].end :]
    return re.search(r"\w", _SAYS_NOTHING_ELSE.sub("", rest)) is None


def clauses(text: str) -> list[str]:
    """The clauses of a text, each as `tight` makes it."""
    return [tight(clause) for clause in CLAUSE.findall(figure_forms.normal(text))]


def tight(text: str) -> str:
    """A text without spaces, full and half width alike."""
    return re.sub(r"\s+", "", figure_forms.normal(text))


def _figure(clause: str, form: Form, number: int, offset: int) -> Figure | None:
    """The number of a form, unless its clause says that it is none, or none of a film."""
    before, after = clause[max(0, form.begin - REACH) : form.begin], clause[form.end : form.end + REACH]
    phrase = tight(before) + MARK + tight(after)
    phrase = _ASKING.sub("", phrase)
    phrase = _NOT_UNDER.sub("不少于", _NOT_OVER.sub("不超过", phrase))
    item, written = cast(Item, form.item), clause[form.begin : form.end]
    if not form.value or _fits(_NO_NUMBER, phrase):
        return None
    if _fits(_REFUSED, phrase):
        return None
    shaped = _fits(_SHAPED, phrase)
    if not shaped and _means_something_else(item, phrase, written):  # REQ-12
        return None
    return Figure(
        item, form.value, _bound(item, phrase), shaped, phrase, number, offset + form.begin, offset + form.end
    )


def _means_something_else(item: Item, phrase: str, written: str) -> bool:
    if _fits(_ELSEWHERE[item], phrase):
        return True
    if item != "duration" or re.search(rf"{LENGTH}.*№", phrase):
        return False
    return _fits(_UNLESS_NAMED, phrase) or bool(_DECADE.fullmatch(written) and _ERA.search(phrase))


def _bound(item: Item, phrase: str) -> Bound:
    if item == "aspect":
        return "bare"
    if _fits(_AT_MOST, phrase):
        return "at_most"
    if _fits(_AT_LEAST, phrase):
        return "at_least"
    return "about" if _fits(_ABOUT, phrase) else "bare"


def _fits(patterns: tuple[str, ...], phrase: str) -> bool:
    return any(re.search(pattern, phrase) for pattern in patterns)
