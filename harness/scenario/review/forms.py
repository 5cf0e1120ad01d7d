"""What an expectation of a reviewed chat may demand: of the phone, the mailbox, the model, the reviewer, and the store.

Each names its rule. What is said not to have been sent has to have been written; what nobody asked for is named.
"""

from typing import Annotated, Literal

from msgspec import Meta

from harness.scenario.forms import Met, Text
from harness.scenario.review.playing import Seen
from harness.scenario.seen import ScenarioFault, quoted
from harness.scenario.stories.compare import Compared
from harness.scenario.stories.kinds import StoryForm

CallOutcome = Literal["ran", "went wrong", "kept", "sealed", "no permit", "over"]
SearchOutcome = Literal["found", "absent", "not checked"]


class ReviewForm(StoryForm, frozen=True, kw_only=True):
    """One demand. Its second field is the key that names it."""

    def met(self, seen: Seen) -> Met:
        raise NotImplementedError


class Sent(ReviewForm, frozen=True, kw_only=True):
    """Exactly these texts came to the phone, in this order."""

    sent: list[Text]

    def met(self, seen: Seen) -> Met:
        shown = [text for _, text in seen.house.phone.shown]
        return Met(shown == self.sent, f"the phone shows {_list(self.sent)}", _list(shown))


class NotSent(ReviewForm, frozen=True, kw_only=True):
    """A text that the model wrote never came to the phone, nor a part of it."""

    not_sent: Text

    def met(self, seen: Seen) -> Met:
        if self.not_sent not in seen.texts:
            raise ScenarioFault(f"{quoted(self.not_sent)} was written by nobody: its absence would prove nothing")
        shown = [text for _, text in seen.house.phone.shown if text and text in self.not_sent]
        return Met(not shown, f"{quoted(self.not_sent)} is not shown", _list(shown))


class Turn(ReviewForm, frozen=True, kw_only=True):
    """What became of the message with this label (or number), and words of the reason."""

    turn: Text
    state: Literal["waiting", "drafting", "review", "revision", "final", "sending", "sent", "failed", "stopped"]
    why: str = ""

    def met(self, seen: Seen) -> Met:
        if self.turn not in seen.states:
            raise ScenarioFault(f"there is no message {self.turn}; there are {', '.join(seen.states)}")
        turn = seen.house.turn_of(self.turn)
        ok = turn.state == self.state and self.why in (turn.why or "")
        because = f": {self.why}" if self.why else ""
        return Met(ok, f"{self.turn} is {self.state}{because}", f"{turn.state}: {turn.why or 'no reason'}")


class Opinion(ReviewForm, frozen=True, kw_only=True):
    """The model was told this (`lacks`: and not that) by the review of a message; nothing: it was told nothing."""

    opinion: str
    on: Text = "1"
    lacks: str = ""

    def met(self, seen: Seen) -> Met:
        told = seen.house.opinions.get(self.on, "")
        ok = self.opinion in told if self.opinion else not told
        ok = ok and not (self.lacks and self.lacks in told)
        lacks = f", and not {quoted(self.lacks)}" if self.lacks else ""
        wanted = f"the opinion on {self.on} says {quoted(self.opinion)}{lacks}" if self.opinion else "no opinion"
        return Met(ok, wanted, quoted(told) if told else "no opinion")


class Reviews(ReviewForm, frozen=True, kw_only=True):
    """So many times the review model was asked, about whatever message."""

    reviews: Annotated[int, Meta(ge=0)]

    def met(self, seen: Seen) -> Met:
        count = len(seen.house.models.asked)
        return Met(count == self.reviews, f"{self.reviews} reviews", f"{count} reviews")


class ReviewerGot(ReviewForm, frozen=True, kw_only=True):
    """What the review model got with a draft: these notes, byte for byte, and from which model the answer was asked."""

    reviewer_got_notes: list[str]
    model: str = ""

    def met(self, seen: Seen) -> Met:
        asked = seen.house.models.asked
        notes = asked[-1]["notes"] if asked else None
        model = asked[-1]["model"] if asked else None
        ok = notes == self.reviewer_got_notes and (not self.model or model == self.model)
        return Met(ok, f"the reviewer {self.model} gets {self.reviewer_got_notes}", f"{model}: {notes}")


