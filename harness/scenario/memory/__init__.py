"""Stories of customers who come back, and of the devices on which their earlier talk is read."""

from harness.scenario.memory.events import EVENTS
from harness.scenario.memory.forms import FORMS
from harness.scenario.memory.invariants import MEMORY_INVARIANTS
from harness.scenario.memory.playing import play
from harness.scenario.memory.shop import Scene
from harness.scenario.stories.kinds import Kind

KIND = Kind(Scene, EVENTS, FORMS, play, MEMORY_INVARIANTS)
