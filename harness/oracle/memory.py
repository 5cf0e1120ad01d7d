"""What a model has to be given about a customer, decided from what was told: who said what, and what a device showed.

Labels are read by going through all moments and asking how a chat would show them. Where a prompt is not as it has to
be, the finding names the hop that lost or invented what differs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache

CLAIM, PULL, PREPEND = "claim session", "pull originals", "prepend earlier history"
BASE, CROSS, ASSEMBLY = "profile base", "cross-session", "prompt assembly"
WEEK = "一二三四五六日"
Said = tuple[str, str]
"""Role and text."""


@dataclass(frozen=True)
class Person:
    """A customer on a channel: one session, however the key is spelled."""

    name: str
    tenant: str
    platform_user: str


@dataclass
class Given:
    """What a model was given: the fields of the profile, the talk in order, the summary."""

    profile: dict[str, str]
    talk: list[Said]
    summary: str


@dataclass(frozen=True)
class Finding:
    """What differs, and the hop that has to answer for it."""

    hop: str
    sentence: str


@dataclass(frozen=True)
class _Shown:
    """A bubble as a device showed it. `moment` is None where its label does not tell."""

    said: Said
    moment: datetime | None


@dataclass
class _Known:
    person: Person
    profile: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    talk: list[Said] = field(default_factory=list)
    earlier: list[_Shown] = field(default_factory=list)
    torn: bool = False
    latest: datetime = datetime.min


def _fitted(whole: list[Said], summary: str) -> tuple[list[Said], str]:
    """What of a talk fits into the prompt, and the summary that stands for the rest where some is left out."""
    return (whole[-10:], summary[:900]) if len(whole) > 16 else (whole, "")


class MemoryOracle:
    """Told of everything as it happens, in order; asked what a prompt has to hold."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def told(self, person: Person, at: datetime, said: Said) -> None:
        """Somebody said something."""
        self._of(person, at).talk.append(said)

    def asked(self, person: Person, at: datetime, text: str) -> None:
        """A customer said something and is to be remembered: facts from their history become part of their profile."""
        self.told(person, at, ("customer", text))
        known = self._known[person.name]
        for name, value in known.facts.items():
            known.profile[name] = known.profile.get(name) or value

    def learned(self, person: Person, at: datetime, name: str, value: str) -> None:
        """The customer told a field of their profile."""
        self._of(person, at).profile[name] = value

    def summed_up(self, person: Person, at: datetime, summary: str) -> None:
        """The talk so far has a new summary."""
        self._of(person, at).summary = summary

    def shown(
        self,
        person: Person,
        at: datetime,
        bubbles: Sequence[tuple[str, str, str]],
        clock: datetime,
        facts: dict[str, str],
    ) -> None:
        """A device, whose clock (without a zone) showed that, uploaded a page: role, text and label of each bubble."""
        known = self._of(person, at)
        page = [_Shown((role, text), _past(label, clock)) for role, text, label in bubbles]
        if known.torn or not any(_moment(label, clock) for _, _, label in bubbles):
            return
        shared = [bubble for bubble in page if any(_one(bubble, held) for held in known.earlier)]
        if known.earlier and not shared:
            known.torn = True
            return
        known.facts.update(facts)
        known.earlier = _joined(known.earlier, page)

    def let_go_on(self, person: Person, at: datetime) -> None:
        """A person lifts a gap."""
        self._of(person, at).torn = False

    def earlier(self, person: Person) -> list[Said]:
        """The history that has to be kept of a customer."""
        return [bubble.said for bubble in self._known[person.name].earlier]

    def demanded(self, person: Person) -> Given:
        """What the model has to be given for the customer's latest word."""
        known = self._known[person.name]
        talk, summary = _fitted(self.earlier(person) + known.talk[-40:], known.summary)
        profile = {name: value for name, value in known.profile.items() if value}
        for name, value in self._crossed(known):
            profile.setdefault(name, value)
        return Given(profile, talk, summary)

    def findings(self, person: Person, given: Given | None) -> list[Finding]:
        """What is wrong with what the model was given; nothing where it is as it has to be."""
        if given is None:
            return [Finding(ASSEMBLY, "there is no prompt")]
        known, wanted = self._known[person.name], self.demanded(person)
        before = len(wanted.talk) - min(len(wanted.talk), len(known.talk))
        earlier, own = wanted.talk[:before], wanted.talk[before:]
        lost = [said for said in own if said not in given.talk]
        lost_before = [said for said in earlier if said not in given.talk]
        # Without a session nothing of its talk is found, now or before; its profile may still come by another hop.
        if not given.talk and (known.earlier or not known.profile.keys() & given.profile.keys()):
            return [Finding(CLAIM, "nothing of the customer's session is there")]
        without = self._without(person, wanted, given)
        of_talk = [without] if without else self._of_talk(wanted, given, lost, lost_before)
        return [*of_talk, *self._of_profile(known, wanted, given)]

    def _without(self, person: Person, wanted: Given, given: Given) -> Finding | None:
        """The hop whose part of the talk never came, where the rest was made to fit as it has to be.

        Less came, so less is trimmed: that the window and the summary differ follows from it, and is nobody else's.
        """
        known, seen = self._known[person.name], (given.talk, given.summary)
        if seen == (wanted.talk, wanted.summary):
            return None
        if known.talk and seen == _fitted(self.earlier(person), known.summary):
            return Finding(PULL, f"{known.talk[-1][1]!r} was said in this session and is missing")
        if known.earlier and seen == _fitted(known.talk[-40:], known.summary):
            return Finding(PREPEND, f"{known.earlier[-1].said[1]!r} was said before and is missing")
        return None

    def _of_talk(self, wanted: Given, given: Given, lost: list[Said], lost_before: list[Said]) -> Iterator[Finding]:
        if lost:
            yield Finding(PULL, f"{lost[0][1]!r} was said in this session and is missing")
        if lost_before:
            yield Finding(PREPEND, f"{lost_before[0][1]!r} was said before and is missing")
        if not lost and not lost_before and given.talk != wanted.talk:
            more = len(given.talk) > len(wanted.talk)
            yield Finding(ASSEMBLY, "too much is left") if more else Finding(PREPEND, "the order is another one")
        if given.summary != wanted.summary:
            yield Finding(ASSEMBLY, f"the summary has {len(given.summary)} characters, not {len(wanted.summary)}")

    def _of_profile(self, known: _Known, wanted: Given, given: Given) -> Iterator[Finding]:
        for name in wanted.profile.keys() | given.profile.keys():
            if wanted.profile.get(name) == given.profile.get(name):
                continue
            if name in known.facts and known.profile.get(name) == known.facts[name]:
                hop = BASE
            elif known.profile.get(name):
                hop = CLAIM if name not in given.profile else BASE
            else:
                hop = CROSS if name in wanted.profile or self._elsewhere(name) else BASE
            yield Finding(hop, f"{name}: {given.profile.get(name)!r} instead of {wanted.profile.get(name)!r}")

    def _elsewhere(self, name: str) -> bool:
        return any(name in known.profile for known in self._known.values())

    def _crossed(self, known: _Known) -> Iterator[tuple[str, str]]:
        person = known.person
        if not person.tenant or not person.platform_user:
            return
        others = [
            other
            for other in self._known.values()
            if other is not known
            and (other.person.tenant, other.person.platform_user) == (person.tenant, person.platform_user)
        ]
        for other in sorted(others, key=lambda each: each.latest, reverse=True)[:3]:
            yield from ((name, value) for name, value in other.profile.items() if value)

    def _of(self, person: Person, at: datetime) -> _Known:
        known = self._known.setdefault(person.name, _Known(person))
        known.latest = at
        return known


