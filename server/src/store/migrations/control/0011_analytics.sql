-- Funnels that were found in the sessions of a site, and what people made of them: a name of their own, pinned, muted.
CREATE TABLE funnels (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  steps json NOT NULL,
  found_name text NOT NULL,
  own_name text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'discovered' CHECK (status IN ('discovered', 'pinned', 'muted')),
  first_seen timestamptz NOT NULL,
  last_seen timestamptz NOT NULL
);
CREATE INDEX funnels_site ON funnels (site_id, id);
