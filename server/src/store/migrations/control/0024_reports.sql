-- Saved questions of a site. `question` is what the route of its kind takes, without the site. `owner` is the member or
-- the key that saved it.
CREATE TABLE reports (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  kind text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  question json NOT NULL,
  owner text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- How the answer of a query is shown; null where that is left to its dimensions.
  view text,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX reports_by_site ON reports (workspace_id, site_id, id);
