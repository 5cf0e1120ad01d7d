"""What a carry would do: which turns go along, which are left out and why, and whether it is refused.

Preview and operation share this: `plan` shows it, `candidate` builds from it, so both report the same figures.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from threadrebuild.config import Settings
from threadrebuild.transcript.dirty import Dirty, dirty_ledger
from threadrebuild.transcript.poison import Poison, find_poison
from threadrebuild.transcript.reading import Transcript, read_transcript
from threadrebuild.transcript.speech import Turn, Utterance, Warning
from threadrebuild.transcript.tokens import calibrated_divisor, decoded, estimated_tokens, piece
from threadrebuild.transcript.turns import turns_of

if TYPE_CHECKING:
    from threadrebuild.carry.window import Window

Malformed = Literal["block", "report"]

NOTES = (
    "On resume the host builds its system prompt from today's files: the new session sees the old startup snapshot "
    "and the new prompt together. The snapshot is not a complete startup package.",  # TR-041
    "The estimate counts carried dialogue only and is no gauge of the window: a fixed load lies under it.",  # TR-043
    "A window grows through its messages, chiefly run traces; removing MCP servers does not slim it.",  # TR-047
    "Equal turn counts prove only that no recognised turn was dropped, not that every turn was recognised.",  # TR-035
)
"""What every report says, because it was once misunderstood."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is carried: a stable code, the line it rests on (0: none), and a sentence."""

    reason: str
    line: int
    detail: str


@dataclass(slots=True)
class Plan:
    """A source read and judged. `turns` are those of the source; `selected` those that go along."""

    source: Transcript
    settings: Settings
    turns: list[Turn]
    selected: list[Turn]
    tokens: dict[int, int]
    """Turn number → estimated tokens."""
    poison: Poison
    dirty: Dirty
    refusal: Refusal | None = None
    dropped_oldest_turns: int = 0
    window: "Window | None" = None
    """With a window note: the retained span, and what stands before it."""
    warnings: list[Warning] = field(default_factory=list)

    @property
    def carried(self) -> Iterator[Utterance]:
        """What goes along, in order of talk."""
        return (said for turn in self.selected for said in turn.utterances)

    @property
    def summaries(self) -> list[Utterance]:
        """Compaction summaries that go along, marked as the runtime's (TR-015)."""
        return [text for text in self.source.runtime if text.fate == "runtime_carried"]

    @property
    def open_tail_turns(self) -> int:
        """1 where the last selected turn has no answer yet (TR-020)."""
        return int(bool(self.selected) and self.selected[-1].open)

    @property
    def estimated_tokens(self) -> int:
        """Tokens of the dialogue that goes along (TR-043)."""
        return sum(self.tokens[turn.number] for turn in self.selected)

    @property
    def startup_tokens(self) -> int:
        """Tokens of what goes along before the dialogue: startup snapshot and runtime texts."""
        return sum(estimate(token, self.settings) for token in self._before_dialogue())

    @property
    def carried_tokens(self) -> int:
        """Tokens of everything that goes along, which is what the cap is about."""
        tokens = self.estimated_tokens
        tokens += self.startup_tokens  # TR-L26
        tokens += sum(self.stamp_tokens(turn) for turn in self.selected)  # TR-L26
        return tokens

    @property
    def window_tokens(self) -> int:
        """What the new window will hold, to be compared with the host's own reading."""
        tokens = self.carried_tokens
        tokens += self.settings.fixed_load_tokens  # TR-043
        return tokens

    def stamp_tokens(self, turn: Turn) -> int:
        """Tokens of the time that is put before a turn."""
        stamp = stamp_of(turn, self.settings)
        return 0 if stamp is None else estimate(stamp, self.settings)

    def divisor_from(self, context_reading: int) -> float:
        """The household's divisor after the host's first reading of the rebuilt window, in tokens (TR-045).

        Raises ValueError where no fixed load is set or the reading leaves no room for what was carried.
        """
        if not self.settings.fixed_load_tokens:
            raise ValueError("set fixed_load_tokens first: what the host shows for system prompt, tools and files")
        stamps = (stamp for turn in self.selected if (stamp := stamp_of(turn, self.settings)) is not None)
        tokens = [*self._before_dialogue(), *stamps, *(said.token for said in self.carried)]
        return calibrated_divisor(context_reading, self.settings.fixed_load_tokens, map(decoded, tokens))

    def _before_dialogue(self) -> list[bytes]:
        return [item.token for item in self.source.startup] + [item.token for item in self.summaries]

    @property
    def startup_sha256(self) -> str | None:
        """SHA-256 over the snapshot's raw tokens, a line feed between them (TR-036)."""
        if not self.source.startup:
            return None
        return sha256(b"\n".join(block.token for block in self.source.startup)).hexdigest()


def estimate(token: bytes, settings: Settings) -> int:
    """Estimated tokens of one raw text token."""
    return estimated_tokens(decoded(token), settings.tokens_per_other_char_divisor)


