-- What a site has reached, which stays also when the events that it was counted from are gone, and how it stood when it
-- was last counted. `data_until` is up to when its events reach.
CREATE TABLE site_milestones (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  counted_at timestamptz NOT NULL,
  totals json NOT NULL,
  reached json NOT NULL,
  data_until timestamptz,
  PRIMARY KEY (workspace_id, site_id)
);
