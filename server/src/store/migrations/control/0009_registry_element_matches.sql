-- Where an event comes from without code: an element on a page, by the key of its contract. It may change while the
-- contract stands, so it is not part of a version. Without a site it acts on every site of the workspace.
CREATE TABLE element_matches (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  key text COLLATE "C" NOT NULL,
  site_id text REFERENCES sites (id) ON DELETE CASCADE,
  match json NOT NULL,
  PRIMARY KEY (workspace_id, key)
);
