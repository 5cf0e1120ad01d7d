-- The collaboration store: what a user and several Bots said, planned, held and did.
-- Rows refer to each other by number; times are milliseconds since 1970 (UTC). What must never be, the store refuses,
-- whoever writes: an older version, another process, or a mistake of our own.

CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 8),
  zone TEXT NOT NULL DEFAULT 'Asia/Shanghai',     -- the user's
  language TEXT NOT NULL DEFAULT 'zh' CHECK (language IN ('zh', 'en')),  -- of the user's interface
  engine TEXT NOT NULL DEFAULT 'general' CHECK (engine IN ('general', 'video', 'code')),  -- of what kind it is
  scribe INTEGER CHECK (scribe IN (0, 1)),        -- whether the user wants the scribe; NULL: as the kind has it
  quotes_kept INTEGER NOT NULL DEFAULT 0,         -- whether the words of before were copied out of the transcript
  rules_taken_in INTEGER NOT NULL DEFAULT 0,      -- whether the rules of before were taken into the ledger
  raised_from INTEGER                             -- the level below 2 that plans of it have not been taken over from yet
);
CREATE TRIGGER level_only_rises BEFORE UPDATE ON meta WHEN NEW.level < OLD.level BEGIN
  SELECT RAISE(ABORT, 'a store never goes back to a lower level');
END;

-- ------------------------------------------------------------------ events in, effects out

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE effects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event INTEGER NOT NULL REFERENCES events (seq),
  kind TEXT NOT NULL,
  turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  subject TEXT NOT NULL DEFAULT '',
  body TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'started', 'done', 'void'))
);
CREATE UNIQUE INDEX one_open_effect_a_turn ON effects (turn) WHERE turn IS NOT NULL AND state IN ('pending', 'started');
CREATE INDEX effects_of_event ON effects (event);
CREATE INDEX effects_of_subject ON effects (subject);
CREATE INDEX effects_open ON effects (state) WHERE state IN ('pending', 'started');

CREATE TABLE user_actions (
  id INTEGER PRIMARY KEY,
  event INTEGER NOT NULL REFERENCES events (seq),
  kind TEXT NOT NULL CHECK (kind IN ('line', 'button', 'http')),
  message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  request TEXT
);

CREATE TABLE work_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event INTEGER NOT NULL REFERENCES events (seq),
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  bot INTEGER, model TEXT, plan INTEGER, ticket INTEGER, turn INTEGER,
  body TEXT NOT NULL
);
CREATE TRIGGER work_events_stay BEFORE UPDATE ON work_events BEGIN
  SELECT RAISE(ABORT, 'the work log is only added to');
END;
CREATE TRIGGER work_events_are_kept BEFORE DELETE ON work_events BEGIN
  SELECT RAISE(ABORT, 'the work log is only added to');
END;

-- ------------------------------------------------------------------ who and where

CREATE TABLE bots (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  model TEXT NOT NULL DEFAULT 'default',
  engine TEXT NOT NULL DEFAULT 'endpoint' CHECK (engine IN ('endpoint', 'claude_agent')),
  parallel_limit,  -- of any type: what is no positive whole number counts as the default
  asks_first TEXT NOT NULL DEFAULT '[]',         -- the tools that it uses only once the user has allowed the call
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'archived', 'deleted'))
);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('direct', 'group', 'bots', 'files')),
  title TEXT NOT NULL,
  bot INTEGER REFERENCES bots (id),              -- the Bot of a direct chat with the user
  opened_by INTEGER REFERENCES bots (id),        -- of a chat among Bots
  source INTEGER REFERENCES sessions (id),       -- where a chat among Bots was opened from
  collaboration INTEGER NOT NULL DEFAULT 0 CHECK (collaboration IN (0, 1)),
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'archived', 'deleted')),
  CHECK ((kind = 'direct') = (bot IS NOT NULL))
);

CREATE TABLE session_participants (
  session INTEGER NOT NULL REFERENCES sessions (id),
  bot INTEGER NOT NULL REFERENCES bots (id),
  is_lead INTEGER NOT NULL DEFAULT 0 CHECK (is_lead IN (0, 1)),
  lead_by INTEGER REFERENCES user_actions (id),   -- the user's confirmation
  since INTEGER NOT NULL REFERENCES events (seq),
  PRIMARY KEY (session, bot),
  -- LEAD-08 PART-05
  CHECK (is_lead = 0 OR lead_by IS NOT NULL)
);
CREATE UNIQUE INDEX one_lead_a_session ON session_participants (session) WHERE is_lead = 1;

CREATE TABLE claude_accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  listed INTEGER NOT NULL DEFAULT 1 CHECK (listed IN (0, 1))
);
CREATE TABLE step_models (
  step TEXT PRIMARY KEY CHECK (step IN ('judgement', 'reader', 'scribe', 'picture_judgement')),
  model TEXT NOT NULL,
  account INTEGER REFERENCES claude_accounts (id),  -- of the user's own Claude Code
  chosen_by INTEGER REFERENCES user_actions (id),   -- NULL where a Bot has
  -- READ-25
  CHECK (account IS NULL OR chosen_by IS NOT NULL)
);
-- READ-25
CREATE TRIGGER an_account_in_use_stays BEFORE UPDATE OF listed ON claude_accounts
WHEN NEW.listed = 0 AND EXISTS (SELECT 1 FROM step_models WHERE account = OLD.id) BEGIN
  SELECT RAISE(ABORT, 'an account that reads lines is exchanged before it is taken off the list');
END;
CREATE TABLE seeing_models (                      -- models of endpoints that are marked as able to see pictures
  model TEXT PRIMARY KEY
);
CREATE TABLE step_prompts (
  step TEXT PRIMARY KEY CHECK (step IN ('user words', 'filing')),
  text TEXT NOT NULL
);

-- ------------------------------------------------------------------ words

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions (id),
  author TEXT NOT NULL CHECK (author IN ('user', 'bot', 'app')),
  bot INTEGER REFERENCES bots (id),
  seq INTEGER NOT NULL REFERENCES events (seq),
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  edited_at INTEGER,
  reply_to INTEGER REFERENCES messages (id),
  parent INTEGER REFERENCES messages (id),
  turn INTEGER,                                   -- the turn that a Bot said it in
  state TEXT NOT NULL DEFAULT 'arrived' CHECK (state IN ('arrived', 'filed', 'judging', 'delivered', 'withdrawn')),
  was_read INTEGER NOT NULL DEFAULT 0,            -- whether a Bot has read it out of an inbox
  head_at INTEGER,                                -- when its turn among the lines of its session came
  filing TEXT CHECK (filing IN ('filed', 'undetermined', 'none')),
  plan INTEGER REFERENCES plans (id),             -- the first of its filings, for versions that know one only
  ticket INTEGER REFERENCES tickets (id),
  card_plan INTEGER REFERENCES plans (id),        -- the target picked on a card
  to_everyone INTEGER NOT NULL DEFAULT 0,
  control TEXT,                                   -- what the application has to do with it, as JSON
  only_for INTEGER REFERENCES bots (id),          -- a line that one Bot alone reads
  CHECK ((author = 'bot') = (bot IS NOT NULL))
);
CREATE INDEX messages_of_session ON messages (session, id);

-- STAT-2
CREATE TRIGGER a_bot_says_its_own_lines BEFORE INSERT ON messages
WHEN NEW.author = 'bot' AND NEW.bot IS NOT (SELECT bot FROM turns WHERE id = NEW.turn) BEGIN
  SELECT RAISE(ABORT, 'what stands under the name of a Bot, it has said in a turn of its own');
END;
-- QUOT-31
CREATE TRIGGER a_withdrawn_line_stays BEFORE UPDATE OF text, state ON messages WHEN OLD.state = 'withdrawn' BEGIN
  SELECT RAISE(ABORT, 'a line that was withdrawn is neither edited nor brought back');
END;

CREATE TABLE message_versions (
  message INTEGER NOT NULL,
  version INTEGER NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (message, version)
);
-- QUOT-18
CREATE TRIGGER versions_go_with_their_line AFTER DELETE ON messages BEGIN
  DELETE FROM message_versions WHERE message = OLD.id;
END;

CREATE TABLE message_files (
  message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  ord INTEGER NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY (message, ord)
);

CREATE TABLE annotations (
  id INTEGER PRIMARY KEY,
  message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  delivery INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  text TEXT NOT NULL
);

CREATE TABLE message_mentions (
  message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  bot INTEGER NOT NULL REFERENCES bots (id),
  PRIMARY KEY (message, bot)
);

CREATE TABLE message_filings (
  message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  ord INTEGER NOT NULL,
  plan INTEGER NOT NULL REFERENCES plans (id),
  ticket INTEGER REFERENCES tickets (id),
  part TEXT,
  locked INTEGER NOT NULL CHECK (locked IN (0, 1)),
  filed_by TEXT NOT NULL CHECK (filed_by IN ('reference', 'reader', 'desk', 'merge', 'slot', 'organizer')),
  PRIMARY KEY (message, ord)
);
CREATE UNIQUE INDEX one_filing_a_target ON message_filings (message, plan, ifnull(ticket, 0), ifnull(part, ''));
-- QUOT-31
CREATE TRIGGER a_withdrawn_line_is_not_refiled BEFORE INSERT ON message_filings
WHEN (SELECT state FROM messages WHERE id = NEW.message) = 'withdrawn' BEGIN
  SELECT RAISE(ABORT, 'a line that was withdrawn is not filed any more');
