"""The handover: messages that were held during a switch, and what became of each in the session that lives on.

Everything here is judged from transcripts. Nothing is called delivered on the word of who sent it.
"""

from pathlib import Path

from threadrebuild.channel.message import MessageId
from threadrebuild.channel.probes import Probes, probe, unproven
from threadrebuild.channel.proof import Delivery, Place, delivery, found_in
from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import ENDS, State

WAIT_SECONDS = 30.0
"""How long a worker stays after the end of a switch to see the held messages arrive."""
LOOK_EVERY_SECONDS = 1.0


def live_transcript(operation: Operation) -> Path | None:
    """The transcript of the session that an ended operation left behind the door; None where it never had one."""
    if operation.state is State.ACTIVATED and operation.candidate is not None:
        return Path(operation.candidate.path)
    path = operation.source.path if operation.source is not None else operation.transcript_path
    return Path(path) if path is not None else None


def messages_of(house: Household, operation: Operation) -> dict[str, Delivery]:
    """Every message held during an operation, and what may be said of it: "held", "sent" or "delivered"; reads only."""
    known = dict(operation.messages)
    waiting = [] if house.journal is None else [message.id for message in house.journal.entries()]
    if operation.state not in ENDS:
        return known | {str(message): Delivery("held") for message in waiting}
    found = _found(house, operation, waiting)
    return known | {str(message): delivery(found.get(message)) for message in waiting}


def probes_of(house: Household, operation: Operation) -> Probes | None:
    """The probes of an activated operation, from its new transcript; None for any other; reads only (TR-L20)."""
    if operation.state is not State.ACTIVATED or operation.candidate is None:
        return None
    try:
        return probe(Path(operation.candidate.path), operation.candidate.bytes, house.settings)
    except OSError as error:
        return unproven(f"the new transcript cannot be read: {error.strerror or error}")


def settle(house: Household, operation_id: str) -> list[str]:
    """Put on record what was delivered, with its evidence, and drop it from the journal; the messages still missing.

    The caller holds the store's lock.
    """
    operation = house.store.load(operation_id)
    if house.journal is None or operation is None or operation.state not in ENDS:
        return []
    waiting = [message.id for message in house.journal.entries()]
    found = _found(house, operation, waiting)
    if found:
        operation.messages |= {str(message): delivery(place) for message, place in found.items()}
        house.store.save(operation)
        house.journal.close(found)
    return [str(message) for message in waiting if message not in found]


def see_arrive(house: Household, operation: Operation) -> None:
    """Wait a while for the held messages to arrive, and settle those that did."""
    waited = 0.0
    while house.journal is not None and house.journal.entries() and waited < WAIT_SECONDS:
        house.ports.clock.sleep(LOOK_EVERY_SECONDS)
        waited += LOOK_EVERY_SECONDS
        with house.store.lock():
            settle(house, operation.id)


def _found(house: Household, operation: Operation, waiting: list[MessageId]) -> dict[MessageId, Place]:
    transcript = live_transcript(operation)
    if transcript is None or not waiting:
        return {}
    try:
        return found_in(transcript, house.settings, set(waiting))
    except OSError:
        return {}
