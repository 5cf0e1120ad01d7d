"""What an expectation of a story of customers may demand: of a prompt, of the history, of the counts.

Each names its rule. `on` is the text of the message that a prompt was made for; without it the last one is meant.
"""

from typing import Annotated, Literal

from msgspec import Meta

from harness.scenario.forms import Met, Text
from harness.scenario.memory.playing import Seen
from harness.scenario.memory.shop import HopName, given_of
from harness.scenario.seen import ScenarioFault, quoted
from harness.scenario.stories.kinds import StoryForm
from threadrebuild.memory.counts import counts, labels
from threadrebuild.memory.history import held

Part = Literal["system", "talk", "summary"]
Received = Literal["nothing read", "stopped", "no explicit time", "gap", "stored"]


class MemoryForm(StoryForm, frozen=True, kw_only=True):
    """One demand. Its second field is the key that names it."""

    def met(self, seen: Seen) -> Met:
        raise NotImplementedError


class PromptHas(MemoryForm, frozen=True, kw_only=True):
    """The text stands in the prompt, in that part of it."""

    prompt_has: Text
    part: Part | None = None
    on: str = ""

    def met(self, seen: Seen) -> Met:
        parts = _parts(seen, self.on)
        found = [name for name, text in parts.items() if self.prompt_has in text]
        where = f" in its {self.part}" if self.part else ""
        ok = bool(found) and (self.part is None or found == [self.part])
        return Met(ok, f"the prompt has {quoted(self.prompt_has)}{where}", f"it stands in {found or 'no part'}")


class PromptLacks(MemoryForm, frozen=True, kw_only=True):
    """The text was told somewhere in the story, and stands nowhere in the prompt."""

    prompt_lacks: Text
    on: str = ""

    def met(self, seen: Seen) -> Met:
        if not any(self.prompt_lacks in text for text in seen.shop.told):
            raise ScenarioFault(f"{quoted(self.prompt_lacks)} was told nowhere: its absence would prove nothing")
        found = [name for name, text in _parts(seen, self.on).items() if self.prompt_lacks in text]
        return Met(not found, f"the prompt lacks {quoted(self.prompt_lacks)}", f"it stands in {found or 'no part'}")


class Talk(MemoryForm, frozen=True, kw_only=True):
    """Exactly these lines are the talk in the prompt, in this order."""

    talk: list[Text]
    on: str = ""

    def met(self, seen: Seen) -> Met:
        talk = _parts(seen, self.on)["talk"].split("\n")
        return Met(talk == self.talk, f"the talk is {_list(self.talk)}", _list(talk))


class Lines(MemoryForm, frozen=True, kw_only=True):
    """So many lines of talk stand in the prompt, from one to another."""

    lines: Annotated[int, Meta(ge=1)]
    first: Text
    last: Text
    on: str = ""

    def met(self, seen: Seen) -> Met:
        talk = _parts(seen, self.on)["talk"].split("\n")
        ok = (len(talk), talk[0], talk[-1]) == (self.lines, self.first, self.last)
        wanted = f"{self.lines} lines from {quoted(self.first)} to {quoted(self.last)}"
        return Met(ok, wanted, f"{len(talk)} from {quoted(talk[0])} to {quoted(talk[-1])}")


class SummaryLength(MemoryForm, frozen=True, kw_only=True):
    """The summary in the prompt has so many characters."""

    summary_length: Annotated[int, Meta(ge=1)]
    on: str = ""

    def met(self, seen: Seen) -> Met:
        length = len(_parts(seen, self.on)["summary"])
        return Met(length == self.summary_length, f"a summary of {self.summary_length} characters", f"{length}")


class Profile(MemoryForm, frozen=True, kw_only=True):
    """Exactly these fields stand in the system prompt."""

    profile: Annotated[dict[str, str], Meta(min_length=1)]
    on: str = ""

    def met(self, seen: Seen) -> Met:
        given = given_of(seen.turn(self.on).known)
        profile = given.profile if given else {}
        return Met(profile == self.profile, f"the profile is {self.profile}", f"{profile}")


class Sessions(MemoryForm, frozen=True, kw_only=True):
    """So many sessions there are in all."""

    sessions: Annotated[int, Meta(ge=1)]

    def met(self, seen: Seen) -> Met:
        count = seen.shop.store.value("SELECT count(*) FROM sessions")
        return Met(count == self.sessions, f"{self.sessions} sessions", f"{count} sessions")


class Claimed(MemoryForm, frozen=True, kw_only=True):
    """What the claim for a message found: the summary, and how far it reaches."""

    claimed: Text
    watermark: int
    on: str = ""

    def met(self, seen: Seen) -> Met:
        known = seen.turn(self.on).known
        ok = (known.summary, known.watermark) == (self.claimed, self.watermark)
        wanted = f"claimed: {quoted(self.claimed)} up to {self.watermark}"
        return Met(ok, wanted, f"{quoted(known.summary)} up to {known.watermark}")


