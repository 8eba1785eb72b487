-- What visitors of a site are meant to do: an event, a page of it, and conditions on it.
CREATE TABLE goals (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name text NOT NULL,
  event text NOT NULL,
  page text,
  filters json NOT NULL,
  owner text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX goals_by_site ON goals (workspace_id, site_id, id);
