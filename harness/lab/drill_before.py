"""The stages of the drill up to the request, each of which says what it saw or raises what it did not see.

A person would do the same: start, install, check, look at the plan, ask with the word and say yes.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from harness.lab.acceptance import read_only_findings
from harness.lab.drill_house import COMPANION, SOCKET, TARGET, NotSeen, text
from harness.lab.drill_line import envelope_of
from harness.lab.drill_talk import Drill, spoken
from harness.lab.model import Reply
from threadrebuild.actions import TOOLS
from threadrebuild.config import Settings
from threadrebuild.init import SERVER
from threadrebuild.operation.states import State

SHORT_WAITS = {"activation_delay_seconds": 1.0, "stable_file_seconds": 0.5, "healthcheck_seconds": 2.0}
"""The waits of a household in which nobody but the drill speaks; they change nothing but its length."""
CODE_WORDS = ("水獭-7", "heron  twice")
FIRST = f"Drill. Two code words,  keep them: {CODE_WORDS[0]} and {CODE_WORDS[1]}."


def start(drill: Drill) -> str:
    """The real CLI in a pane of a tmux server of its own, and a first turn."""
    drill.house.start()
    drill.turn(drill.before, FIRST, Reply((text("Noted: two code words, 两个暗号。"),)))
    return f"the real CLI answers in pane {TARGET} of the tmux server {SOCKET!r}, in a home and a network of its own"


def install(drill: Drill) -> str:
    """What a person does: `init`, the two servers, the channel's folder, and the host started again."""
    house = drill.house
    said = _done(drill, *house.core("init", "--yes", "--socket", SOCKET))
    register = next(line.partition(": ")[2].split() for line in said.splitlines() if line.startswith("register the"))
    _done(drill, *register)
    companion = [house.core()[0], "-m", "harness.lab.drill_companion", str(house.outbox), str(house.connected)]
    _done(drill, "claude", "mcp", "add", "--scope", "user", COMPANION, "--", *companion)
    added = {"channel_dir": str(drill.line.folder), **SHORT_WAITS}
    with house.config.open("a", encoding="utf-8") as file:
        file.writelines(f"{key} = {json.dumps(value)}\n" for key, value in added.items())
    drill.session = house.start_again()
    drill.line.connect(house.transcript(drill.session), house.house.settings)
    return "init --yes wrote configuration and Stop hook, and the command that it names registered the tools"


def own_household(drill: Drill) -> str:
    """Nothing that the configuration names lies outside of the drill, and no single-consumer plugin is on."""
    house = drill.house
    foreign = named_outside(house.house.settings, house.place.folder, SOCKET)
    if foreign:
        raise NotSeen(f"the drill names what is not its own: {', '.join(foreign)}")
    consumers = house.ask("doctor")["single_consumers"]
    if consumers:
        raise NotSeen(f"single-consumer plugins are on: {', '.join(consumers)}")
    return "project, state folder, channel and tmux server are the drill's own; no single-consumer plugin is on"


def checks(drill: Drill) -> str:
    """The read-only checks, in order, to the first that fails."""
    answers = {name: drill.house.ask(name) for name in ("doctor", "plan", "dirty")}
    findings = read_only_findings(answers)
    if not findings[-1].ok:
        failed = [f"{each['name']}: {each['detail']}" for each in answers["doctor"]["checks"] if not each["ok"]]
        raise NotSeen("; ".join([f"{findings[-1].name}: {findings[-1].detail}", *failed]))
    return f"all {len(findings)} hold"


def shown_by_the_host(drill: Drill) -> str:
    """Installed is what the host itself shows."""
    _, said, _ = drill.house.run("claude", "mcp", "list")
    for server in (SERVER, COMPANION):
        line = next((line for line in said.splitlines() if line.startswith(f"{server}:")), "not listed")
        if not line.endswith("Connected"):
            raise NotSeen(f"the host shows of {server}: {line[-100:]}")
    return f"the host shows both servers connected: {SERVER} and the stand-in channel"


def message_before(drill: Drill) -> str:
    """A message over the stand-in channel, and a reply over it, before anything is changed."""
    house = drill.house
    message = envelope_of(drill.line.arrives("Can you hear me over the line?"))
    replies = drill.answers("Yes, loud and clear.")
    house.answer_with(*replies)
    stops = house.terminal.stops()
    house.terminal.eventually(drill.line.pass_on, "the message typed")
    house.see_answered(message, stops, replies[-1])
    drill.before += [("user", message), *spoken(replies)]
    missing = not_offered(house.model.main[-1].body)
    if missing:
        raise NotSeen(f"the model is not offered {', '.join(missing)}")
    return f"heard and answered; the model is offered all {len(TOOLS)} tools"


def plan_shown(drill: Drill) -> str:
    """The plan is looked at before anything is asked for, by the tool, which needs no consent."""
    call = drill.house.call(f"mcp__{SERVER}__thread_rebuild_plan")
    drill.turn(drill.before, "Show me the plan.", Reply((text("I look."), call)), Reply((text("All turns go along."),)))
    result = drill.house.result_of(call)
    if "selected_turns" not in result:
        raise NotSeen(f"the plan tool answered {result[:200]}")
    return "the model called the tool, and the figures came back to it over the wire"


def request(drill: Drill) -> str:
    """The request with its word, after consent in the host's own dialog; the turn ends as always."""
    house = drill.house
    drill.old, drill.requests, drill.connections = drill.pane(), len(house.model.main) + 2, house.connections
    call = house.call(f"mcp__{SERVER}__thread_rebuild_request", reason="drill", confirmation="REBUILD")
    replies = (Reply((text("I put it on record."), call)), Reply((text("On record. I answer as always."),)))
    drill.turn(drill.before, "Yes: REBUILD, please.", *replies, agrees=True)
    result = house.result_of(call)
    if "pending" not in result:
        raise NotSeen(f"the request tool answered {result[:200]}")
    return f"the host asked for consent; operation {house.operation.id} is on record"


def scheduled(drill: Drill) -> str:
    """The Stop hook of the turn that ended started a worker."""
    house = drill.house
    operation = house.terminal.eventually(
        lambda: found if (found := house.operation).state is not State.PENDING else None, "a worker for what waits"
    )
    events = [step.event for step in operation.steps][:2]
    if events != ["request", "schedule"]:
        raise NotSeen(f"the operation went {' → '.join(events)}")
    return "the host's own Stop hook started the worker when the turn had ended"


def named_outside(settings: Settings, folder: Path, socket: str) -> list[str]:
    """The keys of a configuration that name something outside of a folder, or another tmux server than `socket`."""
    named: Mapping[str, str | None] = {
        "project_dir": settings.project_dir,
        "claude_workdir": settings.claude_workdir,
        "state_dir": settings.state_dir,
        "channel_dir": settings.channel_dir,
        "resume_pointer_path": settings.resume_pointer_path,
    }
    own = folder.resolve()
    outside = [key for key, path in named.items() if path and own not in Path(path).expanduser().resolve().parents]
    return outside + ([] if settings.tmux_socket == socket else ["tmux_socket"])


def not_offered(body: object) -> list[str]:
    """The tools whose names stand nowhere in a request: neither offered, nor on the list of those to be looked up."""
    shown = json.dumps(body)
    return [tool.name for tool in TOOLS if f"mcp__{SERVER}__{tool.name}" not in shown]


def _done(drill: Drill, *command: str) -> str:
    code, said, complained = drill.house.run(*command)
    if code:
        raise NotSeen(f"{' '.join(command[:4])}: exit code {code}: {(complained or said).strip()[-300:]}")
    return said
