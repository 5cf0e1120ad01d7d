"""Finds what a pattern for paths matches: a program of its own, since only a process can be stopped in the midst.

`python finding.py FOLDER PATTERN MOST` prints the paths, as seen from the folder, each with a NUL after it, and at most
so many. Links that lead in a circle can let a pattern look for ever.
"""

import os
import sys
from itertools import islice
from pathlib import Path


def main(folder: str, pattern: str, most: str) -> int:
    """Print what matches a pattern in a folder."""
    at = Path(folder)
    for found in islice(at.glob(pattern), int(most)):
        sys.stdout.buffer.write(os.fsencode(found.relative_to(at)) + b"\0")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
