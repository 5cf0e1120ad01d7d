"""Looks for a regular expression in a file: a program of its own, since only a process can be stopped in the midst.

`python matching.py PATTERN FILE` ends with 0 where something matches, with 1 where nothing does, with 2 for no pattern.
"""

import re
import sys
from pathlib import Path

MATCHES, NOTHING, NO_PATTERN = 0, 1, 2


def main(pattern: str, path: str) -> int:
    """Whether a pattern matches anywhere in a file, as an exit code."""
    try:
        wanted = re.compile(pattern, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        sys.stdout.write(str(error))
        return NO_PATTERN
    return MATCHES if wanted.search(Path(path).read_text(encoding="utf-8", errors="replace")) else NOTHING


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
