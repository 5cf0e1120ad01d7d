"""The application's own lines to the user, in the language of the user's interface."""

from typing import Literal

from threadrebuild.database import Database

Language = Literal["zh", "en"]

LINES: dict[str, dict[str, str]] = {
    "promised": {
        "zh": "{bot}说了“{said}”，但这一轮已经结束了，没有人接着做：要它继续就 @{bot}。",
        "en": "{bot} said “{said}”, but this round is over and nobody goes on: @{bot} to have it continue.",
    },
    "promised in its chat": {
        "zh": "{bot}说了“{said}”，但这一轮已经结束了，没有人接着做：要它继续就跟它说一声。",
        "en": "{bot} said “{said}”, but this round is over and nobody goes on: just tell it to continue.",
    },
    "said nothing": {
        "zh": "{bot}这一轮没有回复你就结束了：要它回答就再说一次。",
        "en": "{bot} ended this round without a reply: ask again for an answer.",
    },
    "no progress": {
        "zh": "“{matter}”还没有做完，{bot}已经两次没有进展就结束了，这件事先停下：要它继续就 @{bot}。",
        "en": "“{matter}” is not done, and {bot} ended twice without progress, so it rests: @{bot} to continue.",
    },
    "no progress in its chat": {
        "zh": "“{matter}”还没有做完，{bot}已经两次没有进展就结束了，这件事先停下：要它继续就跟它说一声。",
        "en": "“{matter}” is not done, and {bot} ended twice without progress, so it rests: just tell it to continue.",
    },
    "unconfirmed check": {
        "zh": "未确认的检查:{found},你说的是{said}(待你确认)",
        "en": "unconfirmed check: {found}; you said {said} (yours to confirm)",
    },
    "not measured": {"zh": "还没有对上文件", "en": "there is no film yet"},
    "two numbers": {
        "zh": "生效中的检查是{now}，你刚说的是{new}：用哪一个？",
        "en": "the check in force is {now}, and now you said {new}: which one?",
    },
    "said again": {"zh": "你已经说了 {times} 次。", "en": "You have said it {times} times. "},
    "confirm_check": {"zh": "用新的", "en": "Use the new one"},
    "amend_check": {"zh": "改", "en": "Change"},
    "drop_check": {"zh": "留原来的", "en": "Keep the old one"},
    "needs from user": {
        "zh": "{bot}要你给：{said}",
        "en": "{bot} needs from you: {said}",
    },
    "settled on the board": {
        "zh": "已在流程图上逐条处理",
        "en": "Handled one by one on the board",
    },
    "gave up": {
        "zh": "{bot}做不下去了：{said}",
        "en": "{bot} gave up: {said}",
    },
}
"""By what they say."""


def line(db: Database, says: str, **about: str) -> str:
    """A line of the application, in the user's language."""
    language: str = db.value("SELECT language FROM meta")
    return LINES[says][language].format(**about)
