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

-- A rule applied to what is stored: an overlay that reads lay over the events, which themselves never change.
-- `sent_names` are the spellings of the source that were found; `has_orders` tells whether order ids are touched.
CREATE TABLE mapping_backfills (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  mapping_id text NOT NULL,
  source text NOT NULL,
  source_key text NOT NULL,
  target text NOT NULL,
  property_map json NOT NULL,
  from_at timestamptz NOT NULL,
  to_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'active', 'counted', 'withdrawn', 'failed')),
  progress double precision NOT NULL,
  events bigint NOT NULL,
  incomplete bigint NOT NULL,
  has_orders boolean NOT NULL,
  sent_names json NOT NULL,
  is_dry_run boolean NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX mapping_backfills_site ON mapping_backfills (site_id, id);

-- Where an event comes from without code: an element on a page, by the contract that it belongs to.
CREATE TABLE event_definitions (
  id text PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text REFERENCES sites (id) ON DELETE CASCADE,
  name text NOT NULL,
  match json,
  created_at timestamptz NOT NULL,
  UNIQUE (workspace_id, name)
);
