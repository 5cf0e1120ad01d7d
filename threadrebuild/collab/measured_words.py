"""What the user's words ask a finished film to measure: the narrow reading that a check is proposed from.

A number that is missed costs one proposal; so a line that could mean anything else gives none.
"""

import re
from collections.abc import Sequence

import msgspec

from threadrebuild.collab import complaints, figures, films, measures
from threadrebuild.collab.figure_forms import LENGTH, NUMERAL
from threadrebuild.collab.figures import Figure, Item
from threadrebuild.collab.measures import Measure

_WHOLE_LINE = (
    r"吗|\?|能不能|要不要|怎么样|你觉得|试试",  # WORDS-07
    r"如果|会不会|的话",  # WORDS-07
    r"[短长]了|偏[短长]|有点[短长]|不够[短长]",  # WORDS-07
    r"上一?版|这一?版|这次|第.版|之前|原来|现在|你交的|已经|粗剪|完整版|[成到]了",  # WORDS-07
    r"只有|才|显示|为什么|怎么|比要求的",  # WORDS-07
    r"我拍的|相机|客户给的|显示器|ffprobe",  # WORDS-07
    r"[竖横]屏的?(?:也|再)|的也要|也要一?版|[做出来]一版|(?<!成品)(?<![出排模改终式定])版(?![权面式画本])",  # WORDS-07
    r"照片|海报|封面|壁纸|配图|动图|KV|界面",  # WORDS-07
)
"""Words with which a line asks, supposes, complains, or speaks of a made version, a file in hand, another version, or a
still or an interface."""
_APPROVES = re.compile(r"(?:这样)?(?:就|也|都)?(?:可以|还行)[了啊呀吧的啦]*")  # WORDS-07
_AS_IT_IS = re.compile(rf"(?:{NUMERAL})(?:小时|分钟?|秒钟?|[pPkKsm帧]|fps)?了")  # WORDS-07
_WHOLE_FILM = re.compile("片长|总长|总时长|成片|全片|整片|整[支条部个]")  # WORDS-08
_MATERIAL = re.compile("素材|参考|参照|对标|样片|像.+[那一]样|像.+似的|配乐|音乐|歌|bgm|背景乐")  # WORDS-09
_NAMES: tuple[tuple[Item, str], ...] = (
    ("duration", LENGTH),  # WORDS-12
    ("resolution", "分辨率"),  # WORDS-12
    ("aspect", "画幅|比例|[高宽横]比"),  # WORDS-12
    ("frame_rate", "帧率"),  # WORDS-12
)


class Stated(msgspec.Struct, frozen=True):
    """One number that a line states for the finished film; `target` where it says what the film is to be."""

    measure: Measure
    target: bool


def stated(text: str, *, of_a_part: bool = False) -> list[Stated]:
    """The numbers that a line states for the finished film, in order; the same item may be stated twice.

    `of_a_part`: the line is filed on the ticket of a shot, or of another part or version.
    """
    clauses = figures.clauses(text)
    if of_a_part or _says_nothing(figures.tight(text), clauses):  # WORDS-08
        return []
    given = figures.given(text)
    found: list[Stated] = []
    for figure in given:
        before, clause = clauses[: figure.clause], clauses[figure.clause]
        if _is_of(films.PART, before, clause):  # WORDS-08
            continue
        if _is_left_behind(figure, given):  # WORDS-10
            continue
        beside_it = _is_of(_MATERIAL, before, clause)
        if beside_it and not figure.shaped:  # WORDS-09
            continue
        if figure.item == "duration" and not _is_bounded(figure):  # WORDS-03 WORDS-04
            continue
        found.append(Stated(measures.measure_of(figure), _is_target(figure, beside_it)))
    return found


def _is_bounded(figure: Figure) -> bool:
    """Whether words around a duration tell that it is how long something is to be."""
    return figure.bound != "bare" or figure.shaped or _is_named(figure)  # WORDS-03 WORDS-04


def _is_target(figure: Figure, beside_it: bool) -> bool:
    """Whether a number is said of what the film is to be; never where the talk is of material or a reference."""
    return (figure.shaped or _is_named(figure)) and not beside_it  # WORDS-09 WORDS-12


def _is_named(figure: Figure) -> bool:
    """Whether a word for what a number measures stands before it in its clause."""
    return any(item == figure.item and re.search(f"(?:{name}).*№", figure.phrase) for item, name in _NAMES)


def _says_nothing(line: str, clauses: Sequence[str]) -> bool:
    """Whether a whole line states nothing, whatever numbers are in it."""
    return (
        any(re.search(pattern, line) for pattern in _WHOLE_LINE)
        or complaints.found_in(line)  # WORDS-07
        or _AS_IT_IS.search(line) is not None
        or any(_APPROVES.fullmatch(clause) for clause in clauses)
    )


def _is_of(what: re.Pattern[str], before: Sequence[str], clause: str) -> bool:
    """Whether a clause is about something besides the whole film: it says so, or one before it did and it goes on."""
    if what.search(clause.casefold()):
        return True
    return any(what.search(each.casefold()) for each in before) and not _WHOLE_FILM.search(clause)


def _is_left_behind(figure: Figure, given: Sequence[Figure]) -> bool:
    """Whether a number is changed into another one later in its clause."""
    return any(
        other.shaped and other.item == figure.item and other.clause == figure.clause and other.begin > figure.begin
        for other in given
    )
