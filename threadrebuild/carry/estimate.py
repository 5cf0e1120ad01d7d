"""How many tokens a whole message takes in a window: its words, its tool traffic, its thinking, and its images.

An image counts by its size. A flat value for every image once made windows change far too early.
"""

import base64
import binascii
import io
import math
from typing import Any

import imagesize

from threadrebuild.config import Settings
from threadrebuild.transcript.tokens import estimated_tokens

_NOT_READ = frozenset({"type", "id", "tool_use_id", "signature", "data", "cache_control", "is_error", "media_type"})
"""Members of blocks that a model is not given as text."""


def image_tokens(width: int, height: int, settings: Settings) -> int:
    """What an image of so many pixels takes (WN-10)."""
    tokens = math.ceil(width * height / settings.image_pixels_per_token)  # WN-10
    if tokens > settings.image_tokens_most:  # WN-10
        return settings.image_tokens_most
    return tokens


def content_tokens(content: Any, settings: Settings) -> int:
    """What the decoded `content` of a message takes."""
    if isinstance(content, str):
        return estimated_tokens(content, settings.tokens_per_other_char_divisor)
    if isinstance(content, list):
        return sum(content_tokens(each, settings) for each in content)
    if not isinstance(content, dict):
        return 0
    if content.get("type") == "image":
        return _tokens_of_image(content.get("source"), settings)
    return sum(content_tokens(value, settings) for name, value in content.items() if name not in _NOT_READ)


def pasted_image_tokens(content: Any, settings: Settings) -> int:
    """What the images take that stand in a message themselves, and not in a tool's result."""
    blocks = content if isinstance(content, list) else []
    images = (each for each in blocks if isinstance(each, dict) and each.get("type") == "image")
    return sum(_tokens_of_image(image.get("source"), settings) for image in images)


def _tokens_of_image(source: Any, settings: Settings) -> int:
    size = image_size(source.get("data")) if isinstance(source, dict) else None
    return settings.image_tokens_most if size is None else image_tokens(*size, settings)


def image_size(data: Any) -> tuple[int, int] | None:
    """Width and height of an image in base64, from its header; None where it has none that is known."""
    if not isinstance(data, str):
        return None
    try:
        width, height = imagesize.get(io.BytesIO(base64.b64decode(data)))
    except (binascii.Error, ValueError, OSError, ArithmeticError, LookupError):
        return None
    return (int(width), int(height)) if width > 0 and height > 0 else None
