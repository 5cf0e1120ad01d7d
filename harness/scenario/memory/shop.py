"""A shop with customers, devices and one store: what happens in it goes to the chain, to the oracle, and to the reader.

shop = Shop(folder, Scene(customers={"li": CustomerOf("tile shop", "wechat", "Li_Lei")}))
shop.says("li", "你好")
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from harness.oracle.memory import Finding, Given, MemoryOracle, Person
from harness.runlog import RunLog
from threadrebuild.database import open_database
from threadrebuild.memory.chain import HOPS, remember
from threadrebuild.memory.claim import keep, learn, session_of, sum_up
from threadrebuild.memory.device import Bubble, Device
from threadrebuild.memory.history import lift_gap, may_fetch, receive
from threadrebuild.memory.recollection import Arrival, Customer, Recollection

HopName = Literal[
    "claim session",
    "pull originals",
    "prepend earlier history",
    "profile base",
    "cross-session",
    "prompt assembly",
]
BubbleOf = tuple[Literal["customer", "assistant"], str, str]
"""Role, text and label, as a page shows them."""
BEGINS = datetime(2026, 1, 1, 9)
MINUTE = timedelta(minutes=1)


class CustomerOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One customer on one channel. `key` is the identity in its usual spelling."""

    tenant: str
    channel: Annotated[str, Meta(min_length=1)]
    key: Annotated[str, Meta(min_length=1)]
    platform_user: str = ""


class DeviceOf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A device: so many minutes ahead of the server; `converts`: whether its app makes labels absolute."""

    ahead: int = 0
    converts: bool = True


class Scene(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who there is. The first customer and the first device are meant where an entry names none.

    `off`: hops that do not run from the entry `broken = true` on.
    """

    customers: Annotated[dict[str, CustomerOf], Meta(min_length=1)]
    devices: dict[str, DeviceOf] = msgspec.field(default_factory=lambda: {"phone": DeviceOf()})
    zone: str = "Asia/Shanghai"
    off: list[HopName] = []


@dataclass(frozen=True)
class Turn:
    """A customer's message, what was remembered for it, and what the oracle finds wrong with that."""

    who: str
    text: str
    known: Recollection
    hops: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Fetch:
    """A page read on a device: how it was shown, which labels were uploaded, and what became of it."""

    who: str
    clock: datetime
    converts: bool
    shown: tuple[str, ...]
    uploaded: tuple[str, ...]
    came: str


