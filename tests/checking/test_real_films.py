"""Real films: they are measured as they play, and their seams are shown."""

from pathlib import Path

from checked import Checked
from clips import MARKS, colours, film, picture, turned

from threadrebuild.checking import media
from threadrebuild.collab.measures import Seen

pytestmark = MARKS


def about(item: str, value: str, bound: str = "about") -> dict[str, str]:
    return {"item": item, "value": value, "bound": bound}


def test_a_film_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "final.mp4"
    film(path, seconds=2, size="128x72", rate=24)
    assert media.probe(path) == Seen(duration=2.0, width=128, height=72, frame_rate=24.0)


def test_a_film_that_plays_turned_is_measured_as_it_plays(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    film(at.workspace / "lying.mp4", size="128x72")
    for degrees, shape in ((90, "portrait"), (-90, "portrait"), (180, "landscape"), (0, "landscape")):
        turned(at.workspace / "lying.mp4", degrees, at.workspace / f"{degrees}.mp4")
        for wanted in ("portrait", "landscape"):
            ran = at.run("file_exists", measure=about("aspect", wanted, "bare"), matched=f"{degrees}.mp4")
            assert ran.outcome == ("passed" if wanted == shape else "failed"), (degrees, wanted, ran)


def test_the_stated_number_passes_or_fails_a_film(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    film(at.workspace / "final.mp4", seconds=2, size="128x72", rate=24)
    for measure, outcome in (
        (about("duration", "2"), "passed"),
        (about("duration", "3"), "failed"),
        (about("duration", "2", "at_most"), "passed"),
        (about("resolution", "72"), "passed"),
        (about("resolution", "1080"), "failed"),
        (about("aspect", "16:9", "bare"), "passed"),
        (about("aspect", "9:16", "bare"), "failed"),
        (about("frame_rate", "24"), "passed"),
        (about("frame_rate", "60"), "failed"),
    ):
        ran = at.run("file_exists", measure=measure, matched="final.mp4")
        assert (ran.outcome, ran.detail["says"]) == (outcome, "measured"), (measure, ran)
    assert at.run("file_exists", measure=about("duration", "3"), matched="final.mp4").detail["value"] == "2.00 秒"


def test_what_is_no_film_is_no_evidence(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    at.file("text.mp4", "这不是视频")
    at.file("list.mp4", f"ffconcat version 1.0\nfile {at.secret}\n")
    at.file("net.mp4", "#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/x.ts\n")
    for path in ("text.mp4", "list.mp4", "net.mp4"):
        ran = at.run("file_exists", measure=about("duration", "2"), matched=path)
        assert (ran.outcome, ran.detail["says"]) == ("error", "unreadable"), (path, ran)


def test_a_films_seams_are_where_its_scenes_change(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    film(at.workspace / "final.mp4", colours=("red", "blue", "lime"))
    ran = at.run("continuity", file="final.mp4")
    assert ran.outcome == "gathered"
    assert [joint["name"] for joint in ran.detail["joints"]] == ["1→2", "2→3"]
    pictures = [joint["picture"] for joint in ran.detail["joints"]]
    assert pictures == ["plans/book/checks/7/01.png", "plans/book/checks/7/02.png"]
    assert [colours(at.workspace / each) for each in pictures] == [["red", "blue"], ["blue", "green"]]
    assert sorted(path.name for path in (at.workspace / "plans/book/checks/7").iterdir()) == ["01.png", "02.png"]
    assert ran.detail["overall"] is None


def test_a_seam_of_two_films_is_the_end_of_one_and_the_beginning_of_the_other(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    film(at.workspace / "C2.mp4", colours=("lime", "red"))
    film(at.workspace / "C10.mp4", colours=("blue", "lime"), size="36x64")
    ran = at.run("continuity", command="printf 'C2.mp4\\nC10.mp4\\n'")
    assert [joint["name"] for joint in ran.detail["joints"]] == ["C2→C10"]
    assert colours(at.workspace / ran.detail["joints"][0]["picture"]) == ["red", "blue"]


def test_a_seam_of_two_pictures_is_both_side_by_side(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    picture(at.workspace / "海报/2.png", "red")
    picture(at.workspace / "海报/10.jpg", "blue", "36x64")
    ran = at.run("continuity", glob="海报/*")
    assert [joint["name"] for joint in ran.detail["joints"]] == ["2→10"]
    assert colours(at.workspace / ran.detail["joints"][0]["picture"]) == ["red", "blue"]


def test_of_films_that_a_pattern_finds_only_the_newest_counts(tmp_path: Path) -> None:
    at = Checked(tmp_path)
    film(at.workspace / "v1.mp4", colours=("red", "blue", "lime"))
    film(at.workspace / "v2.mp4", colours=("lime", "blue"))
    ran = at.run("continuity", glob="*.mp4")
    assert len(ran.detail["joints"]) == 1
    assert colours(at.workspace / ran.detail["joints"][0]["picture"]) == ["green", "blue"]
