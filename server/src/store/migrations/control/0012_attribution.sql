-- Every version that ever was in force; the highest is.
CREATE TABLE attribution_policies (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  version integer NOT NULL,
  settings json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, version)
);

-- How far a workspace's computations have followed what changes beside events, and what the data taught last.
-- `fitted_from` is what the data-driven model learnt from: the policy, the people as they were, the runs of its days.
CREATE TABLE attribution_states (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  people_seq bigint NOT NULL DEFAULT 0,
  consent_seq bigint NOT NULL DEFAULT 0,
  fit json,
  fit_policy_version integer,
  fitted_at timestamptz,
  fitted_from text NOT NULL DEFAULT ''
);

-- One row a day that was looked at. `inputs` tells whether its events changed; the two runs say which rows of the
-- events store are the day's touchpoints and outcomes, so that a reader goes from one state to the next at once.
-- Jobs make both; `touches_until` and `outcomes_until` are up to when what was acknowledged is in them.
CREATE TABLE attribution_days (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  day date NOT NULL,
  inputs text NOT NULL,
  touch_run text,
  touches_until timestamptz,
  outcome_run text,
  outcomes_until timestamptz,
  policy_version integer,
  outcomes integer NOT NULL DEFAULT 0,
  is_outdated boolean NOT NULL DEFAULT false,
  PRIMARY KEY (workspace_id, day)
);

CREATE TABLE attribution_jobs (
  id text PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  from_day date NOT NULL,
  to_day date NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
  progress real NOT NULL DEFAULT 0,
  policy_version integer,
  days_computed integer NOT NULL DEFAULT 0,
  days_unchanged integer NOT NULL DEFAULT 0,
  outcomes integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  detail text,
  holder text,
  lease_until timestamptz,
  created_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE INDEX attribution_jobs_open ON attribution_jobs (created_at) WHERE status IN ('queued', 'running');
