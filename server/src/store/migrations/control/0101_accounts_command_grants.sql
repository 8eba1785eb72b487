-- A person allowed a command on their machine a key of its own; the key is made when the command comes for it. The code
-- that it brings is never stored: only its SHA-256.
CREATE TABLE command_grants (
  hash bytea PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  challenge text NOT NULL,
  name text NOT NULL,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  actor_label text NOT NULL,
  expires_at timestamptz NOT NULL
);
