"""What sort of requirement one is: craft, a choice of look, a setting of a series, or something else.

The scribe says so when it records one. Entries from before it did are judged by their words alone, and narrowly: to be
craft they have to say what is to be consistent.
"""

import re
import sqlite3
from typing import Literal

Nature = Literal["craft", "look", "series", "other"]
CONVERSATION_WIDE: tuple[Nature, ...] = ("craft", "look", "series")
"""What is more than a wish for one matter, whatever it is called."""

PICTURED = (
    *("背景", "画风", "画面", "色调", "色彩", "光线", "光影", "人物", "角色", "形象", "服装", "道具", "场景", "镜头"),
    *("转场", "动作", "口型", "字幕", "声音", "音量", "配乐", "风格", "节奏", "字体", "画质"),
)
"""What can be consistent in a film."""
CONSISTENT = {
    "连贯": ("连贯", "连续", "衔接", "跳跃", "跳来跳去"),
    "一致": ("一致", "统一"),
}
"""That it is, or is not, by what a kind of such wishes is called."""
TONES = ("色调", "调子", "色彩", "画面", "光线", "滤镜", "影调")
CHOSEN = ("偏冷", "偏暖", "冷", "暖", "亮", "暗", "浓", "淡", "复古", "港风", "清新")
SETTINGS = ("左手", "右手", "左臂", "右臂", "左眼", "右眼", "机械臂", "人设", "世界观", "这个系列", "全系列")
_GLUE = "(?:要|必须|得|都|也|保持|前后|全程|整体|一直|始终|应该|严重|不要|不能|别|不|[，,、]|的)*"
_TONE = re.compile(f"(?:{'|'.join(TONES)})(?:要|再|更|太|得|用|走|稍|偏|一点)*(?:{'|'.join(CHOSEN)})")  # REQ-31


def of_entry(entry: sqlite3.Row) -> Nature:
    """The nature of an entry of the ledger: as the scribe has called it, else by its words."""
    tagged: Nature | None = entry["nature"]
    if tagged is not None:  # REQ-31
        return tagged
    return of_words(entry["span"] or "")


def of_words(text: str) -> Nature:
    """What words ask for that nobody has called anything."""
    if _TONE.search(_closed_up(text)):
        return "look"  # REQ-31
    if kind(text):
        return "craft"
    if any(word in text for word in SETTINGS):
        return "series"  # REQ-31
    return "other"


def kind(text: str) -> str:
    """What words want to be consistent, as old cards call it, such as 背景连贯; nothing where they do not say what."""
    for name, words in CONSISTENT.items():
        said = "|".join(words)
        for what in PICTURED:
            if re.search(f"{what}{_GLUE}(?:{said})|(?:{said}){what}", _closed_up(text)):  # REQ-31
                return f"{what}{name}"
    return ""


def is_of_kind(entry: sqlite3.Row, wanted: str) -> bool:
    """Whether an entry is of a kind, by what the scribe has called it, by its words, or by what they mean."""
    return wanted in (entry["category"], kind(entry["span"] or ""), kind(entry["paraphrase"]))


def _closed_up(text: str) -> str:
    return "".join(text.split())
