"""A check that would look outside the workspace cannot be written."""

from pathlib import Path
from typing import Any

from checking import accepted, added, all_ran
from ending import at_work

from harness.expect import expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.change import Conflict

WRITTEN: tuple[tuple[str, dict[str, Any], bool], ...] = (
    ("file_exists", {"path": "deliverables/../deliverables/poster.png"}, True),
    ("file_exists", {"path": "../poster.png"}, False),
    ("file_exists", {"path": "/etc/passwd"}, False),
    ("contains", {"path": "~/x", "text": "x", "inverted": True}, False),
    ("matches", {"path": "a/../../x", "pattern": "x"}, False),
    ("command", {"command": "make test"}, True),
    ("command", {"command": "ls .."}, False),
    ("command", {"command": "cat /etc/passwd"}, False),
    ("command", {"command": "make test", "folder": ".."}, False),
    ("command", {"command": "ls ..", "folder": "site"}, True),
    ("continuity", {"glob": "report/*.md"}, True),
    ("continuity", {"glob": "../*.md"}, False),
    ("continuity", {"command": "ls ~"}, False),
    ("continuity", {"file": "/etc/passwd"}, False),
)


@proves("CHK-03")
def test_a_check_that_looks_outside_cannot_be_written(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    accepted(home, plan)
    for kind, body, stays in WRITTEN:
        try:
            check = added(home, plan, kind, body)
        except Conflict as refused:
            expect_equal("CHK-03", (refused.code, stays), ("out_of_bounds", False), f"what is said of {kind} {body}")
            continue
        expect_equal("CHK-03", stays, True, f"{kind} {body} is written")
        all_ran(home)
        home.happens(events.CheckDeleted, check=check)
    added(home, plan)
    all_ran(home)
    for body in ({"path": "../poster.png"}, {"path": "poster.png"}):
        try:
            home.happens(events.CheckEdited, check=home.value("SELECT max(id) FROM checks"), body=body)
            outcome = "written"
        except Conflict as refused:
            outcome = refused.code
        wanted = "out_of_bounds" if body["path"].startswith("..") else "written"
        expect_equal("CHK-03", outcome, wanted, f"a check edited to {body}")
