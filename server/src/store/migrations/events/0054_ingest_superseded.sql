-- Anyone can read a public key, so what it brings never keeps out what a secret sender brings: of an id there may be one
-- event of each, told apart by `is_public`. Rows of before this column count as secret, so nothing outranks them.
ALTER TABLE events ADD COLUMN IF NOT EXISTS is_public UInt8;

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS is_public UInt8;

ALTER TABLE event_overlays ADD COLUMN IF NOT EXISTS is_public UInt8;

ALTER TABLE quarantine ADD COLUMN IF NOT EXISTS is_public UInt8;

ALTER TABLE event_ids ADD COLUMN IF NOT EXISTS is_public UInt8;

-- Stored events that stopped counting since a secret sender brought the same id or order; events themselves never change.
-- A load that is repeated says the same again.
CREATE TABLE IF NOT EXISTS superseded_events (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  ts DateTime64(3, 'UTC'),
  event_id String,
  by_event_id String,
  cause LowCardinality(String),
  event_key UInt64 MATERIALIZED cityHash64(event_id)
) ENGINE = ReplacingMergeTree
ORDER BY (workspace_id, site_id, ts, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;
