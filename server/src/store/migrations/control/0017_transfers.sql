-- Workspaces that are being filled from an export. `node_id` is the node that has its files; while it is applied,
-- nothing but the import may look into the workspace or change it.
CREATE TABLE workspace_imports (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL UNIQUE REFERENCES workspaces (id) ON DELETE CASCADE,
  node_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('receiving', 'applying', 'done', 'failed')),
  manifest json NOT NULL,
  rows_done bigint NOT NULL DEFAULT 0,
  error text,
  created_at timestamptz NOT NULL,
  finished_at timestamptz
);
