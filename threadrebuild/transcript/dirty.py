"""The dirty ledger: how much of a transcript pollutes later context, and whether a rebuild is due. It only advises.

It is computed afresh from the transcript each time and stores nothing; after a rebuild it starts again by itself.
"""

from dataclasses import dataclass

from threadrebuild.config import Settings
from threadrebuild.transcript.reading import Transcript
from threadrebuild.transcript.tokens import decoded
from threadrebuild.transcript.turns import turns_of

NOISE_RATIO_DECIMALS = 4  # TR-052
USUAL_NOISE_RATIO_LEAST = 0.5  # TR-052
"""Below this the directory is probably the wrong one (TR-052)."""
WRONG_FOLDER = "is this the right project folder?"
"""How a note ends that means nothing to whoever has named the file."""


@dataclass(frozen=True, slots=True)
class Dirty:
    """Sizes are bytes; `conversation_bytes` counts UTF-8 and never enters the budget (TR-050)."""

    categories: dict[str, int]
    total_bytes: int
    conversation_bytes: int
    conversation_turns: int
    noise_ratio: float
    dirty_budget_bytes: int
    startup_noise_bytes: int
    original_image_view_count: int
    preview_image_count: int
    should_rebuild: bool
    reasons: tuple[str, ...]
    notes: tuple[str, ...]


def dirty_ledger(source: Transcript, settings: Settings) -> Dirty:
    """Weigh a transcript against the household's budget (TR-048…TR-058)."""
    categories = source.ledger.dirty()
    total = sum(categories.values())
    talk = [said for said in source.utterances if said.fate == "carried"]  # TR-050
    conversation = sum(len(decoded(said.token).encode("utf-8", "surrogatepass")) for said in talk)
    noise_ratio = round(total / (total + conversation), NOISE_RATIO_DECIMALS) if total + conversation else 0.0  # TR-052
    reasons: list[str] = []
    notes: list[str] = []
    budget = settings.dirty_budget_bytes
    over_budget = 0 < budget <= total  # TR-053
    fresh = source.startup_noise >= budget > total - source.startup_noise  # TR-058 TR-176
    if over_budget and fresh:
        notes.append(
            f"the noise of starting up alone ({source.startup_noise} bytes) is over the budget of {budget}: "
            "measure this household's noise and set dirty_budget_bytes"
        )
    elif over_budget:
        reasons.append(f"{total} bytes of run traces have reached the budget of {budget}")
    if settings.rebuild_on_original_image_view and source.images.original_views:  # TR-054
        reasons.append(f"the model has looked at {source.images.original_views} original image(s)")
    if total + conversation and noise_ratio < USUAL_NOISE_RATIO_LEAST:  # TR-052
        notes.append(f"a noise ratio of {noise_ratio} is unusually low: {WRONG_FOLDER}")
    return Dirty(
        categories=categories,
        total_bytes=total,
        conversation_bytes=conversation,
        conversation_turns=len(turns_of(talk)),
        noise_ratio=noise_ratio,
        dirty_budget_bytes=budget,
        startup_noise_bytes=source.startup_noise,
        original_image_view_count=source.images.original_views,
        preview_image_count=source.images.previews,
        should_rebuild=len(reasons) > 0,  # TR-057
        reasons=tuple(reasons),
        notes=tuple(notes),
    )
