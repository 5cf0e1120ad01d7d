"""The stages of the drill from the switch to the end, each of which says what it saw or raises what it did not see.

Nothing is believed because the operation says so: the pane, the wire, the transcripts and the kernel are asked.
"""

import json
import time
from pathlib import Path
from typing import Any

from harness.lab.drill_before import CODE_WORDS, FIRST
from harness.lab.drill_house import NotSeen, text
from harness.lab.drill_left import Left, listening, others, writable
from harness.lab.drill_line import envelope_of
from harness.lab.drill_talk import Drill, Said, spoken
from harness.lab.model import Reply
from harness.lab.wire import BROKEN, behaviour, carried_texts, compare, sent_texts
from harness.oracle.candidate import blocks_of
from harness.oracle.judge import planted
from threadrebuild.channel.handover import WAIT_SECONDS
from threadrebuild.init import SERVER
from threadrebuild.operation.passed import shortcomings
from threadrebuild.operation.record import Built, Operation, Source
from threadrebuild.operation.states import State
from threadrebuild.transcript.lines import digest_of

FROZEN = "frozen.jsonl"
"""The old session as it was frozen, kept beside what was carried of it."""
CARRIED = "carried.jsonl"
"""The candidate as it was before the host wrote to it."""
SWITCH_SECONDS = 60.0
"""How long a worker may take; a switch that lasts longer is none that has passed."""
GONE_SECONDS = WAIT_SECONDS + 15.0
"""How long what was told to end may take to do so; a worker may still be waiting for a message to arrive."""
ASKED = "Which two code words did I tell you? Without files, without tools."


def switched(drill: Drill) -> str:
    """A message comes in while the worker is at work, and is held; then the pane is respawned onto the new session."""
    terminal, old = drill.house.terminal, drill.old
    assert old is not None
    terminal.eventually((drill.line.folder / "hold.json").exists, "messages held by the worker")
    drill.arrived = envelope_of(drill.line.arrives("Sent in the middle of the switch: does it get through?"))
    drill.line.pass_on()
    if [envelope_of(message) for message in drill.line.held] != [drill.arrived]:
        raise NotSeen("a message that came in during the switch was not held")
    operation = terminal.eventually(drill.ended, "an end of the operation", seconds=SWITCH_SECONDS)
    if operation.state is not State.ACTIVATED:
        raise NotSeen(f"the operation is {operation.state}: {operation.error}")
    drill.switched, drill.new = operation, drill.pane()
    _keep_both(drill.house.place.folder, operation)
    new = drill.new
    if new.id != old.id or new.pid == old.pid or _ids(operation)[1] not in new.started_with:
        raise NotSeen(f"pane {old.id}, process {old.pid} became {new.id}, {new.pid}, started with {new.started_with}")
    terminal.eventually(lambda: old.pid not in dict(others()), f"process {old.pid} gone")
    return f"respawn-pane put process {new.pid} with the new session into pane {new.id}; process {old.pid} is gone"


def passed(drill: Drill) -> str:
    """All that has to have come of a switch, not its state alone."""
    found = shortcomings(drill.house.house, drill.house.operation)
    if found:
        raise NotSeen("; ".join(found))
    return "activated, another process, verified, the old transcript unchanged, its backup complete"


def recalled(drill: Drill) -> str:
    """Every text stands in the candidate once, looked up for each side by itself."""
    blocks = [block for block in blocks_of(drill.house.place.folder / CARRIED) if block.is_said]
    missing = not_once(drill.before, [(block.role, block.text) for block in blocks])
    if missing:
        raise NotSeen(f"not carried exactly once: {missing}")
    return f"{len(drill.before)} texts of both sides stand in the new session, each once"


def goes_on(drill: Drill) -> str:
    """The new process goes on with the carried talk, byte for byte in its first request, and the held message."""
    house = drill.house
    _, session = _ids(_operation(drill))
    house.wait_for_tools(drill.connections)
    drill.line.connect(house.transcript(session), house.house.settings)
    replies = drill.answers("It got through, into the new window.")
    house.answer_with(*replies)
    stops = house.terminal.stops()
    house.terminal.eventually(drill.line.pass_on, "the held message typed")
    house.see_answered(drill.arrived, stops, replies[-1])
    drill.between += [("user", drill.arrived), *spoken(replies)]
    first = house.model.main[drill.requests]
    pairs = compare(carried_texts(house.place.folder / CARRIED, drill.arrived), sent_texts(first.body["messages"]))
    rows = [pair.shown() for pair in pairs]
    drill.wire = {"version": house.place.version, "rows": rows, "did": behaviour(pairs)}
    broken = [pair for pair in pairs if pair.state in BROKEN]
    if broken:
        raise NotSeen(f"on the wire {broken[0].state}: {broken[0].text[:100]!r} ({broken[0].what})")
    same = sum(pair.state == "same" for pair in pairs)
    return f"its first request holds {same} texts, byte for byte as carried, and nobody else's"


def message_after(drill: Drill) -> str:
    """The held message arrived once, by the new transcript's own rows, and a reply went out."""
    house = drill.house
    numbers = [message.number for message in drill.line.sent]
    if numbers != [1, 2]:
        raise NotSeen(f"of the messages 1 and 2 these were typed: {numbers}")
    house.terminal.eventually(
        lambda: [each.state for each in house.operation.messages.values()] == ["delivered"], "it on record as delivered"
    )
    answer = house.ask("status")
    if not (answer["proven"]["inbound"] and answer["proven"]["outbound"]):
        raise NotSeen(answer["proven"]["says"])
    sent = house.outbox.read_text(encoding="utf-8").splitlines()
    if len(sent) != len(numbers):
        raise NotSeen(f"{len(sent)} replies went out over the line, not {len(numbers)}")
    name, delivery = next(iter(answer["messages"].items()))
    return f"message {name}, held during the switch, stands in line {delivery['line']}; {answer['proven']['says']}"


