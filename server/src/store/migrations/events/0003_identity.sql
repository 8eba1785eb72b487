-- The current person of each original person of an event. Only people who are or were merged have rows; the latest
-- ledger entry wins. Keys are those of the events table.
CREATE TABLE IF NOT EXISTS person_mapping (
  workspace_id LowCardinality(String),
  original_id String,
  original_key UInt64,
  person_id String,
  person_key UInt64,
  seq UInt64
) ENGINE = ReplacingMergeTree(seq)
ORDER BY (workspace_id, original_key)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;
