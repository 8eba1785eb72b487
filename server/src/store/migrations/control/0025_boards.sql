-- Tiles of a site on a grid. `narrowing` is the period and the filters of all of them. `owner` is the member or the key
-- that made it. The ready boards of every site are not stored.
CREATE TABLE boards (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL,
  narrowing json NOT NULL,
  tiles json NOT NULL,
  owner text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX boards_by_site ON boards (workspace_id, site_id, id);
