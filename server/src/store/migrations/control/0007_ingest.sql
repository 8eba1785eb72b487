-- Days as text, so that a day is the same everywhere; rows are deleted when their day is over.
CREATE TABLE visitor_salts (
  day text PRIMARY KEY,
  salt text NOT NULL
);

-- Lines of the log that the stores refused, each with its reason, until somebody loads or discards it. The line is
-- bytes: it may be what no text column takes. The identifiers of its person are beside it, as far as it can be read.
CREATE TABLE dead_letters (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL,
  event_id text NOT NULL,
  name text NOT NULL,
  person_id text NOT NULL,
  user_id text NOT NULL,
  anonymous_id text NOT NULL,
  node_id text NOT NULL,
  segment text NOT NULL,
  line bytea NOT NULL,
  line_bytes int NOT NULL,
  step text NOT NULL,
  reason text NOT NULL,
  -- The event itself is stored; what is missing is what follows from it.
  is_stored boolean NOT NULL,
  received_at timestamptz,
  failed_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'loaded', 'discarded')),
  decided_at timestamptz,
  decided_by text
);
CREATE INDEX dead_letters_listed ON dead_letters (workspace_id, failed_at DESC, id DESC);
CREATE INDEX dead_letters_waiting ON dead_letters (workspace_id) INCLUDE (line_bytes) WHERE state = 'waiting';
CREATE INDEX dead_letters_of_events ON dead_letters (workspace_id, event_id);
CREATE INDEX dead_letters_of_people ON dead_letters (workspace_id, person_id);
CREATE INDEX dead_letters_of_segments ON dead_letters (segment);

-- Written to and nothing else: whether the store takes rows at all.
CREATE TABLE load_probes (
  node_id text PRIMARY KEY,
  at timestamptz NOT NULL
);
