-- Moments that members or scripts marked on charts; without a site they are for every site of the workspace. `author`
-- is the member or the key. Read in the order of their times, by site or by workspace.
CREATE TABLE annotations (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text REFERENCES sites (id) ON DELETE CASCADE,
  at timestamptz NOT NULL,
  text text NOT NULL,
  link text,
  author text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX annotations_by_time ON annotations (workspace_id, at, id);
