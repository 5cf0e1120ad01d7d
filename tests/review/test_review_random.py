"""Random evenings: whatever a user, a model and a restart do at whatever moment, the invariants hold.

Every way in which a turn can move occurs, and most events find something to do.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.faults import ROOM
from harness.invariants.review import REVIEW_INVARIANTS
from harness.scenario.review.playing import Seen
from harness.world.review import ReviewHouse
from harness.world.review_setting import Place, Setting
from harness.world.reviewer import Verdict
from threadrebuild.review.states import MOVES, State
from threadrebuild.review.store import TurnStore

EVENINGS = 60
EVENTS = 40
DRAFTS = ("好呀。", "大橘我没印象了。", "大橘是什么品种？", "是猜的，大橘的。", "晚安！")
NOTHING = "nothing"


def _say(house: ReviewHouse, chance: random.Random) -> None:
    house.say(chance.choice(("大橘呢", "睡了吗", "回妈妈一句")), path=chance.choice(("app hook", "official pending")))


def _stop(house: ReviewHouse, chance: random.Random) -> None:
    house.stop(house.at_work)


def _cancel(house: ReviewHouse, chance: random.Random) -> None:
    waiting = house.store.every(State.WAITING)
    if waiting:
        house.cancel(waiting[-1].message_id)


def _restart(house: ReviewHouse, chance: random.Random) -> None:
    house.kill_host()
    house.start_host()


def _fail_line(house: ReviewHouse, chance: random.Random) -> None:
    call = chance.choice((("outbox", "send"), ("mailbox", "commit"), ("models", "review"), ("history", "search")))
    house.world.spoil(*call, [chance.choice(("no", "eio"))])


ACTS: dict[str, Callable[[ReviewHouse, random.Random], None]] = {
    "says": _say,
    "drafts": lambda house, chance: house.write(chance.choice(DRAFTS)),
    "drafts and goes on": lambda house, chance: house.write(chance.choice(DRAFTS), goes_on=True),
    "revises": lambda house, chance: house.write(chance.choice(DRAFTS), "revises"),
    "calls a tool": lambda house, chance: house.call("搜索"),
    "records": lambda house, chance: house.call(chance.choice(("mailbox_say", "mailbox_reply")), "好"),
    "ends": lambda house, chance: house.end(),
    "stops": _stop,
    "cancels": _cancel,
    "restarts": _restart,
    "line fails": _fail_line,
    "tries again": lambda house, chance: house.try_again(),
}
FITS: dict[str, tuple[str, ...]] = {
    NOTHING: ("says", "says", "says", "line fails"),
    "drafting": ("drafts", "drafts", "drafts and goes on", "calls a tool", "records", "stops", "restarts", "says"),
    "review": ("stops", "restarts", "says", "calls a tool", "records"),
    "revision": ("revises", "revises", "calls a tool", "records", "stops", "restarts", "ends"),
    "final": ("ends", "calls a tool", "records", "stops", "restarts", "cancels"),
    "sending": ("tries again", "restarts"),
    "waiting": ("cancels", "says"),
}


def state_of(house: ReviewHouse) -> str:
    live = [turn for turn in house.store.every() if turn.state not in ("sent", "failed", "stopped")]
    return str(live[0].state) if live else NOTHING


def play_evening(seed: int, folder: Path, met: Counter[tuple[str, str]]) -> Seen:
    chance = random.Random(seed)
    old: list[Place] = ["relay"] if chance.random() < 0.15 else []
    reviews = {"": Verdict(notes=[0] if chance.random() < 0.4 else [])}
    setting = Setting(past=["大橘是英短蓝猫。"], names=["大橘"], notes=["别用感叹号。"], reviews=reviews, old_hash=old)
    house = ReviewHouse(folder, setting, seed)

    def happen() -> None:
        for _ in range(EVENTS):
            state = state_of(house)
            act = chance.choice(FITS.get(state, tuple(ACTS)) if chance.random() < 0.8 else tuple(ACTS))
            met[act, state] += 1
            ACTS[act](house, chance)
            if chance.random() < 0.5:
                house.world.sleep(chance.random() * 1.2)
            else:
                house.quiet()
        house.quiet()
        for _ in range(EVENTS):
            house.try_again()
            house.quiet()

    house.outside(happen)
    house.world.run()
    return Seen(house, ())


def test_random_evenings_keep_the_invariants_and_meet_every_move(monkeypatch: pytest.MonkeyPatch) -> None:
    moves: Counter[tuple[State, State]] = Counter()
    original = TurnStore.move

    def recorded(store: TurnStore, turn: int, state: State, why: str | None = None) -> None:
        old = store.get(turn).state
        original(store, turn, state, why)
        moves[old, state] += 1

    monkeypatch.setattr(TurnStore, "move", recorded)
    met: Counter[tuple[str, str]] = Counter()
    found: list[str] = []
    for seed in range(EVENINGS):
        with tempfile.TemporaryDirectory(dir=ROOM if ROOM.is_dir() else None) as folder:
            seen = play_evening(seed, Path(folder), met)
            found += [f"{seed}: {each.rule} {said}" for each in REVIEW_INVARIANTS for said in each.faults(seen)]
            seen.house.store.database.close()
    for (act, state), count in sorted(met.items()):
        print(f"{act:20} {state:10} {count}")
    assert "\n".join(found) == ""
    assert set(moves) == set(MOVES)
    idle = sum(count for (act, state), count in met.items() if act not in FITS.get(state, tuple(ACTS)))
    assert idle <= EVENINGS * EVENTS / 3
