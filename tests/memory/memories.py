"""A store with customers in it, for the checks of the memory chain: who says what, one minute after the other."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from threadrebuild.database import open_database
from threadrebuild.memory.chain import HOPS, Hop, remember
from threadrebuild.memory.claim import keep, learn, session_of, sum_up
from threadrebuild.memory.device import Bubble, Device, Page
from threadrebuild.memory.history import Received, receive
from threadrebuild.memory.recollection import Arrival, Came, Customer, Recollection

SHANGHAI = ZoneInfo("Asia/Shanghai")
LI = Customer("tile shop", "wechat", "Li_Lei", "u-100")
MARKER = "对方正在输入… 电量 43%"


def local(text: str) -> datetime:
    """A moment in Shanghai, as `2026-08-14 15:20` or with seconds."""
    return datetime.fromisoformat(text).replace(tzinfo=SHANGHAI)


class HandClock:
    """`ports.Clock`, set by hand."""

    def __init__(self, text: str) -> None:
        self.set(text)

    def set(self, text: str) -> None:
        self._now = local(text).astimezone(ZoneInfo("UTC"))

    def now(self) -> datetime:
        return self._now

    def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody waits here")


class Memories:
    """One store; every call is a minute later than the one before."""

    def __init__(self, folder: Path, name: str = "memory.db") -> None:
        self.store = open_database(folder / name, "threadrebuild.memory", durable=False)
        self.now = local("2026-08-14 16:00")

    def later(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now

    def session(self, customer: Customer = LI) -> int:
        return session_of(self.store, customer, self.later())

    def says(self, text: str, customer: Customer = LI, hops: Sequence[Hop] = HOPS) -> Recollection:
        return remember(self.store, Arrival(customer, text, self.later()), hops)

    def said(self, *texts: str, customer: Customer = LI, role: str = "customer") -> None:
        """These were said before, whatever was remembered of them."""
        session = self.session(customer)
        for text in texts:
            keep(self.store, session, role, text, self.later())

    def learns(self, customer: Customer = LI, **fields: str) -> None:
        for field, value in fields.items():
            learn(self.store, self.session(customer), field, value)

    def sums_up(self, summary: str, watermark: int = 0, customer: Customer = LI) -> None:
        sum_up(self.store, self.session(customer), summary, watermark)

    def uploads(self, page: Page, customer: Customer = LI) -> Received:
        return receive(self.store, self.session(customer), page, self.later())

    def came(self, stage: str) -> Came:
        """What a stage came to last."""
        row = self.store.row("SELECT came, amount FROM events WHERE stage = ? ORDER BY id DESC", stage)
        return Came(row["came"], row["amount"]) if row else Came("never ran")

    def count(self, table: str) -> int:
        return int(self.store.value(f"SELECT count(*) FROM {table}"))


def page(
    *bubbles: tuple[str, str], day: str = "2026-08-14", shown_on: str = "phone", raw: str = "", **facts: str
) -> Page:
    """A page of the customer's bubbles, each with its label."""
    return Page(shown_on, day, tuple(Bubble("customer", text, label) for text, label in bubbles), facts, raw)


def phone(clock: HandClock) -> Device:
    """A phone in Shanghai."""
    return Device("phone", clock)


def talk(known: Recollection) -> list[str]:
    """What the model gets of the talk."""
    return [line.content for line in known.prompt.talk] if known.prompt else []


def system(known: Recollection) -> list[str]:
    """The lines of the system prompt."""
    return known.prompt.system.split("\n") if known.prompt else []
