-- The gate's store. What a turn may become stands in `moves`; triggers refuse the rest, to everybody.

CREATE TABLE moves (
  old TEXT NOT NULL,
  new TEXT NOT NULL,
  PRIMARY KEY (old, new)
) STRICT;

INSERT INTO moves (old, new) VALUES
  ('waiting', 'drafting'), ('waiting', 'stopped'),
  ('drafting', 'review'), ('drafting', 'final'), ('drafting', 'failed'), ('drafting', 'stopped'),
  ('review', 'revision'), ('review', 'final'), ('review', 'failed'), ('review', 'stopped'),
  ('revision', 'final'), ('revision', 'failed'), ('revision', 'stopped'),
  ('final', 'sending'), ('final', 'failed'), ('final', 'stopped'),
  ('sending', 'sent');

-- A turn: one message of the user, and what is made of it. `prompt` is the uuid of its row in the session's record.
-- `why` says why it failed, `call` which tool call met the seal, `failed_at` when the server was restarted.
CREATE TABLE turns (
  id INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL UNIQUE,
  chat TEXT NOT NULL,
  path TEXT NOT NULL,
  said TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting',
  draft TEXT,
  final TEXT,
  prompt TEXT,
  why TEXT,
  call TEXT,
  failed_at TEXT,
  CONSTRAINT a_settled_turn_has_its_text CHECK (state NOT IN ('final', 'sending', 'sent') OR final IS NOT NULL)
) STRICT;

CREATE UNIQUE INDEX one_turn_at_work ON turns (chat)
  WHERE state IN ('drafting', 'review', 'revision', 'final', 'sending');

CREATE INDEX turns_by_state ON turns (state);

CREATE INDEX turns_by_chat ON turns (chat, id);

CREATE TRIGGER a_turn_begins_by_waiting BEFORE INSERT ON turns WHEN NEW.state <> 'waiting'
BEGIN SELECT RAISE(ABORT, 'a turn begins by waiting'); END;

CREATE TRIGGER a_turn_moves_as_listed BEFORE UPDATE OF state ON turns
WHEN NOT EXISTS (SELECT 1 FROM moves WHERE old = OLD.state AND new = NEW.state)
BEGIN SELECT RAISE(ABORT, 'a turn does not move like this'); END;

CREATE TRIGGER a_settled_text_stays BEFORE UPDATE OF final ON turns WHEN OLD.final IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the text of this turn is settled'); END;

-- A row means: no tool runs any more in this turn.
CREATE TABLE tools_sealed (turn INTEGER PRIMARY KEY REFERENCES turns) STRICT;

-- RV-01
CREATE TRIGGER a_seal_is_not_broken BEFORE DELETE ON tools_sealed
BEGIN SELECT RAISE(ABORT, 'the seal lasts to the end of the turn and beyond'); END;

CREATE TRIGGER a_seal_is_not_moved BEFORE UPDATE ON tools_sealed
BEGIN SELECT RAISE(ABORT, 'the seal belongs to one turn'); END;

CREATE TABLE permits (
  id INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL REFERENCES turns,
  tool TEXT NOT NULL
) STRICT;

-- A call is written down before the tool runs: what the store refuses does not run.
CREATE TABLE tool_calls (
  id INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL REFERENCES turns,
  tool TEXT NOT NULL,
  permit INTEGER NOT NULL REFERENCES permits,
  result TEXT,
  CONSTRAINT a_permit_is_used_once UNIQUE (permit)
) STRICT;

-- RV-03
CREATE TRIGGER no_tool_runs_under_a_seal BEFORE INSERT ON tool_calls
WHEN EXISTS (SELECT 1 FROM tools_sealed WHERE turn = NEW.turn)
BEGIN SELECT RAISE(ABORT, 'the tools of this turn are sealed'); END;

