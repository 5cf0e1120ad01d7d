"""Stages: how a ticket stands from level 5 on. The status, by which it stood before, goes along with each."""

from typing import Literal

FROM_LEVEL = 5
Stage = Literal["todo", "in progress", "submitted", "in_review", "rework", "approved", "dropped"]
Mover = Literal["check", "review", "beat", "board", "word", "ceiling", "observation", "lead"]
"""Who may move a ticket."""
STATUS_OF: dict[str, str] = {
    "todo": "todo",
    "in progress": "in progress",
    "submitted": "to accept",
    "in_review": "to accept",
    "rework": "in progress",
    "approved": "done",
    "dropped": "parked",
}
FINISHED = ("approved", "dropped")
"""The stages at which nothing is to be done any more."""
