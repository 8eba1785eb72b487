CREATE TABLE workspaces (
  id text PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The key itself is never stored: only its SHA-256, and a hint that a person can recognise.
CREATE TABLE api_keys (
  id text PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text,
  kind text NOT NULL CHECK (kind IN ('public', 'secret', 'live', 'test')),
  name text NOT NULL,
  hint text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  environment text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id DESC);

-- What every node of an installation must share: hash seeds, signing secrets.
CREATE TABLE installation (
  name text PRIMARY KEY,
  value text NOT NULL
);
