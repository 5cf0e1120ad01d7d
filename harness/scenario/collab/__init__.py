"""Stories of a household's rooms: a user and several Bots, who says what where, and what every model answers."""

from harness.criteria.replies import Question
from harness.scenario.collab.course import played
from harness.scenario.collab.forms import FORMS
from harness.scenario.collab.forms_aborting import ABORTING_FORMS
from harness.scenario.collab.forms_checks import CHECK_FORMS
from harness.scenario.collab.forms_delegations import DELEGATION_FORMS
from harness.scenario.collab.forms_endings import ENDING_FORMS
from harness.scenario.collab.forms_holds import HOLD_FORMS
from harness.scenario.collab.forms_ledger import LEDGER_FORMS
from harness.scenario.collab.forms_orders import ORDER_FORMS
from harness.scenario.collab.forms_plans import PLAN_FORMS
from harness.scenario.collab.forms_rooms import ROOM_FORMS
from harness.scenario.collab.forms_submissions import SUBMISSION_FORMS
from harness.scenario.collab.forms_tickets import TICKET_FORMS
from harness.scenario.collab.forms_turns import TURN_FORMS
from harness.scenario.collab.forms_work import WORK_FORMS
from harness.scenario.collab.judging import INVARIANTS
from harness.scenario.collab.moments import at_times
from harness.scenario.collab.orders import orders
from harness.scenario.collab.scene import EVENTS, Reading, Scene
from harness.scenario.stories.kinds import Kind

UNREADABLE = {"id": "models are shown names and numbers, and answer with these"}
KIND = Kind(
    Scene,
    EVENTS,
    {
        name: at_times(form)
        for name, form in (
            FORMS
            | ABORTING_FORMS
            | CHECK_FORMS
            | DELEGATION_FORMS
            | ENDING_FORMS
            | HOLD_FORMS
            | LEDGER_FORMS
            | ORDER_FORMS
            | PLAN_FORMS
            | ROOM_FORMS
            | SUBMISSION_FORMS
            | TICKET_FORMS
            | TURN_FORMS
            | WORK_FORMS
        ).items()
    },
    played,
    invariants=INVARIANTS,
    faulty=played,
    orders=orders,
    questions=[Question("user words", Reading, UNREADABLE)],
)