class Hops(MemoryForm, frozen=True, kw_only=True):
    """Exactly these hops left an event for a message, in this order."""

    hops: Annotated[list[HopName], Meta(min_length=1)]
    on: str = ""

    def met(self, seen: Seen) -> Met:
        ran = list(seen.turn(self.on).hops)
        return Met(ran == self.hops, f"hops: {', '.join(self.hops)}", ", ".join(ran) or "none")


class Blames(MemoryForm, frozen=True, kw_only=True):
    """The oracle finds fault with the prompt for a message, and with exactly these hops; with none: it is whole."""

    blames: list[HopName]
    on: str = ""

    def met(self, seen: Seen) -> Met:
        findings = seen.turn(self.on).findings
        hops = sorted({finding.hop for finding in findings})
        told = "; ".join(f"{finding.hop}: {finding.sentence}" for finding in findings)
        return Met(hops == sorted(self.blames), f"to blame: {', '.join(self.blames) or 'no hop'}", told or "no hop")


class Came(MemoryForm, frozen=True, kw_only=True):
    """What a hop came to, so many times in the whole story; `amount`: how many things it handled when it ran last."""

    came: Text
    hop: HopName
    times: Annotated[int, Meta(ge=1)] = 1
    amount: int | None = None

    def met(self, seen: Seen) -> Met:
        found = {came: count for (stage, came), count in counts(seen.shop.store).items() if stage == self.hop}
        last = seen.shop.store.value("SELECT amount FROM events WHERE stage = ? ORDER BY id DESC", self.hop)
        ok = found.get(self.came) == self.times and self.amount in (None, last)
        amount = "" if self.amount is None else f", {self.amount} at last"
        wanted = f"{self.hop} came to “{self.came}” {self.times} times{amount}"
        return Met(ok, wanted, f"{found or 'it never ran'}, {last} at last")


class Labels(MemoryForm, frozen=True, kw_only=True):
    """How many customers have which label; all of them have one."""

    labels: Annotated[dict[str, int], Meta(min_length=1)]

    def met(self, seen: Seen) -> Met:
        found = labels(seen.shop.store)
        return Met(found == self.labels, f"labels: {self.labels}", f"{found}")


class Uploaded(MemoryForm, frozen=True, kw_only=True):
    """The labels of the page that was uploaded last for a customer."""

    uploaded: Annotated[list[str], Meta(min_length=1)]
    who: str = ""

    def met(self, seen: Seen) -> Met:
        fetches = seen.fetches(self.who)
        found = list(fetches[-1].uploaded) if fetches else []
        return Met(found == self.uploaded, f"uploaded: {_list(self.uploaded)}", _list(found))


class Fetches(MemoryForm, frozen=True, kw_only=True):
    """What became of the pages read for a customer, in order."""

    fetches: Annotated[list[Received], Meta(min_length=1)]
    who: str = ""

    def met(self, seen: Seen) -> Met:
        found = [fetch.came for fetch in seen.fetches(self.who)]
        return Met(found == self.fetches, f"fetches: {', '.join(self.fetches)}", ", ".join(found) or "none")


class History(MemoryForm, frozen=True, kw_only=True):
    """Exactly these texts are the stored history of a customer, in this order."""

    history: Annotated[list[Text], Meta(min_length=1)]
    who: str = ""

    def met(self, seen: Seen) -> Met:
        found = [entry.content for entry in held(seen.shop.store, seen.shop.session(seen.customer(self.who)))]
        return Met(found == self.history, f"the history is {_list(self.history)}", _list(found))


FORMS: dict[str, type[MemoryForm]] = {
    "prompt_has": PromptHas,
    "prompt_lacks": PromptLacks,
    "talk": Talk,
    "lines": Lines,
    "summary_length": SummaryLength,
    "profile": Profile,
    "sessions": Sessions,
    "claimed": Claimed,
    "hops": Hops,
    "blames": Blames,
    "came": Came,
    "labels": Labels,
    "uploaded": Uploaded,
    "fetches": Fetches,
    "history": History,
}
"""The forms by the key that names them."""


def _parts(seen: Seen, on: str) -> dict[str, str]:
    prompt = seen.turn(on).known.prompt
    if prompt is None:
        return {"system": "", "talk": "", "summary": ""}
    return {
        "system": prompt.system,
        "talk": "\n".join(line.content for line in prompt.talk),
        "summary": prompt.summary,
    }


def _list(texts: list[str]) -> str:
    return ", ".join(map(quoted, texts)) or "nothing"