END;

CREATE TABLE message_receivers (
  message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  bot INTEGER NOT NULL REFERENCES bots (id),
  why TEXT NOT NULL CHECK (why IN ('direct', 'mention', 'everyone', 'plan_lead', 'group_lead', 'judged', 'delegate')),
  PRIMARY KEY (message, bot)
);

CREATE TABLE readings (
  id INTEGER PRIMARY KEY,
  subject TEXT NOT NULL CHECK (subject IN ('user words', 'Bot words', 'filing')),
  message INTEGER REFERENCES messages (id) ON DELETE CASCADE,
  key TEXT NOT NULL,                              -- what was read: a message and its version, or a text and its answers
  model TEXT,
  failure TEXT,                                   -- why it could not be read, or NULL
  answer TEXT,                                    -- what counts, as JSON
  raw TEXT,                                       -- what the model said
  used INTEGER NOT NULL DEFAULT 1,                -- 0 once an edit has cleared it
  at INTEGER NOT NULL
);
CREATE UNIQUE INDEX read_once ON readings (subject, key) WHERE used = 1;

CREATE TABLE costs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event INTEGER NOT NULL REFERENCES events (seq),
  at INTEGER NOT NULL,
  category TEXT NOT NULL DEFAULT 'organize',
  purpose TEXT NOT NULL,
  session INTEGER REFERENCES sessions (id),
  paid_to TEXT NOT NULL CHECK (paid_to IN ('endpoint', 'Claude Agent')),
  account INTEGER REFERENCES claude_accounts (id),
  amount REAL NOT NULL,
  estimated INTEGER NOT NULL CHECK (estimated IN (0, 1))
);

CREATE TABLE judgements (
  message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  bot INTEGER NOT NULL REFERENCES bots (id),
  effect INTEGER NOT NULL REFERENCES effects (id),
  answer TEXT CHECK (answer IN ('join', 'look_on', 'failed')),
  -- JUDG-01
  PRIMARY KEY (message, bot)
);

CREATE TABLE quotes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER REFERENCES sessions (id),
  message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  root INTEGER REFERENCES quotes (id),
  source TEXT NOT NULL CHECK (source IN ('said', 'answer', 'annotation', 'board', 'return')),
  text TEXT,
  place TEXT,                                     -- of words on the board: which of a plan's points, or of a ticket's
  erased INTEGER NOT NULL DEFAULT 0 CHECK (erased IN (0, 1)),
  seq INTEGER NOT NULL REFERENCES events (seq),
  at INTEGER NOT NULL,
  CHECK ((text IS NULL) = (erased = 1))
);
-- REQ-09
CREATE TRIGGER only_the_user_is_quoted BEFORE INSERT ON quotes
WHEN NEW.message IS NOT NULL AND (SELECT author FROM messages WHERE id = NEW.message) <> 'user' BEGIN
  SELECT RAISE(ABORT, 'what a Bot says are no words of the user');
END;
CREATE TABLE quote_filings (
  quote INTEGER NOT NULL REFERENCES quotes (id),
  plan INTEGER NOT NULL,
  ticket INTEGER REFERENCES tickets (id),
  heard INTEGER NOT NULL DEFAULT 0 CHECK (heard IN (0, 1)),  -- whether it was looked through for measured numbers
  -- PLAN-37 PLAN-39
  FOREIGN KEY (plan) REFERENCES plans (id)
);
CREATE INDEX quotes_unheard ON quote_filings (quote) WHERE heard = 0;
CREATE UNIQUE INDEX one_quote_filing ON quote_filings (quote, plan, ifnull(ticket, 0));
-- A version that knows of one filing only writes it to the message itself: the words follow that too.
-- QUOT-08
CREATE TRIGGER quotes_follow_an_older_version AFTER UPDATE OF plan, ticket ON messages
WHEN NEW.plan IS NOT NULL AND (NEW.plan IS NOT OLD.plan OR NEW.ticket IS NOT OLD.ticket)
  AND NOT EXISTS (SELECT 1 FROM message_filings WHERE message = NEW.id AND plan = NEW.plan AND ticket IS NEW.ticket)
BEGIN
  DELETE FROM quote_filings WHERE plan = OLD.plan AND ticket IS OLD.ticket
    AND quote IN (SELECT id FROM quotes WHERE message = NEW.id AND source = 'said');
  INSERT OR IGNORE INTO quote_filings (quote, plan, ticket)
    SELECT id, NEW.plan, NEW.ticket FROM quotes WHERE message = NEW.id AND source = 'said';
END;
CREATE INDEX quotes_of_message ON quotes (message);
CREATE INDEX quotes_of_plan ON quote_filings (plan);
CREATE TRIGGER quotes_are_kept BEFORE DELETE ON quotes BEGIN
  SELECT RAISE(ABORT, 'a quote is erased, never deleted');
END;
CREATE TRIGGER quotes_are_verbatim BEFORE UPDATE OF text ON quotes WHEN NEW.text IS NOT NULL AND NEW.text IS NOT OLD.text
BEGIN
  SELECT RAISE(ABORT, 'a quote is never reworded');
END;

-- ------------------------------------------------------------------ the ledger of what the user asks for

CREATE TABLE requirements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  number INTEGER NOT NULL UNIQUE,                 -- shown as R-12
  quote INTEGER REFERENCES quotes (id),           -- the words of the user that it stands on; none of an old rule
  span TEXT CHECK (span <> ''),                   -- a part of them, verbatim; gone once they are erased
  paraphrase TEXT NOT NULL DEFAULT '',
  category TEXT NOT NULL DEFAULT '',              -- as the scribe called it
  nature TEXT CHECK (nature IN ('craft', 'look', 'series', 'other')),
  polarity TEXT NOT NULL DEFAULT 'want' CHECK (polarity IN ('want', 'must_not')),
  source TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('ticket', 'plan', 'conversation', 'standing')),
  plan INTEGER NOT NULL,                          -- that recorded it first
  ticket INTEGER REFERENCES tickets (id),
  session INTEGER REFERENCES sessions (id),       -- the conversation; forgotten with a group that is deleted
  widened_by INTEGER REFERENCES user_actions (id),
  state TEXT NOT NULL CHECK (state IN
    ('active', 'pending', 'superseded', 'no_longer_applies', 'not_a_requirement', 'legacy')),
  item TEXT CHECK (item IN ('duration', 'resolution', 'aspect', 'frame_rate')),
  value TEXT,                                     -- of a measured number: seconds, short side, ratio or way up, frames
  bound TEXT CHECK (bound IN ('bare', 'about', 'at_least', 'at_most')),
  replaces INTEGER REFERENCES requirements (id),
  ended_by INTEGER REFERENCES user_actions (id),
  edited_away TEXT CHECK (edited_away IN ('words', 'meaning')),  -- how an edit has taken it away: the user is asked
  at INTEGER NOT NULL,
  -- REQ-09
  CHECK (source IN ('scribe', 'complaint', 'board', 'import')),
  -- REQ-02
  CHECK (quote IS NOT NULL OR (source = 'import' AND state IN ('legacy', 'not_a_requirement', 'no_longer_applies'))),
  -- PLAN-39
  FOREIGN KEY (plan) REFERENCES plans (id),
  CHECK ((scope = 'ticket') = (ticket IS NOT NULL)),
  CHECK ((item IS NULL) = (value IS NULL) AND (item IS NULL) = (bound IS NULL))
);
CREATE INDEX requirements_of_plan ON requirements (plan);
CREATE TABLE requirement_sayings (                -- again, after the words that it stands on
  requirement INTEGER NOT NULL REFERENCES requirements (id),
  quote INTEGER NOT NULL REFERENCES quotes (id),
  plan INTEGER NOT NULL REFERENCES plans (id),    -- in which it was said
  PRIMARY KEY (requirement, quote)
);
CREATE TABLE requirement_exceptions (             -- for which plans the user has set it aside
  requirement INTEGER NOT NULL REFERENCES requirements (id),
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  by INTEGER NOT NULL REFERENCES user_actions (id),
  PRIMARY KEY (requirement, plan)
);
CREATE TABLE requirement_heirs (                  -- the plans of a conversation that is gone, which it is still for
  requirement INTEGER NOT NULL REFERENCES requirements (id),
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  PRIMARY KEY (requirement, plan)
);
CREATE VIEW requirement_said AS                   -- each time that one was said: by which words, in which plan
  SELECT id AS requirement, quote, plan FROM requirements WHERE quote IS NOT NULL
  UNION SELECT requirement, quote, plan FROM requirement_sayings;
