"""Which films may be the finished one of a plan, by what names and titles tell; what lies elsewhere, or is a part, a
version or a trial of it, is not.

Of a name whole words count: `final` stands in `EP01_final.mp4` and not in `EP01finale.mp4`.
"""

import re

from threadrebuild.collab import videos
from threadrebuild.collab.figure_forms import normal


def _words(names: str) -> str:
    """A pattern for names in Latin letters, each only as a whole word."""
    return rf"(?<![a-z0-9])(?:{names})(?![a-z0-9])"


PART = re.compile(
    "镜头|分镜|空镜|[这那一每]镜(?!到底)|第.{1,3}[镜段幕场页张]|片段|段落|[这那每]段|采访|开头|结尾|开场|片头|片尾|标题|字幕|口播|旁白"
    "|配音|高潮|场景|[这那每]场|[这那每][页张]|"
    + _words("logo|shots?|c[0-9]+|intro|outro|opening|ending|titles?|subtitles?|voice-?over|scenes?")
)
"""A shot or another part of a film, in words of the user or the title of a ticket, in small letters."""
VERSION = re.compile(
    r"\w(?<!成品)(?<![出排模改新旧这那此本一终成定式])版(?![权面式画本])|竖屏|横屏|预告|花絮|"
    + _words("trailer|teaser|vertical|[0-9]{1,2}[x:][0-9]{1,2}")
)
"""Another version of a film, or a trailer, in the title of a ticket, in small letters."""
FOLDERS_APART = {
    "footage",  # WORDS-25
    "raw",  # WORDS-25
    "ref",  # WORDS-25
    "素材",  # WORDS-25
    "参考",  # WORDS-25
}
_NOT_IT = (
    _words(r"c\d+|sh\d+|shots?\d*|scenes?\d*") + "|镜",  # WORDS-25
    _words(r"\d{1,2}x\d{1,2}|\d+s|\d+sec|vertical|horizontal|square") + "|[^终]版|竖屏|横屏",  # WORDS-25
    _words("douyin|tiktok|kuaishou|xiaohongshu|bilibili|youtube|shorts?|reels?|wechat"),  # WORDS-25
    _words("trailer|teaser|promo|cutdown") + "|预告|花絮",  # WORDS-25
    _words("intro|outro|opening|ending|op|ed|titles?|logo|sting|bumper") + "|片头|片尾|开头|结尾",  # WORDS-25
    _words("preview|draft|rough|wip") + "|预览|小样|粗剪",  # WORDS-25
    _words("proxy|lowres") + "|代理",  # WORDS-25
)
"""What a name has that is not the finished film's: a shot, a version or format, an opening or ending, a trial."""
_BY_NAME = (
    _words("master") + "|母带",  # WORDS-24
    _words("final") + "|成片|终版",  # WORDS-24
)
_ELSEWHERE = 10
"""Added to the rank of what lies neither in `deliverables/` nor in the plan's own folder."""


def rank(path: str, plan_folder: str) -> int | None:
    """How early a delivered file comes when the finished film is looked for, the least first; None is never measured.

    Within a rank the newest one is it, by when it was first delivered.
    """
    *folders, name = normal(path).casefold().split("/")
    stem, _, ending = name.rpartition(".")
    if ending not in videos.ENDINGS or FOLDERS_APART.intersection(folders):  # WORDS-25
        return None
    if any(re.search(pattern, stem) for pattern in _NOT_IT):
        return None
    handed_over = "deliverables" in folders
    by_name = next((at for at, pattern in enumerate(_BY_NAME) if re.search(pattern, stem)), None)
    if by_name is None:
        return len(_BY_NAME) if handed_over else None  # WORDS-24
    if handed_over or path.startswith(f"{plan_folder}/"):  # WORDS-24
        return by_name
    return _ELSEWHERE + by_name


def is_another_version(text: str) -> bool:
    """Whether a title speaks of another version of the film, or of a trailer."""
    return VERSION.search(normal(text).casefold()) is not None


def names_a_part(title: str) -> bool:
    """Whether a title names a shot or another part of a film."""
    return PART.search(normal(title).casefold()) is not None
