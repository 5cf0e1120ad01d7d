"""Which delivered file is the finished film, told by its name and where it lies."""

from pathlib import Path

from filming import film, hands_over, says

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import films

PLAN = "work/001-新品片"
IN_ORDER = (
    (f"{PLAN}/deliverables/EP01_MASTER_v1.mp4", f"{PLAN}/MASTER.mov", f"{PLAN}/02-剪辑/母带.mp4"),
    (f"{PLAN}/deliverables/EP01_final.mp4", f"{PLAN}/02-剪辑/新品片-终版.mp4", "deliverables/EP01 final v3.mp4"),
    (f"{PLAN}/deliverables/EP01.mp4", "deliverables/ep01.mov"),
    ("tmp/EP01_MASTER.mp4", "work/002-海报/EP01_MASTER.mp4"),
    ("tmp/EP01_final.mp4", "work/002-海报/成片.mp4"),
)
"""Those of a row are equally good, and better than those of the next."""
NO_WORD = ("EP01finale.mp4", "MASTERS.mp4", "remaster.mp4", f"{PLAN}/EP01.mp4", "EP01.mp4")
NOT_MEASURED = (
    *("master_shot_03.mp4", "C09_final.mp4", "EP01_MASTER_9x16.mp4", "EP01_30s_MASTER.mp4"),
    *("EP01_douyin_MASTER.mp4", "EP01_trailer_MASTER.mp4", "intro_MASTER.mp4", "logo_sting_final.mp4"),
    *("EP01_MASTER_720p_preview.mp4", "EP01_MASTER_proxy.mp4"),
    *("EP01_竖版_MASTER.mp4", "片头_MASTER.mp4", "镜头3_MASTER.mp4"),
)
APART = (
    *("c12_MASTER.mp4", "MASTER-shot.mp4", "MASTER_vertical.mp4", "MASTER_tiktok.mp4", "MASTER teaser.mp4"),
    *("MASTER_outro.mp4", "MASTER_preview.mp4", "MASTER_proxy.mp4", "MASTER_预告.mp4", "MASTER.txt", "MASTER"),
)
FOLDERS = ("footage", "raw", "ref", "素材", "参考")


def ranked(paths: tuple[str, ...]) -> list[int | None]:
    """The ranks of files delivered for the plan."""
    return [films.rank(path, PLAN) for path in paths]


@proves("WORDS-24")
def test_a_place_goes_before_a_name_and_a_master_before_a_final_film() -> None:
    expect("WORDS-25", films.rank(IN_ORDER[0][0], PLAN) is not None, "a master is measured")
    ranks = [ranked(row) for row in IN_ORDER]
    for row, found in zip(IN_ORDER, ranks, strict=True):
        expect_equal("WORDS-24", len(set(found)), 1, f"ranks of {row}, which are equally good: {found}")
    first = [found[0] for found in ranks]
    expect_equal("WORDS-24", None in first, False, f"a rank that is missing: {first}")
    expect_equal("WORDS-24", first, sorted(set(first), key=lambda rank: rank or 0), "the ranks, the best first")
    expect_equal("WORDS-24", ranked(NO_WORD), [None] * len(NO_WORD), f"ranks of {NO_WORD}, which say nothing")


@proves("WORDS-24")
def test_the_newest_of_a_rank_is_it_by_when_it_first_came(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长约 2 分钟")
    older, newer, newest = (f"deliverables/{name}.mp4" for name in ("EP01_MASTER_v1", "EP01_MASTER_v2", "EP01_final"))
    for rule, path, wanted in (
        ("WORDS-23", older, older),
        ("WORDS-24", newer, newer),
        ("WORDS-24", newest, newer),
        ("WORDS-24", older, newer),
    ):
        hands_over(home, path)
        found = home.value("SELECT matched FROM checks WHERE item = 'duration'")
        expect_equal(rule, found, wanted, f"the finished film once {path} was handed over")


@proves("WORDS-25")
def test_a_file_that_is_no_finished_film_is_not_taken_for_it(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长约 2 分钟")
    hands_over(home, "deliverables/C09_final.mp4")
    found = home.value("SELECT matched FROM checks WHERE item = 'duration'")
    expect_equal("WORDS-25", found, None, "the finished film once a shot was handed over")


@proves("WORDS-25")
def test_a_part_a_version_a_trial_and_material_are_never_measured() -> None:
    for folder in FOLDERS:
        for path in (f"{folder}/EP01_MASTER.mp4", f"{PLAN}/{folder}/deliverables/MASTER.mp4"):
            expect_equal("WORDS-25", films.rank(path, PLAN), None, f"the rank of {path}")
    for name in (*NOT_MEASURED, *APART):
        expect_equal("WORDS-25", films.rank(name, PLAN), None, f"the rank of {name}")
    for name in (*NOT_MEASURED, *APART[:-2]):
        expect_equal("WORDS-25", films.rank(f"{PLAN}/deliverables/{name}", PLAN), None, f"of {name}, handed over")
    expect("WORDS-24", films.rank("EP01_MASTER_v1.mp4", PLAN) is not None, "a master is measured")


def test_titles_of_parts_and_of_other_versions() -> None:
    for title in ("Shot 01–03", "C09", "片头", "第三镜", "分镜", "Logo 动画", "字幕"):
        assert films.names_a_part(title), title
    for title in ("新品片", "剪辑", "pending", "C4D 渲染", "成片"):
        assert not films.names_a_part(title), title
    for title in ("抖音版", "竖版", "预告", "Trailer", "9:16", "方版 30 秒"):
        assert films.is_another_version(title), title
    for title in ("新品片", "终版", "改版", "出版物介绍", "剪辑"):
        assert not films.is_another_version(title), title
