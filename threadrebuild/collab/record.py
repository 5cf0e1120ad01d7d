"""An event as it goes on record: plain JSON, whatever a model or a program has put into it.

What is on record is also what is handled, so that the events of a store tell all that ever reached the core.
"""

from typing import Any

import msgspec

from threadrebuild.collab.events import Call, Event, Hopped
from threadrebuild.database import whole

DEEPEST = 64
"""How deep lists and objects of a call's arguments may lie in each other; JSON of a thousand is written by nobody."""


def on_record(event: Event) -> tuple[Event, str]:
    """An event as its record says it, and that record.

    Half a surrogate pair becomes U+FFFD, and what cannot be a call's arguments gives way to a word on it. Raises
    ValueError for an event whose fields are not of their kind.
    """
    if isinstance(event, Hopped):
        event = msgspec.structs.replace(event, calls=tuple(_readable(call) for call in event.calls))
    try:
        try:
            body = msgspec.json.encode(event)
        except UnicodeEncodeError:
            body = msgspec.json.encode(_whole(msgspec.to_builtins(event)))
        return msgspec.json.decode(body, type=type(event)), body.decode()
    except (msgspec.MsgspecError, RecursionError, TypeError) as error:
        raise ValueError(f"{type(event).__name__} is no such event: {error}") from None


def _readable(call: Call) -> Call:
    said: Any = call.arguments
    if not isinstance(said, dict):
        return Call(call.name, unreadable="its arguments are no JSON object")
    if _is_deeper(said, DEEPEST):
        return Call(call.name, unreadable=f"its arguments lie more than {DEEPEST} deep in each other")
    return call


def _is_deeper(value: Any, than: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(than == 0 or _is_deeper(each, than - 1) for each in inside if isinstance(each, dict | list))


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {_whole(name): _whole(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(each) for each in value]
    return whole(value)
