"""A story of rooms as a reader of its report sees it: who said what, each turn, and why a line woke a Bot or not."""

from pathlib import Path
from typing import Any

from harness.runlog import RunLog
from harness.scenario.collab.course_holds import write_holds
from harness.scenario.collab.play import Played, play
from harness.scenario.stories.loading import Story
from harness.world.kernel import Fault
from harness.world.rooms import clock

WHY = {
    "direct": "it was said to it",
    "mention": "it was mentioned",
    "everyone": "everyone was mentioned",
    "plan_lead": "it leads the plan",
    "group_lead": "it leads the group",
    "judged": "it judged to step in",
    "delegate": "it was asked for this",
}
JUDGED = {
    "join": "it judged to step in, and another answers",
    "look_on": "it judged to look on",
    "failed": "its judgement failed",
    None: "it has not judged",
}
PLACE = "iif(s.kind = 'direct', 'with ', '') || s.title"
"""Where something was said, as a reader knows the place."""
UNREAD = {
    "queued": "waits unread",
    "held": "is kept by a hold",
    "void": "was taken back unread",
    "superseded": "was superseded",
}


def played(story: Story, folder: Path, seed: int, log: RunLog, number: int, faults: tuple[Fault, ...] = ()) -> Played:
    """Play a story and tell its course. Raises `ScenarioError` for an answer that is missing, or not asked for."""
    seen = play(story, folder, seed, log, number, faults)
    write_course(seen, log, number)
    return seen


def write_course(played: Played, log: RunLog, number: int) -> None:
    """Add the story's `turn` and `held` steps, and each `line` with what it came to for each Bot (`woke`)."""
    numbers = [turn for (turn,) in played.rows("SELECT id FROM turns ORDER BY id")]
    turns = {turn: _write_turn(played, log, number, turn) for turn in numbers}
    write_holds(played, log, number, turns)
    rows = played.rows(
        f"SELECT m.id, m.at, m.author, b.name, {PLACE}, m.text, e.key FROM messages m"
        " JOIN sessions s ON s.id = m.session JOIN events e ON e.seq = m.seq LEFT JOIN bots b"
        " ON b.id = m.bot ORDER BY m.id"
    )
    for message, at, author, name, where, text, key in rows:
        line = log.add(
            "line",
            transcript=number,
            at=clock(at),
            who=name or author,
            where=where,
            did="says",
            text=text,
            ms=at,
            event=played.rooms.logged.get(key),
        )
        for bot, why, became, turn in _woken(played, message):
            log.add(
                "woke", transcript=number, line=line, bot=bot, why=why, became=became, turn=turns.get(turn), number=turn
            )


def _write_turn(played: Played, log: RunLog, number: int, turn: int) -> int:
    ((bot, where, began, ended, mode, state, reason, plan, ticket, key, message),) = played.rows(
        f"SELECT b.name, {PLACE}, t.began_at, t.ended_at, t.mode, t.state, t.end_reason, p.name, k.number, e.key,"
        " t.trigger_message FROM turns t JOIN bots b ON b.id = t.bot JOIN sessions s ON s.id = t.session"
        " JOIN events e ON e.seq = t.began_seq LEFT JOIN plans p ON p.id = t.plan LEFT JOIN tickets k"
        " ON k.id = t.ticket WHERE t.id = ?",
        turn,
    )
    opened_by = played.rows("SELECT text FROM messages WHERE id = ?", message)
    calls = played.rows("SELECT name, state FROM calls WHERE turn = ? ORDER BY id", turn)
    return log.add(
        "turn",
        transcript=number,
        number=turn,
        bot=bot,
        where=where,
        began=began,
        ended=ended,
        at=clock(began),
        until=None if ended is None else clock(ended),
        mode=mode,
        matter=plan and plan + (f" › {ticket}" if ticket is not None else ""),
        state=state,
        reason=reason,
        opened_by=opened_by[0][0] if opened_by else None,
        event=played.rooms.logged.get(key),
        ran=[f"{name}: {state}" for name, state in calls],
    )


def _woken(played: Played, message: int) -> list[tuple[str, str, str, int | None]]:
    """Each Bot that a line could have woken: why it was to read it or not, what came of that, and in which turn."""
    ((session, author, said_by),) = played.rows("SELECT session, author, bot FROM messages WHERE id = ?", message)
    if author == "app":
        return []
    copies = played.rows(
        "SELECT w.bot, i.state, i.read_by_turn, t.trigger_item = i.id"
        " OR (t.mode = 'readonly' AND t.trigger_message = i.message), (SELECT json_extract(e.body, '$.place')"
        " FROM work_events e WHERE e.type = 'work.queued' AND e.event = i.seq AND e.bot = w.bot AND e.plan = w.plan)"
        " FROM inbox_items i JOIN work_items w ON w.id = i.work_item LEFT JOIN turns t ON t.id = i.read_by_turn"
        " WHERE i.message = ? AND i.kind = 'line' ORDER BY i.id",
        message,
    )
    received = dict(played.rows("SELECT bot, why FROM message_receivers WHERE message = ?", message))
    judged = dict(played.rows("SELECT bot, answer FROM judgements WHERE message = ?", message))
    present = [bot for (bot,) in played.rows("SELECT bot FROM session_participants WHERE session = ?", session)]
    found = []
    for bot in dict.fromkeys([*received, *(bot for bot, *_ in copies), *present]):
        if bot == said_by:
            continue
        own = [copy for copy in copies if copy[0] == bot]
        if bot in received:
            why = WHY[received[bot]]
        elif own:
            why = "it is at work on this"
        else:
            why = JUDGED[judged[bot]] if bot in judged else _why_not(played, message, bot)
        found += [(_name(played, bot), why, *_became(copy)) for copy in own] or [
            (_name(played, bot), why, *_without_copy(played, message, bot, bot in received))
        ]
    return found


def _became(copy: tuple[Any, ...]) -> tuple[str, int | None]:
    _, state, turn, opened, place = copy
    queued = f", queued at {place}" if place is not None else ""
    if turn is None:
        return UNREAD[state] + queued, None
    return ("opened a turn" if opened else "was read at a turn's next step") + queued, turn


def _without_copy(played: Played, message: int, bot: int, received: bool) -> tuple[str, int | None]:
    answered = played.rows(
        "SELECT t.id FROM asks a JOIN user_actions u ON u.id = a.answered_by JOIN turns t ON t.id = a.turn"
        " WHERE u.message = ? AND t.bot = ?",
        message,
        bot,
    )
    if answered:
        return "was the answer to its question", answered[0][0]
    return ("went with what was cleared" if received else "did not wake it"), None


def _why_not(played: Played, message: int, bot: int) -> str:
    suppressed = played.rows(
        "SELECT ifnull(json_extract(body, '$.reason'), 'hold ' || json_extract(body, '$.holds[0]'))"
        " FROM work_events WHERE type = 'wake.suppressed' AND bot = ?"
        " AND json_extract(body, '$.message') = ?",
        bot,
        message,
    )
    return f"wake suppressed: {suppressed[0][0]}" if suppressed else "it was not meant"


def _name(played: Played, bot: int) -> str:
    return str(played.rows("SELECT name FROM bots WHERE id = ?", bot)[0][0])
