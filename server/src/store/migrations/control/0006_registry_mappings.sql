-- Rules that a site made, and its changes to default rules, which have the id of the default rule.
-- `source_key` is the source as names are compared. json, not jsonb, so that the order of properties is kept.
CREATE TABLE event_mappings (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  is_default boolean NOT NULL,
  source text NOT NULL,
  source_key text NOT NULL,
  target text NOT NULL,
  property_map json NOT NULL,
  is_enabled boolean NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX event_mappings_source ON event_mappings (site_id, source_key) WHERE NOT is_default;
