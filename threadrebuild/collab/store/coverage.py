"""What a hold covers, as the one view that says what is held: it is over each subject that one of these ways leads to.

A subject is a segment, a Bot's work, a copy that waits there to be read, or a check-back. `s` is the subject and `h` a
hold that stands; what a hold covers besides its scope was fixed when it was made.
"""

_FIXED = "EXISTS (SELECT 1 FROM hold_cover c WHERE c.hold = h.id AND {})"

WAYS = (
    "h.scope = 'everything'",  # HOLD-2
    "h.scope = 'bot' AND s.bot = h.bot",  # HOLD-2 HOLD-3
    "h.scope = 'session' AND s.session = h.session",  # HOLD-2
    "h.scope = 'session' AND (SELECT session FROM plans WHERE id = s.plan) = h.session",  # HOLD-4
    "h.scope = 'plan' AND s.plan = h.plan",  # HOLD-1 HOLD-2 HOLD-5
    "h.scope = 'ticket' AND s.ticket = h.ticket",  # HOLD-2
    "h.scope = 'bot_in_plan' AND s.bot = h.bot AND s.plan = h.plan",  # HOLD-2
    "h.scope = 'turn' AND s.turn = h.turn",  # HOLD-2 HOLD-6
    _FIXED.format("c.turn = s.turn"),  # HOLD-9
    # What its lines would wake: not who works on one already, unless that is covered itself.
    _FIXED.format("c.turn = s.woken_by AND (s.kind = 'item' OR s.seq > h.seq)"),  # HOLD-9
    _FIXED.format("c.bot = s.bot AND c.plan = s.plan"),  # HOLD-9
    # What a segment that it stopped had not read yet.
    "s.kind = 'item' AND s.seq < h.seq AND s.inbox IN (SELECT t.work_item FROM json_each(h.effect, '$.stopped_turns') e"
    " JOIN turns t ON t.id = json_extract(e.value, '$.turn'))",  # HOLD-33
)
UNLESS = (
    "s.bot IN (SELECT value FROM json_each(h.effect, '$.released_bots'))",  # HOLD-31
)

VIEW = (
    "CREATE VIEW hold_hits AS SELECT h.id AS hold, s.kind AS kind, s.id AS id"
    " FROM hold_subjects s JOIN holds h ON h.lifted_by IS NULL WHERE ("
    + " OR ".join(f"({way})" for way in WAYS)
    + ")"
    + "".join(f" AND NOT ({but})" for but in UNLESS)
    + ";\n"
)
