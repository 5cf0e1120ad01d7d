"""What random evenings found at the levels where a Bot has one turn in a group, and a fork in its direct chat."""

from pathlib import Path

import pytest
from evening import Evening, work_on
from outside import hopped

from threadrebuild.collab import events
from threadrebuild.collab.store import NEWEST_LEVEL, open_store


@pytest.mark.parametrize("level", [0, 1])
def test_an_edit_is_read_by_the_turn_that_has_the_line(tmp_path: Path, level: int) -> None:
    home = Evening(tmp_path, bots=["导演"], level=level)
    line = home.say("剪一版样片", to="导演")
    home.happens(events.Edited, message=line, text="剪两版样片")
    assert len(home.turns("导演")) == 1
    home.hop("导演", events.Call("read_file", {"path": "brief.md"}))
    assert "剪两版样片" in home.context(home.turn("导演")["id"])


@pytest.mark.parametrize("level", [0, 1])
def test_a_fork_takes_up_no_work(tmp_path: Path, level: int) -> None:
    home = Evening(tmp_path, bots=["导演"], level=level)
    home.say("剪一版样片", to="导演")
    home.say("再列三个备选", to="导演")
    hopped(home, "导演", work_on(new={"title": "样片"}))
    fork = home.turn("导演")
    assert (fork["work_item"], home.results(fork["id"])[0][:2]) == (None, ("work_on", "refused"))
    assert home.plans() == []


def test_a_level_that_is_none_is_refused_before_there_is_a_store(tmp_path: Path) -> None:
    for level in (-1, NEWEST_LEVEL + 1):
        with pytest.raises(ValueError, match=f"there is no engine level {level}"):
            open_store(tmp_path / "rooms.db", level)
    assert not (tmp_path / "rooms.db").exists()
