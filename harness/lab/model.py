"""A Messages API on loopback that answers from a script and keeps every request: the model of a CLI that runs offline.

Only a main request, one that offers tools, takes the next reply. Side requests (titles, warm-ups, token counts) get an
answer that means nothing.
"""

import itertools
import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PIECE = 24
"""Characters of a text that one event carries."""
USAGE = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
ASIDE = '{"title": "aside", "isNewTopic": false}'
NONE_LEFT = "the script has no more replies"
HELD_SECONDS = 60
"""How long a reply waits for its release at most."""


@dataclass(frozen=True)
class Reply:
    """What the model answers: content blocks as in the API, or an error where `status` is not 200.

    `held`: in the middle of its first text it waits for `ScriptedModel.release`.
    """

    blocks: tuple[dict[str, Any], ...] = ()
    status: int = 200
    held: bool = False


@dataclass(frozen=True)
class Request:
    """One request. `body` is the decoded JSON, None where there is none."""

    method: str
    path: str
    body: Any

    @property
    def is_main(self) -> bool:
        """Whether it asks for the next reply of the talk."""
        asks = self.method == "POST" and self.path.partition("?")[0].endswith("/v1/messages")
        return asks and isinstance(self.body, dict) and bool(self.body.get("tools"))


class ScriptedModel:
    """Serves on a free port from its creation to `close`; `requests` are in the order of their arrival."""

    def __init__(self, replies: Iterable[Reply]) -> None:
        self.requests: list[Request] = []
        self.holding = threading.Event()
        """Set while a reply waits for its release."""
        self._go_on = threading.Event()
        self._replies = iter(replies)
        self._count = itertools.count(1)
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def main(self) -> list[Request]:
        """The main requests."""
        return [each for each in self.requests if each.is_main]

    def release(self) -> None:
        """Let the reply that is held go on."""
        self._go_on.set()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: Request) -> tuple[Reply, int]:
        """The reply to a request, and a number that no other reply has."""
        with self._lock:
            self.requests.append(request)
            aside = Reply(({"type": "text", "text": ASIDE},))
            none_left = Reply(({"type": "text", "text": NONE_LEFT},))
            return (next(self._replies, none_left) if request.is_main else aside), next(self._count)

    def hold(self) -> None:
        """Wait for the release."""
        self._go_on.clear()
        self.holding.set()
        self._go_on.wait(HELD_SECONDS)
        self.holding.clear()


def events(reply: Reply, head: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a streamed reply, in order, each with its name."""
    yield "message_start", {"message": {**head, "content": [], "stop_reason": None, "stop_sequence": None}}
    for index, block in enumerate(reply.blocks):
        empty, deltas = _streamed(block)
        yield "content_block_start", {"index": index, "content_block": empty}
        for delta in deltas:
            yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    stop = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
    yield "message_delta", {"delta": stop, "usage": {"output_tokens": USAGE["output_tokens"]}}
    yield "message_stop", {}


def _streamed(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    match block["type"]:
        case "text":
            text = block["text"]
            pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
            return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces]
        case "thinking":
            thought = {"type": "thinking_delta", "thinking": block["thinking"]}
            signed = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [thought, signed]
        case "tool_use":
            spelled = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            return {**block, "input": {}}, [spelled]
        case other:
            raise ValueError(f"no way to stream a {other} block")


def _stop_reason(reply: Reply) -> str:
    return "tool_use" if any(block["type"] == "tool_use" for block in reply.blocks) else "end_turn"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle of a reply is nothing to talk about."""


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            model.answer(Request("HEAD", self.path, None))
            self._json({}, with_body=False)

        def do_GET(self) -> None:
            model.answer(Request("GET", self.path, None))
            self._json({})

        def do_POST(self) -> None:
            raw = self._chunks() if "chunked" in self.headers.get("transfer-encoding", "").lower() else self._sized()
            try:
                body = json.loads(raw)
            except (ValueError, RecursionError):
                body = None
            request = Request("POST", self.path, body)
            reply, number = model.answer(request)
            if "count_tokens" in self.path:
                self._json({"input_tokens": USAGE["input_tokens"]})
            elif not isinstance(body, dict) or "/v1/messages" not in self.path:
                self._json({})
            elif reply.status != 200:
                error = {"type": "overloaded_error", "message": "scripted"}
                self._json({"type": "error", "error": error}, reply.status)
            else:
                self._reply(reply, body, number)

        def _reply(self, reply: Reply, body: dict[str, Any], number: int) -> None:
            head: dict[str, Any] = {"id": f"msg_scripted{number:012}", "type": "message", "role": "assistant"}
            head |= {"model": body.get("model"), "usage": USAGE}
            if not body.get("stream"):
                stop = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
                self._json({**head, "content": list(reply.blocks), **stop})
                return
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            is_held = reply.held
            for name, fields in events(reply, head):
                event = f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
                self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
                self.wfile.flush()
                if is_held and fields.get("delta", {}).get("type") == "text_delta":
                    is_held = False
                    model.hold()
            self.wfile.write(b"0\r\n\r\n")

        def _json(self, value: Any, status: int = 200, with_body: bool = True) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body) if with_body else 0))
            if status != 200:
                self.send_header("retry-after", "0")
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def _sized(self) -> bytes:
            return self.rfile.read(int(self.headers.get("content-length") or 0))

        def _chunks(self) -> bytes:
            raw = b""
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return raw

    return Handler
