"""When review is on: one prompt in three places, both paths tested with it, the expected limit, and any model."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
from reviewing import chat, drafts, says

from harness.expect import expect, expect_equal, proves
from harness.world.review import ReviewHouse
from harness.world.review_setting import Place, Setting
from harness.world.reviewer import Verdict
from threadrebuild.review.rollout import PATHS, PROMPT, PROMPT_SHA256, Reason, Rollout, hash_of, read_rollout, why_off

PLACES: tuple[Place, ...] = ("review client", "rollout", "relay")
NEW_PROMPT = PROMPT + "再看一遍语气。\n"


def rollout(pinned: str, tested: str | None = None) -> Rollout:
    return Rollout(review_prompt_sha256=pinned, review_model="small", tested=dict.fromkeys(PATHS, tested or pinned))


def reviewed(folder: Path, **setting: object) -> ReviewHouse:
    """A draft against a note, written under this setting."""
    scene = Setting(notes=["别用感叹号。"], reviews={"m": Verdict(notes=[0])}, **setting)  # type: ignore[arg-type]
    return chat(folder, scene, says("在吗", label="m"), drafts("在！"))


def prompts(house: ReviewHouse) -> set[str]:
    return {reason.which for reason in house.off if reason.about == "prompt"}


def paths(off: Iterable[Reason]) -> list[str]:
    return [reason.which for reason in off if reason.about == "path"]


@proves("RV-14")
def test_review_is_on_only_where_all_three_places_pin_this_prompt(tmp_path: Path) -> None:
    house = reviewed(tmp_path / "all")
    expect_equal("RV-14", prompts(house), set(), "places that pin another prompt")
    for place in PLACES:
        house = reviewed(tmp_path / place, old_hash=[place])
        expect_equal("RV-14", prompts(house), {place}, "places that pin another prompt")
        expect_equal("RV-14", (len(house.models.asked), house.opinions), (0, {}), "reviews, and what came of them")


@proves("RV-16")
def test_a_new_prompt_needs_its_three_hashes_and_both_paths_tested_with_it(tmp_path: Path) -> None:
    new, old = hash_of(NEW_PROMPT), hash_of(PROMPT)
    expect("RV-14", not any(r.about == "prompt" for r in why_off(new, rollout(new), new, NEW_PROMPT)), "all are new")
    expect_equal("RV-16", paths(why_off(new, rollout(new), new, NEW_PROMPT)), [], "all new, both paths tested")
    for path in ("app hook", "official pending"):
        tested = {each: old if each == path else new for each in ("app hook", "official pending")}
        off = why_off(new, msgspec.structs.replace(rollout(new), tested=tested), new, NEW_PROMPT)
        expect_equal("RV-16", paths(off), [path], f"{path} was tested with the old prompt only")
        missing = {each: new for each in tested if each != path}
        off = why_off(new, msgspec.structs.replace(rollout(new), tested=missing), new, NEW_PROMPT)
        expect_equal("RV-16", paths(off), [path], f"{path} was never tested")
    for client, config, relay in ((old, new, new), (new, old, new), (new, new, old), (old, old, old)):
        off = why_off(client, rollout(config, tested=new), relay, NEW_PROMPT)
        expect("RV-16", off, "a new prompt with an old hash in some place")
    house = reviewed(tmp_path, untested=["app hook"])
    expect_equal("RV-16", len(house.models.asked), 0, "reviews where a path is untested")


@proves("RV-17")
def test_another_review_model_leaves_the_hashes_alone(tmp_path: Path) -> None:
    for model in ("small-and-fast", "smaller-and-faster"):
        house = reviewed(tmp_path / model, model=model)
        expect("RV-14", not house.off, f"review is on with {model}")
        expect_equal("RV-17", [asked["model"] for asked in house.models.asked], [model], "the model that was asked")


@proves("RV-32")
def test_the_reviewer_and_the_model_get_a_note_byte_for_byte(tmp_path: Path) -> None:
    notes = ["  别用\t「喵」——  真的，\n\n别。 ", "e\u0301 é ～~", "x" * 5_000]
    setting = Setting(notes=notes, reviews={"m": Verdict(notes=[0, 1, 2])})
    house = chat(tmp_path, setting, says("在吗", label="m"), drafts("喵"))
    expect("RV-14", not house.off, "review is on")
    expect_equal("RV-32", [asked["notes"] for asked in house.models.asked], [notes], "what the reviewer gets")
    told = house.opinions.get("m", "")
    expect("RV-32", all(f"\n{note}" in told for note in notes), f"what the model gets: {told[:200]!r}")


@proves("RV-19")
def test_no_review_runs_under_another_limit(tmp_path: Path) -> None:
    right = reviewed(tmp_path / "right", limit_ms=(4500, 3700, 800)).off
    expect_equal("RV-16", paths(right), [], "untested paths")
    expect_equal("RV-19", right, (), "4500 = 3700 + 800")
    for limit in ((4600, 3700, 900), (4499, 3700, 799), (4501, 3701, 800), (4500, 3600, 900), (4500, 3700, 900)):
        house = reviewed(tmp_path / str(limit), limit_ms=limit)
        expect_equal("RV-19", len(house.models.asked), 0, f"reviews under {limit}")


@proves("OPS-01")
def test_a_limit_is_not_changed_without_those_beside_it(tmp_path: Path) -> None:
    alone = reviewed(tmp_path / "alone", limit_ms=(4600, 3700, 800))
    expect_equal("RV-16", paths(alone.off), [], "untested paths")
    expect_equal("OPS-01", [reason.about for reason in alone.off], ["limit"], "what keeps review off")
    expect_equal("OPS-01", len(alone.models.asked), 0, "reviews under a limit that was changed alone")
    kept = reviewed(tmp_path / "kept", limit_ms=(4500, 3700, 800))
    expect("OPS-01", kept.models.asked, "reviews under the limits that belong together")


@proves("OPS-04")
def test_a_change_that_one_path_was_not_tested_with_keeps_review_off() -> None:
    new, old = hash_of(NEW_PROMPT), hash_of(PROMPT)
    both = why_off(new, rollout(new), new, NEW_PROMPT)
    expect("RV-14", not any(reason.about == "prompt" for reason in both), "the change stands in all three places")
    expect_equal("OPS-04", paths(both), [], "paths that were not tested with the change")
    for path in PATHS:
        half = msgspec.structs.replace(rollout(new), tested={each: old if each == path else new for each in PATHS})
        expect_equal("OPS-04", paths(why_off(new, half, new, NEW_PROMPT)), [path], f"{path} was left as it was")


def test_the_pinned_hash_is_that_of_the_prompt() -> None:
    assert hash_of(PROMPT) == PROMPT_SHA256


def test_a_rollout_is_read_from_its_file_and_takes_no_unknown_key(tmp_path: Path) -> None:
    path = tmp_path / "rollout.toml"
    text = (
        f'review_prompt_sha256 = "{PROMPT_SHA256}"\nreview_model = "small"\n[tested]\n"app hook" = "{PROMPT_SHA256}"\n'
    )
    path.write_text(text)
    assert read_rollout(path).review_model == "small"
    assert [reason.which for reason in why_off(PROMPT_SHA256, read_rollout(path), PROMPT_SHA256)] == [PATHS[1]]
    path.write_text("search_limit = 1\n" + text)
    with pytest.raises(msgspec.ValidationError, match="search_limit"):
        read_rollout(path)
