"""What becomes of a submission that has passed its checks: it is approved, returned, or waits for the user's word.

All ways to `approved` and to `returned` come through here.
"""

from typing import Literal

from threadrebuild.collab import delegation, delivery, inbox, reviewers, reviews, stages, submissions, tickets, work
from threadrebuild.collab.change import Change

By = Literal["review", "no_reviewer", "user", "routine", "one_go"]
MOVERS: dict[str, stages.Mover] = {
    "review": "review",
    "no_reviewer": "beat",
    "user": "word",
    "routine": "check",
    "one_go": "check",
    "check": "check",
    "beat": "beat",
}
RETURNED = "Submission {id} of ticket {number:02} “{title}” was returned: {note}"


def judge(change: Change, submission: int) -> None:
    """Decide where a submission goes that has just passed its checks: to its reviewer, if the ticket has one.

    With none it stays submitted, until the next beat looks at it.
    """
    row = submissions.of(change.db, submission)
    reviewer = reviewers.of(change.db, row["ticket"], row["bot"])
    if reviewer is not None:
        reviews.request(change, submission, reviewer)


def approve(change: Change, submission: int, *, by: By, message: int | None = None) -> None:
    """Approve an undecided submission: its ticket, or the parts it names and the ticket once all of those are.

    `message` is the line by which the user approved it. The producer is not woken. What was asked of the producer and
    came of this is answered (`delegation.released`), and the plan may be delivered.
    """
    row = submissions.of(change.db, submission)
    if row["state"] not in submissions.UNDECIDED:
        return
    parts = submissions.parts_of(row)
    tickets.move_parts(change, row["ticket"], parts or tickets.parts_open(change.db, row["ticket"]), "approved")
    why = {"message": message} if message is not None else {}
    # The ticket goes first: the store lets a check move it only while something of it is undecided.
    stage: stages.Stage = "in progress" if tickets.parts_open(change.db, row["ticket"]) else "approved"
    source = "user" if by == "user" else "app"
    move_to = _mover(change, by)
    tickets.move(change, row["ticket"], stage, by=move_to, turn=row["turn"], source=source, **why)  # REVW-17
    submissions.set_state(change, submission, "approved")
    change.db.write("UPDATE submissions SET approved_by = ? WHERE id = ?", by, submission)
    submissions.log(change, submission, "submission.approved", by=by, message_id=message)
    delegation.released(change, submission)
    delivery.look(change, row["plan"])


def send_back(
    change: Change,
    submission: int,
    *,
    by: Literal["review", "check", "beat", "user"],
    note: str,
    wakes: bool = True,
) -> None:
    """Return a submission, also an approved one: its ticket and parts go to rework, and its producer is woken with the
    note, word for word; not where it is not to (`wakes`), because the user is asked instead.

    A delivered plan goes on again.
    """
    row = submissions.of(change.db, submission)
    submissions.set_state(change, submission, "returned")
    tickets.move(change, row["ticket"], "rework", by=_mover(change, by), turn=row["turn"])  # REVW-16
    tickets.move_parts(change, row["ticket"], submissions.parts_of(row), "rework")
    submissions.log(change, submission, "submission.returned", by=by, note=note)
    if wakes:
        author: Literal["user", "app"] = "user" if by == "user" else "app"
        wake_producer(change, submission, note, author=author)  # REVW-16
    delivery.look(change, row["plan"])


def wake_producer(change: Change, submission: int, note: str, *, author: Literal["user", "app"] = "app") -> None:
    """Wake the work of the Bot that handed a submission in, with why it came back."""
    row = submissions.of(change.db, submission)
    ticket = tickets.of(change.db, row["ticket"])
    bot = row["bot"] if row["bot"] is not None else ticket["owner"]
    if bot is None:
        return
    item = work.item(change, bot, row["plan"], row["ticket"], place(change, submission))
    said = RETURNED.format(id=submission, number=ticket["number"], title=ticket["title"], note=note)
    inbox.put_submission(change, item, "rework", submission, said, author=author)


def await_word(change: Change, submission: int, reason: str) -> None:
    """Let a submission wait for the user's word, once; nobody is woken and no card is posted."""
    submissions.set_state(change, submission, "awaiting")
    change.db.write("UPDATE submissions SET asked = asked + 1 WHERE id = ?", submission)
    submissions.log(change, submission, "submission.awaiting", reason=reason)


def place(change: Change, submission: int) -> int:
    """The session that work on a submission goes on in: where it was made, else where its plan is at home."""
    row = submissions.of(change.db, submission)
    made: int | None = change.db.value("SELECT session FROM turns WHERE id = ?", row["turn"])
    home: int = change.db.value("SELECT session FROM plans WHERE id = ?", row["plan"])
    return home if made is None else made


def _mover(change: Change, by: str) -> stages.Mover:
    """Who moves the ticket: the user's word only in the event of that word, and what was waited for after it."""
    acts = change.db.value("SELECT 1 FROM user_actions WHERE event = ?", change.event)
    return "check" if by == "user" and not acts else MOVERS[by]
