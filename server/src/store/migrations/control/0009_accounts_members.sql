-- A workspace on its way out: keys stop with delete_requested_at, it can be taken back until delete_started_at.
ALTER TABLE workspaces
  ADD COLUMN delete_requested_at timestamptz,
  ADD COLUMN delete_requested_by text,
  ADD COLUMN delete_after timestamptz,
  ADD COLUMN delete_started_at timestamptz;

-- What is left of a workspace: that it is gone. A node that was away may still bring events of it, and they go too.
CREATE TABLE deleted_workspaces (
  id text PRIMARY KEY,
  requested_by text NOT NULL,
  deleted_at timestamptz NOT NULL
);

-- The link that was mailed is never stored: only its SHA-256.
CREATE TABLE invitations (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'analyst', 'viewer')),
  hash bytea NOT NULL UNIQUE,
  invited_by text NOT NULL,
  invited_by_label text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  accepted_by text,
  revoked_at timestamptz
);
CREATE INDEX invitations_by_workspace ON invitations (workspace_id, id DESC);
CREATE UNIQUE INDEX invitations_open ON invitations (email, workspace_id)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;
