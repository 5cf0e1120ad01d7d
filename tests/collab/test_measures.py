"""What a film has to be like, from what was said: limits at the number and at the next one on both sides."""

from harness.expect import expect_equal, proves
from threadrebuild.collab import measures
from threadrebuild.collab.measures import Measure, Seen


def film(seconds: float = 60.0, width: int = 1920, height: int = 1080, rate: float = 25.0) -> Seen:
    """A film as it plays."""
    return Seen(duration=seconds, width=width, height=height, frame_rate=rate)


ABOUT = Measure("duration", "120", "about")
BARE = Measure("duration", "120")
AT_LEAST = Measure("duration", "120", "at_least")
AT_MOST = Measure("duration", "90", "at_most")
OF_DURATION = (
    (ABOUT, {107.99: False, 108.0: True, 131.0: True, 132.0: True, 132.01: False}),
    (BARE, {107.0: False, 108.0: True, 132.0: True, 133.0: False}),
    (AT_LEAST, {119.99: False, 120.0: True, 100000.0: True}),
    (AT_MOST, {0.5: True, 90.0: True, 90.01: False}),
    (Measure("duration", "107", "about"), {96.29: False, 96.31: True, 117.69: True, 117.71: False}),
)
OF_RATE = (
    (Measure("frame_rate", "30"), {26.99: False, 27.0: True, 33.0: True, 33.01: False}),
    (Measure("frame_rate", "60", "about"), {53.9: False, 54.0: True, 66.0: True, 66.1: False}),
)
OF_SIZE = (
    (Measure("resolution", "1080"), {(1920, 1080): True, (1080, 1920): True, (971, 4000): False, (972, 4000): True}),
    (Measure("resolution", "1080"), {(4000, 1188): True, (4000, 1189): False}),
    (Measure("resolution", "2160"), {(3840, 2160): True, (1920, 1080): False}),
    (Measure("aspect", "9:16"), {(1080, 1920): True, (1920, 1080): False, (909, 1600): True, (910, 1600): False}),
    (Measure("aspect", "9:16"), {(8910, 16000): True, (8909, 16000): False, (9090, 16000): True, (9091, 16000): False}),
    (Measure("aspect", "portrait"), {(999, 1000): True, (1000, 1000): False, (1001, 1000): False}),
    (Measure("aspect", "landscape"), {(1001, 1000): True, (1000, 1000): False, (999, 1000): False}),
)


@proves("WORDS-22")
def test_a_tenth_off_is_as_said_and_a_limit_holds_on_its_side_only() -> None:
    for measure, seconds in OF_DURATION:
        found = {each: measures.meets(measure, film(each)) for each in seconds}
        expect_equal("WORDS-22", found, seconds, f"durations that are {measures.worded(measure)}")
    for measure, rates in OF_RATE:
        found = {each: measures.meets(measure, film(rate=each)) for each in rates}
        expect_equal("WORDS-22", found, rates, f"frame rates that are {measures.worded(measure)}")
    for measure, sizes in OF_SIZE:
        fits = {each: measures.meets(measure, film(width=each[0], height=each[1])) for each in sizes}
        expect_equal("WORDS-22", fits, sizes, f"sizes that are {measures.worded(measure)}")
    expect_equal("WORDS-22", measures.limits(ABOUT), (108, 132), "the limits of about two minutes")


@proves("WORDS-15")
def test_about_is_as_good_as_bare_and_a_limit_is_not() -> None:
    alike = (ABOUT, BARE, Measure("duration", "120.0"))
    for other in alike:
        expect_equal("WORDS-15", measures.same(ABOUT, other), True, f"about two minutes and {other}")
    unlike = (Measure("duration", "115"), Measure("duration", "130"), AT_LEAST, Measure("resolution", "120"))
    for other in unlike:
        expect_equal("WORDS-15", measures.same(ABOUT, other), False, f"about two minutes and {other}")
    assert measures.same(Measure("aspect", "16:9"), Measure("aspect", "32:18"))
    assert not measures.same(Measure("aspect", "portrait"), Measure("aspect", "9:16"))
    assert not measures.same(Measure("aspect", "portrait"), Measure("aspect", "landscape"))


def test_what_was_said_and_measured_in_words() -> None:
    assert [measures.worded(each) for each in (ABOUT, BARE, AT_LEAST, AT_MOST)] == [
        "时长约 2 分钟",
        "时长 2 分钟",
        "时长至少 2 分钟",
        "时长不超过 90 秒",
    ]
    assert [measures.limits_worded(each) for each in (ABOUT, AT_LEAST, AT_MOST)] == [
        "时长 108–132 秒",
        "时长至少 120 秒",
        "时长不超过 90 秒",
    ]
    assert measures.limits_worded(Measure("frame_rate", "24")) == "帧率 21.6–26.4"
    assert measures.limits_worded(Measure("resolution", "1080")) == "分辨率短边 972–1188"
    assert measures.worded(Measure("aspect", "9:16")) == "画幅 9:16"
    assert measures.worded(Measure("aspect", "portrait")) == "竖屏"
    assert measures.seen_worded("duration", film(107)) == "107.00 秒"
    assert measures.seen_worded("aspect", film()) == "1920×1080"
    assert measures.seen_worded("frame_rate", Seen()) == ""


def test_what_could_not_be_read_is_neither() -> None:
    for measure in (ABOUT, Measure("resolution", "1080"), Measure("aspect", "portrait"), Measure("frame_rate", "24")):
        assert measures.meets(measure, Seen()) is None
    assert measures.meets(Measure("aspect", "16:9"), Seen(width=1920, height=0)) is None
