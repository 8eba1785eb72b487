-- Secret addresses that show a board, a report or the overview without an account. Only a hash of the secret is stored,
-- and a slow hash of the password. Revoking deletes the row.
CREATE TABLE shares (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  type text NOT NULL,
  target_id text,
  narrowing json NOT NULL,
  password_hash text,
  expires_at timestamptz,
  origins text[] NOT NULL,
  theme text NOT NULL,
  owner text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX shares_by_site ON shares (workspace_id, site_id, id);