def uploaded(label: str, now: datetime) -> str:
    """What a device has to upload for a label that its clock (without a zone) shows `now`."""
    moment = _past(label, now)
    return f"{moment:%Y-%m-%d %H:%M}" if moment else label


def _past(label: str, now: datetime) -> datetime | None:
    """The moment of a label, where it is not in the future."""
    moment = _moment(label, now)
    return moment if moment is not None and moment <= now + timedelta(minutes=1) else None


@cache
def _moment(label: str, now: datetime) -> datetime | None:
    """The moment, past or to come, that a chat shows like this."""
    for minute in range(24 * 60):
        clock = datetime(2000, 1, 1) + timedelta(minutes=minute)
        plain, half = _clocks(clock)
        for tails, days in ((plain, _plain_days), (half, _week_days)):
            for tail in tails:
                rest = label.removesuffix(tail)
                if rest != label and not rest[-1:].isdigit():
                    day = days(rest.strip(), now)
                    if day is not None:
                        return day.replace(hour=clock.hour, minute=clock.minute, second=0, microsecond=0)
    return None


def _clocks(clock: datetime) -> tuple[set[str], set[str]]:
    """How a time of day is shown: alone, and with its part of the day."""
    plain = {f"{clock:%H:%M}", f"{clock.hour}:{clock:%M}"}
    parts = ["上午"] if 0 < clock.hour < 12 else ["下午", "晚上"] if clock.hour > 12 else []
    return plain, {f"{part}{clock.hour % 12}:{clock:%M}" for part in parts}


def _plain_days(shown: str, now: datetime) -> datetime | None:
    if shown in ("", "今天", "昨天", "前天"):
        return now - timedelta(days=max(0, ("", "今天", "昨天", "前天").index(shown) - 1))
    for days in range(-800, 8000):
        day = now - timedelta(days=days)
        month_day = f"{day.month}月{day.day}日"
        full = {f"{day:%Y-%m-%d}", f"{day:%Y/%m/%d}", f"{day.year}/{day.month}/{day.day}", f"{day.year}年{month_day}"}
        if shown in full or (day.year == now.year and shown == month_day):
            return day
    return None


def _week_days(shown: str, now: datetime) -> datetime | None:
    for days in range(7):
        day = now - timedelta(days=days)
        names = WEEK[day.weekday()] + ("天" if day.weekday() == 6 else "")
        if any(shown in (f"星期{name}", f"周{name}") for name in names):
            return day
    return None


def _one(bubble: _Shown, held: _Shown) -> bool:
    if bubble.said != held.said:
        return False
    return bubble.moment is None or held.moment is None or bubble.moment == held.moment


def _joined(held: list[_Shown], page: Sequence[_Shown]) -> list[_Shown]:
    """Both as one talk: what the page shows before the first that is held goes in front, the rest behind it."""
    at = 0
    talk = list(held)
    for bubble in page:
        place = next((number for number, each in enumerate(talk) if number >= at and _one(bubble, each)), None)
        if place is None:
            talk.insert(at, bubble)
            at += 1
        else:
            at = place + 1
    return talk
