-- Elements of pages that changed. One alert an element; `ignore_before` is from when on an element is known anew, after
-- somebody resolved its alert or accepted its new text. `closed_at` is when that was: a period in the past shows what
-- stood open in it.
CREATE TABLE drift_alerts (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  page text NOT NULL,
  selector text NOT NULL,
  text text NOT NULL,
  kind text NOT NULL,
  severity text NOT NULL,
  opened_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  expected_per_day double precision NOT NULL,
  observed bigint NOT NULL,
  candidate json,
  affected_events json NOT NULL,
  status text NOT NULL CHECK (status IN ('open', 'accepted', 'muted', 'resolved')),
  ignore_before timestamptz,
  closed_at timestamptz,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, site_id, page, selector)
);

-- What somebody accepted as the same element: clicks on `alias` are clicks on `selector`.
CREATE TABLE drift_aliases (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  page text NOT NULL,
  alias text NOT NULL,
  selector text NOT NULL,
  PRIMARY KEY (workspace_id, site_id, page, alias)
);

-- `tried_at` is when a site was last tried, whether or not it could be looked at: one that fails goes to the end of the
-- queue. `data_until` is up to when the events of the last check reach.
CREATE TABLE drift_checks (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  checked_at timestamptz,
  tried_at timestamptz,
  data_until timestamptz,
  PRIMARY KEY (workspace_id, site_id)
);
