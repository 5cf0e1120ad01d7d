"""Random transcripts: talks of every kind of record, told through the builder, and then perhaps damaged.

Where the damage leaves the meaning alone, the truth about what was said comes along.
"""

from collections.abc import Callable
from typing import NamedTuple

from hypothesis import strategies as st

from harness.world.chain import Said
from harness.world.damages import DAMAGES, HARMLESS
from harness.world.talk import Talk
from harness.world.texts import blanks, kinds_of, texts, tokens

VERSIONS = ("1.0.60", "1.0.128", "2.0.42", "2.1.112", "2.1.199", "2.1.332")


class Transcript(NamedTuple):
    """One file, the names of what is in it, and what was said (None where damage leaves it to rules)."""

    data: bytes
    kinds: set[str]
    said: Said | None
    abandoned: Said | None


@st.composite
def transcripts(draw: st.DrawFn, *, damaged: bool | None = None, most_steps: int = 10) -> Transcript:
    """A random transcript; `damaged` asks for at least one damage or for none, None leaves it open."""
    talk = Talk(version=draw(st.sampled_from(VERSIONS)), seed=draw(st.integers(0, 2**16)))
    kinds = {_begin(draw, talk)}
    for step in draw(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=most_steps)):
        STEPS[step](draw, talk)
        kinds.add(step)
    kinds.add(_end(draw, talk))
    if damaged and not talk.bytes():
        talk.user(draw(texts()))
    for _, text in talk.said + talk.abandoned:
        kinds |= kinds_of(text)
    data = talk.bytes()
    fewest = 1 if damaged else 0
    most = 3 if damaged or (damaged is None and talk.bytes()) else 0
    damages = draw(st.lists(st.sampled_from(sorted(DAMAGES)), min_size=fewest, max_size=most, unique=True))
    # Damages to the end and to the line ends come after those that read rows.
    for damage in sorted(damages, key=list(DAMAGES).index):
        data = DAMAGES[damage](draw, data)
        kinds.add(damage)
    if set(damages) <= HARMLESS:
        return Transcript(data, kinds, talk.said, talk.abandoned)
    return Transcript(data, kinds, None, None)


Step = Callable[[st.DrawFn, Talk], None]


def _begin(draw: st.DrawFn, talk: Talk) -> str:
    way = draw(st.sampled_from(("plain-start", "startup", "startup-joined", "startup-row", "summary-row")))
    if way in ("startup", "startup-joined"):
        talk.startup(["Contents of the instruction file", "memory"], draw(texts()), joined=way == "startup-joined")
    elif way == "startup-row":
        talk.reminder("Contents of the instruction file")
    elif way == "summary-row":
        talk.row(type="summary", summary=draw(texts()), leafUuid=talk.new_id())
    return way


def _end(draw: st.DrawFn, talk: Talk) -> str:
    way = draw(st.sampled_from(("answered", "open-tail", "never-read", "as-it-is")))
    if way == "answered":
        talk.assistant(draw(texts()))
    elif way == "open-tail":
        talk.user(draw(texts()))
    elif way == "never-read":
        talk.enqueue(draw(texts()))
    return way


def _user(draw: st.DrawFn, talk: Talk) -> None:
    talk.user(draw(texts()))


def _user_blocks(draw: st.DrawFn, talk: Talk) -> None:
    talk.user(draw(st.lists(texts(), min_size=1, max_size=3)))


def _user_token(draw: st.DrawFn, talk: Talk) -> None:
    talk.user(text_token=draw(tokens(draw(texts()))))


def _blank(draw: st.DrawFn, talk: Talk) -> None:
    talk.user(draw(blanks()))


def _assistant(draw: st.DrawFn, talk: Talk) -> None:
    talk.assistant(draw(texts()))


def _assistant_parts(draw: st.DrawFn, talk: Talk) -> None:
    talk.thinking(draw(texts()))
    talk.assistant(draw(texts()), message=talk.message)
    talk.tool("Bash", {"command": draw(texts())}, result=draw(texts()), message=talk.message)


def _assistant_token(draw: st.DrawFn, talk: Talk) -> None:
    talk.assistant(text_token=draw(tokens(draw(texts()))))


def _tool(draw: st.DrawFn, talk: Talk) -> None:
    talk.tool("Bash", {"command": draw(texts())}, result=draw(texts()), error=draw(st.booleans()))


def _tool_blocks(draw: st.DrawFn, talk: Talk) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    talk.tool("Read", {"file_path": "/a.png"}, result=[{"type": "text", "text": draw(texts())}, picture])


def _tool_open(draw: st.DrawFn, talk: Talk) -> None:
    talk.tool("Task", {"prompt": draw(texts())})


def _tool_beside(draw: st.DrawFn, talk: Talk) -> None:
    talk.tool("Bash", {"command": "sleep 9"}, result="cancelled", error=True, beside=draw(texts()))


def _channel(draw: st.DrawFn, talk: Talk) -> None:
    talk.channel(draw(texts()), source=draw(st.sampled_from(("companion", "telegram"))))


