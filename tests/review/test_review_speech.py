"""The host's rules on what a draft says: the deciding words decide, whoever it is about.

The phrases are inputs. Each fires with any name in it, stays silent without its deciding words, and stays silent where
somebody else forgets or guesses.
"""

from hypothesis import example, given
from hypothesis import strategies as st

from harness.expect import expect, expect_equal, proves
from threadrebuild.review.speech import Claim, Rule, Talk, claims, names_in

FORGETS = {
    "{name}我{}": ("不记得了", "没印象了", "没有印象", "记不起来了", "记不清了", "想不起来了", "忘了"),
    "我对{name}{}。": ("没什么印象", "没有任何印象", "完全没印象"),
    "翻了{number}遍，{}{name}。": ("找不到", "没找到", "查不到", "没查到"),
    "我这里{}关于{name}的事。": ("不太记得", "记不得", "没有翻到"),
}
GUESSES = {
    "{name}应该是{number}号回来吧，{}。": ("是猜的", "我瞎猜的", "纯属蒙的", "没去翻", "没去查", "没有去翻记录"),
    "我{}{name}的事，先这么说。": ("没来得及查", "没去核对"),
}
ASKS = {
    "{name}{}？": (
        *("是什么品种", "叫什么名字", "生日是哪天", "什么时候生的", "的毛色是什么", "是什么颜色的"),
        *("长什么样", "多大了", "今年几岁", "的年龄是多少", "是哪年出生的"),
    ),
    "{number}月了，{name}{}呀，我记一下？": ("的生日是几号", "是什么品种", "多大"),
    "{name}是{}": ("什么品种吗", "哪个品种呢"),
}
TABLES: dict[Rule, dict[str, tuple[str, ...]]] = {"forgets": FORGETS, "guesses": GUESSES, "asks again": ASKS}
PHRASES = [
    (rule, frame, words) for rule, table in TABLES.items() for frame, phrases in table.items() for words in phrases
]

NAMES = st.sampled_from(
    ("大橘", "小满", "阿明", "王小二", "欧阳娜娜", "Momo", "豆豆", "鱼", "老张", "二十七", "团团圆圆", "李雷")
) | st.text("阿布才丹方高江林柳宁潘秦沈唐温徐杨", min_size=2, max_size=4)
"""Names, also some that never stood in any phrase."""


def said_of(draft: str, name: str, said: str = "嗯", told: str = "before") -> list[tuple[Rule, str]]:
    """The claims of a draft, as an answer to a message, where this one name is known."""
    found = claims(draft, Talk("now", said, (), {name: told}))
    return [(claim.rule, claim.name) for claim in found]


def check_phrases(rule: Rule, name: str, number: int) -> tuple[list[str], list[str]]:
    """The sentences of a rule that do not fire, and those that fire without their deciding words."""
    sentences = [
        (frame.replace("{name}", name).replace("{number}", str(number)), words)
        for each, frame, words in PHRASES
        if each == rule
    ]
    silent = [frame.format(words) for frame, words in sentences if said_of(frame.format(words), name) != [(rule, name)]]
    loud = [frame.format("") for frame, _ in sentences if said_of(frame.format(""), name)]
    return silent, loud


def check_rule(id_: str, rule: Rule) -> None:
    @example("大橘", 3)
    @given(NAMES, st.integers(1, 30))
    def fires_for_any_name(name: str, number: int) -> None:
        silent, loud = check_phrases(rule, name, number)
        expect_equal(id_, silent, [], f"sentences that should fire as “{rule}” and do not")
        expect_equal(id_, loud, [], f"sentences that fire as “{rule}” without their deciding words")

    fires_for_any_name()


@proves("RV-24")
def test_a_claim_of_forgetting_is_heard_whoever_is_forgotten() -> None:
    check_rule("RV-24", "forgets")


@proves("RV-25")
def test_an_admitted_guess_is_heard_whoever_it_is_about() -> None:
    expect_equal("RV-24", said_of("大橘我没印象了。", "大橘"), [("forgets", "大橘")], "the neighbour's rule")
    check_rule("RV-25", "guesses")


@proves("RV-26")
def test_asking_for_a_stable_fact_is_heard_whoever_it_is_about() -> None:
    expect_equal("RV-29", said_of("大橘想吃什么？", "大橘"), [], "an ordinary question")
    check_rule("RV-26", "asks again")
    for sentence in ("大橘是英短这个品种。", "大橘三岁，这个年龄正好。", "大橘的生日到了。"):
        expect_equal("RV-26", said_of(sentence, "大橘"), [], f"no question: {sentence}")


