"""A builder that writes a transcript the way the Claude Code CLI does, and remembers what was said.

    talk = Talk()
    talk.user("is it raining?")
    talk.tool("Bash", {"command": "weather"}, result="rain")
    talk.assistant("yes")
    talk.write(path)
    assert talk.said == [("user", "is it raining?"), ("assistant", "yes")]

Every method adds rows in file order and links them to the row before. Identifiers come from the seed, times
from the number of the row. `said` is the truth to compare with: it holds what the builder was told, not what
was read back. Some methods take `text_token`, a JSON string token to be placed byte for byte, and fields of
the row's top level: a value replaces the one the CLI would write, `ABSENT` leaves it out.
"""

import json
from typing import Any

from harness.world import shapes
from harness.world.chain import ABSENT, HOLE, Chain, Said
from harness.world.shapes import Row

__all__ = ["ABSENT", "Said", "Talk"]

_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Talk(Chain):
    """One transcript, told row by row."""

    def __init__(self, *, version: str = "2.1.199", seed: int = 0) -> None:
        super().__init__(version=version, seed=seed)
        self.message = ""
        """The `message.id` of the last assistant row, to be given on for a further block of that message."""
        self.startup_texts: list[str] = []
        """The reminder blocks of `startup`, as they stand in the file."""
        self._prompt = self.new_id()

    # Speech.

    def user(self, text: str | list[str] = "", *, text_token: str | None = None, **fields: Any) -> None:
        """A typed prompt: a string, or text blocks when `text` is a list."""
        self._prompt = self.new_id()
        content: str | list[Row]
        if isinstance(text, list):
            content, spoken = [_text(part) for part in text], text
        else:
            content, spoken = _hole_or(text, text_token), [_decoded(text, text_token)]
        row = self._add(shapes.user(self._frame(), content, prompt=self._prompt), fields, text_token)
        self._say(row, "user", *spoken)

    def assistant(
        self, text: str = "", *, message: str | None = None, text_token: str | None = None, **fields: Any
    ) -> None:
        """A text block of the assistant; `message` is the id of the API message it belongs to (a new one)."""
        row = self._block(_text(_hole_or(text, text_token)), message, "end_turn", fields, text_token)
        self._say(row, "assistant", _decoded(text, text_token))

    def channel(
        self,
        text: str,
        *,
        source: str = "companion",
        idle: bool = True,
        chat_id: str = "me",
        message_id: str | None = None,
        **fields: Any,
    ) -> str:
        """A message over a chat channel, while the assistant was idle or busy; returns it in its envelope.

        The envelope is part of what was said (TR-028). Without a `message_id` the message gets one of its own.
        """
        number = message_id or str(9000 + self._rows)
        labels = f'source="{source}" chat_id="{chat_id}" message_id="{number}" user="human" ts="{self._time()}"'
        enveloped = f"<channel {labels}>\n{text}\n</channel>"
        if not idle:
            self.queued(enveloped)
            return enveloped
        row = self._bare(enveloped, {"isMeta": True} | fields)
        self._say(row, "user", enveloped)
        return enveloped

    def queued(self, text: str | list[str], *, mode: str = "prompt", remove_first: bool = False, **fields: Any) -> None:
        """A prompt typed while a tool ran: enqueue, attachment, remove (TR-026). A command is no speech.

        A list is a prompt of text blocks and a picture. With `remove_first` the order is that of recordings.
        """
        prompt: str | list[Row] = text if isinstance(text, str) else [*map(_text, text), _picture(_PIXEL)]
        source = self.new_id()
        self._queue("enqueue", prompt, source)
        if remove_first:
            self._queue("remove", prompt, source)
        attached = shapes.queued_command(self._frame(), prompt, mode=mode, source=source)
        row = self._add(attached, fields)
        if not remove_first:
            self._queue("remove", prompt, source)
        if mode == "prompt":
            self._say(row, "user", *([text] if isinstance(text, str) else text))

    def enqueue(self, text: str) -> None:
        """A prompt put into the queue and, unless `dequeue` follows, never read."""
        self._queue("enqueue", text, self.new_id())
        if text.strip():
            self._waiting.append(text)

    def dequeue(self) -> None:
        """The oldest waiting prompt leaves the queue; the CLI then writes it as an ordinary prompt."""
        self._queue("dequeue", None, self.new_id())
        self._waiting.pop(0)

    def reply(
        self,
        text: str = "",
        *,
        tool: str = "mcp__companion__reply",
        chat_id: str = "me",
        error: str | None = None,
        text_token: str | None = None,
    ) -> None:
        """The assistant speaks through a tool (TR-029); with `error` the tool failed and nothing was said."""
        arguments = {"chat_id": chat_id, "text": _hole_or(text, text_token)}
        called = self._call(tool, arguments, None, text_token)
        self._result("sent" if error is None else error, error is not None, called)
        if error is None:
            self._say(called[0], "assistant", _decoded(text, text_token))

    # What is no speech.

    def tool(
        self,
        name: str,
        arguments: Row,
        *,
        result: object = None,
        error: bool = False,
        beside: str | None = None,
        message: str | None = None,
    ) -> None:
        """A tool call and its result, if there is one; `beside` is a person's text in the result's row."""
        called = self._call(name, arguments, message)
        if result is not None:
            self._result(result, error, called, beside)

    def thinking(self, text: str, *, message: str | None = None, **fields: Any) -> None:
        """A thinking block with a signature."""
        block = {"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"}
        self._block(block, message, "end_turn", fields)

    def image(self, text: str | None = None, *, data: str = _PIXEL, **fields: Any) -> None:
        """A picture (base64 of a PNG) that a person sent, and the words beside it."""
        words = [] if text is None else [_text(text)]
        row = self._bare([_picture(data), *words], fields)
        if text is not None:
            self._say(row, "user", text)

    def startup(self, reminders: list[str], words: str = "", *, joined: bool = False, **fields: Any) -> None:
        """The startup package: a reminder for each text, then the first words, in one row.

        Each is a text block, or with `joined` all are one string, the words right behind the last reminder.
        """
        parts = [_reminder(text) for text in reminders]
        self.startup_texts += parts
        if words:
            parts = [*parts, words]
        row = self._bare("".join(parts) if joined else [_text(part) for part in parts], fields)
        self._say(row, "user", words)

    def meta(self, text: str, **fields: Any) -> None:
        """An injected row: the body of a skill, an echo."""
        self._bare(text, {"isMeta": True} | fields)

    def reminder(self, text: str, **fields: Any) -> None:
        """A `system-reminder` in a row of its own."""
        self.meta(_reminder(text), **fields)

    def command(self, name: str, output: str = "") -> None:
        """A slash command that ran locally: caveat, name and output, as three rows."""
        self.meta("<local-command-caveat>Caveat: generated while running local commands.</local-command-caveat>")
        word = name.removeprefix("/")
        named = f"<command-name>{name}</command-name>\n            <command-message>{word}</command-message>"
        self._bare(f"{named}\n            <command-args></command-args>", {})
        self._bare(f"<local-command-stdout>{output}</local-command-stdout>", {})

    def sidechain(self, user: str, assistant: str) -> None:
        """A sub-agent's question and answer, beside the line."""
        leaf = self._leaf
        self._add(shapes.user(self._frame(sidechain=True), user, prompt=self._prompt), {})
        answer = shapes.assistant(self._frame(sidechain=True), _text(assistant), message=self._new_message())
        self._add(answer, {})
        self._leaf = leaf

    def progress(self, *messages: str) -> None:
        """Progress rows of a running tool, each the child of the one before, beside the line."""
        leaf = self._leaf
        call = f"toolu_{self._random.getrandbits(96):024x}"
        for message in messages:
            self._add(shapes.progress(self._frame(), message, call=call), {})
        self._leaf = leaf

    def system(self, subtype: str, **fields: Any) -> None:
        """A `system` row with its fields."""
        self._add(shapes.system(self._frame(), subtype, fields), {})

    def attachment(self, kind: str, **fields: Any) -> None:
        """An `attachment` row of any kind with the attachment's fields."""
        self._add(shapes.attachment(self._frame(), {"type": kind} | fields, rendered=kind), {})

    def compact(self, summary: str) -> None:
        """A compaction: a boundary that is a root of its own, and the runtime's summary as a `user` row."""
        metadata = {"trigger": "auto", "preTokens": 150_000}
        fields: Row = {"content": "Conversation compacted", "isMeta": False, "compactMetadata": metadata}
        fields["logicalParentUuid"] = self._leaf
        boundary = shapes.system(self._frame(), "compact_boundary", fields)
        self._add(boundary, {"parentUuid": None})
        self._bare(summary, {"isCompactSummary": True, "isVisibleInTranscriptOnly": True})

    def api_error(self, text: str, **fields: Any) -> None:
        """An API error that the CLI stored as an assistant row."""
        row = shapes.synthetic(self._frame(), text, message=self._new_message(), api_error=True)
        self._add(row, fields)

    def unasked(self, **fields: Any) -> None:
        """The answer that the CLI writes itself after an open tail."""
        text, message = "No response requested.", self._new_message()
        self._add(shapes.synthetic(self._frame(), text, message=message, api_error=False), fields)

    def interrupted(self, *, for_tool: bool = False) -> None:
        """The mark that a person interrupted the assistant or its tool."""
        suffix = " for tool use" if for_tool else ""
        self._bare([_text(f"[Request interrupted by user{suffix}]")], {})

    def _block(self, block: Row, message: str | None, stop: str, fields: Row, token: str | None = None) -> str:
        self.message = message or self._new_message()
        return self._add(shapes.assistant(self._frame(), block, message=self.message, stop=stop), fields, token)

    def _call(self, name: str, arguments: Row, message: str | None, token: str | None = None) -> tuple[str, str]:
        call = f"toolu_{self._random.getrandbits(96):024x}"
        block = {"type": "tool_use", "id": call, "name": name, "input": arguments}
        return self._block(block, message, "tool_use", {}, token), call

    def _result(self, content: object, error: bool, called: tuple[str, str], beside: str | None = None) -> None:
        caller, call = called
        frame = self._frame()
        row = shapes.tool_result(frame, content, call=call, error=error, caller=caller, prompt=self._prompt)
        if beside is not None:
            row["message"]["content"].append(_text(beside))
        known = self._add(row, {})
        if beside is not None:
            self._say(known, "user", beside)

    def _bare(self, content: str | list[Row], fields: Row) -> str:
        return self._add(shapes.bare_user(self._frame(), content, prompt=self._prompt), fields)

    def _queue(self, operation: str, content: object, source: str) -> None:
        self._write(shapes.queue_operation(self._frame(), operation, content, source=source), None)

    def _new_message(self) -> str:
        return f"msg_{self._random.getrandbits(96):024x}"


def _text(text: str) -> Row:
    return {"type": "text", "text": text}


def _picture(data: str) -> Row:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def _reminder(text: str) -> str:
    return f"<system-reminder>\n{text}\n</system-reminder>"


def _hole_or(text: str, token: str | None) -> str:
    return text if token is None else HOLE


def _decoded(text: str, token: str | None) -> str:
    return text if token is None else str(json.loads(token))
