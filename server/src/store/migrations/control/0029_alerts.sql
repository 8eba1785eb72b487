-- Metrics that are judged in every interval. `question` is null where it is that of a saved report. `slack_url` is
-- sealed, and empty where there is none. `next_at` is when it is judged next; whoever judges it moves it on first, so
-- that others leave it alone, and writes only if it is still there. `owner` is the member or the key that made it.
CREATE TABLE alerts (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name text NOT NULL,
  question json,
  report_id text,
  report_metric text,
  "interval" text NOT NULL,
  condition json NOT NULL,
  recipients text[] NOT NULL,
  slack_url text NOT NULL,
  has_notice boolean NOT NULL,
  is_paused boolean NOT NULL,
  state text NOT NULL,
  last_value double precision,
  last_start timestamptz,
  last_checked_at timestamptz,
  last_error text,
  failures int NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL DEFAULT now(),
  owner text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX alerts_by_site ON alerts (workspace_id, site_id, id);
CREATE INDEX alerts_due ON alerts (next_at) WHERE NOT is_paused;

-- From the opening of an alert to its closing. One is open at a time.
CREATE TABLE alert_firings (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  alert_id text COLLATE "C" NOT NULL,
  interval_start timestamptz NOT NULL,
  value double precision NOT NULL,
  low double precision,
  high double precision,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  closed_by text,
  closed_value double precision,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, alert_id) REFERENCES alerts (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX alert_firings_of_alert ON alert_firings (workspace_id, alert_id, id DESC);
CREATE UNIQUE INDEX alert_firings_open ON alert_firings (workspace_id, alert_id) WHERE closed_at IS NULL;

-- What is to be sent of a firing, once to each recipient. `facts` is what the message says.
CREATE TABLE alert_messages (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  alert_id text COLLATE "C" NOT NULL,
  firing_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  channel text NOT NULL,
  recipient text NOT NULL,
  facts json NOT NULL,
  status text NOT NULL,
  attempts int NOT NULL,
  error text,
  created_at timestamptz NOT NULL,
  retry_until timestamptz NOT NULL,
  next_at timestamptz,
  sent_at timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, firing_id) REFERENCES alert_firings (workspace_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX alert_messages_once ON alert_messages (workspace_id, firing_id, type, channel, recipient);
CREATE INDEX alert_messages_due ON alert_messages (next_at) WHERE status = 'pending';
CREATE INDEX alert_messages_by_age ON alert_messages (created_at);
