-- What became of held events, a row a decision. `received_at` is the arrival of the held event: with the event id it
-- says which one is meant, since an id may be held again once it was forgotten. The state `held` is a judgement that
-- the event did not pass again; its name, code and issues then stand for those of the arrival.
CREATE TABLE IF NOT EXISTS quarantine_states (
  workspace_id LowCardinality(String),
  received_at DateTime64(3, 'UTC'),
  event_id String,
  state LowCardinality(String),
  decided_at DateTime64(3, 'UTC'),
  decided_by LowCardinality(String),
  decision_id String,
  person_id String,
  name LowCardinality(String),
  code LowCardinality(String),
  issues String CODEC(ZSTD(1)),
  patch String CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (workspace_id, received_at, event_id)
SETTINGS non_replicated_deduplication_window = 10000,
  fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- One held event is asked for by its id, and the table is in the order of arrival.
ALTER TABLE quarantine ADD INDEX IF NOT EXISTS by_event_id event_id TYPE bloom_filter GRANULARITY 1;
