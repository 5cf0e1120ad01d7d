"""Collects warnings, a bounded number of each code, so that a broken file gives a readable list."""

from collections import Counter

from threadrebuild.transcript.speech import Warning

SHOWN_OF_A_CODE = 50


class Warnings:
    """Warnings in the order they were found; what goes over `SHOWN_OF_A_CODE` of one code is counted."""

    def __init__(self) -> None:
        self._shown: list[Warning] = []
        self.counts: Counter[str] = Counter()
        """How often each code was met, shown or not."""

    def add(self, code: str, line: int, detail: str) -> None:
        """Note one occurrence. `line` counts from 1; 0 stands for the file as a whole."""
        self.counts[code] += 1
        if self.counts[code] <= SHOWN_OF_A_CODE:
            self._shown.append(Warning(code, line, detail))

    def all(self) -> list[Warning]:
        """By line, and for each code that was cut short how many more there are."""
        more = [
            Warning(code, 0, f"{count - SHOWN_OF_A_CODE} more of these")
            for code, count in self.counts.items()
            if count > SHOWN_OF_A_CODE
        ]
        return sorted(self._shown, key=lambda warning: warning.line) + more
