"""What the real CLI shows of an installation, with made-up requests: tools offered and called, a Stop hook told."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.expect import expect, expect_equal, proves
from harness.lab.house import hook_faults, hook_inputs, tool_faults
from harness.lab.script import ASKED, ASKED_TOOL, REASON
from harness.lab.session import Place, Played
from threadrebuild.actions import TOOLS
from threadrebuild.host_shows import Shown, hook_input_faults, not_shown
from threadrebuild.init import SERVER

NAMES = [tool.name for tool in TOOLS]
OFFER = {
    "tools": [{"name": f"mcp__{SERVER}__{name}"} for name in NAMES],
    "messages": [{"role": "user", "content": "x"}],
}
ANSWER = {"ok": True, "operation": "0f", "state": "pending", "reasons": [REASON]}
TOLD: dict[str, Any] = {
    "session_id": "s",
    "transcript_path": "/p/s.jsonl",
    "cwd": "/w",
    "hook_event_name": "Stop",
    "stop_hook_active": False,
}


@proves("TR-185")
def test_installed_is_what_the_host_shows(tmp_path: Path) -> None:
    # An entry stands in a file; what counts is whether the host offers the tools and calls the hook.
    (tmp_path / "settings.json").write_text(json.dumps({"hooks": {"Stop": []}, "mcpServers": {SERVER: {}}}))
    expect_equal("TR-185", len(NAMES), 7, "tools of the server")
    expect_equal("TR-185", not_shown(Shown(frozenset(NAMES), 1)), [], "all seven offered, the hook called once")
    for name in NAMES:
        faults = not_shown(Shown(frozenset(NAMES) - {name}, 1))
        expect_equal("TR-185", faults, [f"the host does not offer {name}"], "one tool is not offered")
    faults = not_shown(Shown(frozenset(NAMES), 0))
    expect_equal("TR-185", faults, ["the host never called the Stop hook"], "the hook stands in another file")
    expect_equal("TR-185", len(not_shown(Shown(frozenset(), 0))), 2, "nothing is shown")
    expect("TR-185", not_shown(Shown(frozenset({*NAMES, "more"}), 2)) == [], "more than that is no fault")


def test_a_stop_hook_has_to_be_told_five_things() -> None:
    assert hook_input_faults(json.dumps({**TOLD, "effort": {"level": "medium"}}).encode()) == []
    for name in TOLD:
        less = {key: value for key, value in TOLD.items() if key != name}
        assert hook_input_faults(json.dumps(less).encode()) == [f"the Stop hook is told no {name}"]
    odd = json.dumps({**TOLD, "stop_hook_active": "no"}).encode()
    assert hook_input_faults(odd) == ["the Stop hook's stop_hook_active is 'no'"]
    assert hook_input_faults(json.dumps({**TOLD, "hook_event_name": "SubagentStop"}).encode()) != []
    assert hook_input_faults(b"[]") == hook_input_faults(b"none") == ["the Stop hook's input is no JSON object"]


def test_stop_hooks_that_were_called_at_once_are_told_apart(tmp_path: Path) -> None:
    place = Place(tmp_path, "1.0.128", ("claude",))
    assert hook_inputs(place) == []
    line = json.dumps(TOLD)
    place.hook_input.write_text(f"{line}\n{line}{line}\n\n{line}\n")
    assert hook_inputs(place) == [TOLD] * 4


def played(folder: Path, *requests: dict[str, Any], stops: list[dict[str, Any]] | None = None) -> Played:
    place = Place(folder, "2.1.199", ("claude",))
    operations = place.household / "state" / "operations"
    operations.mkdir(parents=True, exist_ok=True)
    (operations / "0f.json").write_text(json.dumps({"reasons": [REASON]}))
    own = {"session_id": "s", "transcript_path": str(place.project / "s.jsonl"), "cwd": str(place.work)}
    lines = [json.dumps({**TOLD, **own, **stop}) + "\n" for stop in ([{}] if stops is None else stops)]
    place.hook_input.write_text("".join(lines))
    return Played(place, "printed", place.project / "s.jsonl", list(requests))


def answered(content: Any, **fields: Any) -> dict[str, Any]:
    call = {"type": "tool_use", "id": ASKED, "name": ASKED_TOOL, "input": {}}
    result = {"type": "tool_result", "tool_use_id": ASKED, "content": content, **fields}
    return {"messages": [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(ANSWER),
        json.dumps(ANSWER) + "\n\n<system-reminder>\nbe brief</system-reminder>",
        [{"type": "text", "text": json.dumps(ANSWER, indent=1)}],
    ],
)
def test_an_answer_that_came_back_is_found_in_every_shape(tmp_path: Path, content: Any) -> None:
    assert tool_faults(played(tmp_path, OFFER, answered(content))) == []


def test_an_answer_that_did_not_come_back_is_named(tmp_path: Path) -> None:
    assert tool_faults(played(tmp_path, OFFER)) == ["the tool's result was never sent"]
    denied = answered("you haven't granted it yet", is_error=True)
    assert tool_faults(played(tmp_path, OFFER, denied)) == ["the tool was not run: you haven't granted it yet"]
    other = answered(json.dumps({**ANSWER, "operation": "0e"}))
    assert tool_faults(played(tmp_path, OFFER, other)) == ["operation '0e' came back, and is not on record"]
    more = answered(json.dumps(ANSWER) + " and more")
    assert tool_faults(played(tmp_path, OFFER, more)) == ["the answer is followed by 'and more'"]


def test_a_tool_that_is_named_only_where_it_is_called_was_not_offered(tmp_path: Path) -> None:
    faults = tool_faults(played(tmp_path, answered(json.dumps(ANSWER))))
    assert faults == [f"the host does not offer {', '.join(NAMES)}"]


def test_the_reason_has_to_arrive_as_it_was_given(tmp_path: Path) -> None:
    session = played(tmp_path, OFFER, answered(json.dumps(ANSWER)))
    path = session.place.household / "state" / "operations" / "0f.json"
    path.write_text(json.dumps({"reasons": [REASON.replace("  ", " ")]}))
    assert [fault.partition(" as ")[0] for fault in tool_faults(session)] == ["the reason arrived"]


def test_the_hook_is_told_of_the_session_that_was_written(tmp_path: Path) -> None:
    rebuilt = {"session_id": "new", "transcript_path": "/p/new.jsonl"}
    assert hook_faults(played(tmp_path, stops=[{}, rebuilt])) == []
    assert hook_faults(played(tmp_path, stops=[])) == ["the Stop hook was never called for session s"]
    assert hook_faults(played(tmp_path, stops=[rebuilt])) == ["the Stop hook was never called for session s"]
    elsewhere = hook_faults(played(tmp_path, stops=[{"cwd": "/elsewhere"}]))
    assert [fault.partition(", not ")[0] for fault in elsewhere] == ["the Stop hook's cwd is '/elsewhere'"]