def stamp_of(turn: Turn, settings: Settings) -> bytes | None:
    """The token of the time that is put before a turn, where the household wants one and the turn has one."""
    first = turn.utterances[0]
    if settings.stamp_turns and first.role == "user" and first.time:  # TR-032
        return json.dumps(f"[{first.time}]").encode("ascii")
    return None


def plan_file(path: Path, settings: Settings, malformed: Malformed = "block") -> Plan:
    """Read a transcript and plan its carry. Raises `UnreadableInput` where there is no readable file."""
    source = read_transcript(path, settings)
    shortened = _shorten(source, settings.max_event_chars)
    turns = turns_of(said for said in source.utterances if said.fate == "carried")  # TR-017 TR-173
    tokens = {turn.number: sum(estimate(said.token, settings) for said in turn.utterances) for turn in turns}
    plan = Plan(
        source=source,
        settings=settings,
        turns=turns,
        selected=list(turns),
        tokens=tokens,
        poison=find_poison(turns, source.notices, settings.poison_pattern),
        dirty=dirty_ledger(source, settings),
        warnings=source.warnings + shortened,
    )
    if turns and turns[-1].open and not settings.include_open_tail:  # TR-020
        _leave_out(plan, len(turns) - 1, "open_tail")
    plan.refusal = _unreadable(plan, malformed) or _nothing(plan) or _poisoned(plan) or _fit_cap(plan)
    return plan


def _shorten(source: Transcript, longest: int) -> list[Warning]:
    """Cut the end off texts that are longer than the household allows; by default nothing is (TR-033).

    A text that shows nothing up to there stays whole: what is left of it would be no utterance.
    """
    warnings = []
    for said in source.utterances if longest else ():
        text = decoded(said.token)
        left_out = len(text) - longest
        if said.fate == "carried" and left_out > 0 and text[:longest].strip():
            whole = said.size
            said.shortened = left_out
            said.token = piece(said.token, 0, longest)
            source.ledger.move(whole - said.size, "carried", "shortened")
            warnings.append(Warning("shortened", said.line, f"its last {left_out} characters are left out"))
    return warnings


def _leave_out(plan: Plan, number: int, fate: str) -> None:
    """Take one whole turn out of the selection, and say so in the ledger."""
    for said in plan.selected.pop(number).utterances:
        plan.source.ledger.move(said.size, said.fate, fate)
        said.fate = fate


def _unreadable(plan: Plan, malformed: Malformed) -> Refusal | None:
    bad = plan.source.malformed
    if not bad or malformed == "report":  # TR-L05
        return None
    first = bad[0]
    return Refusal(
        first.code,
        first.line,
        f"line {first.line} at byte {first.offset}, first bad byte at {first.bad_byte}: {first.reason}"
        + (f"; {len(bad) - 1} more" if len(bad) > 1 else "")
        + " (--malformed report goes on and lists them)",
    )


def _nothing(plan: Plan) -> Refusal | None:
    if not plan.selected:  # TR-016 TR-066
        unanswered = "the only turn is unanswered and include_open_tail is off"
        unknown = "nobody said anything in this file, in any shape that is known"
        return Refusal("nothing-to-carry", 0, unanswered if plan.turns else unknown)
    if plan.source.session_id is None:  # TR-066
        return Refusal("no-session-id", 0, "no row names the session it belongs to")
    return None


def _poisoned(plan: Plan) -> Refusal | None:
    if not plan.poison.blocks:
        return None
    turns = sorted({hit.turn for hit in plan.poison.hits})
    return Refusal(
        "poison",
        plan.poison.hits[0].line,
        f"{plan.poison.score} signs of a poisoned context in turns {', '.join(map(str, turns))}: "
        "start clean from durable memory",  # TR-077
    )


def _fit_cap(plan: Plan) -> Refusal | None:
    cap = plan.settings.carry_max_tokens
    excess = plan.carried_tokens - cap
    if not cap or excess <= 0:
        return None
    if plan.settings.carry_overflow == "block":  # TR-070
        return Refusal(
            "over-budget",
            0,
            f"needs {excess:,} tokens more than carry_max_tokens = {cap:,} allows; nothing is dropped: raise the cap, "
            "choose from the turns listed, or write a short note and carry the recent ones",
        )
    plan.selected.reverse()  # so that taking the oldest takes the last
    while excess > 0 and len(plan.selected) > 1:  # TR-069
        oldest = plan.selected[-1]
        excess -= plan.tokens[oldest.number] + plan.stamp_tokens(oldest)
        _leave_out(plan, -1, "dropped_oldest")
        plan.dropped_oldest_turns += 1
    plan.selected.reverse()
    if excess > 0:  # TR-L26
        last = plan.selected[-1]
        plan.warnings.append(
            Warning(
                "last-turn-over-cap",
                last.utterances[0].line,
                f"the last turn alone, with the startup snapshot, is {excess} tokens over the cap; it goes along whole",
            )
        )
    return None