-- REQ-02
CREATE TRIGGER a_requirement_stands_on_words BEFORE INSERT ON requirements
WHEN NEW.quote IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM quotes WHERE id = NEW.quote AND erased = 0
    AND folded(NEW.span) <> '' AND instr(folded(text), folded(NEW.span)) > 0
) BEGIN
  SELECT RAISE(ABORT, 'a requirement is a part of what the user has said');
END;
-- An old rule has words to stand on once the user confirms it.
-- REQ-02
CREATE TRIGGER a_requirement_stays_on_its_words BEFORE UPDATE OF quote, span ON requirements
WHEN (NEW.span IS NOT OLD.span AND NEW.span IS NOT NULL) OR (NEW.quote IS NOT OLD.quote AND (
  OLD.quote IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM quotes WHERE id = NEW.quote AND erased = 0 AND instr(folded(text), folded(OLD.span)) > 0
  )
)) BEGIN
  SELECT RAISE(ABORT, 'a requirement keeps the words that it stands on');
END;
-- REQ-03
CREATE TRIGGER requirements_are_kept BEFORE DELETE ON requirements BEGIN
  SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- REQ-03
CREATE TRIGGER sayings_are_kept BEFORE DELETE ON requirement_sayings BEGIN
  SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- REQ-04
CREATE TRIGGER only_the_user_ends_a_requirement BEFORE UPDATE OF state ON requirements
WHEN OLD.state = 'active' AND NEW.state <> 'active' AND (NEW.ended_by IS NULL OR NEW.ended_by IS OLD.ended_by) BEGIN
  SELECT RAISE(ABORT, 'only the user ends a requirement');
END;
-- REQ-06
CREATE TRIGGER later_words_replace_a_requirement BEFORE UPDATE OF state ON requirements
WHEN NEW.state = 'superseded' AND NOT EXISTS (
  SELECT 1 FROM requirements r JOIN requirement_said s ON s.requirement = r.id
    JOIN quotes later ON later.id = s.quote JOIN quotes earlier ON earlier.id = OLD.quote
  WHERE r.replaces = OLD.id AND r.state = 'active' AND (later.seq, later.id) > (earlier.seq, earlier.id)
) BEGIN
  SELECT RAISE(ABORT, 'only later words of the user replace a requirement');
END;

-- What the scribe reads, in this order and one after the other: each of the user's words once.
CREATE TABLE scribings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  quote INTEGER NOT NULL REFERENCES quotes (id),  -- of an edit the words that the line had at first
  version INTEGER NOT NULL DEFAULT 0,             -- of an edit the line's version before it
  question TEXT,                                  -- that the words answer
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'asked', 'done', 'given_up')),
  effect INTEGER REFERENCES effects (id),
  -- SCRB-03
  UNIQUE (quote, version)
);
CREATE INDEX scribings_open ON scribings (state) WHERE state IN ('waiting', 'asked');
-- SCRB-03
CREATE UNIQUE INDEX one_scribing_at_a_time ON scribings (state) WHERE state = 'asked';

-- ------------------------------------------------------------------ plans and their tickets

-- A plan is deleted only where nothing is left that refers to it: what only belongs to it goes with it (`CASCADE`).
CREATE TABLE plans (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL CHECK (name <> ''),
  session INTEGER REFERENCES sessions (id),
  opened_by_message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  opening TEXT NOT NULL,                          -- the request that opened it, word for word
  folder TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'done', 'parked', 'delivered', 'accepted', 'abandoned')),
  dormant INTEGER NOT NULL DEFAULT 0 CHECK (dormant IN (0, 1)),
  dormant_reason TEXT,
  first_turn INTEGER,                             -- its first segment, also after that was cleared
  standing INTEGER NOT NULL DEFAULT 0 CHECK (standing IN (0, 1)),
  lead INTEGER REFERENCES bots (id),
  large TEXT CHECK (large IN ('yes', 'no', 'no_split')),
  displaced INTEGER NOT NULL DEFAULT 0,
  current_of INTEGER REFERENCES sessions (id),    -- levels 0 and 1: the session whose one current plan it is
  stage TEXT CHECK (stage = 'delivered'),         -- it is done because all its tickets are approved
  delivered_seq INTEGER,                          -- when a Bot's line that carried a file was first filed under it
  closed_at INTEGER,                              -- also while it is dormant, for versions that do not know that
  renamed_at INTEGER,
  name_is_newer INTEGER NOT NULL DEFAULT 0 CHECK (name_is_newer IN (0, 1)),  -- than what its goal says
  opened_at INTEGER NOT NULL,
  active_at INTEGER NOT NULL                      -- the last activity
);
CREATE UNIQUE INDEX one_current_plan_a_session ON plans (current_of) WHERE current_of IS NOT NULL;
-- PLAN-05
CREATE TRIGGER opening_stays BEFORE UPDATE OF opening ON plans WHEN NEW.opening <> OLD.opening BEGIN
  SELECT RAISE(ABORT, 'the request that opened a plan is kept word for word');
END;
-- PLAN-27
CREATE TRIGGER only_the_user_renames BEFORE UPDATE OF name ON plans
WHEN NEW.name <> OLD.name AND NOT EXISTS (
  SELECT 1 FROM user_actions WHERE event = (SELECT max(seq) FROM events) AND kind <> 'line'
) BEGIN
  SELECT RAISE(ABORT, 'only the user renames a plan');
END;
-- PLAN-27
CREATE TRIGGER a_plan_keeps_its_folder BEFORE UPDATE OF folder ON plans WHEN NEW.folder <> OLD.folder BEGIN
  SELECT RAISE(ABORT, 'the folder of a plan does not follow its name');
END;
-- Whichever version puts it there.
-- PLAN-35
CREATE TRIGGER the_current_plan_is_awake AFTER UPDATE OF current_of ON plans
WHEN NEW.current_of IS NOT NULL AND (NEW.dormant = 1 OR NEW.closed_at IS NOT NULL) AND (SELECT level FROM meta) < 2 BEGIN
  UPDATE plans SET dormant = 0, dormant_reason = NULL, closed_at = NULL WHERE id = NEW.id;
END;

CREATE TABLE plan_revisions (
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  points TEXT NOT NULL,                           -- category, goal, acceptance, rules, process, progress, status, as JSON
  cause TEXT NOT NULL CHECK (cause IN ('message', 'turn', 'user', 'organizer', 'hold', 'delivery')),
  cause_id INTEGER,
  at INTEGER NOT NULL,
  PRIMARY KEY (plan, number),
  -- PLAN-22
  CHECK (cause NOT IN ('message', 'turn', 'user') OR cause_id IS NOT NULL)
);
-- PLAN-06 PLAN-21
CREATE TRIGGER acceptance_and_rules_are_the_users BEFORE INSERT ON plan_revisions
WHEN NEW.cause <> 'user' AND EXISTS (
  SELECT 1 FROM (SELECT points FROM plan_revisions WHERE plan = NEW.plan ORDER BY number DESC LIMIT 1) last
  WHERE json_extract(last.points, '$.acceptance') IS NOT json_extract(NEW.points, '$.acceptance')
    OR json_extract(last.points, '$.rules') IS NOT json_extract(NEW.points, '$.rules')
) BEGIN
  SELECT RAISE(ABORT, 'acceptance and rules are written by the user only');
END;

CREATE TABLE tickets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  folder TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'todo' CHECK (status IN ('todo', 'in progress', 'to accept', 'done', 'parked')),
  stage TEXT NOT NULL DEFAULT 'todo'
    CHECK (stage IN ('todo', 'in progress', 'submitted', 'in_review', 'rework', 'approved', 'dropped')),
  drop_reason TEXT,
  owner INTEGER REFERENCES bots (id),
  reviewer INTEGER REFERENCES bots (id),
  sample INTEGER NOT NULL DEFAULT 0 CHECK (sample IN (0, 1)),
  at INTEGER NOT NULL,
  UNIQUE (plan, number),
  CHECK (owner IS NULL OR reviewer IS NULL OR owner <> reviewer)
);
CREATE TABLE ticket_was (                         -- how a ticket stood until something happened
  ticket INTEGER NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
  until_seq INTEGER NOT NULL REFERENCES events (seq),
  status TEXT NOT NULL,
  stage TEXT NOT NULL
);
CREATE INDEX was_of_ticket ON ticket_was (ticket);
-- Before it, since a stage that follows a status changes right behind it.
CREATE TRIGGER a_ticket_was_so BEFORE UPDATE OF status, stage ON tickets
WHEN NEW.status <> OLD.status OR NEW.stage <> OLD.stage BEGIN
  INSERT INTO ticket_was (ticket, until_seq, status, stage)
    VALUES (OLD.id, (SELECT max(seq) FROM events), OLD.status, OLD.stage);
