"""Images the model has seen: originals, which pollute a thread, and previews, which do not (TR-054, TR-L19)."""

from typing import Any

from msgspec import Raw

from threadrebuild.transcript.spans import STRICT

PREVIEW_WORDS = ("preview", "thumbnail")
"""A tool whose name holds one of these returns previews; every other tool that returns an image opened an original."""


class Images:
    """Counts of images in user rows (previews) and in tool results, with the bytes of their data."""

    def __init__(self) -> None:
        self.original_views = 0
        self.previews = 0
        self._preview_calls: set[str] = set()

    def preview_call(self, call: str) -> None:
        """Remember a call of a tool that returns previews."""
        self._preview_calls.add(call)

    def pasted(self) -> None:
        """Count an image that a person put into a message: the host shows the model a scaled copy."""
        self.previews += 1

    def in_result(self, call: str, content: Raw) -> int:
        """Count the images at any depth of a tool result; return the bytes their data takes in the file."""
        found = _images(STRICT.decode(bytes(content).decode("utf-8")))
        if call in self._preview_calls:  # TR-054
            self.previews += len(found)
        else:
            self.original_views += len(found)  # TR-L19
        return sum(found)


def returns_previews(tool: str) -> bool:
    """Whether a tool returns scaled copies, by its name."""
    return any(word in tool.lower() for word in PREVIEW_WORDS)


def _images(value: Any) -> list[int]:
    if isinstance(value, list):
        return [size for item in value for size in _images(item)]
    if not isinstance(value, dict):
        return []
    if value.get("type") == "image" and isinstance(value.get("source"), dict):
        data = value["source"].get("data")
        return [len(data) if isinstance(data, str) else 0]
    return [size for item in value.values() for size in _images(item)]
