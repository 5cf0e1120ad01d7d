"""Stories of a chat whose answers are reviewed before they are sent."""

from harness.invariants.review import REVIEW_INVARIANTS
from harness.scenario.review.events import EVENTS
from harness.scenario.review.forms import FORMS
from harness.scenario.review.playing import play
from harness.scenario.stories.kinds import Kind
from harness.world.review_setting import Setting

KIND = Kind(Setting, EVENTS, FORMS, play, REVIEW_INVARIANTS)