END;
CREATE TABLE ticket_moves (                        -- who has moved a ticket to a stage
  id INTEGER PRIMARY KEY,
  ticket INTEGER NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
  event INTEGER NOT NULL REFERENCES events (seq),
  stage TEXT NOT NULL,
  mover TEXT NOT NULL
    CHECK (mover IN ('check', 'review', 'beat', 'board', 'word', 'ceiling', 'observation', 'lead')),
  -- TICK-16
  CHECK (mover <> 'observation' OR stage = 'in progress'),
  -- TICK-16
  CHECK (mover <> 'lead' OR stage = 'dropped')
);
CREATE INDEX moves_of_event ON ticket_moves (event);
-- TICK-16
CREATE TRIGGER the_user_moves_a_ticket_himself BEFORE INSERT ON ticket_moves
WHEN NEW.mover IN ('board', 'word', 'ceiling') AND NOT EXISTS (SELECT 1 FROM user_actions WHERE event = NEW.event) BEGIN
  SELECT RAISE(ABORT, 'the user has not moved this ticket');
END;
-- TICK-16
CREATE TRIGGER a_stage_moves_by_its_movers BEFORE UPDATE OF stage ON tickets
WHEN (SELECT level FROM meta) >= 5 AND NEW.stage <> OLD.stage AND NOT EXISTS (
  SELECT 1 FROM ticket_moves
  WHERE event = (SELECT max(seq) FROM events) AND ticket = NEW.id AND stage = NEW.stage
) BEGIN
  SELECT RAISE(ABORT, 'a ticket is moved by checks, review, the beat and the user only');
END;
-- What the user sets on the board, also by a version that knows statuses only.
-- TICK-16
CREATE TRIGGER tickets_stage_follows_status AFTER UPDATE OF status ON tickets
WHEN (SELECT level FROM meta) >= 5 AND NEW.status <> OLD.status AND NEW.stage = OLD.stage BEGIN
  INSERT INTO ticket_moves (ticket, event, stage, mover) SELECT NEW.id, (SELECT max(seq) FROM events), t.stage, 'board'
    FROM status_stages t WHERE t.status = NEW.status;
  UPDATE tickets SET drop_reason = NULL, stage = (SELECT stage FROM status_stages WHERE status = NEW.status)
    WHERE id = NEW.id;
END;
CREATE VIEW status_stages AS                       -- the stage that goes with a status which the user sets
  SELECT 'todo' AS status, 'todo' AS stage UNION ALL SELECT 'in progress', 'in progress'
  UNION ALL SELECT 'to accept', 'submitted' UNION ALL SELECT 'done', 'approved' UNION ALL SELECT 'parked', 'dropped';
-- TICK-16
CREATE TRIGGER a_ticket_begins_as_todo BEFORE INSERT ON tickets
WHEN (SELECT level FROM meta) >= 5 AND NEW.stage <> 'todo' BEGIN
  SELECT RAISE(ABORT, 'a ticket is opened as still to do');
END;
-- TICK-16
CREATE TRIGGER only_what_is_to_do_is_dropped BEFORE INSERT ON ticket_moves
WHEN NEW.mover = 'lead'
  AND EXISTS (SELECT 1 FROM tickets WHERE id = NEW.ticket AND stage IN ('approved', 'dropped')) BEGIN
  SELECT RAISE(ABORT, 'what is approved is not dropped by a Bot');
END;
-- TICK-30
CREATE TRIGGER what_the_lead_drops_has_a_reason BEFORE INSERT ON ticket_moves
WHEN NEW.mover = 'lead' AND NOT EXISTS (SELECT 1 FROM tickets WHERE id = NEW.ticket AND trim(drop_reason) <> '') BEGIN
  SELECT RAISE(ABORT, 'a ticket that is dropped for a Bot has a reason');
END;
CREATE TRIGGER something_was_delivered AFTER INSERT ON message_filings
WHEN EXISTS (
  SELECT 1 FROM messages m JOIN message_files f ON f.message = m.id WHERE m.id = NEW.message AND m.author = 'bot'
) BEGIN
  UPDATE plans SET delivered_seq = min(ifnull(delivered_seq, m.seq), m.seq) FROM messages m
    WHERE plans.id = NEW.plan AND m.id = NEW.message;
END;
CREATE TABLE ticket_dependencies (
  ticket INTEGER NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
  needs INTEGER NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
  of_sample INTEGER NOT NULL DEFAULT 0 CHECK (of_sample IN (0, 1)),  -- because it is the sample that is needed
  PRIMARY KEY (ticket, needs),
  CHECK (ticket <> needs)
);
-- SAMP-04
CREATE UNIQUE INDEX one_sample_a_plan ON tickets (plan) WHERE sample = 1;
CREATE TABLE parts (
  ticket INTEGER NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  file TEXT,
  stage TEXT NOT NULL DEFAULT 'todo'
    CHECK (stage IN ('todo', 'in progress', 'submitted', 'in_review', 'rework', 'approved', 'dropped', 'stuck')),
  PRIMARY KEY (ticket, name)
);
CREATE TABLE artifacts (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  plan INTEGER REFERENCES plans (id) ON DELETE CASCADE,
  ticket INTEGER REFERENCES tickets (id) ON DELETE CASCADE,
  turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  written INTEGER NOT NULL DEFAULT 0 CHECK (written IN (0, 1)),
  at INTEGER NOT NULL
);
CREATE INDEX artifacts_of_plan ON artifacts (plan);
CREATE INDEX artifacts_of_message ON artifacts (message);
-- What checks keep there was made by no Bot.
-- CHK-16
CREATE TRIGGER what_checks_keep_is_no_artifact BEFORE INSERT ON artifacts
WHEN EXISTS (SELECT 1 FROM plans WHERE substr(NEW.path, 1, length(folder) + 8) = folder || '/checks/') BEGIN
  SELECT RAISE(IGNORE);
END;

-- ------------------------------------------------------------------ work and turns

CREATE TABLE work_items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bot INTEGER NOT NULL REFERENCES bots (id),
  plan INTEGER REFERENCES plans (id) ON DELETE CASCADE,
  ticket INTEGER REFERENCES tickets (id) ON DELETE CASCADE,
  session INTEGER NOT NULL REFERENCES sessions (id),  -- of a desk item its identity, else where it was last worked on
  state TEXT NOT NULL DEFAULT 'idle'
    CHECK (state IN ('idle', 'queued', 'running', 'waiting', 'blocked', 'needs_attention', 'closed')),
  queued_seq INTEGER,
  waiting_on TEXT,
  idle_endings INTEGER NOT NULL DEFAULT 0,        -- in a row, each without progress
  CHECK (ticket IS NULL OR plan IS NOT NULL)
);
-- WORK-01
CREATE UNIQUE INDEX work_identity ON work_items (bot, plan, ifnull(ticket, 0)) WHERE plan IS NOT NULL;
-- WORK-01
CREATE UNIQUE INDEX desk_identity ON work_items (bot, session) WHERE plan IS NULL;

CREATE TABLE turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bot INTEGER NOT NULL REFERENCES bots (id),
  session INTEGER NOT NULL REFERENCES sessions (id),
  work_item INTEGER REFERENCES work_items (id),
  plan INTEGER REFERENCES plans (id),
  ticket INTEGER REFERENCES tickets (id),
  mode TEXT CHECK (mode IN ('work', 'desk', 'readonly')),
  state TEXT NOT NULL CHECK (state IN ('running', 'waiting_approval', 'waiting_ask',
                                       'completed', 'stopped', 'interrupted', 'failed', 'redirected')),
  phase TEXT NOT NULL DEFAULT 'hop',
  trigger_message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  trigger_item INTEGER REFERENCES inbox_items (id) ON DELETE SET NULL,
  continues INTEGER REFERENCES turns (id) ON DELETE SET NULL,      -- the segment that was cut off and goes on in this one
  woken_by_turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  began_seq INTEGER NOT NULL REFERENCES events (seq),
  began_at INTEGER NOT NULL,
  ended_at INTEGER,
  cwd TEXT NOT NULL DEFAULT '',
  cwd_changes INTEGER NOT NULL DEFAULT 0,         -- 0 or 1: one change of folder a segment
  acted INTEGER NOT NULL DEFAULT 0,               -- whether it has written a file or run a call with side effects
  on_the_spot INTEGER NOT NULL DEFAULT 0,
  new_work INTEGER NOT NULL DEFAULT 0,
  bounces INTEGER NOT NULL DEFAULT 0,
  hops INTEGER NOT NULL DEFAULT 0,
  draft TEXT,
  end_reason TEXT,
  -- DESK-29
  CHECK (cwd_changes BETWEEN 0 AND 1),
  -- WORK-01
  CHECK (mode <> 'readonly' OR (work_item IS NULL AND plan IS NULL AND ticket IS NULL))
);
CREATE INDEX turns_of_plan ON turns (plan, ended_at);
CREATE INDEX turns_live ON turns (bot) WHERE state IN ('running', 'waiting_approval', 'waiting_ask');
CREATE VIEW live_turns AS SELECT * FROM turns WHERE state IN ('running', 'waiting_approval', 'waiting_ask');
-- WORK-02 TURN-04
CREATE UNIQUE INDEX one_live_turn_a_work_item ON turns (work_item)
  WHERE work_item IS NOT NULL AND state IN ('running', 'waiting_approval', 'waiting_ask');
-- WORK-03 TICK-07
CREATE UNIQUE INDEX one_live_turn_a_bot_and_plan ON turns (bot, plan)
  WHERE plan IS NOT NULL AND state IN ('running', 'waiting_approval', 'waiting_ask');
