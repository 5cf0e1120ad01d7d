"""What is said in the lab's sessions: every text is planted, so that each can be looked up later, by whoever said it.

One talk runs without a terminal (`claude -p`), the other is typed into one, with prompts that are sent too early.
"""

from dataclasses import dataclass
from typing import Any

from harness.lab.model import Reply
from threadrebuild.init import SERVER

BEGUN = "begun"
"""The file by which a tool of the typed talk says that it runs."""
GO = "go"
"""The file that the tool waits for."""
NEW_PROMPT = "After the rebuild: what did we say?"
ASKED = "toolu_asked"
"""The call of our own tool."""
REASON = '换窗  asked for by the script: "é" & <b>'
ASKED_TOOL = f"mcp__{SERVER}__thread_rebuild_request"


@dataclass(frozen=True)
class Turn:
    """A prompt, the replies to it in order, and what is typed before they have ended.

    `early` is typed while the first reply is held, or while its tool runs if `in_tool`. With `served` the CLI is told
    of our own tools.
    """

    says: str
    replies: tuple[Reply, ...]
    early: str | None = None
    in_tool: bool = False
    served: bool = False

    @property
    def planted(self) -> list[tuple[str, str]]:
        """(role, text) of everything that is said."""
        texts = [("user", self.says), *([("user", self.early)] if self.early else [])]
        blocks = [block for reply in self.replies for block in reply.blocks]
        return texts + [("assistant", block["text"]) for block in blocks if block["type"] == "text"]

    @property
    def in_order(self) -> list[tuple[str, str]]:
        """The same in the order of talk: what was typed early follows the reply that it came in on."""
        said = [each for each in self.planted if self.early is None or each != ("user", self.early)]
        return [*said[:2], ("user", self.early), *said[2:]] if self.early else said


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _bash(call: str, command: str) -> dict[str, Any]:
    return _call(f"toolu_{call}", "Bash", command=command)


def _call(id_: str, name: str, **given: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


PRINTED = (
    Turn(
        "  今晚先说  两件事,\n\n\nfirst the é (NFD: e\u0301), then\ta tab. <b>&amp;</b>",
        (Reply((_text("Good.  Two spaces, 三个空行:\n\n\n\n然后 👩‍👩‍👧 and a trailing space "),)),),
    ),
    Turn(
        "Run the little command, please.",
        (
            Reply(status=529),
            Reply((_text("I run it now."), _bash("printed", "echo out of the tool"))),
            Reply((_text("It ran: the tool has spoken."),)),
        ),
    ),
    Turn(
        "Think about the date 2026-08-14 first.",
        (
            Reply(
                (
                    {"type": "thinking", "thinking": "A thought that nobody says.", "signature": "c2NyaXB0ZWQ="},
                    _text("I have thought about the fourteenth."),
                )
            ),
        ),
    ),
    Turn(
        "Put a rebuild on record, then.",
        (
            Reply((_text("I ask for it."), _call(ASKED, ASKED_TOOL, reason=REASON, confirmation="REBUILD"))),
            Reply((_text("It is on record."),)),
        ),
        served=True,
    ),
)
"""Text with everything that bytes can lose; a reply that fails at first, then a tool; thinking with a signature; and a
call of our own server, which answers from the household's store."""

TYPED = (
    Turn("Typed  with two spaces", (Reply((_text("The first typed reply."),)),)),
    Turn(
        "Tell me something slowly",
        (
            Reply((_text("Slowly told: one word, and one more, and the last one at last."),), held=True),
            Reply((_text("That was queued while I spoke."),)),
        ),
        early="Typed while text was streaming",
    ),
    Turn(
        "Start the tool that waits",
        (
            Reply((_text("The tool waits."), _bash("typed", f"touch {BEGUN}; until [ -e {GO} ]; do sleep 0.1; done"))),
            Reply((_text("The tool has waited long enough."),)),
        ),
        early="Typed while the tool was running",
        in_tool=True,
    ),
)
"""A prompt while text streams, which becomes a turn of its own, and one while a tool runs, which is absorbed."""

RESUMED = (Turn(NEW_PROMPT, (Reply((_text("Resumed and answered."),)),)),)
"""What is said in a session that was rebuilt."""
