-- Whom the people that events were born to are part of now. Only people who are or were merged have rows; the latest
-- ledger entry wins. Keys are those of the events table.
CREATE TABLE IF NOT EXISTS person_mapping (
  workspace_id LowCardinality(String),
  born_id String,
  born_key UInt64,
  person_id String,
  person_key UInt64,
  seq UInt64
) ENGINE = ReplacingMergeTree(seq)
ORDER BY (workspace_id, born_key)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- Events are in the order of their time; this finds those of one person without reading everybody's. It holds just
-- enough to find a page of a timeline and to count.
ALTER TABLE events MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild';
ALTER TABLE events ADD PROJECTION IF NOT EXISTS by_person (
  SELECT workspace_id, site_id, ts, name, person_key ORDER BY person_key, ts
);
