"""What must hold of a household's holds after every commit, told by SQL of its own: the core's views are not asked."""

from harness.invariants.invariant import LIVE, Invariant

_HERE = (
    "h.lifted_by IS NULL AND {bot} NOT IN (SELECT value FROM json_each(h.effect, '$.released_bots')) AND ("
    "h.scope = 'everything' OR (h.scope = 'bot' AND h.bot = {bot})"
    " OR (h.scope = 'session' AND h.session IN ({session}, (SELECT session FROM plans WHERE id = {plan})))"
    " OR (h.scope = 'plan' AND h.plan = {plan}) OR (h.scope = 'ticket' AND h.ticket = {ticket})"
    " OR (h.scope = 'bot_in_plan' AND h.bot = {bot} AND h.plan = {plan}) OR (h.scope = 'turn' AND h.turn = {turn})"
    " OR EXISTS (SELECT 1 FROM hold_cover c WHERE c.hold = h.id AND"
    " (c.turn = {turn} OR (c.bot = {bot} AND c.plan = {plan}))))"
)
"""Whether a hold `h` that stands is over something, by who and where it is."""
_TURN = _HERE.format(
    bot="t.bot",
    session="t.session",
    plan="ifnull(t.plan, iif((SELECT level FROM meta) < 2,"
    " (SELECT plan FROM messages WHERE id = t.trigger_message), NULL))",
    ticket="t.ticket",
    turn="t.id",
)
_WAIT = _HERE.format(
    bot="w.bot", session="ifnull(x.session, w.session)", plan="w.plan", ticket="w.ticket", turn="x.made_by_turn"
)

HELD = (
    Invariant(
        "HOLD-13",
        "nothing that is held is live but what only answers",
        1,
        "SELECT 'segment ' || t.id || ' is ' || t.state || ' under hold ' || h.id FROM holds h CROSS JOIN turns t"
        f" WHERE t.state IN {LIVE} AND t.mode IS NOT 'readonly' AND {_TURN}",
    ),
    Invariant(
        "HOLD-72",
        "what is held has no call under way",
        1,
        "SELECT 'call ' || c.id || ' is ' || c.name || ' of segment ' || t.id || ' under hold ' || h.id FROM holds h"
        " CROSS JOIN turns t JOIN calls c ON c.turn = t.id JOIN effects e ON e.id = c.effect"
        " WHERE c.effectful = 1 AND c.state = 'started' AND e.state IN ('pending', 'started')"
        f" AND {_TURN}",
    ),
    Invariant(
        "HOLD-11",
        "a hold is lifted by what the user did since",
        1,
        "SELECT 'hold ' || h.id || ' was lifted by action ' || h.lifted_by FROM holds h WHERE h.lifted_by IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM user_actions u WHERE u.id = h.lifted_by AND u.event > h.seq)",
    ),
    Invariant(
        "HOLD-53",
        "a check-back under a hold is suspended, and void to who knows no holds",
        1,
        "SELECT 'check-back ' || x.id || ' is ' || x.state || ' under hold ' || h.id FROM holds h CROSS JOIN waits x"
        " JOIN work_items w ON w.id = x.work_item WHERE x.kind = 'timer' AND (x.state = 'open'"
        f" OR (x.state = 'suspended' AND x.voided = 0)) AND {_WAIT}",
    ),
    Invariant(
        "HOLD-35",
        "a plan under a hold of its own or its session's is not active",
        1,
        "SELECT 'plan ' || p.id || ' is active under hold ' || h.id FROM holds h CROSS JOIN plans p"
        " WHERE h.lifted_by IS NULL AND p.status = 'active' AND ((h.scope = 'plan' AND h.plan = p.id)"
        " OR (h.scope = 'session' AND h.session = p.session))",
    ),
)
"""Looked at after every commit, as the others are (`harness.invariants.collab`)."""
