"""Whose word a text is: what the runtime wrote stays behind, and what a person wrote about it does not."""

from pathlib import Path
from typing import Any

from carrying import Carried, carry

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk

TAGS = (
    "system-reminder",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "command-name",
    "command-message",
    "command-args",
    "memory-retrieval",
    "heartbeat",
    "scheduled-task",
    "task-notification",
    "ide_selection",
    "ide-selection",
)
HOOK_TAGS = ("user-prompt-submit-hook", "session-start-hook")
MARKS = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")


def texts_of(carried: Carried) -> list[str]:
    """What the candidate says was said, without roles."""
    return [text for _, text in carried.said]


def bytes_in(carried: Carried, name: str) -> int:
    """How many bytes of the source the ledger has in a class."""
    return carried.plan.source.ledger.bytes[name]


def block(tag: str, words: str = "里面") -> str:
    """A closed block of a tag."""
    return f"<{tag}>\n{words}\n</{tag}>"


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words}


def row(talk: Talk, kind: str, said: object, **fields: Any) -> None:
    """A row of any kind whose message says this: a string, or blocks."""
    message = {"role": kind, "content": said}
    whole = {"parentUuid": talk.mark(), "isSidechain": False, "type": kind, "message": message, "uuid": talk.new_id()}
    talk.row(**whole | {"timestamp": "2026-08-14T10:00:00.000Z", "sessionId": talk.session} | fields)


def rule_of(tag: str) -> str:
    """The rule that a tag rests on: reports of sub-agents have one of their own."""
    return "TR-014" if tag == "task-notification" else "TR-012"


# ---------------------------------------------------------------- kinds of records


@proves("TR-006")
def test_records_of_no_listed_kind_stay_behind(tmp_path: Path) -> None:
    kinds = ["briefing", "message", "human", "User", "user ", "", "system", "progress", "summary", "queue-operation"]
    talk = Talk()
    talk.user("问")
    for kind in kinds:
        row(talk, kind, f"话在 {kind!r} 里")
        row(talk, kind, [text(f"话在 {kind!r} 的块里")], content=f"话在 {kind!r} 外")
    row(talk, "user", "没有种类的话", type=None)
    talk.attachment("briefing", content="附件里的话", prompt="附件里的话", commandMode="prompt")
    talk.enqueue("排过队的话")
    talk.dequeue()
    talk.assistant("答")
    carried = carry(talk, tmp_path)
    leaked = [said for said in texts_of(carried) if "话" in said]
    expect_equal("TR-006", leaked, [], "texts of records that no rule lets through")
    expect("TR-011", bytes_in(carried, "sidechain") == 0, "records of the main line are not a sub-agent's")
    expect_equal("TR-006", carried.said, [("user", "问"), ("assistant", "答")], "texts of user and assistant records")


@proves("TR-008")
def test_tool_results_stay_behind(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("列一下")
    talk.tool("Bash", {"command": "ls"}, result="输出甲")
    talk.tool("Read", {"file_path": "/a"}, result=[text("输出乙"), text("输出丙")])
    talk.tool("Bash", {"command": "false"}, result="输出丁", error=True)
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "输出戊", "text": "输出己"}
    row(talk, "user", [result, text("顺便看看乙")], toolUseResult={"stdout": "输出庚"})
    talk.assistant("好")
    carried = carry(talk, tmp_path)
    leaked = [said for said in texts_of(carried) if "输出" in said]
    expect_equal("TR-008", leaked, [], "texts that only a tool returned")
    expect("TR-L02", "顺便看看乙" in texts_of(carried), "what was typed beside a result is carried")
    expect_equal("TR-008", texts_of(carried), ["列一下", "顺便看看乙", "好"], "texts that somebody said")
    said = Talk()
    said.user("输出甲")
    said.tool("Bash", {"command": "ls"}, result="输出甲")
    said.assistant("输出甲")
    twice = texts_of(carry(said, tmp_path / "said"))
    expect_equal("TR-008", twice, ["输出甲", "输出甲"], "the same words where somebody said them")


@proves("TR-L02")
def test_what_is_typed_beside_a_result_is_speech(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "输出"}
    for number, parts in enumerate(
        [[result, text("顺便")], [text("顺便"), result], [result, result, text("顺便"), text("还有")], [result]]
    ):
        talk = Talk()
        talk.user("问")
        row(talk, "user", parts, toolUseResult="输出")
        talk.assistant("答")
        carried = carry(talk, tmp_path / str(number))
        typed = [part["text"] for part in parts if part["type"] == "text"]
        expect("TR-008", bytes_in(carried, "unlisted_block") == 0, "a text block is known as text")
        expect_equal("TR-L02", texts_of(carried), ["问", *typed, "答"], "texts of the record and around it")
        results = len(parts) - len(typed)
        expect_equal("TR-L02", bytes_in(carried, "tool_result"), results * len('"输出"'.encode()), "bytes of results")


