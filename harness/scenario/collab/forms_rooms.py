"""What a story of rooms may demand of who is in them, who judges, and what Bots say to each other."""

from harness.scenario.collab.forms import CollabForm, Count, message_of
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import quoted, times


class Judged(CollabForm, frozen=True, kw_only=True):
    """Exactly these Bots judged whether to step in for a line, each so often as it is named."""

    judged: Text
    by: list[str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT b.name FROM effects e JOIN bots b ON b.id = json_extract(e.body, '$.bot')"
            " WHERE e.kind = 'judge' AND e.subject LIKE ? AND e.state = 'done' ORDER BY b.id",
            f"judge:{message_of(seen, self.judged)}:%",
        )
        found = [name for (name,) in rows]
        return Met(sorted(found) == sorted(self.by), f"{quoted(self.judged)} is judged by {self.by}", str(found))


class Members(CollabForm, frozen=True, kw_only=True):
    """These Bots are in a room, in the order they joined."""

    members: Text
    are: list[str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT b.name FROM session_participants p JOIN bots b ON b.id = p.bot JOIN sessions s ON s.id = p.session"
            " WHERE s.title = ? ORDER BY p.since, b.id",
            self.members,
        )
        found = [name for (name,) in rows]
        return Met(found == self.are, f"in {self.members} there are {self.are}", str(found))


class Woken(CollabForm, frozen=True, kw_only=True):
    """What a Bot says, known by a part of it, is received by exactly these, each time that it is said."""

    woken_by: Text
    are: list[str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT m.id, (SELECT group_concat(name) FROM (SELECT b.name FROM message_receivers r"
            " JOIN bots b ON b.id = r.bot WHERE r.message = m.id ORDER BY b.id)) FROM messages m"
            " WHERE m.author = 'bot' AND instr(m.text, ?)",
            self.woken_by,
        )
        found = [sorted((names or "").split(",")) if names else [] for _, names in rows]
        ok = bool(found) and all(each == sorted(self.are) for each in found)
        return Met(ok, f"{quoted(self.woken_by)} is received by {self.are}", str(found))


class TurnsOf(CollabForm, frozen=True, kw_only=True):
    """A Bot has so many turns."""

    turns_of: Text
    count: Count

    def met(self, seen: Played) -> Met:
        count = seen.rows("SELECT count(*) FROM turns t JOIN bots b ON b.id = t.bot WHERE b.name = ?", self.turns_of)
        wanted = f"{self.turns_of} has a turn {times(self.count)}"
        return Met(count[0][0] == self.count, wanted, times(count[0][0]))


ROOM_FORMS: dict[str, type[CollabForm]] = {
    "judged": Judged,
    "members": Members,
    "woken_by": Woken,
    "turns_of": TurnsOf,
}
