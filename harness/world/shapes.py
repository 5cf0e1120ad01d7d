"""The rows of a Claude Code transcript, key by key, as five recorded versions of the CLI wrote them.

A version that was not recorded gets the shape of the newest recorded one before it, or else of the oldest.
"""

from typing import Any, NamedTuple

Row = dict[str, Any]

MODELS = {
    "1.0.128": "claude-sonnet-4-20250514",
    "2.0.42": "claude-sonnet-4-5-20250929",
    "2.1.112": "claude-sonnet-4-6",
    "2.1.199": "claude-opus-4-8",
    "2.1.332": "claude-opus-5-5",
}
RECORDED = tuple(MODELS)
WORKDIR = "/home/user/project"


class Frame(NamedTuple):
    """What every row of the chain carries: its place, its time (ISO 8601, UTC) and its session."""

    parent: str | None
    uuid: str
    time: str
    session: str
    version: str
    sidechain: bool = False


def user(frame: Frame, content: str | list[Row], *, prompt: str) -> Row:
    """A row in which a person typed `content`; `prompt` is the id of the prompt that began the turn."""
    era = _era(frame.version)
    typed: Row = {}
    if era >= 2:
        typed["permissionMode"] = "auto" if era == 4 else "default"
    if era >= 3:
        typed |= {"origin": {"kind": "human"}, "promptSource": "typed"}
    if era == 4:
        typed |= {"turnOrigin": "human", "turnPosition": {"promptIndex": 1, "turnIndex": 1}}
    if era == 0:
        typed["thinkingMetadata"] = {"level": "none", "disabled": False, "triggers": []}
    return bare_user(frame, content, prompt=prompt, after=typed)


def bare_user(frame: Frame, content: str | list[Row], *, prompt: str, after: Row | None = None) -> Row:
    """A `user` row without the marks of a typed prompt; `after` are the fields behind the message."""
    before: Row = {"promptId": prompt} if _era(frame.version) >= 2 else {}
    before |= {"type": "user", "message": {"role": "user", "content": content}}
    return _framed(frame, before, after or {})


def tool_result(frame: Frame, content: object, *, call: str, error: bool, caller: str, prompt: str) -> Row:
    """What the tool call `call`, made in the row `caller`, gave back."""
    era = _era(frame.version)
    block = {"tool_use_id": call, "type": "tool_result", "content": content, "is_error": error}
    copy: object = content
    if isinstance(content, str) and not error:
        copy = {"stdout": content, "stderr": "", "interrupted": False, "isImage": False}
        if era >= 2:
            copy["noOutputExpected"] = False
    after: Row = {"toolUseResult": copy}
    if era == 4:
        after["sandboxed"] = False
    if era >= 2:
        after["sourceToolAssistantUUID"] = caller
    if era == 4:
        decision = {"decision": "accept", "source": "config", "reasonType": "subcommandResults"}
        after |= {"permissionDecision": decision, "session_id": frame.session}
    return bare_user(frame, [block], prompt=prompt, after=after)


def assistant(frame: Frame, block: Row, *, message: str, stop: str | None = "end_turn") -> Row:
    """One content block of the API message `message`; the CLI writes a row for each block."""
    era = _era(frame.version)
    model = MODELS[RECORDED[era]]
    said: Row = {"id": message, "type": "message", "role": "assistant", "model": model, "content": [block]}
    said |= {"stop_reason": stop, "stop_sequence": None, "usage": _usage(era)}
    if era >= 3:
        said["stop_details"] = None
    before: Row = {"message": said}
    after: Row = {}
    if era == 4:
        if block["type"] == "tool_use":
            before["toolInputStreamMs"] = 5
        if block["type"] == "thinking":
            before |= {"thinkingDurationMs": 1, "thinkingDisplay": "omitted"}
        before |= {"serverClassifierRequest": frame.uuid, "apiBlockIndex": 0}
    before["requestId"] = f"req_{message.removeprefix('msg_')}"
    if era == 4:
        before |= {"requestRef": frame.uuid, "requestedModel": model, "promptCacheRequested": "5m"}
        after = {
            "effort": "medium",
            "perTurnEffort": "medium",
            "madeBy": "model",
            "session_id": frame.session,
        }
    return _framed(frame, before | {"type": "assistant"}, after)


