"""Scrubbing: no private word survives, and what is read from the scrubbed transcript is what was read before."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.golden import transcripts
from harness.incident import protocol
from harness.incident.scrub import ScrubFault, scrub_lines
from harness.world.strategies import Transcript
from harness.world.strategies import transcripts as transcripts_of_chance
from harness.world.talk import Talk
from threadrebuild.carry.plan import plan_file
from threadrebuild.carry.summary import dirty_summary, plan_summary
from threadrebuild.config import Settings
from threadrebuild.transcript.tokens import decoded

GOLDEN = Path(__file__).parents[2] / "golden"
RECORDINGS = [path.relative_to(GOLDEN).as_posix() for path in transcripts(GOLDEN)]
KEY = b"the key of a test"
_PRIVATE = re.compile(r"[A-Za-z0-9]{4,}|[\u4e00-\u9fff]{4,}|[^\W_]{4,}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_COUNT = re.compile(rf'"(?:{"|".join(protocol.NUMBERS)})":\s*-?[\d.eE+-]+')
"""The host's own counts and times."""
_LITERALS = ("true", "false", "null", "Infinity", "jsonl", "toml", "toolu", "srvtoolu")
_KEPT = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+Z?|claude-[a-z0-9.-]+|\d+\.\d+\.\d+|mcp__\w*(?:companion|telegram)\w*__reply"
    r"|preview|thumbnail"
)


def scrubbed(data: bytes, key: bytes = KEY) -> bytes:
    return b"\n".join(scrub_lines(data.split(b"\n"), Settings(), key))


def unescaped(data: bytes) -> str:
    """The text of a file with its JSON escapes resolved, as a search would find it."""
    text = data.decode("utf-8", "replace")
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)


def survivors(before: bytes, after: bytes) -> list[str]:
    """Words of four or more characters that stand in both, and are nobody's."""
    ids = set(_UUID.findall(unescaped(before))) & set(_UUID.findall(unescaped(after)))
    old, new = (_COUNT.sub("", _UUID.sub("", unescaped(side))) for side in (before, after))
    new = new.casefold()
    hits = [match[0] for match in re.finditer(Settings().poison_pattern, old, re.IGNORECASE)]
    lists = (protocol.KEYS, protocol.VALUES, protocol.TOOLS, protocol.TEXTS, protocol.TAGS, protocol.LABELS)
    nobodys = " ".join([*_KEPT.findall(old), *hits, *_LITERALS] + [each for all_ in lists for each in all_])
    words = {word.casefold() for word in _PRIVATE.findall(old)}
    return sorted(ids) + sorted(word for word in words if word not in nobodys.casefold() and word in new)


def read(path: Path) -> dict[str, Any]:
    """Everything that is read from a transcript, but for words, digests and names."""
    plan = plan_file(path, Settings(), "report")
    shown = plan_summary(plan)
    blocked = plan_file(path, Settings()).refusal
    said = [
        (each.role, each.origin, each.fate, each.line, each.line_offset, each.size, each.time, len(decoded(each.token)))
        for each in (*plan.source.utterances, *plan.source.abandoned, *plan.source.runtime)
    ]
    for name in ("source_session_id", "abandoned", "superseded", "runtime_texts", "detail", "blocked_reason"):
        shown.pop(name)
    shown["source"] = {name: shown["source"][name] for name in ("bytes", "lines")}
    shown["startup"] = (shown["startup"]["frozen"], [each.size for each in plan.source.startup])
    shown["warnings"] = [(each["code"], each["line"]) for each in shown["warnings"]]
    shown["malformed"] = [{name: each[name] for name in each if name != "sha256"} for each in shown["malformed"]]
    return {
        **shown,
        "said": said,
        "dirty": dirty_summary(plan.dirty),
        "blocked": None if blocked is None else (blocked.reason, blocked.line),
    }


def assert_scrubbed(data: bytes, folder: Path) -> None:
    after = scrubbed(data)
    old, new = folder / "old.jsonl", folder / "new.jsonl"
    old.write_bytes(data)
    new.write_bytes(after)
    assert [len(line) for line in after.split(b"\n")] == [len(line) for line in data.split(b"\n")]
    assert survivors(data, after) == []
    assert read(new) == read(old)
    assert after == scrubbed(data)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_keeps_its_shape_and_no_word(name: str, tmp_path: Path) -> None:
    assert_scrubbed((GOLDEN / name).read_bytes(), tmp_path)


