"""The dirty ledger: what is booked under which category, and what of it makes a rebuild due."""

import json
from pathlib import Path

from carrying import carry
from click.testing import CliRunner
from weighing import noisy_talk, refused, small_talk, weigh, weigh_file

from harness.expect import expect, expect_equal, proves
from harness.world.months import write_months
from harness.world.talk import Talk
from threadrebuild.cli import main
from threadrebuild.config import Settings

KIB_512 = 524_288
PIXELS = "iVBORw0KGgo" * 10


def size_of(value: object) -> int:
    """Bytes of a value as it stands in the file."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def picture() -> dict[str, object]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXELS}}


def look_at(talk: Talk, tool: str) -> None:
    """The model reads an image through a tool; what it gets lies two lists deep."""
    talk.tool(tool, {"file_path": "/p/a.png"}, result=[{"type": "text", "text": "a.png"}, picture()])


@proves("TR-048")
def test_each_kind_of_payload_has_its_category_to_the_byte(tmp_path: Path) -> None:
    expect_equal("TR-055", weigh(small_talk(), tmp_path).categories, {}, "what a talk without run traces weighs")
    talk = small_talk()
    talk.thinking("沉思" * 50)
    talk.row(type="assistant", uuid=talk.new_id(), parentUuid=talk.mark(), message=redacted("cmVkYWN0ZWQ="))
    talk.tool("Bash", {"command": "ls"}, result="一二三")
    talk.image(data=PIXELS)
    talk.meta("技能" * 30)
    talk.reminder("别忘了")
    talk.attachment("deferred_tools", names=["a", "b"])
    categories = weigh(talk, tmp_path).categories
    wanted = {
        "thinking": size_of("沉思" * 50) + size_of("c2lnbmF0dXJl") + size_of("cmVkYWN0ZWQ="),
        "tool_use": size_of({"command": "ls"}),
        "tool_result": size_of("一二三"),
        "image": size_of({"type": "base64", "media_type": "image/png", "data": PIXELS}),
        "meta_injection": size_of("技能" * 30),
        "injected_block": size_of("<system-reminder>\n别忘了\n</system-reminder>"),
        "attachment": size_of({"type": "deferred_tools", "names": ["a", "b"]}),
    }
    expect_equal("TR-048", categories, wanted, "bytes by category")


def redacted(data: str) -> dict[str, object]:
    return {"id": "msg_r", "role": "assistant", "model": "m", "content": [{"type": "redacted_thinking", "data": data}]}


@proves("TR-048")
def test_rows_without_speech_are_booked_whole_under_their_own_names(tmp_path: Path) -> None:
    before = len(small_talk().bytes())
    for kind in ("system", "progress", "summary", "sidechain"):
        talk = small_talk()
        if kind == "system":
            talk.system("informational", content="note", level="info")
        elif kind == "progress":
            talk.progress("half way")
        elif kind == "summary":
            talk.row(type="summary", summary="about the rain", leafUuid=talk.mark())
        else:
            talk.sidechain("look", "found")
        lines = talk.bytes().count(b"\n") - small_talk().bytes().count(b"\n")
        expect_equal("TR-055", weigh(small_talk(), tmp_path).total_bytes, 0, "bytes of a talk without run traces")
        wanted = {kind: len(talk.bytes()) - before - lines}
        expect_equal("TR-048", weigh(talk, tmp_path).categories, wanted, f"bytes of {kind} rows")


@proves("TR-048")
def test_a_frozen_startup_package_still_weighs_as_an_injected_block(tmp_path: Path) -> None:
    talk = Talk()
    talk.startup(["instructions"], "第一句")
    talk.assistant("嗯")
    expect_equal("TR-055", weigh(small_talk(), tmp_path).total_bytes, 0, "bytes of a talk without run traces")
    wanted = {"injected_block": size_of(talk.startup_texts[0])}
    expect_equal("TR-048", weigh(talk, tmp_path).categories, wanted, "bytes by category")


@proves("TR-049")
def test_a_skill_body_and_a_command_echo_have_a_category_of_their_own(tmp_path: Path) -> None:
    body, echo = "技" * 20_000, "Set model to opus"
    talk = small_talk()
    talk.meta(body)
    talk.meta(echo)
    talk.reminder("tagged")
    expect_equal("TR-023", weigh(small_talk(), tmp_path).conversation_bytes, 24, "bytes of a person's and its answer")
    dirty = weigh(talk, tmp_path)
    expect_equal("TR-049", dirty.categories.get("meta_injection"), size_of(body) + size_of(echo), "bytes of meta rows")
    expect_equal("TR-049", dirty.conversation_bytes, len("下雨了吗？下了。".encode()), "bytes of conversation")


@proves("TR-050")
def test_dialogue_is_counted_apart_and_never_makes_a_rebuild_due(tmp_path: Path) -> None:
    expect("TR-053", not weigh(small_talk(), tmp_path).reasons, "a small talk is under every budget")
    talk = Talk()
    talk.user("长" * 100_000)
    talk.assistant("谈" * 100_000)
    talk.user("再问")
    talk.assistant("再答")
    dirty = weigh(talk, tmp_path)
    expect_equal("TR-050", dirty.conversation_bytes, 600_000 + 12, "UTF-8 bytes of dialogue")
    expect_equal("TR-050", dirty.conversation_turns, 2, "turns of dialogue")
    expect_equal("TR-050", (dirty.total_bytes, dirty.should_rebuild), (0, False), "what the budget sees of it")
    talk.tool("Bash", {"command": "cat"}, result="长" * 200_000)
    expect("TR-050", weigh(talk, tmp_path).should_rebuild, "as many bytes from a tool make a rebuild due")


@proves("TR-051")
def test_block_and_words_of_one_record_are_booked_apart(tmp_path: Path) -> None:
    reminder = f"<system-reminder>{'x' * (3000 - 35)}</system-reminder>"
    expect_equal("TR-051", len(reminder), 3000, "characters of the reminder")
    for joined in (False, True):
        talk = Talk()
        talk.user(reminder + "你好") if joined else talk.user([reminder, "你好"])
        talk.assistant("你也好")
        said = [text for _, _, text in carry(talk, tmp_path / str(joined)).planned]
        expect_equal("TR-037", said, ["你好", "你也好"], "what is carried")
        dirty = weigh(talk, tmp_path)
        expect_equal("TR-051", dirty.conversation_bytes, len("你好你也好".encode()), "bytes of the words")
        block = 3000 + (0 if joined else 2)  # in a block of its own its quotes are its own
        expect_equal("TR-051", dirty.categories.get("injected_block"), block, "bytes of the block")


@proves("TR-052")
def test_noise_ratio_has_four_decimals_and_is_zero_without_a_row(tmp_path: Path) -> None:
    conversation = len("下雨了吗？下了。".encode())
    expect("TR-050", weigh(small_talk(), tmp_path).conversation_bytes == conversation, "the dialogue is counted")
    dirty = weigh(noisy_talk(100 - 2), tmp_path)
    expect_equal("TR-052", dirty.noise_ratio, 0.8065, "100 bytes of noise against 24 of dialogue")
    empty = weigh(Talk(), tmp_path)
    expect_equal("TR-052", (empty.noise_ratio, empty.notes), (0.0, ()), "ratio of an empty transcript, without a note")
    expect_equal("TR-052", weigh(small_talk(), tmp_path).noise_ratio, 0.0, "ratio of dialogue alone")


@proves("TR-052")
def test_a_ratio_below_one_half_suggests_the_wrong_folder(tmp_path: Path) -> None:
    expect("TR-050", weigh(small_talk(), tmp_path).conversation_bytes == 24, "the dialogue is counted")
    for noise, suspicious in ((23, True), (24, False), (25, False)):
        dirty = weigh(noisy_talk(noise - 2), tmp_path)
        suspected = any("right project folder" in note for note in dirty.notes)
        expect_equal("TR-052", suspected, suspicious, f"{noise} bytes of noise against 24 look like the wrong folder")


@proves("TR-053")
def test_reaching_the_budget_makes_a_rebuild_due(tmp_path: Path) -> None:
    for total, due in ((KIB_512 - 1, False), (KIB_512, True), (KIB_512 + 1, True)):
        dirty = weigh(noisy_talk(total - 2), tmp_path)
        expect_equal("TR-055", dirty.total_bytes, total, "bytes of run traces")
        expect_equal("TR-058", [note for note in dirty.notes if "starting up" in note], [], "notes about starting up")
        expect_equal("TR-053", dirty.should_rebuild, due, f"{total} bytes make a rebuild due by default")
    for budget, due in ((0, False), (1, True), (100, True), (101, False)):
        dirty = weigh(noisy_talk(98), tmp_path, dirty_budget_bytes=budget)
        expect_equal("TR-053", dirty.should_rebuild, due, f"100 bytes make a rebuild due under a budget of {budget}")


@proves("TR-053")
def test_a_budget_may_be_zero_but_not_less(tmp_path: Path) -> None:
    expect_equal("TR-053", Settings().dirty_budget_bytes, KIB_512, "the budget by default, 512 KiB")
    for budget, taken in ((-1, False), (0, True), (1, True)):
        why = refused(tmp_path, f"dirty_budget_bytes = {budget}\n")
        expect_equal("TR-053", "dirty_budget_bytes" not in why, taken, f"whether a budget of {budget} is taken")


@proves("TR-054")
def test_looking_at_an_original_makes_a_rebuild_due_and_a_preview_does_not(tmp_path: Path) -> None:
    talk = small_talk()
    look_at(talk, "Read")
    dirty = weigh(talk, tmp_path)
    counts = dirty.original_image_view_count, dirty.preview_image_count
    expect("TR-L19", sum(counts) == 1, "the image in the result is seen")
    expect_equal("TR-054", counts, (1, 0), "original views and previews")
    expect_equal("TR-054", dirty.should_rebuild, True, "a rebuild is due after an original view")
    off = weigh(talk, tmp_path, rebuild_on_original_image_view=False)
    expect_equal("TR-054", off.should_rebuild, False, "a rebuild is due with the switch off")

    talk = small_talk()
    look_at(talk, "mcp__gallery__preview")
    talk.image("看这张")
    dirty = weigh(talk, tmp_path)
    counts = dirty.original_image_view_count, dirty.preview_image_count
    expect_equal("TR-054", (counts, dirty.should_rebuild), ((0, 2), False), "a preview and a pasted picture")


@proves("TR-055", "TR-056")
def test_the_figures_come_from_the_file_alone(tmp_path: Path) -> None:
    dirty = weigh(noisy_talk(98), tmp_path)
    expect("TR-048", "meta_injection" in dirty.categories, "a skill body has a category")
    expect_equal("TR-055", dirty.total_bytes, 100, "bytes of run traces in the file")
    expect_equal("TR-055", weigh_file(tmp_path / "weighed.jsonl"), dirty, "the figures of a second scan")
    expect_equal("TR-055", [path.name for path in tmp_path.iterdir()], ["weighed.jsonl"], "files after two scans")
    fresh = weigh(small_talk(), tmp_path)
    expect_equal("TR-056", (fresh.total_bytes, fresh.should_rebuild), (0, False), "what a transcript begins with")


@proves("TR-056")
def test_after_a_rebuild_the_ledger_starts_again(tmp_path: Path) -> None:
    fresh = weigh(small_talk(), tmp_path)
    expect_equal("TR-056", fresh.total_bytes, 0, "what the transcript of a new session begins with")
    talk = noisy_talk(KIB_512)
    talk.tool("Bash", {"command": "ls"}, result="x" * 1000)
    carried = carry(talk, tmp_path)
    old = carried.plan.dirty
    expect("TR-053", old.should_rebuild, "the old session is told to rebuild")
    new = weigh_file(carried.candidate.path)
    expect_equal("TR-056", (new.total_bytes, new.should_rebuild), (0, False), "what the new session's file shows")
    expect_equal("TR-056", new.conversation_bytes, old.conversation_bytes, "bytes of dialogue in the new session")


@proves("TR-057")
def test_the_ledger_advises_with_reasons_and_does_nothing(tmp_path: Path) -> None:
    source = noisy_talk(KIB_512).write(tmp_path / "session.jsonl")
    runner = CliRunner()
    answer = runner.invoke(main, ["dirty", str(source), "--json"])
    advice = json.loads(answer.stdout)
    expect("TR-058", not advice["notes"], "the noise is not that of starting up")
    expect("TR-053", any("budget" in reason for reason in advice["reasons"]), "the budget is reached")
    expect_equal("TR-057", advice["should_rebuild"], True, "one reason is enough for the advice")
    expect_equal("TR-057", answer.exit_code, 0, "an advice is no failure: exit code")
    expect_equal("TR-057", [path.name for path in tmp_path.iterdir()], ["session.jsonl"], "files after the advice")
    runner.invoke(main, ["candidate", str(source), "--out", str(tmp_path / "out")])
    expect("TR-057", (tmp_path / "out").exists(), "what a command writes is seen here")


@proves("TR-057")
def test_turns_alone_never_make_a_rebuild_due(tmp_path: Path) -> None:
    talk = Talk()
    for number in range(300):
        talk.user(f"问{number}")
        talk.assistant(f"答{number}")
    dirty = weigh(talk, tmp_path)
    expect("TR-053", not any("budget" in reason for reason in dirty.reasons), "no budget is reached")
    expect("TR-054", not any("image" in reason for reason in dirty.reasons), "no image was looked at")
    expect_equal("TR-050", dirty.conversation_turns, 300, "turns")
    expect_equal("TR-057", (dirty.should_rebuild, dirty.reasons), (False, ()), "advice after three hundred turns")


@proves("TR-058")
def test_the_noise_of_starting_up_alone_is_no_reason(tmp_path: Path) -> None:
    expect("TR-053", not weigh(small_talk(), tmp_path).reasons, "a small talk is under every budget")
    for later, due in ((0, False), (999, False), (1000, True), (1001, True)):
        talk = started(1000, later)
        dirty = weigh(talk, tmp_path, dirty_budget_bytes=1000)
        expect_equal("TR-055", dirty.total_bytes, 1000 + later, "bytes of run traces")
        expect_equal("TR-058", dirty.startup_noise_bytes, 1000, "of them before the assistant's first word")
        expect_equal("TR-058", dirty.should_rebuild, due, f"{later} bytes beside 1000 of starting up make it due")
        told = any("measure this household's noise" in note for note in dirty.notes)
        expect_equal("TR-058", told, not due, "the household is told to measure instead")
    under = weigh(started(990, 10), tmp_path, dirty_budget_bytes=1000)
    expect_equal("TR-058", under.should_rebuild, True, "start-up noise under the budget counts like any other")


@proves("TR-058")
def test_a_window_without_an_answer_yet_has_only_start_up_noise(tmp_path: Path) -> None:
    talk = Talk()
    talk.meta("x" * 998)
    talk.user("在吗")
    dirty = weigh(talk, tmp_path, dirty_budget_bytes=1000)
    expect_equal("TR-058", (dirty.startup_noise_bytes, dirty.should_rebuild), (1000, False), "noise, and the advice")


@proves("TR-058")
def test_a_window_just_rebuilt_has_only_start_up_noise(tmp_path: Path) -> None:
    rebuilt = carry(small_talk(), tmp_path).candidate.path
    woken = Talk()
    woken.unasked()  # the host's own answer, when it resumes an open tail
    woken.meta("x" * 998)
    woken.user("还在吗")
    source = tmp_path / "woken.jsonl"
    source.write_bytes(rebuilt.read_bytes() + woken.bytes())
    dirty = weigh_file(source, dirty_budget_bytes=1000)
    expect_equal("TR-058", (dirty.startup_noise_bytes, dirty.should_rebuild), (1000, False), "noise, and the advice")
    woken.assistant("在")
    woken.meta("x" * 998)
    source.write_bytes(rebuilt.read_bytes() + woken.bytes())
    expect_equal("TR-058", weigh_file(source, dirty_budget_bytes=1000).should_rebuild, True, "the advice after work")


def started(noise: int, later: int) -> Talk:
    """A talk with a skill body of so many bytes before its first answer, and one after it."""
    talk = Talk()
    talk.user("开始")
    talk.meta("x" * (noise - 2))
    talk.assistant("好")
    if later:
        talk.meta("x" * (later - 2))
    return talk


@proves("TR-059")
def test_categories_rank_as_in_the_reference_file(tmp_path: Path) -> None:
    source = tmp_path / "months.jsonl"
    write_months(source, 8, 59)
    categories = weigh_file(source).categories
    ranked = sorted(categories, key=lambda name: -categories[name])
    wanted = ["tool_result", "meta_injection", "tool_use", "system", "injected_block", "thinking"]
    expect_equal("TR-059", [name for name in ranked if name in wanted], wanted, "categories, the largest first")


@proves("TR-L16")
def test_a_pure_channel_talk_is_conversation_not_noise(tmp_path: Path) -> None:
    expect_equal("TR-023", weigh(small_talk(), tmp_path).conversation_bytes, 24, "bytes of a typed talk")
    talk = Talk()
    asked = talk.channel("到家了吗")
    talk.assistant("到了")
    dirty = weigh(talk, tmp_path)
    expect_equal("TR-L16", dirty.categories, {}, "run traces of a talk over a channel")
    expect_equal("TR-L16", dirty.conversation_bytes, len((asked + "到了").encode()), "bytes of conversation")
    expect_equal("TR-L16", dirty.noise_ratio, 0.0, "noise ratio")


@proves("TR-L17")
def test_a_reply_over_a_channel_is_conversation(tmp_path: Path) -> None:
    talk = small_talk()
    talk.reply("长" * 100_000)
    dirty = weigh(talk, tmp_path, dirty_budget_bytes=1000)
    arguments = size_of({"chat_id": "me", "text": ""}) - size_of("")
    spoken = len(("下雨了吗？下了。" + "长" * 100_000).encode())
    expect_equal("TR-031", dirty.conversation_bytes, spoken, "bytes of dialogue, with the reply")
    expect_equal("TR-L17", dirty.categories.get("tool_use"), arguments, "bytes of the call without its words")
    expect_equal("TR-L17", dirty.noise_ratio, round(arguments / (arguments + spoken), 4), "noise ratio")
    expect_equal("TR-L17", dirty.should_rebuild, False, "a long reply makes a rebuild due")


@proves("TR-L18")
def test_a_result_stored_twice_counts_once(tmp_path: Path) -> None:
    talk = small_talk()
    talk.tool("Bash", {"command": "ls"}, result="x" * 1000)
    carried = carry(talk, tmp_path)
    copy = json.loads(talk.bytes().splitlines()[-1])["toolUseResult"]
    expect_equal("TR-L18", copy["stdout"], "x" * 1000, "the host's copy of the result")
    expect_equal("TR-L18", carried.plan.dirty.categories.get("tool_result"), 1002, "bytes of the result in the context")
    shares = carried.plan.source.ledger.shares()
    expect_equal("TR-L18", shares.get("tool_result_copy"), size_of(copy), "bytes of the copy, booked apart")


@proves("TR-L19")
def test_images_are_found_at_any_depth_of_a_result(tmp_path: Path) -> None:
    talk = small_talk()
    talk.tool("Read", {}, result=[picture()])
    talk.tool("Read", {}, result=[{"type": "resource", "content": [{"type": "text", "text": "a"}, picture()]}])
    talk.tool("Read", {}, result={"deep": {"deeper": [[picture()]]}})
    talk.tool("Bash", {"command": "ls"}, result='{"type":"image"} is only a word here')
    dirty = weigh(talk, tmp_path)
    expect_equal("TR-054", dirty.preview_image_count, 0, "previews")
    expect_equal("TR-L19", dirty.original_image_view_count, 3, "original views")
    expect_equal("TR-L19", dirty.categories.get("image"), 3 * len(PIXELS), "bytes of image data")
    talk.tool("mcp__gallery__thumbnail", {}, result=[picture()])
    dirty = weigh(talk, tmp_path)
    expect_equal("TR-L19", dirty.original_image_view_count, 3, "original views after a preview")
    expect_equal("TR-054", dirty.preview_image_count, 1, "previews")
