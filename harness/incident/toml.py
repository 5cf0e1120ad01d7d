"""Values written as TOML: what a scenario and a configuration hold, and no more."""

import json
import re
from typing import Any


def toml_of(value: Any) -> str:
    """A value on one line; tables inline."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case dict():
            return "{ " + ", ".join(f"{_key(name)} = {toml_of(each)}" for name, each in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(toml_of, value)) + "]"
        case _:
            return str(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_of(name)