def synthetic(frame: Frame, text: str, *, message: str, api_error: bool) -> Row:
    """An assistant row that the CLI wrote itself: an API error, or an answer nobody asked for."""
    said: Row = {"id": message, "model": "<synthetic>", "role": "assistant", "stop_reason": "stop_sequence"}
    said |= {"stop_sequence": "", "type": "message", "content": [{"type": "text", "text": text}]}
    return _framed(frame, {"type": "assistant"}, {"message": said, "isApiErrorMessage": api_error})


def attachment(frame: Frame, attached: Row, *, rendered: str | None = None) -> Row:
    """An `attachment` row; `rendered` is what newer versions keep of its wording for the model."""
    after: Row = {}
    if _era(frame.version) == 4:
        if rendered is not None:
            wording = f"<system-reminder>\n{rendered}\n</system-reminder>"
            after = {"rendered": [{"content": wording}], "renderedRole": "system"}
        after["session_id"] = frame.session
    return _framed(frame, {"attachment": attached, "type": "attachment"}, after)


def queued_command(frame: Frame, prompt: object, *, mode: str, source: str) -> Row:
    """The attachment that holds a prompt typed while a tool ran; `source` is the id of the queued prompt."""
    era = _era(frame.version)
    attached: Row = {"type": "queued_command", "prompt": prompt}
    if era == 4:
        attached |= {"source_uuid": source, "delivery_id": source}
    attached["commandMode"] = mode
    if era >= 3:
        attached |= {"origin": {"kind": "human"}, "timestamp": frame.time}
    if era == 4:
        attached["humanTurn"] = True
    return attachment(frame, attached, rendered="The user sent a new message while you were working.")


def queue_operation(frame: Frame, operation: str, content: object, *, source: str) -> Row:
    """A row of the queue log, which stands outside the chain. Only some operations keep the `content`."""
    row: Row = {"type": "queue-operation", "operation": operation, "timestamp": frame.time}
    row["sessionId"] = frame.session
    if operation == "enqueue":
        row["content"] = content
    elif operation == "remove" and _era(frame.version) == 4:
        row |= {
            "content": content,
            "reason": "absorbed_mid_turn",
            "commandUuid": source,
            "deliveryId": source,
        }
    return row


def system(frame: Frame, subtype: str, fields: Row) -> Row:
    """A `system` row: hook summaries, durations, notices, compaction boundaries."""
    before = {"type": "system", "subtype": subtype} | fields
    return _framed(frame, before | {"timestamp": frame.time, "uuid": frame.uuid}, {})


def progress(frame: Frame, message: str, *, call: str) -> Row:
    """A `progress` row of the running tool call `call`."""
    data = {"type": "agent_progress", "message": message}
    return _framed(frame, {"type": "progress", "data": data, "toolUseID": call, "parentToolUseID": call}, {})


def _framed(frame: Frame, before: Row, after: Row) -> Row:
    # A key keeps the place of its first mention, so `before` may place uuid and timestamp itself.
    place = {"parentUuid": frame.parent, "isSidechain": frame.sidechain}
    identity = {"uuid": frame.uuid, "timestamp": frame.time}
    if _era(frame.version) < 2:
        where = {"userType": "external", "cwd": WORKDIR, "sessionId": frame.session}
        return place | where | {"version": frame.version, "gitBranch": ""} | before | identity | after
    where = {"userType": "external", "entrypoint": "cli", "cwd": WORKDIR, "sessionId": frame.session}
    return place | before | identity | after | where | {"version": frame.version, "gitBranch": "HEAD"}


def _era(version: str) -> int:
    wanted = _numbers(version)
    return max((n for n, known in enumerate(RECORDED) if _numbers(known) <= wanted), default=0)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _usage(era: int) -> Row:
    if era < 2:
        counts = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0}
        return counts | {"cache_read_input_tokens": 0, "service_tier": "standard"}
    usage: Row = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    usage["output_tokens"] = 5
    if era == 4:
        usage["output_tokens_details"] = {"thinking_tokens": 0}
    usage["server_tool_use"] = {"web_search_requests": 0, "web_fetch_requests": 0}
    usage["service_tier"] = "standard"
    usage["cache_creation"] = {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}
    usage |= {"inference_geo": "", "iterations": [], "speed": "standard"}
    if era == 4:
        usage["fallback_credit"] = None
    return usage
