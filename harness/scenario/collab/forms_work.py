"""What an expectation of a story of rooms may demand of work: what a turn worked on, where, and how work stands."""

from typing import Annotated

import msgspec
from msgspec import Meta

from harness.scenario.collab.forms import CollabForm, message_of
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import quoted


class WorksOn(CollabForm, frozen=True, kw_only=True):
    """What the turns that a line opened worked on: plans by name, `none` for the desk, `plan › 1` for a ticket."""

    works_on: list[str]
    by: Text
    turn: Text = msgspec.field(name="for")

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT ifnull(p.name, 'none') || ifnull(' › ' || k.number, '') FROM turns t JOIN bots b ON b.id = t.bot"
            " LEFT JOIN plans p ON p.id = t.plan LEFT JOIN tickets k ON k.id = t.ticket"
            " WHERE b.name = ? AND t.trigger_message = ? ORDER BY t.id",
            self.by,
            message_of(seen, self.turn),
        )
        found = [name for (name,) in rows]
        return Met(found == self.works_on, f"{self.by} works on {self.works_on} for {quoted(self.turn)}", str(found))


class RanIn(CollabForm, frozen=True, kw_only=True):
    """A tool really ran in a folder, which is named by its last part; the workspace's root is empty."""

    ran_in: str
    what: Text

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT json_extract(body, '$.folder') FROM effects WHERE kind = 'run_tool' AND state = 'done'"
            " AND instr(body, ?) ORDER BY id",
            self.what,
        )
        found = [folder.rpartition("/")[2] for (folder,) in rows]
        return Met(found == [self.ran_in], f"{quoted(self.what)} runs once, in {quoted(self.ran_in)}", str(found))


class WorkStands(CollabForm, frozen=True, kw_only=True):
    """The states of a Bot's work items on a plan, in the order in which they were made."""

    work: Text
    by: Text
    states: Annotated[list[str], Meta(min_length=1)] = msgspec.field(name="is")

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT w.state FROM work_items w JOIN bots b ON b.id = w.bot JOIN plans p ON p.id = w.plan"
            " WHERE p.name = ? AND b.name = ? ORDER BY w.id",
            self.work,
            self.by,
        )
        found = [state for (state,) in rows]
        return Met(found == self.states, f"{self.by}'s work on {quoted(self.work)} is {self.states}", str(found))


class AnswersIn(CollabForm, frozen=True, kw_only=True):
    """Where a Bot that read a line in its work is told to answer it; empty where it is told nothing of that."""

    answers_in: str
    to: Text
    by: Text

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT ifnull(s.title, '') FROM inbox_items i JOIN turns t ON t.id = i.read_by_turn"
            " JOIN bots b ON b.id = t.bot LEFT JOIN sessions s ON s.id = i.reply_in WHERE i.message = ? AND b.name = ?",
            message_of(seen, self.to),
            self.by,
        )
        found = [title for (title,) in rows]
        wanted = f"{self.by} reads {quoted(self.to)} once, to be answered in {quoted(self.answers_in)}"
        return Met(found == [self.answers_in], wanted, str(found))


class TargetsOf(CollabForm, frozen=True, kw_only=True):
    """What a line is filed to, in order: plans by name, `plan › 1` for a ticket."""

    targets_of: Text
    targets: list[str] = msgspec.field(name="are")

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT p.name || ifnull(' › ' || k.number, '') FROM message_filings f JOIN plans p ON p.id = f.plan"
            " LEFT JOIN tickets k ON k.id = f.ticket WHERE f.message = ? ORDER BY f.ord",
            message_of(seen, self.targets_of),
        )
        found = [name for (name,) in rows]
        return Met(found == self.targets, f"{quoted(self.targets_of)} is filed to {self.targets}", str(found))


class PlanStatus(CollabForm, frozen=True, kw_only=True):
    """A plan has this status, in its row and in its points."""

    status_of: Text
    row: Text = msgspec.field(name="is")
    points: Text | None = None
    """Where its points say something else."""

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT p.status, (SELECT points ->> 'status' FROM plan_revisions WHERE plan = p.id"
            " ORDER BY number DESC LIMIT 1) FROM plans p WHERE p.name = ?",
            self.status_of,
        )
        wanted = (self.row, self.points or self.row)
        return Met(rows == [wanted], f"{quoted(self.status_of)} is {wanted}", str(rows))


WORK_FORMS: dict[str, type[CollabForm]] = {
    "works_on": WorksOn,
    "ran_in": RanIn,
    "work": WorkStands,
    "answers_in": AnswersIn,
    "targets_of": TargetsOf,
    "status_of": PlanStatus,
}
