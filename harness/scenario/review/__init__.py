"""Stories of a chat whose answers are reviewed before they are sent."""

from harness.criteria.replies import Question
from harness.invariants.review import REVIEW_INVARIANTS
from harness.scenario.review.events import EVENTS
from harness.scenario.review.forms import FORMS
from harness.scenario.review.playing import play
from harness.scenario.stories.kinds import Kind
from harness.world.review_setting import Setting
from harness.world.reviewer import Verdict

UNREADABLE = {
    "verdict": "whether a draft passes follows from what is wrong with it",
    "sent_at": "the material that goes along shows no time",
}
"""What the reviewer is not asked: it would answer all the same."""
KIND = Kind(Setting, EVENTS, FORMS, play, REVIEW_INVARIANTS, [Question("review", Verdict, UNREADABLE)])
