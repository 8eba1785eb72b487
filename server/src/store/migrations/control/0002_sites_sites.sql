CREATE TABLE sites (
  id text PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name text NOT NULL,
  domain text NOT NULL,
  timezone text NOT NULL,
  currency text NOT NULL,
  ingest_token text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  UNIQUE (workspace_id, domain)
);