-- WORK-10
CREATE UNIQUE INDEX one_live_desk_a_bot_and_session ON turns (bot, session)
  WHERE mode = 'desk' AND state IN ('running', 'waiting_approval', 'waiting_ask');
-- WORK-01
CREATE TRIGGER a_segment_is_of_a_work_item BEFORE INSERT ON turns
WHEN (SELECT level FROM meta) >= 2 AND NEW.work_item IS NULL AND NEW.mode IS NOT 'readonly' BEGIN
  SELECT RAISE(ABORT, 'every segment but a read-only answer belongs to a work item');
END;
-- DESK-36
CREATE TRIGGER an_answer_takes_up_no_work BEFORE UPDATE OF mode ON turns
WHEN OLD.mode = 'readonly' AND NEW.mode IS NOT 'readonly' BEGIN
  SELECT RAISE(ABORT, 'a read-only answer takes up no work');
END;
-- DESK-29
CREATE TRIGGER a_change_of_folder_counts BEFORE UPDATE ON turns
WHEN NEW.cwd_changes < OLD.cwd_changes OR (
  -- From a plan down to a ticket of it, and before anything was done there, is no change.
  NEW.cwd <> OLD.cwd AND NEW.cwd_changes = OLD.cwd_changes
  AND NOT (NEW.plan IS OLD.plan AND (OLD.acted = 0 OR OLD.ticket IS NULL))
) BEGIN
  SELECT RAISE(ABORT, 'a segment changes its folder at most once');
END;
CREATE TRIGGER an_ended_turn_stays_ended BEFORE UPDATE OF state ON turns
WHEN OLD.state NOT IN ('running', 'waiting_approval', 'waiting_ask') AND NEW.state <> OLD.state BEGIN
  SELECT RAISE(ABORT, 'a turn that has ended stays as it ended');
END;
-- END-39
CREATE TRIGGER an_end_has_a_reason_when_written BEFORE INSERT ON turns
WHEN (SELECT level FROM meta) >= 3 AND NEW.work_item IS NOT NULL
  AND NEW.state NOT IN ('running', 'waiting_approval', 'waiting_ask')
  AND trim(ifnull(NEW.end_reason, ''), char(9, 10, 13, 32, 160, 12288)) = ''
BEGIN
  SELECT RAISE(ABORT, 'a finished segment has an end reason');
END;
-- END-39
CREATE TRIGGER an_end_has_a_reason BEFORE UPDATE ON turns
WHEN (SELECT level FROM meta) >= 3 AND NEW.work_item IS NOT NULL
  AND NEW.state NOT IN ('running', 'waiting_approval', 'waiting_ask')
  AND trim(ifnull(NEW.end_reason, ''), char(9, 10, 13, 32, 160, 12288)) = ''
BEGIN
  SELECT RAISE(ABORT, 'a finished segment has an end reason');
END;

CREATE TRIGGER a_plans_first_segment AFTER INSERT ON turns WHEN NEW.plan IS NOT NULL BEGIN
  UPDATE plans SET first_turn = NEW.id WHERE id = NEW.plan AND first_turn IS NULL;
END;
CREATE TRIGGER a_plans_first_segment_from_a_desk AFTER UPDATE OF plan ON turns WHEN NEW.plan IS NOT NULL BEGIN
  UPDATE plans SET first_turn = NEW.id WHERE id = NEW.plan AND first_turn IS NULL;
END;

CREATE TABLE turn_candidates (
  turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  ord INTEGER NOT NULL,
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  PRIMARY KEY (turn, plan)
);

CREATE TABLE bounces (
  id INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  code TEXT NOT NULL,
  event INTEGER NOT NULL REFERENCES events (seq)
);
CREATE INDEX bounces_of_turn ON bounces (turn);

CREATE TABLE hops (
  turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  effect INTEGER NOT NULL REFERENCES effects (id),
  text TEXT,
  failure TEXT,
  cost REAL,
  PRIMARY KEY (turn, number)
);

CREATE TABLE calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  hop INTEGER NOT NULL,
  ord INTEGER NOT NULL,
  name TEXT NOT NULL,
  arguments TEXT NOT NULL,
  effectful INTEGER NOT NULL CHECK (effectful IN (0, 1)),
  state TEXT NOT NULL DEFAULT 'asked'
    CHECK (state IN ('asked', 'started', 'ok', 'refused', 'failed', 'postponed', 'unknown')),
  effect INTEGER REFERENCES effects (id),
  result TEXT,
  UNIQUE (turn, hop, ord)
);

CREATE INDEX calls_of_effect ON calls (effect);

CREATE TABLE turn_runs (
  turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  ord INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('command', 'mcp')),
  command TEXT NOT NULL,
  exit_code INTEGER,
  success INTEGER,
  duration_ms INTEGER,
  output TEXT,
  PRIMARY KEY (turn, ord)
);

CREATE TABLE processes (                          -- of commands, from when they begin until they are gone
  effect INTEGER PRIMARY KEY REFERENCES effects (id),
  pgid INTEGER NOT NULL,
  mark TEXT NOT NULL,                             -- tells the group from a later one of that number
  ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1))
);

-- DEL-47
CREATE TRIGGER nothing_runs_for_a_bot_that_is_gone BEFORE INSERT ON effects
WHEN NEW.kind = 'run_tool' AND (SELECT level FROM meta) >= 3
  AND EXISTS (SELECT 1 FROM turns t JOIN bots b ON b.id = t.bot WHERE t.id = NEW.turn AND b.state <> 'active')
BEGIN
  SELECT RAISE(ABORT, 'a Bot that is gone runs nothing');
END;

CREATE TABLE inbox_items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  work_item INTEGER NOT NULL REFERENCES work_items (id),
  kind TEXT NOT NULL CHECK (kind IN ('line', 'note', 'restart', 'request', 'reply', 'review', 'job', 'check_back', 'edit',
                                     'correction', 'report', 'nudge', 'schedule', 'rework')),
  message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  delegation INTEGER REFERENCES delegations (id), -- of a request, and of what came of it
  submission INTEGER REFERENCES submissions (id) ON DELETE SET NULL,  -- that is to be reviewed, or was returned
  author TEXT NOT NULL CHECK (author IN ('user', 'bot', 'app')),
  text TEXT NOT NULL,                             -- as it was when it was put here
  before TEXT,                                    -- of an edit: the words that were read before it
  reply_in INTEGER REFERENCES sessions (id),
  prio INTEGER NOT NULL CHECK (prio BETWEEN 1 AND 4),
  wakes INTEGER NOT NULL DEFAULT 1 CHECK (wakes IN (0, 1)),
  state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'held', 'read', 'superseded', 'void')),
  read_by_turn INTEGER REFERENCES turns (id) ON DELETE CASCADE,
  read_in_hop INTEGER,                            -- in which of that segment's
  disposition TEXT,
  woken_by_turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  continues INTEGER REFERENCES turns (id) ON DELETE SET NULL,      -- of a restart: the segment that was cut off
  seq INTEGER NOT NULL REFERENCES events (seq),
  CHECK ((state = 'read') = (read_by_turn IS NOT NULL))
);
CREATE INDEX inbox_unread ON inbox_items (work_item) WHERE state = 'queued';
CREATE INDEX inbox_read ON inbox_items (read_by_turn) WHERE read_by_turn IS NOT NULL;
CREATE UNIQUE INDEX one_copy_a_receiver ON inbox_items (work_item, message, kind)
  WHERE message IS NOT NULL AND kind <> 'restart' AND state IN ('queued', 'held');
-- Segments that were opened by one line, and by its edit, go on each for itself.
CREATE UNIQUE INDEX one_restart_a_segment ON inbox_items (continues)
  WHERE continues IS NOT NULL AND state IN ('queued', 'held');
CREATE INDEX copies_of_submission ON inbox_items (submission) WHERE submission IS NOT NULL;
CREATE INDEX copies_of_message ON inbox_items (message);
CREATE INDEX copies_read_by_turn ON inbox_items (read_by_turn);

CREATE TRIGGER a_line_that_was_read AFTER UPDATE OF state ON inbox_items
WHEN NEW.state = 'read' AND OLD.state <> 'read' AND NEW.message IS NOT NULL BEGIN
  UPDATE messages SET was_read = 1 WHERE id = NEW.message;
END;

-- WORK-21
CREATE TRIGGER what_was_read_stays BEFORE UPDATE ON inbox_items
WHEN OLD.state = 'read' AND NEW.state = 'read' AND (
  NEW.text <> OLD.text OR NEW.work_item <> OLD.work_item OR NEW.read_by_turn <> OLD.read_by_turn
) BEGIN
  SELECT RAISE(ABORT, 'what a segment has read is its history');
END;

