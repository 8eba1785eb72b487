-- `secrets` is a sealed JSON list of {secret, until}; see accounts/vault.ts.
CREATE TABLE webhook_connections (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  provider text NOT NULL,
  registered_url text,
  include_test boolean NOT NULL,
  secrets text NOT NULL,
  created_at timestamptz NOT NULL,
  rotated_at timestamptz
);
CREATE INDEX webhook_connections_by_workspace ON webhook_connections (workspace_id, id DESC);