def by_heart(drill: Drill) -> str:
    """Facts told before the switch, asked for with files and tools forbidden."""
    house = drill.house
    before = len(house.model.main)
    drill.turn(drill.between, ASKED, Reply((text("I know both."),)))
    requests = [request.body for request in house.model.main[before:]]
    if len(requests) != 1:
        raise NotSeen(f"{len(requests)} requests for one answer: a tool was used")
    missing = [word for word in CODE_WORDS if word not in _window(requests[0])]
    if missing:
        raise NotSeen(f"not in the window when it was asked for: {missing}")
    if house.ask("status")["proven"]["by_heart"] is None:
        raise NotSeen("status knows of no answer by heart")
    return "both code words were in the window, and the answer took no tool; what a real model says, a person asks"


def rolled_back(drill: Drill) -> str:
    """The old session comes back, by the same hook and a worker of its own."""
    house = drill.house
    call = house.call(f"mcp__{SERVER}__thread_rebuild_rollback_request", confirmation="ROLLBACK")
    replies = (Reply((text("I ask for the old one."), call)), Reply((text("It comes back after this."),)))
    drill.turn(drill.between, "ROLLBACK, please.", *replies, agrees=True)
    house.result_of(call)
    operation = house.terminal.eventually(
        lambda: drill.ended(but=State.ACTIVATED), "an end of the rollback", seconds=SWITCH_SECONDS
    )
    pane, old_session = drill.pane(), _ids(operation)[0]
    if operation.state is not State.ROLLED_BACK or not operation.rollback_ok:
        raise NotSeen(f"the operation is {operation.state}: {operation.error}")
    if old_session not in pane.started_with or drill.new is None or pane.pid == drill.new.pid:
        raise NotSeen(f"pane {pane.id} holds process {pane.pid}, started with {pane.started_with}")
    return f"process {pane.pid} runs the old session in pane {pane.id}"


def said_in_between(drill: Drill) -> str:
    """What was said in the new session is kept in a file, and the answer says where."""
    kept = drill.house.ask("status")["operation"]["later_dialogue"]
    path = Path(kept.get("file", ""))
    if not path.is_file():
        raise NotSeen(f"status offers {kept}")
    words = [said for _, said in drill.between]
    missing = [said for said, times in planted(path, words).items() if not times]
    if missing or kept["texts"] != len(words):
        raise NotSeen(f"{kept['texts']} texts are kept, {len(words)} were said; missing: {missing}")
    return f"the {len(words)} texts said in between are kept, and status says where"


def old_session(drill: Drill) -> str:
    """The old session goes on with its own talk; its transcript is as it was, up to where it was left."""
    house = drill.house
    source, _ = _evidence(_operation(drill))
    if digest_of(Path(source.path), source.bytes) != source.sha256:
        raise NotSeen("the old transcript is not what it was")
    house.terminal.wait_for_prompt()
    house.turn("Back in the old session: are you there?", Reply((text("Here, as before."),)))
    window = _window(house.model.main[-1].body)
    if json.dumps(FIRST, ensure_ascii=False) not in window or json.dumps(ASKED) in window:
        raise NotSeen("the old session does not go on with its own talk")
    return "it goes on with the talk that it had; its transcript was not touched"


def nothing_left(drill: Drill) -> str:
    """The session is killed, not left politely; nothing of the drill may live on, or lie elsewhere."""
    drill.house.end()
    end = time.monotonic() + GONE_SECONDS
    while (left := _left(drill)).said() and time.monotonic() < end:
        time.sleep(0.1)
    if left.said():
        raise NotSeen("; ".join(left.said()))
    return "no process, no socket, and no place outside of its folder where a file could have been written"


def not_once(said: Said, carried: Said) -> Said:
    """What was said and is not carried exactly once by the same side (TR-156): the other's quotation does not count."""
    return [each for each in said if carried.count(each) != 1]


def _left(drill: Drill) -> Left:
    folder = drill.house.place.folder
    return Left(
        processes=tuple(f"process {pid}: {line}" for pid, line in others()),
        sockets=tuple(listening()),
        places=tuple(writable(folder)),
    )


def _operation(drill: Drill) -> Operation:
    if drill.switched is None:
        raise NotSeen("nothing was switched")
    return drill.switched


def _evidence(operation: Operation) -> tuple[Source, Built]:
    if operation.source is None or operation.candidate is None:
        raise NotSeen("the operation has no source or no candidate on record")
    return operation.source, operation.candidate


def _ids(operation: Operation) -> tuple[str, str]:
    """The ids of the old and the new session."""
    source, candidate = _evidence(operation)
    return source.session_id, candidate.session_id


def _keep_both(folder: Path, operation: Operation) -> None:
    source, candidate = _evidence(operation)
    (folder / FROZEN).write_bytes(Path(source.backup).read_bytes())
    (folder / CARRIED).write_bytes(Path(candidate.path).read_bytes()[: candidate.bytes])


def _window(body: Any) -> str:
    return json.dumps(body["messages"], ensure_ascii=False)