CREATE TABLE waits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  work_item INTEGER NOT NULL REFERENCES work_items (id),
  kind TEXT NOT NULL CHECK (kind IN ('timer', 'delegation', 'user', 'job')),
  ref INTEGER,
  due INTEGER,
  dedupe TEXT,
  note TEXT NOT NULL DEFAULT '',
  session INTEGER REFERENCES sessions (id),       -- where a timer rings
  made_by_turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'suspended', 'fired', 'void')),
  voided INTEGER NOT NULL DEFAULT 0,              -- what a version that knows no holds goes by
  void_reason TEXT,
  -- DEL-35
  CHECK (kind <> 'delegation' OR due IS NULL)
);
CREATE UNIQUE INDEX one_open_wait_a_key ON waits (work_item, dedupe) WHERE dedupe IS NOT NULL AND state IN ('open', 'suspended');
-- HOLD-53
CREATE TRIGGER a_suspended_wait_is_void_as_well AFTER UPDATE OF state ON waits BEGIN
  UPDATE waits SET voided = NEW.state IN ('suspended', 'void') WHERE id = NEW.id;
END;
-- A waiting work item has an open wait (I6): neither is written without the other.
CREATE TRIGGER waiting_needs_a_wait BEFORE UPDATE OF state ON work_items
WHEN NEW.state = 'waiting' AND (SELECT level FROM meta) >= 3
  AND NOT EXISTS (SELECT 1 FROM waits WHERE work_item = NEW.id AND state IN ('open', 'suspended'))
BEGIN
  SELECT RAISE(ABORT, 'a waiting work item has an open wait');
END;
CREATE TRIGGER nothing_begins_as_waiting BEFORE INSERT ON work_items
WHEN NEW.state = 'waiting' AND (SELECT level FROM meta) >= 3 BEGIN
  SELECT RAISE(ABORT, 'a waiting work item has an open wait');
END;
CREATE TRIGGER the_last_wait_stays BEFORE UPDATE ON waits
WHEN OLD.state IN ('open', 'suspended') AND (NEW.state NOT IN ('open', 'suspended') OR NEW.work_item <> OLD.work_item)
  AND (SELECT level FROM meta) >= 3 AND (SELECT state FROM work_items WHERE id = OLD.work_item) = 'waiting'
  AND NOT EXISTS (
    SELECT 1 FROM waits WHERE work_item = OLD.work_item AND id <> OLD.id AND state IN ('open', 'suspended')
  )
BEGIN
  SELECT RAISE(ABORT, 'a waiting work item has an open wait');
END;
CREATE TRIGGER waits_are_kept BEFORE DELETE ON waits WHEN OLD.state IN ('open', 'suspended') BEGIN
  SELECT RAISE(ABORT, 'a wait ends before it is gone');
END;

CREATE TABLE asks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  call INTEGER REFERENCES calls (id) ON DELETE CASCADE,  -- what the segment waits with
  kind TEXT NOT NULL DEFAULT 'ask' CHECK (kind IN ('ask', 'approval')),
  question TEXT NOT NULL,
  options TEXT NOT NULL DEFAULT '[]',
  multiple INTEGER NOT NULL DEFAULT 0,
  answer TEXT,
  answered_by INTEGER REFERENCES user_actions (id),
  closed INTEGER NOT NULL DEFAULT 0
);
-- ASK-05
CREATE TRIGGER an_ask_is_answered_once BEFORE UPDATE OF answer ON asks WHEN OLD.answer IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'an ask is answered once');
END;

-- What work waits for from the user once its segment is over.
CREATE TABLE work_questions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  card INTEGER NOT NULL UNIQUE,                   -- the number of its message, also once that is cleared
  turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  asked_in INTEGER NOT NULL REFERENCES sessions (id),
  work_item INTEGER NOT NULL REFERENCES work_items (id),
  question TEXT NOT NULL,                         -- empty once what was said in its session is cleared
  answer TEXT,
  answered_by INTEGER REFERENCES user_actions (id),
  answered_at INTEGER,
  superseded_at INTEGER,
  CHECK ((answer IS NULL) = (answered_by IS NULL) AND (answer IS NULL) = (answered_at IS NULL))
);
-- ASK-11
CREATE UNIQUE INDEX one_card_a_question ON work_questions (turn, question);
-- ASK-19
CREATE TRIGGER work_questions_come_with_their_level BEFORE INSERT ON work_questions
WHEN (SELECT level FROM meta) < 4 BEGIN
  SELECT RAISE(ABORT, 'there are no work questions at this level');
END;
-- ASK-12
CREATE TRIGGER a_work_question_is_answered_once BEFORE UPDATE OF answer ON work_questions
WHEN OLD.answer IS NOT NULL AND NEW.answer IS NOT OLD.answer AND NEW.answer IS NOT '' BEGIN
  SELECT RAISE(ABORT, 'a work question is answered once');
END;
-- ASK-18
CREATE TRIGGER an_answered_question_stays_answered BEFORE UPDATE OF superseded_at ON work_questions
WHEN OLD.answer IS NOT NULL AND NEW.superseded_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'what was answered is not superseded');
END;
-- ASK-17
CREATE TRIGGER a_superseded_question_takes_no_answer BEFORE UPDATE OF answer ON work_questions
WHEN OLD.superseded_at IS NOT NULL AND OLD.answer IS NULL AND NEW.answer IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'the work went on without this answer');
END;

CREATE TABLE notifications (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,                             -- what only the user can give, or what has stopped for good
  session INTEGER REFERENCES sessions (id),
  bot INTEGER REFERENCES bots (id),
  plan INTEGER REFERENCES plans (id) ON DELETE SET NULL,
  message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  text TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'resolved', 'voided')),
  reason TEXT,
  at INTEGER NOT NULL,
  -- ASK-26
  CHECK (kind IN ('work_question', 'blocked', 'gave_up', 'no_progress'))
);

CREATE TABLE schedules (
  id INTEGER PRIMARY KEY,
  bot INTEGER NOT NULL REFERENCES bots (id),
  session INTEGER NOT NULL REFERENCES sessions (id),
  plan INTEGER REFERENCES plans (id),
  text TEXT NOT NULL,
  every_ms INTEGER NOT NULL CHECK (every_ms > 0),
  due INTEGER NOT NULL,
  missed INTEGER,                                 -- the newest due time that a hold kept it from
  state TEXT NOT NULL DEFAULT 'on' CHECK (state IN ('on', 'off'))
);

-- ------------------------------------------------------------------ holds

CREATE TABLE holds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scope TEXT NOT NULL CHECK (scope IN ('everything', 'bot', 'session', 'plan', 'ticket', 'bot_in_plan', 'turn')),
  bot INTEGER REFERENCES bots (id),
  session INTEGER REFERENCES sessions (id),
  plan INTEGER,
  ticket INTEGER,
  turn INTEGER,                                   -- kept when the turn is cleared
  source TEXT NOT NULL CHECK (source IN ('user_text', 'user_button', 'legacy', 'migration')),
  source_message INTEGER REFERENCES messages (id) ON DELETE SET NULL,
  void INTEGER NOT NULL DEFAULT 0 CHECK (void IN (0, 1)),
  by_stop INTEGER NOT NULL DEFAULT 0 CHECK (by_stop IN (0, 1)),
  seq INTEGER NOT NULL REFERENCES events (seq),
  at INTEGER NOT NULL,
  effect TEXT NOT NULL DEFAULT '{}',
  lifted_by INTEGER REFERENCES user_actions (id),
  -- HOLD-96
  FOREIGN KEY (plan) REFERENCES plans (id),
  -- HOLD-96
  FOREIGN KEY (ticket) REFERENCES tickets (id),
  CHECK ((scope IN ('bot', 'bot_in_plan')) = (bot IS NOT NULL)),
  CHECK ((scope = 'session') = (session IS NOT NULL)),
  CHECK ((scope IN ('plan', 'bot_in_plan')) = (plan IS NOT NULL)),
  CHECK ((scope = 'ticket') = (ticket IS NOT NULL)),
  CHECK ((scope = 'turn') = (turn IS NOT NULL))
);
CREATE INDEX holds_active ON holds (seq) WHERE lifted_by IS NULL;
-- HOLD-95
CREATE TRIGGER holds_are_kept BEFORE DELETE ON holds BEGIN
  SELECT RAISE(ABORT, 'a hold is lifted, never deleted');
END;
-- HOLD-12
CREATE TRIGGER holds_come_with_their_level BEFORE INSERT ON holds WHEN (SELECT level FROM meta) < 1 BEGIN
  SELECT RAISE(ABORT, 'there are no holds at this level');
END;
CREATE TRIGGER a_lifted_hold_stays_lifted BEFORE UPDATE OF lifted_by ON holds WHEN OLD.lifted_by IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'a hold that was lifted is not taken up again');
END;
-- HOLD-11 DEL-40
CREATE TRIGGER the_user_lifts BEFORE UPDATE OF lifted_by ON holds
WHEN NEW.lifted_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM user_actions WHERE id = NEW.lifted_by AND event > NEW.seq)
BEGIN
  SELECT RAISE(ABORT, 'a hold is lifted by something that the user has done since');
