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
