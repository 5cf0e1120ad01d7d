-- The memory chain's store: sessions, what was said in them and before them, and an event for every hop.

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  channel TEXT NOT NULL,
  identity TEXT NOT NULL CHECK (length(identity) = 64),
  platform_user TEXT NOT NULL,
  summary TEXT NOT NULL DEFAULT '',
  watermark INTEGER NOT NULL DEFAULT 0,
  latest INTEGER NOT NULL,
  CONSTRAINT one_person_one_session UNIQUE (tenant, channel, identity)
) STRICT;

CREATE INDEX earlier_sessions ON sessions (tenant, platform_user, latest);

-- What is known of a session's customer. An empty value is a field that is known to be missing.
CREATE TABLE profile_fields (
  session INTEGER NOT NULL REFERENCES sessions,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('said', 'imported')),
  PRIMARY KEY (session, field)
) STRICT;

-- MC-06
CREATE TRIGGER an_import_takes_no_field BEFORE INSERT ON profile_fields
WHEN NEW.origin = 'imported'
  AND EXISTS (SELECT 1 FROM profile_fields WHERE session = NEW.session AND field = NEW.field AND value <> '')
BEGIN SELECT RAISE(ABORT, 'this field is known already'); END;

-- MC-06
CREATE TRIGGER an_import_changes_no_field BEFORE UPDATE ON profile_fields
WHEN NEW.origin = 'imported' AND OLD.value <> ''
BEGIN SELECT RAISE(ABORT, 'this field is known already'); END;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions,
  role TEXT NOT NULL CHECK (role IN ('customer', 'assistant')),
  content TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;

CREATE INDEX messages_by_time ON messages (session, created, id);

-- A page of earlier talk that a device read and uploaded; `read_on` is that device's day.
CREATE TABLE pages (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions,
  device TEXT NOT NULL,
  read_on TEXT NOT NULL
) STRICT;

-- What came with a page: facts that were read off it, and the raw page itself, for the audit.
CREATE TABLE page_parts (
  page INTEGER NOT NULL REFERENCES pages,
  part TEXT NOT NULL CHECK (part IN ('fact', 'raw page')),
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (page, part, field)
) STRICT;

-- The stored history profiles: pages whose times were accepted.
CREATE TABLE history_profiles (
  page INTEGER PRIMARY KEY REFERENCES pages,
  session INTEGER NOT NULL REFERENCES sessions
) STRICT;

-- The earlier talk of a session, oldest first by `place`, each entry once.
CREATE TABLE history (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions,
  place INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('customer', 'assistant')),
  content TEXT NOT NULL,
  label TEXT NOT NULL,
  read_on TEXT NOT NULL
) STRICT;

CREATE TABLE gaps (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions,
  found INTEGER NOT NULL,
  lifted INTEGER
) STRICT;

CREATE UNIQUE INDEX one_open_gap ON gaps (session) WHERE lifted IS NULL;

-- MC-33
CREATE TRIGGER nothing_is_fetched_over_a_gap BEFORE INSERT ON pages
WHEN EXISTS (SELECT 1 FROM gaps WHERE session = NEW.session AND lifted IS NULL)
BEGIN SELECT RAISE(ABORT, 'the history fetch of this customer is stopped by a gap'); END;

-- What a model was given. Its lines are references, so that nothing but talk can be among them.
CREATE TABLE prompts (
  id INTEGER PRIMARY KEY,
  session INTEGER REFERENCES sessions,
  system TEXT NOT NULL,
  summary TEXT NOT NULL
) STRICT;

CREATE TABLE prompt_lines (
  prompt INTEGER NOT NULL REFERENCES prompts,
  place INTEGER NOT NULL,
  message INTEGER REFERENCES messages,
  entry INTEGER REFERENCES history,
  PRIMARY KEY (prompt, place),
  CONSTRAINT a_line_was_said_somewhere CHECK ((message IS NULL) <> (entry IS NULL))
) STRICT;

-- MC-09
CREATE TRIGGER no_line_comes_from_another_session BEFORE INSERT ON prompt_lines
WHEN (SELECT session FROM prompts WHERE id = NEW.prompt) IS NOT coalesce(
  (SELECT session FROM messages WHERE id = NEW.message),
  (SELECT session FROM history WHERE id = NEW.entry)
)
BEGIN SELECT RAISE(ABORT, 'this line was said in another session'); END;

-- One row each time that a hop or a stage of the history came to something. `amount`: how many it handled.
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  stage TEXT NOT NULL,
  came TEXT NOT NULL,
  amount INTEGER NOT NULL,
  session INTEGER REFERENCES sessions
) STRICT;