class Shop:
    """All of it, with the time that it is now, in the user's zone."""

    def __init__(self, folder: Path, scene: Scene, log: RunLog | None = None, number: int = 0) -> None:
        self.scene = scene
        self.store = open_database(folder / "memory.db", "threadrebuild.memory", durable=False)
        self.oracle = MemoryOracle()
        self.now = BEGINS
        self.broken = False
        self.turns: list[Turn] = []
        self.fetches: list[Fetch] = []
        self.told: list[str] = []
        """All texts of the story: only what was told somewhere can be missing elsewhere."""
        self._zone = ZoneInfo(scene.zone)
        self._log, self._number = log, number

    def says(self, who: str, text: str, key: str = "") -> None:
        """A customer writes, under the usual spelling of the key or another."""
        self._line(who, "says", text)
        self.oracle.asked(self._person(who), self.now, text)
        hops = [hop for hop in HOPS if not (self.broken and hop.name in self.scene.off)]
        before = self._events()
        known = remember(self.store, Arrival(self._customer(who, key), text, self._at()), hops)
        given = given_of(known)
        findings = tuple(self.oracle.findings(self._person(who), given))
        ran = tuple(row["stage"] for row in self._events()[len(before) :])
        self.turns.append(Turn(who, text, known, ran, findings))
        held = f"{len(given.talk)} lines, {len(given.profile)} fields" if given else "nothing"
        self._line("model", "is given", held)
        for finding in findings:
            self._line("oracle", "finds", f"{finding.hop}: {finding.sentence}")

    def answers(self, who: str, text: str) -> None:
        """The assistant answers."""
        self._line("assistant", "says", text)
        self.oracle.told(self._person(who), self.now, ("assistant", text))
        keep(self.store, self.session(who), "assistant", text, self._at())

    def chats(self, who: str, count: int, text: str) -> None:
        """So many messages go to and fro without being looked at; the customer begins."""
        self._line(who, f"and the assistant say {count} things", text)
        for number in range(1, count + 1):
            role, said = ("customer", "assistant")[(number - 1) % 2], text.format(number)
            self.now += timedelta(seconds=1)
            self.told.append(said)
            self.oracle.told(self._person(who), self.now, (role, said))
            keep(self.store, self.session(who), role, said, self._at())

    def learns(self, who: str, fields: dict[str, str]) -> None:
        """The model takes down what the customer said of themselves."""
        for name, value in fields.items():
            self._line("model", "notes", f"{name}：{value}")
            self.oracle.learned(self._person(who), self.now, name, value)
            learn(self.store, self.session(who), name, value)

    def sums_up(self, who: str, summary: str, upto: int) -> None:
        """The model sums up the talk so far."""
        self._line("model", "sums up", summary)
        self.oracle.summed_up(self._person(who), self.now, summary)
        sum_up(self.store, self.session(who), summary, upto)

    def reads(
        self, who: str, bubbles: Sequence[BubbleOf], facts: dict[str, str], raw: str, on: str, through: str
    ) -> None:
        """A device shows a page of earlier talk, and an app (`through` that device or another) uploads it."""
        shows, sends = self._device(on), self._device(through or on)
        clock = shows.now().replace(tzinfo=None)
        self.told += [raw, *facts.values(), *(text for _, text, _ in bubbles)]
        labels = tuple(label for _, _, label in bubbles)
        if not may_fetch(self.store, self.session(who)):
            self._line(shows.name, "is told not to read", where=who)
            self.fetches.append(Fetch(who, clock, True, labels, (), "stopped"))
            return
        page = shows.show(tuple(Bubble(*bubble) for bubble in bubbles), facts, raw)
        converts = self._settings(through or on).converts
        page = sends.converted(page) if converts else page
        self.oracle.shown(self._person(who), self.now, bubbles, clock, facts)
        came = receive(self.store, self.session(who), page, self._at())
        uploaded = tuple(bubble.label for bubble in page.bubbles)
        self.fetches.append(Fetch(who, clock, converts and sends.name == shows.name, labels, uploaded, came))
        self._line(shows.name, "uploads", f"{' / '.join(uploaded) or 'nothing'}", who)
        self._line("server", f"answers: {came}", where=who)

    def lifts(self, who: str) -> None:
        """A person lets a stopped history fetch go on."""
        self._line("person", "lifts the gap", where=who)
        self.oracle.let_go_on(self._person(who), self.now)
        lift_gap(self.store, self.session(who), self._at())

    def session(self, who: str) -> int:
        """The session of a customer, under the usual spelling."""
        return session_of(self.store, self._customer(who), self._at())

    def earlier(self, who: str) -> list[tuple[str, str]]:
        """What the oracle demands to be kept of a customer's earlier talk: role and text."""
        return self.oracle.earlier(self._person(who))

    def _events(self) -> list[Any]:
        return self.store.rows("SELECT stage FROM events ORDER BY id")

    def _customer(self, who: str, key: str = "") -> Customer:
        customer = self.scene.customers[who]
        return Customer(customer.tenant, customer.channel, key or customer.key, customer.platform_user)

    def _person(self, who: str) -> Person:
        customer = self.scene.customers[who]
        return Person(who, customer.tenant, customer.platform_user)

    def _settings(self, name: str) -> DeviceOf:
        return self.scene.devices[name or next(iter(self.scene.devices))]

    def _device(self, name: str) -> Device:
        name = name or next(iter(self.scene.devices))
        return Device(name, _Clock(self._at() + self._settings(name).ahead * MINUTE), self._zone)

    def _at(self) -> datetime:
        return self.now.replace(tzinfo=self._zone)

    def _line(self, who: str, did: str, text: str = "", where: str = "") -> None:
        if text:
            self.told.append(text)
        if self._log is not None:
            at = f"{self.now:%H:%M:%S}"
            self._log.add("line", transcript=self._number, at=at, who=who, where=where, did=did, text=text)


@dataclass(frozen=True)
class _Clock:
    """`ports.Clock` that stands still."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        raise NotImplementedError


def given_of(known: Recollection) -> Given | None:
    """What the model was given, as the oracle looks at it."""
    if known.prompt is None:
        return None
    lines = [line.partition("：") for line in known.prompt.system.split("\n")[1:]]
    talk = [(str(line.role), line.content) for line in known.prompt.talk]
    return Given({name: value for name, _, value in lines}, talk, known.prompt.summary)