@proves("TR-009")
def test_thinking_between_a_message_and_its_answer_stays_behind(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("问")
    talk.thinking("想法一")
    thought = {"type": "thinking", "thinking": "想法四", "text": "想法五", "signature": "c2ln"}
    row(talk, "assistant", [thought, {"type": "redacted_thinking", "data": "5oOz5rOV", "text": "想法六"}])
    talk.assistant("答")
    carried = carry(talk, tmp_path)
    leaked = [said for said in texts_of(carried) if "想法" in said]
    expect_equal("TR-009", leaked, [], "texts that were only thought")
    expect_equal("TR-009", carried.said, [("user", "问"), ("assistant", "答")], "texts around the thinking")
    expect_equal("TR-009", [each.role for each in carried.blocks], ["user", "assistant"], "blocks of the candidate")


@proves("TR-009")
def test_images_stay_behind(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K"}}
    talk = Talk()
    talk.image("看这张")
    row(talk, "user", [picture | {"text": "图上的字"}, text("还有这张")])
    talk.image()
    talk.assistant("猫")
    carried = carry(talk, tmp_path)
    expect("TR-009", "图上的字" not in texts_of(carried), "what stands in an image is not carried")
    expect("TR-008", bytes_in(carried, "unlisted_block") == 0, "a text block is known as text")
    expect("TR-L02", "看这张" in texts_of(carried), "what was typed beside an image is carried")
    expect_equal("TR-009", texts_of(carried), ["看这张", "还有这张", "猫"], "texts beside the images")
    expect("TR-009", b"iVBORw0K" not in carried.raw, "no image data stands in the candidate")


@proves("TR-010")
def test_tool_calls_stay_behind_except_replies(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("记下来")
    talk.tool("Bash", {"command": "echo 命令里", "text": "命令里"}, result="")
    talk.tool("mcp__notes__write", {"text": "笔记里", "chat_id": "me"}, result="ok")
    talk.reply("记好了")
    carried = carry(talk, tmp_path)
    leaked = [said for said in texts_of(carried) if said.endswith("里")]
    expect_equal("TR-010", leaked, [], "texts of tool calls")
    expect("TR-L17", carried.plan.source.ledger.total() == carried.plan.source.size, "every byte is booked once")
    expect("TR-031", "记好了" in texts_of(carried), "the reply is carried")
    expect_equal("TR-010", texts_of(carried), ["记下来", "记好了"], "texts that were said")


@proves("TR-011")
def test_sub_agents_are_neither_carried_nor_counted(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("第一问")
    talk.assistant("第一答")
    talk.sidechain("子问", "子答")
    talk.user("第二问")
    talk.assistant("第二答")
    carried = carry(talk, tmp_path)
    leaked = [said for said in texts_of(carried) if "子" in said]
    expect_equal("TR-011", leaked, [], "texts of sub-agents")
    expect("TR-006", "第一问" in texts_of(carried), "user records are let through")
    expect_equal("TR-011", carried.summary["source_turns"], 2, "turns beside a sub-agent's")
    twin = Talk()
    for question, answer in [("第一问", "第一答"), ("子问", "子答"), ("第二问", "第二答")]:
        twin.user(question)
        twin.assistant(answer)
    expect_equal("TR-011", carry(twin, tmp_path / "twin").summary["source_turns"], 3, "turns of the main line")


# ---------------------------------------------------------------- injected blocks


@proves("TR-012")
def test_a_block_of_each_tag_beside_one_word_leaves_only_the_word(tmp_path: Path) -> None:
    talk = Talk()
    talk.user([*map(block, TAGS), "词"])
    talk.assistant("嗯")
    texts = texts_of(carry(talk, tmp_path))
    for tag in TAGS:
        expect(rule_of(tag), block(tag) not in texts, f"a block of {tag} is not carried")
    expect_equal("TR-012", texts, ["词", "嗯"], "what is left of the message")


@proves("TR-012")
def test_a_record_of_one_tag_alone_is_no_message(tmp_path: Path) -> None:
    for tag in TAGS:
        talk = Talk()
        talk.user("问")
        talk.assistant("答")
        talk.user(f"  {block(tag)}\n{block(tag, '另一个')}\n")
        expect_equal(rule_of(tag), texts_of(carry(talk, tmp_path / tag)), ["问", "答"], f"texts beside {tag}")


@proves("TR-012")
def test_what_is_no_closed_block_of_a_listed_tag_is_a_persons_word(tmp_path: Path) -> None:
    talk = Talk()
    for tag in TAGS:
        talk.user(f"<{tag}>\n没有关上")
        talk.user(f"{tag} 没有括号 /{tag}")
        talk.user(f"</{tag}>反了<{tag}>")
        talk.user(block(tag.upper()))
        talk.user(block(f"{tag}-x"))
    talk.user(block("channel"))
    talk.assistant("嗯")
    expect_equal("TR-012", carry(talk, tmp_path).said, talk.said, "words with a tag that is not closed, or not listed")


@proves("TR-014")
def test_a_sub_agents_report_is_not_carried(tmp_path: Path) -> None:
    report = block("task-notification", "<status>completed</status>\n<result>报告:一共七处</result>")
    talk = Talk()
    talk.user("去数一数")
    talk.assistant("派出去了")
    talk.user(report)
    talk.user([report, report])
    talk.queued(report)
    talk.queued(report, mode="task-notification")
    talk.assistant("数完了")
    texts = texts_of(carry(talk, tmp_path))
    expect("TR-014", not any("一共七处" in said for said in texts), "the report is not carried")
    expect_equal("TR-014", texts, ["去数一数", "派出去了", "数完了"], "texts around the report")
    told = Talk()
    told.user("去数一数")
    told.user(report)
    told.assistant("报告:一共七处")
    texts = texts_of(carry(told, tmp_path / "told"))
    expect_equal("TR-014", texts, ["去数一数", "报告:一共七处"], "the assistant's own words about it")


@proves("TR-180")
def test_what_hooks_and_servers_inject_is_nobodys_word(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("问")
    busy = talk.channel("停", idle=False)
    talk.user(block("system-reminder", "提醒"))
    for tag in HOOK_TAGS:
        talk.user(block(tag, "钩子说一"))
        talk.user([block(tag, "钩子说二"), "接着问"])
        talk.queued(block(tag, "钩子说三"))
    talk.attachment("hook_additional_context", content=["钩子说四"], hookName="UserPromptSubmit", prompt="钩子说四")
    talk.attachment("hook_success", content="钩子说五", stdout="钩子说五")
    talk.attachment("mcp_instructions_delta", addedNames=["notes"], addedBlocks=["服务器说六"], commandMode="prompt")
    talk.system("stop_hook_summary", content="钩子说七", hookInfos=[{"command": "钩子说七"}])
    talk.meta("钩子说八")
    talk.assistant("答")
    carried = carry(talk, tmp_path)
    expect("TR-028", busy in texts_of(carried), "a channel's envelope is no runtime block")
    expect(
        "TR-022", not any("提醒" in said for said in texts_of(carried)), "a text that is one runtime block is no word"
    )
    leaked = [said for said in texts_of(carried) if "钩子" in said or "服务器" in said]
    expect_equal("TR-180", leaked, [], "texts of hooks and servers")
    expect_equal("TR-180", texts_of(carried), ["问", busy, "接着问", "接着问", "答"], "texts of persons")
    expect_equal("TR-180", carried.summary["source_turns"], 1, "turns")


@proves("TR-180")
def test_what_a_hook_or_server_attaches_is_nobodys_word(tmp_path: Path) -> None:
    kinds = (
        "hook_additional_context",
        "hook_success",
        "mcp_instructions_delta",
        "Queued_command",
        "queued_command ",
        "",
    )
    talk = Talk()
    talk.user("问")
    for kind in kinds:
        talk.attachment(kind, prompt="接口说", content=["接口说"], commandMode="prompt")
    talk.queued("停")
    talk.assistant("答")
    carried = carry(talk, tmp_path)
    expect("TR-180", "接口说" not in texts_of(carried), "what is attached is not carried")
    expect("TR-025", "停" in texts_of(carried), "what was queued is")
    expect_equal("TR-180", texts_of(carried), ["问", "停", "答"], "texts of persons")


@proves("TR-180")
def test_a_person_may_speak_of_a_hook(tmp_path: Path) -> None:
    talk = Talk()
    for tag in HOOK_TAGS:
        talk.user(f"<{tag}>\n没有关上")
        talk.user(block(f"{tag}s"))
        talk.user(f"{block(tag)} 是什么?")
        talk.assistant(block(tag))
    talk.user(f"这个 {block(HOOK_TAGS[0])} 是什么?")
    talk.assistant("嗯")
    texts = texts_of(carry(talk, tmp_path))
    expect_equal("TR-180", texts, [said for _, said in talk.said], "words about hooks")


@proves("TR-022")
def test_what_remains_behind_a_block_is_speech(tmp_path: Path) -> None:
    reminder = block("system-reminder", "提醒")
    shapes: dict[str, str | list[str]] = {
        "blocks": [reminder, "真的问题"],
        "blocks, the question first": ["真的问题", reminder],
        "one string": reminder + "真的问题",
    }
    for number, (name, shape) in enumerate(shapes.items()):
        talk = Talk()
        talk.user(shape)
        busy = talk.channel("停", idle=False)
        talk.assistant("答")
        carried = carry(talk, tmp_path / str(number))
        expect("TR-028", busy in texts_of(carried), "a channel's envelope is no runtime block")
        expect_equal("TR-022", texts_of(carried), ["真的问题", busy, "答"], f"words of a record of {name}")
        expect_equal("TR-022", carried.summary["source_turns"], 1, "turns")


@proves("TR-022")
def test_a_later_record_that_begins_with_a_block_arrives_too(tmp_path: Path) -> None:
    mixed = block("system-reminder", "提醒") + "\n第二问"
    talk = Talk()
    talk.user("第一问")
    talk.assistant("第一答")
    talk.user(mixed)
    talk.assistant("第二答")
    carried = carry(talk, tmp_path)
    expect_equal("TR-022", texts_of(carried), ["第一问", "第一答", mixed, "第二答"], "words, the mixed ones whole")
    expect_equal("TR-022", carried.summary["source_turns"], 2, "turns")


@proves("TR-023")
def test_a_record_with_nothing_left_is_no_open_tail(tmp_path: Path) -> None:
    reminder = block("system-reminder", "提醒")
    tails: list[str | list[str]] = [reminder, [reminder], [reminder, block("heartbeat")], f"\n{reminder}\n{reminder} "]
    for number, tail in enumerate(tails):
        talk = Talk()
        talk.user("问")
        talk.assistant("答")
        talk.user(tail)
        carried = carry(talk, tmp_path / str(number))
        expect_equal("TR-023", carried.summary["open_tail_turns"], 0, f"open tails behind {tail!r}")
        expect_equal("TR-023", carried.summary["source_turns"], 1, f"turns with {tail!r}")
    talk = Talk()
    talk.user("问")
    talk.assistant("答")
    talk.user([reminder, "再问"])
    carried = carry(talk, tmp_path / "twin")
    expect_equal("TR-023", carried.summary["open_tail_turns"], 1, "open tails behind a reminder with a question")
    expect_equal("TR-023", carried.summary["source_turns"], 2, "turns")


@proves("TR-L01")
def test_words_about_a_tag_stay_whole_and_are_reported(tmp_path: Path) -> None:
    reminder = block("system-reminder", "例子")
    said = [f"这段 {reminder} 是什么?", f"看:\n{reminder}", f"{reminder} 又是什么?", "<system-reminder> 是什么?"]
    for number, words in enumerate(said):
        talk = Talk()
        talk.user("有个问题")
        talk.assistant("说")
        talk.user(words)
        talk.assistant("答")
        carried = carry(talk, tmp_path / str(number))
        expect("TR-L01", "quoted-tag" in carried.codes, f"{words!r} is reported")
        expect_equal("TR-L01", texts_of(carried), ["有个问题", "说", words, "答"], "words, with their example")
    for number, words in enumerate(["a < b", "<system-remark>例子</system-remark>", "system-reminder 是什么?"]):
        talk = Talk()
        talk.user(words)
        talk.assistant(f"{reminder} 是提醒")
        carried = carry(talk, tmp_path / f"plain-{number}")
        expect("TR-L01", "quoted-tag" not in carried.codes, f"{words!r} is not reported")
        expect_equal("TR-L01", carried.said, talk.said, "words")


# ---------------------------------------------------------------- what the runtime wrote without a tag


@proves("TR-015")
def test_a_summary_at_the_beginning_goes_along_as_the_runtimes(tmp_path: Path) -> None:
    talk = Talk()
    talk.compact("前情:他们谈了诗。")
    talk.user("接着谈")
    talk.assistant("好")
    carried = carry(talk, tmp_path)
    blocks = [(each.word, each.text) for each in carried.blocks]
    wanted = [("runtime", "前情:他们谈了诗。"), ("speech", "接着谈"), ("speech", "好")]
    expect_equal("TR-015", blocks, wanted, "marks and texts of the candidate")
    expect("TR-015", "runtime-text" not in carried.codes, "nothing is left behind")
    later = Talk()
    later.user("谈诗吧")
    later.assistant("好")
    later.compact("前情:他们谈了诗。")
    later.user("接着谈")
    later.assistant("嗯")
    carried = carry(later, tmp_path / "later")
    texts = [each.text for each in carried.blocks]
    expect_equal("TR-015", texts, ["谈诗吧", "好", "接着谈", "嗯"], "texts where the talk itself is in the file")
    expect("TR-015", "runtime-text" in carried.codes, "the summary that stays behind is listed")


@proves("TR-L14")
def test_what_the_runtime_wrote_in_a_speakers_place_is_left_behind_and_listed(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("问")
    talk.interrupted()
    talk.user(MARKS[0])
    talk.interrupted(for_tool=True)
    talk.api_error("API Error: 529 overloaded")
    talk.api_error("API Error: 500", message={"role": "assistant", "model": "claude-opus-4-8", "content": "API Error"})
    talk.unasked()
    talk.assistant("No response requested.")
    talk.user("API Error: from the host", isApiErrorMessage=True)
    talk.assistant("答")
    talk.compact("摘要")
    carried = carry(talk, tmp_path)
    leaked = [said for said in texts_of(carried) if said not in ("问", "答")]
    expect_equal("TR-L14", leaked, [], "texts that the runtime wrote")
    expect("TR-023", bytes_in(carried, "injected_block") == 0, "words without a tag are no injected block")
    expect_equal("TR-L14", carried.said, [("user", "问"), ("assistant", "答")], "texts of persons")
    listed = [text["text"] for text in carried.summary["runtime_texts"]]
    answers = ["No response requested."] * 2
    errors = ["API Error: 529 overloaded", "API Error", *answers, "API Error: from the host"]
    expect_equal("TR-L14", listed, [MARKS[0], MARKS[0], MARKS[1], *errors, "摘要"], "texts that are listed")
    expect("TR-L14", "runtime-text" in carried.codes, "and reported")


@proves("TR-L14")
def test_a_mark_is_no_message_that_an_answer_could_rewind(tmp_path: Path) -> None:
    for number, mark in enumerate(("No response requested.", "Nobody asked for an answer.")):
        talk = Talk()
        row(talk, "assistant", [{"type": "text", "text": 8}])
        talk.user("问")
        asked = talk.mark()
        talk.assistant(mark)
        talk.rewind(asked)
        talk.assistant("答")
        carried = carry(talk, tmp_path / str(number))
        expect_equal("TR-L14", "fork" in carried.codes, number == 1, f"{mark!r} begins a branch of the talk")
        expect("TR-L14", mark not in texts_of(carried), "it is not carried")


@proves("TR-L14")
def test_words_about_a_mark_are_a_persons(tmp_path: Path) -> None:
    talk = Talk()
    for mark in MARKS:
        talk.user(f"{mark} 是什么?")
        talk.user(mark.strip("[]"))
        talk.user(mark.lower())
        talk.assistant(f"{mark}")
    talk.user("API Error: 529 overloaded")
    talk.assistant("No response requested. Is that right?")
    carried = carry(talk, tmp_path)
    expect("TR-023", bytes_in(carried, "injected_block") == 0, "words without a tag are no injected block")
    expect_equal("TR-L14", carried.said, talk.said, "words about the runtime's marks")


@proves("TR-016")
def test_a_format_in_which_no_turn_is_recognised_is_refused(tmp_path: Path) -> None:
    talk = Talk()
    for number, kind in enumerate(("user", "assistant") * 3):
        row(talk, f"{kind}-message-v3", [{"type": "paragraph", "text": f"第 {number} 句"}], version="3.0.0")
    carried = carry(talk, tmp_path)
    reason = carried.plan.refusal.reason if carried.plan.refusal else None
    expect_equal("TR-016", reason, "nothing-to-carry", "refusal of a talk in an unknown format")
    expect("TR-016", not carried.candidate.path.exists(), "no candidate is written from it")
    known = Talk()
    for number in range(3):
        known.user(f"第 {2 * number} 句")
        known.assistant(f"第 {2 * number + 1} 句")
    carried = carry(known, tmp_path / "known")
    expect("TR-066", carried.summary["reason"] != "no-session-id", "its rows name their session")
    expect_equal("TR-016", carried.plan.refusal, None, "refusal of the same talk in a known format")
    expect_equal("TR-016", carried.summary["turns"], 3, "its turns")
