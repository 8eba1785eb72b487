-- What the ids of people are made with where a workspace was imported: theirs were made elsewhere, by another key.
CREATE TABLE person_keys (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  key text NOT NULL
);

-- The hashes of a ledger go over the id of the workspace in which it was begun; an imported one began elsewhere.
ALTER TABLE identity_ledger_heads ADD COLUMN begun_in text;

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