@proves("RV-27")
def test_what_is_searched_for_is_a_name_alone() -> None:
    names = {"大橘": "before", "小满": "before", "张小满": "before"}
    expect_equal("RV-27", names_in("大橘 品种", names), ["大橘"], "of a name with an attribute")
    expect_equal("RV-27", names_in("张小满的生日", names), ["张小满"], "of a name within a longer one")
    expect_equal("RV-27", names_in("品种", names), [], "of an attribute alone")
    expect_equal("RV-27", names_in("小满和大橘的生日是几号？", names), ["小满", "大橘"], "each of two by itself")


@proves("RV-28")
def test_names_and_pronouns_count_and_nothing_else() -> None:
    expect_equal("RV-24", said_of("大橘我没印象了。", "大橘"), [("forgets", "大橘")], "a name")
    for pronoun in ("他", "她", "它"):
        found = said_of(f"对{pronoun}我没印象了。", "小满", said="小满来过吗")
        expect_equal("RV-28", found, [("forgets", "小满")], f"{pronoun}, after a name in the user's message")
        found = claims(f"我不记得{pronoun}了。", Talk("now", f"{pronoun}呢", ("小满昨天来过",), {"小满": "before"}))
        expect_equal("RV-28", [each.name for each in found], ["小满"], f"{pronoun}, taken up from what was said before")
    for thing in ("那把伞", "地铁口的面馆", "上次的密码", "其他的", "吉他"):
        found = said_of(f"{thing}我没印象了，也找不到。", "小满", said=f"{thing}呢？小满问的")
        expect_equal("RV-28", found, [], f"a thing or place: {thing}")


@proves("RV-29")
def test_an_ordinary_question_is_let_through_whoever_it_is_about() -> None:
    questions = (
        *("你今天想吃什么？", "小满今天想吃什么？", "小满几点到？", "要不要叫上小满？", "小满喜欢哪部电影？"),
        *("你跟小满说了吗？", "小满怎么说？", "她哪天来？"),
    )
    fired = [question for question in questions if said_of(question, "小满", said="小满要来")]
    expect_equal("RV-29", fired, [], "ordinary questions that fire")
    expect_equal("RV-26", said_of("小满多大？", "小满"), [("asks again", "小满")], "a stable fact")


@proves("RV-30")
def test_whoever_is_first_told_of_in_this_message_is_not_looked_up() -> None:
    expect_equal("RV-27", names_in("豆豆多大", {"豆豆": "before"}), ["豆豆"], "the name in a question")
    for draft in ("豆豆是什么品种？", "它是什么品种？", "豆豆我没印象。", "豆豆多大是猜的。"):
        fresh = said_of(draft, "豆豆", said="接回来一只小狗叫豆豆", told="now")
        known = said_of(draft, "豆豆", said="豆豆又拆家了", told="before")
        expect("RV-30", known, f"one who was told of before: {draft}")
        expect_equal("RV-30", fresh, [], f"one who is told of now: {draft}")
    both = Talk("now", "大橘来了个伴，叫豆豆", (), {"大橘": "before", "豆豆": "now"})
    expect_equal("RV-30", claims("它多大啦？", both), [], "a pronoun that stands for the new one")
    found = claims("豆豆多大啦？大橘几岁来着？", both)
    expect_equal("RV-30", [each.name for each in found], ["大橘"], "a new one beside one who is known")


def test_who_does_not_speak_of_itself_claims_nothing() -> None:
    for draft in (
        *("你不记得小满了吗？", "你忘了小满？", "小满的事你猜的对。", "别忘了小满的药。", "我没忘小满。"),
        *("我没有忘记小满。", "不要忘记喂小满。", "她不记得小满了。"),
    ):
        assert said_of(draft, "小满") == [], draft


def test_a_claim_keeps_its_sentence_and_claims_come_in_order() -> None:
    talk = Talk("now", "嗯", (), {"大橘": "before", "小满": "before"})
    assert claims("晚上好。小满我不记得了！大橘几岁？", talk) == [
        Claim("forgets", "小满", "小满我不记得了！"),
        Claim("asks again", "大橘", "大橘几岁？"),
    ]
