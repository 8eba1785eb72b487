-- How events are watched; a workspace without a row is watched as usual.
CREATE TABLE health_settings (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  settings json NOT NULL
);

-- The last hour that was looked at.
CREATE TABLE health_watches (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  watched_until timestamptz NOT NULL
);

CREATE TABLE health_anomalies (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  type text NOT NULL CHECK (type IN ('volume', 'schema', 'latency')),
  site_id text NOT NULL,
  event_name text NOT NULL,
  issue text NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  observed double precision NOT NULL,
  expected double precision NOT NULL,
  score double precision NOT NULL,
  severity text NOT NULL,
  cause json NOT NULL,
  cause_group text NOT NULL,
  is_alert boolean NOT NULL,
  status text NOT NULL CHECK (status IN ('open', 'acknowledged', 'muted', 'closed')),
  muted_until timestamptz,
  note text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX health_anomalies_by_workspace ON health_anomalies (workspace_id, id);
-- Of one thing one anomaly is open at a time, whichever node looks.
CREATE UNIQUE INDEX health_anomalies_open ON health_anomalies (workspace_id, type, site_id, event_name, issue)
  WHERE ended_at IS NULL;

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
