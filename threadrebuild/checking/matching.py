"""Looks for a regular expression in a file: a program of its own, since only a process can be stopped in the midst.

`python matching.py PATTERN FILE` ends with `MATCHES` or `NOTHING`; with anything else where it could not look.
"""

import re
import sys
from pathlib import Path

MATCHES, NOTHING = 0, 3


def main(pattern: str, path: str) -> int:
    """Whether a pattern matches anywhere in a file, as an exit code."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    return MATCHES if re.search(pattern, text, re.MULTILINE) else NOTHING


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
