-- What somebody said of a group of errors; without a row it is open. Whether it came back is seen from its last time.
CREATE TABLE error_states (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  group_id text COLLATE "C" NOT NULL,
  state text NOT NULL CHECK (state IN ('open', 'resolved', 'muted')),
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, site_id, group_id)
);

CREATE TABLE error_rules (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  position integer NOT NULL,
  match json NOT NULL,
  error_group text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX error_rules_by_site ON error_rules (workspace_id, site_id, position, id);
