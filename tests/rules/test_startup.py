"""The startup snapshot: what the runtime put before the first message goes along once, as it stood, and first."""

import json
from hashlib import sha256
from pathlib import Path

from carrying import Carried, carry
from click.testing import CliRunner

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.carry.manifest import read_manifest
from threadrebuild.carry.summary import plan_summary
from threadrebuild.cli import main
from threadrebuild.transcript.tokens import decoded

PACKAGE = "the instruction file, the memory index and notes on the environment"
WORDS = "  can you help me? "


def frozen(carried: Carried) -> list[str]:
    """The texts of the snapshot."""
    return [block.text for block in carried.blocks if block.word == "startup"]


def with_package(shape: str) -> Talk:
    """A talk that begins with the package: in blocks or a string with the first words, or in a row of its own."""
    talk = Talk()
    if shape == "row":
        talk.reminder(PACKAGE)
        talk.user(WORDS)
    else:
        talk.startup([PACKAGE], WORDS, joined=shape == "string")
    talk.assistant("yes")
    talk.reminder("todo list")
    talk.user("good")
    return talk


SHAPES = ("blocks", "string", "row")
REMINDER = f"<system-reminder>\n{PACKAGE}\n</system-reminder>"


@proves("TR-036")
def test_the_first_item_is_the_package_as_it_stood(tmp_path: Path) -> None:
    token = REMINDER.replace("\n", r"\n").encode()
    for shape in SHAPES:
        carried = carry(with_package(shape), tmp_path / shape)
        expect("TR-L09", carried.summary["reason"] != "verification-failed", "every block of a candidate is marked")
        expect("TR-036", carried.blocks, f"the package is among what was selected ({shape})")
        first = carried.blocks[0]
        expect_equal("TR-036", (first.word, first.token), ("startup", b'"' + token + b'"'), f"first item ({shape})")
        expect_equal("TR-036", len(frozen(carried)), 1, f"blocks of the snapshot ({shape})")
        expect("TR-036", carried.summary["startup_frozen"], f"the report says so ({shape})")
        manifest = read_manifest(tmp_path / shape / "out" / "manifest.json")
        digest = sha256(b'"' + token + b'"').hexdigest()
        expect_equal("TR-036", manifest.startup_snapshot_sha256, digest, f"digest of the snapshot ({shape})")


@proves("TR-036")
def test_a_package_of_several_blocks_goes_along_in_order(tmp_path: Path) -> None:
    talk = Talk()
    talk.startup(["one", "two", "three"], WORDS)
    talk.assistant("yes")
    carried = carry(talk, tmp_path)
    expect("TR-L09", carried.summary["reason"] != "verification-failed", "every block of a candidate is marked")
    expect_equal("TR-036", frozen(carried), talk.startup_texts, "blocks of the snapshot")
    tokens = [b'"' + text.replace("\n", r"\n").encode() + b'"' for text in talk.startup_texts]
    digest = sha256(b"\n".join(tokens)).hexdigest()
    expect_equal("TR-036", carried.plan.startup_sha256, digest, "digest of the snapshot")


@proves("TR-036")
def test_the_package_is_that_of_the_branch_that_is_carried(tmp_path: Path) -> None:
    for joined in (False, True):
        talk = Talk()
        talk.system("informational", content="hello")
        top = talk.mark()
        talk.startup(["of the rewound branch"], "let us begin", joined=joined)
        talk.assistant("with what?")
        talk.rewind(top)
        talk.startup(["of the branch that went on"], "let us begin with the poem", joined=joined)
        talk.assistant("gladly")
        carried = carry(talk, tmp_path / str(joined))
        expect_equal("TR-L15", len(carried.said), 2, "messages of the branch that went on")
        expect_equal("TR-036", frozen(carried), talk.startup_texts[1:], "its package")


@proves("TR-037")
def test_the_package_goes_in_once_and_so_do_the_words_beside_it(tmp_path: Path) -> None:
    for shape in SHAPES:
        talk = with_package(shape)
        carried = carry(talk, tmp_path / shape)
        planned = [(each.role, decoded(each.token)) for each in carried.plan.carried]
        expect_equal("TR-037", planned, talk.said, f"what is to be carried ({shape})")
        expect("TR-051", carried.summary["reason"] != "ledger-gap", "what is cut off is booked as injected")
        expect_equal("TR-040", frozen(carried), [REMINDER], f"the snapshot ({shape})")
        expect_equal("TR-037", carried.said, talk.said, f"what was said ({shape})")
        expect_equal("TR-037", carried.raw.count(PACKAGE.encode()), 1, f"times that the package stands there ({shape})")


@proves("TR-038")
def test_the_package_comes_from_the_transcript_and_not_from_todays_files(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "CLAUDE.md").write_text("instructions as of today", encoding="utf-8")
    for text in ("instructions as of then", "instructions as of today"):
        talk = Talk()
        talk.startup([text], WORDS, cwd=str(work))
        talk.assistant("yes", cwd=str(work))
        folder = tmp_path / text.replace(" ", "-")
        carried = carry(talk, folder)
        expect("TR-L09", carried.summary["reason"] != "verification-failed", "every block of a candidate is marked")
        expect_equal("TR-038", frozen(carried), talk.startup_texts, "the snapshot")
        expect_equal(
            "TR-038", b"as of today" in carried.raw, b"as of today" in talk.bytes(), "whether today's text is there"
        )
        item = read_manifest(folder / "out" / "manifest.json").items[0]
        at, length = item.source_offset, item.source_length
        expect("TR-038", at is not None and length is not None, "the snapshot has a place in the source")
        token = talk.bytes()[at or 0 :][: length or 0]
        expect_equal("TR-038", carried.blocks[0].token, token, "the snapshot and the bytes at its place in the source")


