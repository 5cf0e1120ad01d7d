import sys
import unicodedata

import pytest

from harness.report.text import UNSEEN, label_of, plain, show

# Drawn, although Unicode calls them format characters: Arabic, Syriac, Kaithi and Egyptian signs.
DRAWN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}


def test_every_character_that_cannot_be_seen_is_named() -> None:
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        category = unicodedata.category(character)
        unseen = category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs") and number not in DRAWN
        if unseen and character not in "\n\t \u3000":
            assert UNSEEN.match(character), f"U+{number:04X} {category}"


def test_letters_and_common_signs_are_left_alone() -> None:
    for text in ("plain", "今晚的月色真好。", "　全角空格", "a\tb\nc", "é à ñ", "שלום", "한국어", "🙂"):
        assert show(text) == text
        assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("👩‍💻", "👩‍💻"),
        ("👍🏽", "👍🏽"),
        ("❤️‍🔥", "❤️‍🔥"),
        ("1️⃣", "1️⃣"),
        ("pass\u200dword", "pass⟨ZWJ⟩word"),
        ("a\ufe0f", "a⟨U+FE0F⟩"),
        ("\ufe0f", "⟨U+FE0F⟩"),
        ("👩\u200d", "👩⟨ZWJ⟩"),
    ],
)
def test_joiners_are_hidden_only_inside_pictures(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_mark_is_escaped_and_carries_number_and_name() -> None:
    assert show("<\u202e>") == '&lt;<span class="ctl" title="U+202E RIGHT-TO-LEFT OVERRIDE">RLO</span>&gt;'
    assert label_of("\U000e0041") == "U+E0041"


def test_line_ends_are_named_where_asked_and_still_take_effect() -> None:
    assert show("a\n", line_ends=True) == 'a<span class="ctl" title="U+000A without a name">LF</span>\n'


def test_other_values_pass_and_nothing_reads_as_a_dash() -> None:
    assert plain(7) == 7
    assert plain(None) == "–"