class Searched(ReviewForm, frozen=True, kw_only=True):
    """Exactly these words were searched for, in this order."""

    searched: list[Text]

    def met(self, seen: Seen) -> Met:
        asked = [words for words, _ in seen.house.searched]
        return Met(asked == self.searched, f"searched for {_list(self.searched)}", _list(asked))


class Outcomes(ReviewForm, frozen=True, kw_only=True):
    """What each search came to, by name."""

    outcomes: Annotated[dict[str, SearchOutcome], Meta(min_length=1)]

    def met(self, seen: Seen) -> Met:
        came = {each["name"]: each["outcome"] for each in seen.searches()}
        return Met(came == self.outcomes, f"{self.outcomes}", f"{came}")


class Ran(ReviewForm, frozen=True, kw_only=True):
    """Exactly these tools ran, in this order."""

    ran: list[Text]

    def met(self, seen: Seen) -> Met:
        ran = seen.house.toolbox.ran
        return Met(ran == self.ran, f"tools that ran: {_list(self.ran)}", _list(ran))


class Calls(ReviewForm, frozen=True, kw_only=True):
    """What the model's calls came to, in order."""

    calls: Annotated[list[CallOutcome], Meta(min_length=1)]

    def met(self, seen: Seen) -> Met:
        return Met(seen.house.called == self.calls, ", ".join(self.calls), ", ".join(seen.house.called))


class Mailbox(ReviewForm, frozen=True, kw_only=True):
    """Exactly these texts stand in the mailbox, in this order."""

    mailbox: list[Text]

    def met(self, seen: Seen) -> Met:
        holds = [text for _, text in seen.house.upstream.holds.values()]
        return Met(holds == self.mailbox, f"the mailbox holds {_list(self.mailbox)}", _list(holds))


class Off(ReviewForm, frozen=True, kw_only=True):
    """Why review is off: `prompt: relay`, `path: app hook`, `limit: 4600 = 3700 + 900 ms`; nothing: it is on."""

    off: list[Text]

    def met(self, seen: Seen) -> Met:
        off = [f"{reason.about}: {reason.which}" for reason in seen.house.off]
        return Met(off == self.off, f"review is off by {_list(self.off)}", _list(off))


class SystemSays(ReviewForm, frozen=True, kw_only=True):
    """The model's system prompt has these words, in every turn."""

    system_says: Text

    def met(self, seen: Seen) -> Met:
        given = seen.house.given
        ok = bool(given) and all(self.system_says in each for each in given)
        return Met(ok, f"every system prompt says {quoted(self.system_says)}", _list(given))


class AnsweredWithin(ReviewForm, frozen=True, kw_only=True):
    """From the last text handed in for a message until the phone showed it, or the opinion came: so long, in ms."""

    answered_within_ms: int
    on: Text = "1"

    def met(self, seen: Seen) -> Met:
        took = seen.house.took_ms.get(self.on)
        ok = took is not None and took <= self.answered_within_ms
        return Met(ok, f"the review of {self.on} takes {self.answered_within_ms} ms at most", f"{took} ms")


FORMS: dict[str, type[StoryForm]] = {
    "sent": Sent,
    "not_sent": NotSent,
    "turn": Turn,
    "opinion": Opinion,
    "reviews": Reviews,
    "reviewer_got_notes": ReviewerGot,
    "searched": Searched,
    "outcomes": Outcomes,
    "ran": Ran,
    "calls": Calls,
    "mailbox": Mailbox,
    "off": Off,
    "system_says": SystemSays,
    "answered_within_ms": AnsweredWithin,
    "compare": Compared,
}
"""The forms by the key that names them."""


def _list(texts: list[str]) -> str:
    return ", ".join(map(quoted, texts)) or "nothing"