@proves("TR-039")
def test_only_reminders_are_the_package_and_one_behind_other_traces_is_found(tmp_path: Path) -> None:
    for shape in SHAPES:
        talk = Talk()
        talk.command("/model", "a faster model")
        talk.user("<task-notification>done</task-notification>")
        if shape == "row":
            talk.reminder(PACKAGE)
            talk.user("<heartbeat>tick</heartbeat> " + WORDS)
        elif shape == "blocks":
            talk.user(["<heartbeat>tick</heartbeat>", REMINDER, WORDS])
        else:
            talk.user(f"<heartbeat>tick</heartbeat>{REMINDER}{WORDS}")
        talk.assistant("yes")
        carried = carry(talk, tmp_path / shape)
        expect("TR-028", carried.said and "reminder" not in carried.said[0][1], f"a reminder is no speech ({shape})")
        expect_equal("TR-039", frozen(carried), [REMINDER], f"the snapshot ({shape})")
        expect("TR-039", b"tick" not in carried.raw and b"faster" not in carried.raw, f"traces stay behind ({shape})")
        expect_equal("TR-039", carried.said[0][1].strip(), WORDS.strip(), f"the first words ({shape})")


@proves("TR-039")
def test_traces_of_other_kinds_are_no_package(tmp_path: Path) -> None:
    talk = Talk()
    talk.command("/model", "a faster model")
    talk.user("<heartbeat>tick</heartbeat>")
    talk.user(WORDS)
    talk.assistant("yes")
    carried = carry(talk, tmp_path)
    expect("TR-028", len(carried.said) == 2, "traces are no speech")
    expect_equal("TR-039", frozen(carried), [], "the snapshot")


@proves("TR-040")
def test_where_speech_comes_first_nothing_is_frozen(tmp_path: Path) -> None:
    def typed(talk: Talk) -> None:
        talk.user("hello")

    def channel(talk: Talk) -> None:
        talk.channel("hello")

    def queued(talk: Talk) -> None:
        talk.queued("hello")

    def assistant(talk: Talk) -> None:
        talk.assistant("hello")

    def reply(talk: Talk) -> None:
        talk.reply("hello")

    def before_the_package_in_its_row(talk: Talk) -> None:
        talk.user(["hello", REMINDER])

    for speak in (typed, channel, queued, assistant, reply, before_the_package_in_its_row):
        talk = Talk()
        speak(talk)
        talk.reminder(PACKAGE)
        talk.startup([PACKAGE], "and more")
        talk.assistant("yes")
        carried = carry(talk, tmp_path / speak.__name__)
        words = [said.token for said in carried.plan.carried]
        expect("TR-009", words and b"hello" in words[0], f"texts are read ({speak.__name__} first)")
        expect_equal("TR-040", frozen(carried), [], f"the snapshot ({speak.__name__} first)")
        expect("TR-040", not carried.summary["startup_frozen"], f"the report says so ({speak.__name__} first)")
        expect_equal("TR-040", carried.plan.startup_sha256, None, f"digest ({speak.__name__} first)")

    twin = carry(with_package("row"), tmp_path / "twin")
    expect_equal("TR-036", frozen(twin), [REMINDER], "the snapshot where the package comes first")


@proves("TR-041")
def test_every_report_says_that_todays_prompt_comes_on_top(tmp_path: Path) -> None:
    for shape in SHAPES:
        carried = carry(with_package(shape), tmp_path / shape)
        manifest = json.loads((tmp_path / shape / "out" / "manifest.json").read_bytes())
        words = CliRunner().invoke(main, ["plan", str(tmp_path / shape / "project" / "source.jsonl")])
        reports = {
            "plan": "\n".join(plan_summary(carried.plan)["notes"]),
            "candidate": "\n".join(carried.summary["notes"]),
            "manifest": "\n".join(manifest["notes"]),
            "plan in words": words.stdout,
        }
        for name, report in reports.items():
            expect("TR-041", "system prompt from today's files" in report, f"the {name} names today's prompt ({shape})")
            both = "old startup snapshot and the new prompt together"
            expect("TR-041", both in report, f"the {name} says what the session sees ({shape})")
            expect("TR-041", "not a complete startup package" in report, f"the {name} calls it incomplete ({shape})")


@proves("TR-042")
def test_without_freezing_the_package_is_stripped_and_the_words_stay(tmp_path: Path) -> None:
    for shape in SHAPES:
        talk = with_package(shape)
        carried = carry(talk, tmp_path / shape, freeze_startup_snapshot=False)
        expect_equal("TR-042", frozen(carried), [], f"the snapshot ({shape})")
        expect("TR-042", PACKAGE.encode() not in carried.raw, f"the package is nowhere ({shape})")
        expect("TR-042", not carried.summary["startup_frozen"], f"the report says so ({shape})")
        expect_equal("TR-037", carried.said, talk.said, f"what was said ({shape})")
        twin = carry(talk, tmp_path / f"{shape}-frozen")
        expect_equal("TR-036", frozen(twin), [REMINDER], f"the snapshot by default ({shape})")