END;
CREATE TABLE hold_cover (
  hold INTEGER NOT NULL REFERENCES holds (id),
  turn INTEGER,
  bot INTEGER REFERENCES bots (id),
  plan INTEGER,
  -- HOLD-96
  FOREIGN KEY (plan) REFERENCES plans (id),
  CHECK ((turn IS NOT NULL) <> (bot IS NOT NULL AND plan IS NOT NULL))
);
CREATE INDEX cover_of_hold ON hold_cover (hold);
-- HOLD-7 DEL-39
CREATE TRIGGER cover_is_fixed BEFORE INSERT ON hold_cover
WHEN (SELECT seq FROM holds WHERE id = NEW.hold) <> (SELECT max(seq) FROM events) BEGIN
  SELECT RAISE(ABORT, 'what a hold covers besides is fixed when it is made');
END;
-- HOLD-7
CREATE TRIGGER cover_stays_as_it_is BEFORE UPDATE ON hold_cover BEGIN
  SELECT RAISE(ABORT, 'what a hold covers besides is fixed when it is made');
END;
-- HOLD-7
CREATE TRIGGER cover_is_kept BEFORE DELETE ON hold_cover BEGIN
  SELECT RAISE(ABORT, 'what a hold covers besides is fixed when it is made');
END;

-- What a hold may be over: a segment, a Bot's work, a copy that waits there to be read, a check-back.
CREATE VIEW hold_subjects AS
  SELECT 'turn' AS kind, t.id AS id, t.bot AS bot, t.session AS session,
    -- A read-only answer, and a segment of the old path, are in the matter of the line that opened them.
    ifnull(t.plan, iif(t.mode = 'readonly' OR (SELECT level FROM meta) < 2,
                       (SELECT plan FROM messages WHERE id = t.trigger_message), NULL)) AS plan,
    t.ticket AS ticket, t.id AS turn, t.woken_by_turn AS woken_by, t.began_seq AS seq, NULL AS inbox
  FROM turns t
  UNION ALL
  SELECT 'work_item', w.id, w.bot, w.session, w.plan, w.ticket, NULL, NULL, NULL, NULL FROM work_items w
  UNION ALL
  -- A copy is where the segment that it opens would be, and in the matter that this would be in.
  SELECT 'item', i.id, w.bot, ifnull(m.session, w.session),
    ifnull(w.plan, iif((SELECT level FROM meta) < 2, m.plan, NULL)), w.ticket, NULL, i.woken_by_turn, i.seq, w.id
  FROM inbox_items i JOIN work_items w ON w.id = i.work_item LEFT JOIN messages m ON m.id = i.message
  UNION ALL
  -- A check-back of the old path is in the matter of the segment that made it.
  SELECT 'wait', x.id, w.bot, ifnull(x.session, w.session),
    ifnull(w.plan, iif((SELECT level FROM meta) < 2,
                       (SELECT m.plan FROM turns t JOIN messages m ON m.id = t.trigger_message WHERE t.id = x.made_by_turn),
                       NULL)),
    w.ticket, x.made_by_turn, NULL, NULL, NULL
  FROM waits x JOIN work_items w ON w.id = x.work_item
  UNION ALL
  -- Who would have a line that is about to be handed out; its number is made of both.
  SELECT 'hearer', m.id * 65536 + p.bot, p.bot, m.session, m.plan, m.ticket, NULL, m.turn, m.seq, NULL
  FROM messages m JOIN session_participants p ON p.session = m.session WHERE m.state IN ('filed', 'judging');

-- The only answer to "is it held" is the view `hold_hits`: which holds that stand are over what (store/coverage.py).
-- HOLD-75 HOLD-77
CREATE TRIGGER no_live_turn_under_a_hold AFTER INSERT ON turns
WHEN NEW.state IN ('running', 'waiting_approval', 'waiting_ask') AND NEW.mode IS NOT 'readonly'
  AND EXISTS (SELECT 1 FROM hold_hits WHERE kind = 'turn' AND id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'held');
END;
-- HOLD-77
CREATE TRIGGER what_only_answers_is_let_in_by_the_user BEFORE INSERT ON turns
WHEN NEW.mode = 'readonly' AND NOT EXISTS (SELECT 1 FROM messages WHERE id = NEW.trigger_message AND author = 'user')
BEGIN
  SELECT RAISE(ABORT, 'a read-only answer is to a line of the user');
END;
-- HOLD-76
CREATE TRIGGER what_answers_under_a_hold_goes_on_answering BEFORE UPDATE OF mode ON turns
WHEN OLD.mode = 'readonly' AND NEW.mode IS NOT 'readonly'
  AND EXISTS (SELECT 1 FROM hold_hits WHERE kind = 'turn' AND id = OLD.id)
BEGIN
  SELECT RAISE(ABORT, 'held');
END;
-- HOLD-76
CREATE TRIGGER no_live_turn_goes_under_a_hold AFTER UPDATE OF bot, session, plan, ticket, mode, state, trigger_message, woken_by_turn
ON turns
WHEN NEW.state IN ('running', 'waiting_approval', 'waiting_ask') AND NEW.mode IS NOT 'readonly'
  AND EXISTS (SELECT 1 FROM hold_hits WHERE kind = 'turn' AND id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'held');
END;

-- ------------------------------------------------------------------ delegations, submissions, checks

CREATE TABLE delegations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  from_item INTEGER NOT NULL REFERENCES work_items (id),
  to_item INTEGER NOT NULL REFERENCES work_items (id),
  turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  session INTEGER NOT NULL REFERENCES sessions (id),
  plan INTEGER REFERENCES plans (id),
  ticket INTEGER REFERENCES tickets (id),
  parts TEXT NOT NULL DEFAULT '[]',
  requirements TEXT NOT NULL DEFAULT '[]',
  ask TEXT NOT NULL,
  expects TEXT NOT NULL CHECK (expects IN ('deliverable', 'review', 'answer')),
  goes_on INTEGER NOT NULL DEFAULT 0 CHECK (goes_on IN (0, 1)),
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'replied', 'cancelled')),
  result TEXT,
  at INTEGER NOT NULL,
  closed_at INTEGER,
  -- DEL-01
  CHECK (from_item <> to_item)
);

-- HAND-01 HAND-03 DEL-51
CREATE TRIGGER a_delegation_is_called_for BEFORE INSERT ON delegations
WHEN NOT EXISTS (SELECT 1 FROM calls WHERE turn = NEW.turn AND name = 'delegate') BEGIN
  SELECT RAISE(ABORT, 'only a delegate call makes a delegation');
END;
-- HAND-05
CREATE TRIGGER a_request_is_of_a_delegation BEFORE INSERT ON inbox_items
WHEN NEW.kind = 'request' AND NOT EXISTS (SELECT 1 FROM delegations WHERE to_item = NEW.work_item AND state = 'open')
BEGIN
  SELECT RAISE(ABORT, 'only a delegation asks for work');
END;
-- DEL-29
CREATE UNIQUE INDEX one_result_a_delegation ON inbox_items (delegation) WHERE kind = 'reply';
-- DEL-45
CREATE TRIGGER what_came_of_a_delegation_stays BEFORE UPDATE ON delegations
WHEN OLD.state <> 'open' AND (NEW.state <> OLD.state OR NEW.result IS NOT OLD.result OR NEW.ask <> OLD.ask) BEGIN
  SELECT RAISE(ABORT, 'a delegation is closed once');
END;
-- DEL-45
CREATE TRIGGER delegations_are_kept BEFORE DELETE ON delegations BEGIN
  SELECT RAISE(ABORT, 'a delegation is closed, never deleted');
END;

CREATE INDEX delegations_of_receiver ON delegations (to_item) WHERE state = 'open';
CREATE INDEX delegations_of_asker ON delegations (from_item) WHERE state = 'open';
-- What is owed in a work item: tickets of its Bot, requests to it, and what it has asked for or waits for itself.
CREATE VIEW duties AS
  SELECT w.id AS work_item, 'ticket' AS kind, t.id AS id FROM work_items w
    JOIN tickets t ON t.owner = w.bot AND t.plan = w.plan AND (w.ticket IS NULL OR w.ticket = t.id)
    WHERE iif((SELECT level FROM meta) < 5, t.status IN ('todo', 'in progress', 'to accept'),
              t.stage IN ('todo', 'in progress', 'rework'))
  UNION ALL
  SELECT to_item, 'request', id FROM delegations WHERE state = 'open'
  UNION ALL
  SELECT from_item, 'delegation', id FROM delegations WHERE state = 'open' AND goes_on = 0
  UNION ALL
  SELECT work_item, 'wait', id FROM waits WHERE state IN ('open', 'suspended');