def _channel_busy(draw: st.DrawFn, talk: Talk) -> None:
    talk.channel(draw(texts()), idle=False)


def _queued(draw: st.DrawFn, talk: Talk) -> None:
    talk.queued(draw(texts()), remove_first=draw(st.booleans()))


def _queued_blocks(draw: st.DrawFn, talk: Talk) -> None:
    talk.queued(draw(st.lists(texts(), max_size=2)), remove_first=draw(st.booleans()))


def _queued_command(draw: st.DrawFn, talk: Talk) -> None:
    talk.queued("/clear", mode="command")


def _dequeued(draw: st.DrawFn, talk: Talk) -> None:
    text = draw(texts())
    talk.enqueue(text)
    talk.dequeue()
    talk.user(text)


def _reply(draw: st.DrawFn, talk: Talk) -> None:
    tool = draw(st.sampled_from(("mcp__companion__reply", "mcp__plugin_telegram_telegram__reply")))
    talk.reply(draw(texts()), tool=tool)


def _reply_token(draw: st.DrawFn, talk: Talk) -> None:
    talk.reply(text_token=draw(tokens(draw(texts()))))


def _reply_failed(draw: st.DrawFn, talk: Talk) -> None:
    talk.reply(draw(texts()), error="error: chat not reachable")


def _not_a_reply(draw: st.DrawFn, talk: Talk) -> None:
    talk.tool("mcp__companion__react", {"emoji": "❤️", "text": draw(texts())}, result="ok")


def _meta(draw: st.DrawFn, talk: Talk) -> None:
    talk.meta(draw(texts()))


def _reminder(draw: st.DrawFn, talk: Talk) -> None:
    talk.reminder(draw(st.sampled_from(("the date changed", "a <b>tag</b> inside"))))


def _rewind(draw: st.DrawFn, talk: Talk) -> None:
    talk.assistant(draw(texts()))
    back = talk.mark()
    talk.user(draw(texts()))
    talk.assistant(draw(texts()))
    talk.rewind(back)
    talk.user("instead: " + draw(texts()))


def _regenerated(draw: st.DrawFn, talk: Talk) -> None:
    talk.user(draw(texts()))
    back = talk.mark()
    talk.assistant(draw(texts()))
    talk.rewind(back)
    talk.assistant("instead: " + draw(texts()))


def _version_change(draw: st.DrawFn, talk: Talk) -> None:
    talk.version = draw(st.sampled_from(VERSIONS))


def _bookkeeping(draw: st.DrawFn, talk: Talk) -> None:
    talk.row(type="file-history-snapshot", messageId=talk.new_id(), snapshot={}, isSnapshotUpdate=False)
    talk.row(type="last-prompt", lastPrompt=draw(texts()), sessionId=talk.session)


def _unknown(draw: st.DrawFn, talk: Talk) -> None:
    text = draw(texts())
    place = {"uuid": talk.new_id(), "parentUuid": talk.mark(), "sessionId": talk.session}
    talk.row(type="weather-report", text=text, message={"role": "user", "content": text}, **place)


STEPS: dict[str, Step] = {
    "user": _user,
    "user-blocks": _user_blocks,
    "user-token": _user_token,
    "blank": _blank,
    "assistant": _assistant,
    "assistant-parts": _assistant_parts,
    "assistant-token": _assistant_token,
    "tool": _tool,
    "tool-blocks": _tool_blocks,
    "tool-open": _tool_open,
    "tool-beside": _tool_beside,
    "thinking": lambda draw, talk: talk.thinking(draw(texts())),
    "channel": _channel,
    "channel-busy": _channel_busy,
    "queued": _queued,
    "queued-blocks": _queued_blocks,
    "queued-command": _queued_command,
    "dequeued": _dequeued,
    "reply": _reply,
    "reply-token": _reply_token,
    "reply-failed": _reply_failed,
    "not-a-reply": _not_a_reply,
    "meta": _meta,
    "reminder": _reminder,
    "command": lambda draw, talk: talk.command("/model", draw(texts())),
    "image": lambda draw, talk: talk.image(),
    "image-words": lambda draw, talk: talk.image(draw(texts())),
    "sidechain": lambda draw, talk: talk.sidechain(draw(texts()), draw(texts())),
    "system": lambda draw, talk: talk.system("informational", content=draw(texts()), level="info"),
    "progress": lambda draw, talk: talk.progress("one", "two"),
    "attachment": lambda draw, talk: talk.attachment("skill_listing", content=draw(texts())),
    "compact": lambda draw, talk: talk.compact(draw(texts())),
    "api-error": lambda draw, talk: talk.api_error("API Error: 529 overloaded"),
    "unasked": lambda draw, talk: talk.unasked(),
    "interrupted": lambda draw, talk: talk.interrupted(for_tool=draw(st.booleans())),
    "rewind": _rewind,
    "regenerated": _regenerated,
    "version-change": _version_change,
    "bookkeeping": _bookkeeping,
    "unknown": _unknown,
}
"""What can happen in a talk, by name: each step tells the builder one thing."""
