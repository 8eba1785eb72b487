-- Who is or was in an audience, a row a person; the latest version wins. Whom a row is about now says the mapping of
-- people.
CREATE TABLE IF NOT EXISTS audience_members (
  workspace_id LowCardinality(String),
  audience_id LowCardinality(String),
  person_key UInt64,
  person_id String,
  is_member UInt8,
  joined_at DateTime64(3, 'UTC'),
  left_at Nullable(DateTime64(3, 'UTC')),
  version UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (workspace_id, audience_id, person_key)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- People whom a condition on traits or consent selects, laid beside the events for the one statement that needs them.
CREATE TABLE IF NOT EXISTS audience_sets (
  workspace_id LowCardinality(String),
  set_id String,
  person_key UInt64 MATERIALIZED cityHash64(person_id),
  person_id String,
  made_at DateTime('UTC') DEFAULT now(),
  -- What is known of the person, where a statement compares or groups by it: a text, and whether it was one.
  value String DEFAULT '',
  is_text UInt8 DEFAULT 0
) ENGINE = MergeTree
PARTITION BY set_id
ORDER BY person_key
TTL made_at + INTERVAL 1 DAY;
