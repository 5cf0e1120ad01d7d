"""The seven tools over stdio: what a model may ask of a household, each answer or refusal as a tool result.

Heavy to import (the official SDK): only `threadrebuild mcp` does.
"""

from collections.abc import Callable
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool as ServedTool
from mcp_types import ToolAnnotations

from threadrebuild import __version__, actions
from threadrebuild.operation.household import Household, Refused
from threadrebuild.operation.store import StoreError
from threadrebuild.transcript.lines import UnreadableInput

Answer = dict[str, Any]

INSTRUCTIONS = (
    "Carries this session's dialogue, byte for byte, into a clean session and switches over to it. Look first "
    "(doctor, dirty, plan, status). Request, cancel and roll back only when the user has said so; then reply "
    "normally: the change follows when your turn has ended."
)


def serve(house: Household) -> None:
    """Answer on stdin and stdout until the host closes them."""
    server(house).run("stdio")


def server(house: Household) -> MCPServer:
    """A server that offers exactly the tools of `actions.TOOLS` for one household (TR-131)."""
    signatures = _signatures(house)
    tools = [_served(tool, signatures[tool.answer]) for tool in actions.TOOLS]
    return MCPServer("threadrebuild", version=__version__, instructions=INSTRUCTIONS, tools=tools, log_level="WARNING")


def _signatures(house: Household) -> dict[Callable[..., Answer], Callable[..., Answer]]:
    """Each action as the model sees it: its arguments and what it is told about them."""

    def doctor() -> Answer:
        """Check directory, program, target, identity and any unfinished operation of this household. Reads only."""
        return _answer(actions.doctor, house)

    def dirty() -> Answer:
        """Weigh the run traces of the newest transcript, and say whether a rebuild is advised. Reads only."""
        return _answer(actions.dirty, house)

    def plan() -> Answer:
        """Preview a rebuild of the newest transcript: turns, token estimate, signs of poison. Reads only."""
        return _answer(actions.plan, house)

    def status(operation_id: str | None = None) -> Answer:
        """Show the named operation, or the latest, with its state and evidence. Reads only."""
        return _answer(actions.status, house, operation_id)

    def request(reason: str, confirmation: str) -> Answer:
        """Put a rebuild on record; it starts after this turn has ended. Only when the user has agreed to it.

        confirmation must be exactly REBUILD.
        """
        return _answer(actions.request, house, reason, confirmation)

    def cancel(confirmation: str, operation_id: str | None = None) -> Answer:
        """Take back a rebuild that has not started. confirmation must be exactly CANCEL."""
        return _answer(actions.cancel, house, confirmation, operation_id)

    def rollback_request(confirmation: str, operation_id: str | None = None) -> Answer:
        """Ask for the old session back; it happens after this turn has ended. Only when the user has agreed to it.

        confirmation must be exactly ROLLBACK.
        """
        return _answer(actions.rollback_request, house, confirmation, operation_id)

    return {
        actions.doctor: doctor,
        actions.dirty: dirty,
        actions.plan: plan,
        actions.status: status,
        actions.request: request,
        actions.cancel: cancel,
        actions.rollback_request: rollback_request,
    }


def _served(tool: actions.Tool, signature: Callable[..., Answer]) -> ServedTool:
    served = ServedTool.from_function(
        signature,
        name=tool.name,
        annotations=ToolAnnotations(
            read_only_hint=tool.word is None,  # TR-132
            destructive_hint=tool.word is not None,
            open_world_hint=False,
        ),
    )
    # The SDK lets unknown arguments pass; a misspelt one would be taken for one that was left out.
    arguments = served.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    served.parameters = arguments.model_json_schema(by_alias=True)
    return served


def _answer(action: Callable[..., Answer], *arguments: Any) -> Answer:
    """What an action answers; what it refuses is a tool error that says why and has stored nothing."""
    try:
        return action(*arguments)
    except Refused as error:
        raise ToolError(f"{error.reason}: {error}") from None
    except UnreadableInput as error:
        raise ToolError(f"unreadable-input: {error}") from None
    except StoreError as error:
        raise ToolError(f"store: {error}") from None
    except OSError as error:
        raise ToolError(f"system: {error}") from None