@given(transcript=transcripts_of_chance())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_random_transcript_keeps_its_shape_and_no_word(transcript: Transcript, tmp_path: Path) -> None:
    assert_scrubbed(transcript.data, tmp_path)


PRIVATE_TEXTS = st.lists(
    st.text(
        st.one_of(
            st.sampled_from("abcdeXYZ0189 _-/.'\"\\\n<>éßÑЖдя字的薄荷花园カなひ한국😀🌿❤️毒中上下文AUP"),
            st.characters(exclude_categories=("Cs",)),
        ),
        max_size=40,
    ),
    min_size=1,
    max_size=8,
)


@given(texts=PRIVATE_TEXTS, ascii_only=st.booleans())
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_keeps_its_shape_and_no_word(texts: list[str], ascii_only: bool, tmp_path: Path) -> None:
    talk = Talk()
    for number, text in enumerate(texts):
        token = json.dumps(text, ensure_ascii=ascii_only)
        say = talk.assistant if number % 2 else talk.user
        say(text_token=token)
        talk.tool("Bash", {text: text, "amount": 12345678}, result=text)
    assert_scrubbed(talk.bytes(), tmp_path)


def test_a_word_that_survives_is_found() -> None:
    data = (GOLDEN / "made" / "channel-three-shapes.jsonl").read_bytes()
    kept = scrubbed(data).replace(b"\n", b" by Rosalind\n", 1)
    assert survivors(data.replace(b"\n", b" by Rosalind\n", 1), kept) == ["rosalind"]
    assert len(survivors(data, data)) > 10


def test_the_same_word_is_the_same_everywhere() -> None:
    talk = Talk(version="2.1.199")
    talk.user("Mira liest im garten die 薄荷-Liste; GARTEN, Garten")
    talk.tool("Read", {"file_path": "/home/mira/garten/薄荷/notes.md"}, result="盆薄荷浇了")
    lines = talk.bytes().splitlines()
    rows = [json.loads(line) for line in scrub_lines(lines, Settings(), KEY)]
    said = rows[0]["message"]["content"]
    path = rows[1]["message"]["content"][0]["input"]["file_path"]
    found = rows[2]["message"]["content"][0]["content"]
    mira, _, _, garden, _, mint, _, upper, title = re.findall(r"[^\W_]+", said)
    assert path.split("/")[2:5] == [mira.lower(), garden, mint]
    assert (upper, title) == (garden.upper(), garden.capitalize())
    assert found[1:3] == mint
    assert {mira, garden, mint}.isdisjoint({"Mira", "garten", "薄荷"})


def test_an_escape_stays_an_escape_and_a_hit_of_poison_stays() -> None:
    text = rb"\u8584\u8377 \ud83c\udf3f caf\u00e9 \u00C9t\u00e9: AUP, \u4e2d\u6bd2 \ud83c"
    line = b'{"type":"user","uuid":"u","message":{"role":"user","content":"%s"}}' % text
    new = scrub_lines([line], Settings(), KEY)[0]
    shape = re.compile(rb"\\u[0-9a-fA-F]{4}")
    assert [match.span() for match in shape.finditer(new)] == [match.span() for match in shape.finditer(line)]
    assert rb': AUP, \u4e2d\u6bd2 \ud83c"' in new
    assert rb"\u8584" not in new and rb"\udf3f" not in new


def test_another_archive_gets_other_words() -> None:
    text = "meet Mira at the harbour, 薄荷开花".encode()
    line = b'{"type":"user","message":{"role":"user","content":"%s"}}' % text
    made = {scrub_lines([line], Settings(), key)[0] for key in (b"one", b"two", b"three")}
    assert len(made) == 3


def test_a_pattern_that_matches_sentences_is_refused() -> None:
    line = b'{"type":"user","message":{"role":"user","content":"a whole sentence, and it is as private as any other"}}'
    with pytest.raises(ScrubFault, match="poison_pattern"):
        scrub_lines([line], Settings(poison_pattern="a whole .*"), KEY)


def test_every_key_and_value_of_the_recordings_is_known() -> None:
    unknown: set[str] = set()

    def look(value: object) -> None:
        if isinstance(value, dict):
            unknown.update(key for key in value if key not in protocol.KEYS)
            for each in value.values():
                look(each)
        elif isinstance(value, list):
            for each in value:
                look(each)

    for path in sorted((GOLDEN / "cli").rglob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            look(json.loads(line))
    # Names of models and servers stand as keys in the host's counts; they are scrubbed like other names.
    names = {key for key in unknown if not key.isidentifier()}
    assert unknown - names <= {"atis"}