-- RV-04
CREATE TRIGGER a_permit_is_good_for_its_own_call BEFORE INSERT ON tool_calls
WHEN NOT EXISTS (SELECT 1 FROM permits WHERE id = NEW.permit AND turn = NEW.turn AND tool = NEW.tool)
BEGIN SELECT RAISE(ABORT, 'this permit is for another call'); END;

CREATE TRIGGER no_permit_is_given_under_a_seal BEFORE INSERT ON permits
WHEN EXISTS (SELECT 1 FROM tools_sealed WHERE turn = NEW.turn)
BEGIN SELECT RAISE(ABORT, 'the tools of this turn are sealed'); END;

-- What the model means to record upstream as said, until it is known what really was.
CREATE TABLE intents (
  turn INTEGER NOT NULL REFERENCES turns,
  tool TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (turn, tool)
) STRICT;

-- What a turn's review came to. `opinion` is empty where the draft passed.
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL REFERENCES turns,
  answered INTEGER NOT NULL,
  opinion TEXT NOT NULL,
  CONSTRAINT one_review UNIQUE (turn) -- RV-12
) STRICT;

CREATE TRIGGER a_review_is_of_a_turn_under_review BEFORE INSERT ON reviews
WHEN NOT EXISTS (SELECT 1 FROM turns WHERE id = NEW.turn AND state = 'review')
BEGIN SELECT RAISE(ABORT, 'this turn is not under review'); END;

CREATE TABLE revisions (
  id INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL REFERENCES turns,
  text TEXT NOT NULL,
  CONSTRAINT one_revision UNIQUE (turn) -- RV-12
) STRICT;

CREATE TABLE searches (
  id INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL REFERENCES turns,
  name TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('found', 'absent', 'not checked')),
  took_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE fridge_notes (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  CONSTRAINT only_the_user_writes_notes CHECK (author = 'user') -- RV-33
) STRICT;

-- What was handed over for the phone, written down before it is.
CREATE TABLE shown (
  turn INTEGER PRIMARY KEY REFERENCES turns,
  text TEXT NOT NULL
) STRICT;

-- RV-35
CREATE TRIGGER only_a_settled_text_is_shown BEFORE INSERT ON shown
WHEN NOT EXISTS (SELECT 1 FROM turns WHERE id = NEW.turn AND state = 'sending' AND final = NEW.text)
BEGIN SELECT RAISE(ABORT, 'nothing but the settled text is shown, and not before'); END;

CREATE TRIGGER what_was_shown_was_shown BEFORE UPDATE ON shown
BEGIN SELECT RAISE(ABORT, 'what was shown was shown'); END;

CREATE TABLE mailbox_entries (
  id INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL,
  tool TEXT NOT NULL,
  text TEXT NOT NULL,
  committed INTEGER NOT NULL DEFAULT 0,
  FOREIGN KEY (turn, tool) REFERENCES intents,
  CONSTRAINT an_intent_is_committed_once UNIQUE (turn, tool)
) STRICT;

-- RV-07
CREATE TRIGGER nothing_is_recorded_as_said_before_it_is_sent BEFORE INSERT ON mailbox_entries
WHEN NOT EXISTS (SELECT 1 FROM turns WHERE id = NEW.turn AND state = 'sent')
BEGIN SELECT RAISE(ABORT, 'this turn was not sent'); END;

-- RV-06
CREATE TRIGGER what_is_recorded_was_said BEFORE INSERT ON mailbox_entries
WHEN EXISTS (SELECT 1 FROM shown WHERE turn = NEW.turn AND text <> NEW.text)
BEGIN SELECT RAISE(ABORT, 'this was not what was sent'); END;

CREATE TRIGGER what_is_recorded_stays BEFORE UPDATE OF turn, tool, text ON mailbox_entries
BEGIN SELECT RAISE(ABORT, 'what is recorded stays'); END;

CREATE TABLE passages (
  id INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE names (
  name TEXT PRIMARY KEY,
  message_id TEXT NOT NULL
) STRICT;
