"""What Bots are told about ending a segment: before they do, with the tool, and where an ending is sent back.

The texts are the application's own and never change while it runs.
"""

SAID_IN = ("system", "end_turn", "open_duties")  # END-09
"""Where a Bot reads how it waits for another: what it always reads, the tool's text, and the bounce."""
_WAITING = (  # END-09
    "Where you wait for another Bot, delegate to it, or end as nothing_new; blocked is only for what the user alone"
    " can give."
)
SYSTEM = "End a segment by your reply, or by end_turn."
END_TURN = (
    "End the segment. reason: done, answered, nothing_new, blocked (with needs_from_user) or gave_up (with note)."
    " inbox: what became of each line of the user that you have read. answer: for the Bot that asked."
)
REPLY = "The reply belongs in `answer`: end_turn(answered, answer=…). A message is none."  # END-18
RETURNS = {
    "answer": "end_turn(answered, answer=…)",
    "review": "review, or where nothing is handed in by end_turn(answered, answer=…)",
}
"""By what a delegation expects: how it is returned."""
SAID_NOTHING = (  # END-25
    "The user has got no word from you here. `answer` (which the Bot reads that asked), `note` and `inbox` do not reach"
    " the user, and a file is no reply: reply in the conversation."
)


def on_waiting(place: str) -> str:
    """What a Bot reads in a place about waiting for another."""
    return _WAITING if place in SAID_IN else ""


def given() -> dict[str, str]:
    """What a Bot is given at each hop, by where it stands: what it always reads, and the tool's text."""
    return {"system": f"{SYSTEM} {on_waiting('system')}", "end_turn": f"{END_TURN} {on_waiting('end_turn')}"}