CREATE TABLE submissions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ticket INTEGER NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
  turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  bot INTEGER REFERENCES bots (id),
  origin TEXT NOT NULL CHECK (origin IN ('submit', 'implicit', 'answer', 'organizer')),
  content TEXT,
  note TEXT NOT NULL DEFAULT '',
  claims TEXT NOT NULL DEFAULT '[]',
  parts TEXT NOT NULL DEFAULT '[]',               -- the names of the parts handed in; none for the whole ticket
  seq INTEGER NOT NULL DEFAULT 0,                 -- the event that handed it in: only what ran from then on counts
  state TEXT NOT NULL DEFAULT 'checking'
    CHECK (state IN ('checking', 'check_failed', 'submitted', 'in_review', 'awaiting', 'approved', 'returned', 'void')),
  approved_by TEXT,
  asked INTEGER NOT NULL DEFAULT 0,
  at INTEGER NOT NULL
);
CREATE INDEX submissions_of_ticket ON submissions (ticket);
CREATE INDEX submissions_in_check ON submissions (id) WHERE state = 'checking';
CREATE INDEX submissions_for_the_beat ON submissions (id) WHERE state = 'submitted';
-- HAND-04
CREATE TRIGGER what_is_handed_in_is_called_for BEFORE INSERT ON submissions
WHEN NEW.origin = 'submit' AND NEW.turn IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM calls WHERE turn = NEW.turn AND name = 'submit') BEGIN
  SELECT RAISE(ABORT, 'saying that work is done hands nothing in');
END;
CREATE TABLE hashed_files (                        -- what effect "hash_files" found of the paths it was asked about, in order
  effect INTEGER NOT NULL REFERENCES effects (id),
  ord INTEGER NOT NULL,
  asked TEXT NOT NULL,
  path TEXT NOT NULL,                             -- from the workspace's root, links followed
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  reason TEXT NOT NULL,                           -- why it has no hash; empty where it has one
  PRIMARY KEY (effect, ord)
);
CREATE TABLE submission_files (
  submission INTEGER NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  part TEXT,
  PRIMARY KEY (submission, path)
);
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  submission INTEGER NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
  bot INTEGER NOT NULL REFERENCES bots (id),
  turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('approve', 'return')),
  verdicts TEXT NOT NULL DEFAULT '[]',
  note TEXT NOT NULL DEFAULT '',
  same_model INTEGER NOT NULL DEFAULT 0,
  effective INTEGER NOT NULL DEFAULT 0,
  missed INTEGER NOT NULL DEFAULT 0,
  at INTEGER NOT NULL
);
-- DEL-31
CREATE TRIGGER a_review_is_called_for BEFORE INSERT ON reviews
WHEN NEW.turn IS NOT NULL AND NOT EXISTS (SELECT 1 FROM calls WHERE turn = NEW.turn AND name = 'review') BEGIN
  SELECT RAISE(ABORT, 'saying that something passed is no review');
END;
CREATE TABLE checks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  ticket INTEGER REFERENCES tickets (id) ON DELETE CASCADE,
  sentence TEXT NOT NULL DEFAULT '',              -- of the plan's acceptance, that it hangs on
  kind TEXT NOT NULL CHECK (kind IN ('file_exists', 'contains', 'matches', 'command', 'continuity')),
  body TEXT NOT NULL,                             -- what is looked at, as JSON
  written_by TEXT NOT NULL CHECK (written_by IN ('user', 'organizer', 'reflection', 'sample')),
  confirmed_by INTEGER REFERENCES user_actions (id),
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'proposal', 'deleted')),
  defined_seq INTEGER NOT NULL DEFAULT 0,         -- the event that defined it as it is now
  item TEXT CHECK (item IN ('duration', 'resolution', 'aspect', 'frame_rate')),  -- of a check from the user's words
  value TEXT,
  bound TEXT CHECK (bound IN ('bare', 'about', 'at_least', 'at_most')),
  quote INTEGER REFERENCES quotes (id),           -- the words; none once a confirmed one has lost them
  matched TEXT,                                   -- the file that it measures
  lost_words_seq INTEGER,                         -- the event that took the words of a confirmed one
  deleted_by INTEGER REFERENCES user_actions (id),
  at INTEGER NOT NULL,
  CHECK ((item IS NULL) = (value IS NULL) AND (item IS NULL) = (bound IS NULL)),
  -- To an older version it is a check of the user whether the file in `body` is there.
  -- WORDS-31
  CHECK (item IS NULL OR (written_by = 'user' AND kind = 'file_exists')),
  -- WORDS-14
  CHECK (item IS NULL OR state <> 'active' OR confirmed_by IS NOT NULL)
);
CREATE INDEX checks_of_plan ON checks (plan);
-- WORDS-13
CREATE UNIQUE INDEX one_gate_and_one_proposal_an_item ON checks (plan, item, state)
  WHERE item IS NOT NULL AND state <> 'deleted';
-- What the user has stated of a plan's film, read by fixed rules as the words were filed to it.
CREATE TABLE film_statements (
  quote INTEGER NOT NULL REFERENCES quotes (id),
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  item TEXT NOT NULL CHECK (item IN ('duration', 'resolution', 'aspect', 'frame_rate')),
  value TEXT NOT NULL,
  bound TEXT NOT NULL CHECK (bound IN ('bare', 'about', 'at_least', 'at_most')),
  target INTEGER NOT NULL CHECK (target IN (0, 1)),
  place TEXT NOT NULL,                            -- where it was said: a line, or a place on the board
  counts INTEGER NOT NULL DEFAULT 1 CHECK (counts IN (0, 1)),  -- 0 once the user chose otherwise
  PRIMARY KEY (plan, quote, item)
);
CREATE TABLE missed_films (                       -- handed over, and not there when they were to be measured
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  seq INTEGER NOT NULL REFERENCES events (seq),
  PRIMARY KEY (plan, path)
);
CREATE TABLE check_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  check_id INTEGER NOT NULL REFERENCES checks (id) ON DELETE CASCADE,
  submission INTEGER REFERENCES submissions (id) ON DELETE CASCADE,
  began_at INTEGER NOT NULL,
  seq INTEGER NOT NULL DEFAULT 0,                 -- the event that began it
  outcome TEXT CHECK (outcome IN ('passed', 'failed', 'out_of_bounds', 'error')),
  detail TEXT NOT NULL DEFAULT '',                -- one line, in the language of the user's interface
  tail TEXT NOT NULL DEFAULT '',                  -- how the output ends
  figures TEXT NOT NULL DEFAULT '{}'              -- what `detail` names, as JSON
);
CREATE INDEX runs_of_check ON check_runs (check_id);
-- From a later level on the gates of what is handed in return that, and with it its ticket.
-- CHK-12
CREATE TRIGGER a_check_moves_no_ticket BEFORE UPDATE OF status, stage ON tickets
WHEN (NEW.status <> OLD.status OR NEW.stage <> OLD.stage)
  AND (SELECT kind FROM events ORDER BY seq DESC LIMIT 1) = 'CheckRan'
  AND NOT EXISTS (
    SELECT 1 FROM submissions WHERE ticket = NEW.id AND state NOT IN ('approved', 'void') AND (SELECT level FROM meta) >= 5
  )
BEGIN
  SELECT RAISE(ABORT, 'a failing check moves no ticket by itself');
END;
CREATE TABLE check_joints (                       -- what a model judges of a continuity check: each seam, and the whole
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES effects (id),
  name TEXT,                                      -- of the seam; none for the whole
  picture TEXT,                                   -- where both sides of it are shown
  shown TEXT NOT NULL,                            -- what is shown of it, as JSON
  effect INTEGER REFERENCES effects (id),         -- that asks the model
  again INTEGER NOT NULL DEFAULT 0,               -- how often it was asked once more
  verdict TEXT CHECK (verdict IN ('clean', 'bad', 'unjudged')),
  problem TEXT NOT NULL DEFAULT ''
);
CREATE INDEX joints_of_run ON check_joints (run);
CREATE INDEX joints_by_effect ON check_joints (effect);
CREATE TABLE check_queue (                        -- those that are to run, in order
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  check_id INTEGER NOT NULL UNIQUE REFERENCES checks (id) ON DELETE CASCADE,
  plan INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  cause TEXT NOT NULL CHECK (cause IN ('defined', 'asked', 'quiet')),
  until INTEGER                                   -- from then on it is not worth it any more
);
CREATE TABLE quiet_checks (                       -- plans whose checks run before the organizer is asked
  plan INTEGER PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
  quiet INTEGER NOT NULL REFERENCES effects (id)  -- the timer that told that it is quiet
);
CREATE VIEW open_checks AS                        -- those that are under way
  SELECT id AS effect, turn, json_extract(body, '$.check') AS check_id, json_extract(body, '$.plan') AS plan,
    json_extract(body, '$.command') AS command
  FROM effects WHERE kind IN ('run_check', 'judge_joint') AND state IN ('pending', 'started');
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,
  job TEXT NOT NULL,
  turn INTEGER REFERENCES turns (id) ON DELETE SET NULL,
  work_item INTEGER REFERENCES work_items (id),
  plan INTEGER REFERENCES plans (id),
  ticket INTEGER REFERENCES tickets (id),
  part TEXT,
  resubmit_reason TEXT,
  state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'completed', 'failed', 'lost')),
  result TEXT,
  at INTEGER NOT NULL,
  next_due INTEGER
);
CREATE TABLE job_waiters (
  job INTEGER NOT NULL REFERENCES jobs (id),
  bot INTEGER NOT NULL REFERENCES bots (id),
  session INTEGER NOT NULL REFERENCES sessions (id),
  PRIMARY KEY (job, bot, session)
);
