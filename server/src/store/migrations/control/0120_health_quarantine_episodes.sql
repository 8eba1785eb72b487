-- Where so much is held that somebody was told; gone when it is over, so that the next time is told again. An empty
-- name stands for all events of a site together.
CREATE TABLE health_quarantine_episodes (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL,
  event_name text NOT NULL,
  since timestamptz NOT NULL,
  last_over_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, site_id, event_name)
);
