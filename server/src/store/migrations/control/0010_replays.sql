-- Recorded visits: one row a visit and tab, and its chunks as they came, packed.
CREATE TABLE replays (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL,
  session_id text NOT NULL,
  anonymous_id text NOT NULL,
  user_id text,
  -- Everyone who was seen in it, by original person id, so that it is found and forgotten with them.
  original_ids text[] NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  -- When its first chunk came, by our own clock: from then on it is kept for so long.
  created_at timestamptz NOT NULL,
  chunks integer NOT NULL,
  events integer NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX replays_newest ON replays (workspace_id, started_at DESC, id DESC);
CREATE INDEX replays_old ON replays (created_at);
CREATE INDEX replays_by_person ON replays USING gin (original_ids);

CREATE TABLE replay_chunks (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  replay_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- The visitor's own clock, by which the parts of a recording follow each other.
  first_ms bigint NOT NULL,
  -- A JSON list of what was recorded, with gzip.
  events bytea NOT NULL,
  PRIMARY KEY (workspace_id, replay_id, id),
  FOREIGN KEY (workspace_id, replay_id) REFERENCES replays (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX replay_chunks_in_order ON replay_chunks (workspace_id, replay_id, first_ms, id);
-- It is packed already. CREATE TABLE can say this from Postgres 16 on; 15 is supported.
ALTER TABLE replay_chunks ALTER COLUMN events SET STORAGE EXTERNAL;

-- How much was recorded on a site on a day of UTC, so that nobody with a public key can fill the disk.
CREATE TABLE replay_days (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL,
  day date NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (workspace_id, site_id, day)
);
