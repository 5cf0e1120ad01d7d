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
    "needs from user": {
        "zh": "{bot}要你给：{said}",
        "en": "{bot} needs from you: {said}",
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
