-- Workspaces that were filled with made-up traffic. Each person has one at most, and it goes with its workspace.
CREATE TABLE demos (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id text NOT NULL UNIQUE,
  site_id text NOT NULL,
  until timestamptz NOT NULL,
  sent integer NOT NULL DEFAULT 0,
  is_filled boolean NOT NULL DEFAULT false,
  is_removing boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL
);
