"""What must hold of every story of rooms: the invariants of its store, and what the oracle tells from outside."""

from collections.abc import Iterator
from functools import lru_cache, partial

from harness.invariants.collab import NAMES, faults
from harness.oracle import collab as oracle
from harness.oracle import collab_faults, held
from harness.scenario.collab.play import Played
from harness.scenario.stories.kinds import StoryInvariant

DEMANDS = (
    ("reach", "PART-01", "whom a line is for reads it, and nobody else does but at work"),
    ("once", "WORK-20", "nobody answers a line twice"),
    ("beside", "WORK-03", "no two turns of a Bot are beside each other on one plan"),
    ("tools", "WORK-16", "a tool is begun once for a call"),
)


@lru_cache(maxsize=1)  # All demands look at one story after the other.
def _seen(played: Played) -> oracle.Seen:
    return oracle.seen_in(played.rooms.course, played.story.scene.level)


def _told(name: str, played: Played) -> Iterator[str]:
    yield from (fault for demand, fault in collab_faults.faults(_seen(played)) if demand == name)


def _held(played: Played) -> Iterator[str]:
    yield from held.faults(played.rooms.course)


def _receivers(played: Played) -> Iterator[str]:
    """The store's word on who receives a line, against the oracle's."""
    for line in _seen(played).lines:
        if line.message is None or line.receivers is None or line.gone:
            continue
        rows = played.rows(
            "SELECT b.name FROM message_receivers r JOIN bots b ON b.id = r.bot JOIN messages m ON m.id = r.message"
            " WHERE r.message = ? AND m.state = 'delivered' AND b.state = 'active'",
            line.message,
        )
        delivered = played.rows("SELECT 1 FROM messages WHERE id = ? AND state = 'delivered'", line.message)
        found, wanted = {name for (name,) in rows}, line.receivers - _seen(played).retired
        if delivered and found != wanted:
            yield f"{line.words[0]!r} is for {sorted(wanted)}, and the store has it for {sorted(found)}"


def _unrecorded(played: Played) -> Iterator[str]:
    """Commands that still run outside, and that the store does not know of."""
    known = {effect for (effect,) in played.rows("SELECT effect FROM processes WHERE ended = 0")}
    for effect in played.rooms.commands.running(played.now):
        if effect not in known:
            yield f"the command of effect {effect} runs on and nobody has it on record"


INVARIANTS = [
    *(StoryInvariant(rule, name, partial(faults, name)) for rule, name in NAMES),
    *(StoryInvariant(rule, said, partial(_told, name), "oracle") for name, rule, said in DEMANDS),
    StoryInvariant("HOLD-21", "nothing that is held acts", _held, "oracle"),
    StoryInvariant("PART-01", "the store says the same of who receives a line", _receivers, "oracle"),
    StoryInvariant("STOP-2", "what runs outside is on record", _unrecorded),
]
