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
