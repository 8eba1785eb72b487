CREATE TABLE workspaces (
  id text PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Keys stop working with delete_requested_at. The deletion can be cancelled until delete_started_at.
  delete_requested_at timestamptz,
  delete_requested_by text,
  delete_after timestamptz,
  delete_started_at timestamptz
);

-- What is left of a workspace: that it is gone. A node that was away may still bring events of it, and they go too.
CREATE TABLE deleted_workspaces (
  id text PRIMARY KEY,
  requested_by text NOT NULL,
  deleted_at timestamptz NOT NULL
);

-- Humans who sign in. An address is kept in lower case, so that one human is one row.
CREATE TABLE users (
  id text PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  email_verified_at timestamptz
);

CREATE TABLE memberships (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'analyst', 'viewer')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id, created_at);

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
