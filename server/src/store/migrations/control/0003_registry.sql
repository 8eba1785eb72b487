-- One row a version. `body` holds what never changes once it was published; status and replaced_by are its state.
-- json, not jsonb, so that properties keep the order in which they were written.
CREATE TABLE contracts (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  key text COLLATE "C" NOT NULL,
  major integer NOT NULL,
  minor integer NOT NULL,
  patch integer NOT NULL,
  status text NOT NULL CHECK (status IN ('draft', 'published', 'deprecated', 'archived')),
  description text NOT NULL,
  body json NOT NULL,
  replaced_by text,
  created_at timestamptz NOT NULL,
  published_at timestamptz,
  PRIMARY KEY (workspace_id, key, major, minor, patch)
);

-- Where a workspace is stricter or milder than the gate is by itself: issue code to outcome. `preset` says whether
-- unregistered events are counted (learning) or quarantined (strict). A workspace without a row learns.
CREATE TABLE gate_severities (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  severities json NOT NULL,
  preset text NOT NULL DEFAULT 'learning' CHECK (preset IN ('learning', 'strict'))
);

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

-- Where an event comes from without code: an element on a page, by the key of its contract. It may change while the
-- contract stands, so it is not part of a version. Without a site it acts on every site of the workspace.
CREATE TABLE element_matches (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  key text COLLATE "C" NOT NULL,
  site_id text REFERENCES sites (id) ON DELETE CASCADE,
  match json NOT NULL,
  PRIMARY KEY (workspace_id, key)
);

-- A rule applied to events that are stored already, with the rule as it was then. `cursor_ms` and `cursor_id` are the
-- last event that was judged, so that a job which was cut short goes on behind it. Whoever holds the claim works on it.
CREATE TABLE mapping_backfills (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  mapping_id text NOT NULL,
  source text NOT NULL,
  target text NOT NULL,
  property_map json NOT NULL,
  from_at timestamptz NOT NULL,
  to_at timestamptz NOT NULL,
  status text NOT NULL
    CHECK (status IN ('queued', 'running', 'done', 'failed', 'withdrawing', 'withdrawn', 'dry_run')),
  sent_names json NOT NULL,
  matched bigint NOT NULL,
  judged bigint NOT NULL DEFAULT 0,
  events bigint NOT NULL DEFAULT 0,
  renamed bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0,
  codes json NOT NULL DEFAULT '{}',
  cursor_ms bigint NOT NULL DEFAULT 0,
  cursor_id text NOT NULL DEFAULT '',
  claimed_by text NOT NULL DEFAULT '',
  claimed_until timestamptz NOT NULL DEFAULT 'epoch',
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE INDEX mapping_backfills_site ON mapping_backfills (site_id, id);
CREATE INDEX mapping_backfills_open ON mapping_backfills (id)
  WHERE status IN ('queued', 'running', 'withdrawing', 'dry_run');

-- Which generation of overlaid rows the reads of a site go by; empty when none. The one before is kept for reads that
-- are under way, `next` is one that is being made.
CREATE TABLE site_overlays (
  site_id text PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  generation text NOT NULL DEFAULT '',
  previous text NOT NULL DEFAULT '',
  next text NOT NULL DEFAULT '',
  from_at timestamptz,
  to_at timestamptz,
  has_orders boolean NOT NULL DEFAULT false,
  settled_at timestamptz
);
CREATE INDEX site_overlays_workspace ON site_overlays (workspace_id);
