"""Whether review is on: one prompt pinned in three places, both paths tested with it, and the limit that is expected.

The prompt's text and its hash stand here; the review model's name is the rollout's alone.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from threadrebuild.review.search import FIRST_MS, FOLLOW_UP_MS, TOTAL_MS

PROMPT = """\
你在一条回复发出之前核对草稿。只依据随附的材料，不凭印象。
逐项看：
1. 草稿有没有违反任何一张冰箱贴。违反哪几张，就在 notes 里写它们的序号，从 0 数起。
2. 草稿里的事实和随附的历史证据是否一致。不一致的写进 problems，kind 用 correct。
3. 草稿说得太满、证据又够不上的，写进 problems，kind 用 unsure。别的问题 kind 用 other。
4. 还需要翻历史才能判断的人名，写进 look_up。只写名字。
标着「没核到」的名字表示没来得及查，不表示没有这回事。
只回一个 JSON 对象：{"problems": [{"kind": …, "about": 名字, "say": 一句话}], "notes": [], "look_up": []}
"""
PROMPT_SHA256 = "926e38b9155774be021c5124eb13b6d1f916d9b801abd8a31f0c3c51afaa0a77"
"""The hash as the adapter's review client pins it."""

PATHS = (  # RV-15 RV-16
    "app hook",
    "official pending",
)
"""The two paths a finished text comes by; a text that comes by another is not let through."""


class Rollout(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rollout's configuration file. `tested` holds the prompt's hash that each path was last tested with."""

    review_prompt_sha256: str
    review_model: str
    search_limit_ms: int = TOTAL_MS
    search_first_ms: int = FIRST_MS
    search_follow_up_ms: int = FOLLOW_UP_MS
    tested: Mapping[str, str]


class Reason(NamedTuple):
    """Why review is not on."""

    about: Literal["prompt", "path", "limit"]
    which: str


def read_rollout(path: Path) -> Rollout:
    """Read the file, in TOML. Raises OSError and `msgspec.DecodeError` (also for unknown keys and wrong types)."""
    return msgspec.toml.decode(path.read_bytes(), type=Rollout)


def hash_of(prompt: str) -> str:
    """The sha256 of a prompt, in hexadecimal digits."""
    return sha256(prompt.encode()).hexdigest()


def why_off(client: str, rollout: Rollout, relay: str, prompt: str = PROMPT) -> list[Reason]:
    """Everything that keeps review off; nothing where it is on.

    `client` and `relay` are the hashes that the adapter's review client and Brain's relay have pinned.
    """
    wanted = hash_of(prompt)
    places = {"review client": client, "rollout": rollout.review_prompt_sha256, "relay": relay}
    reasons = [
        Reason("prompt", place)
        for place, pinned in places.items()
        if pinned != wanted  # RV-14
    ]
    reasons += [
        Reason("path", path)
        for path in PATHS
        if rollout.tested.get(path) != wanted  # RV-16 OPS-04
    ]
    limits = (rollout.search_limit_ms, rollout.search_first_ms, rollout.search_follow_up_ms)
    if limits != (TOTAL_MS, FIRST_MS, FOLLOW_UP_MS):  # RV-19 OPS-01
        reasons.append(Reason("limit", f"{limits[0]} = {limits[1]} + {limits[2]} ms"))
    return reasons
