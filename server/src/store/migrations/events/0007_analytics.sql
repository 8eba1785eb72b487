-- Sums of finished days of large sites, for an overview without filters (docs/decisions/0029-exact-summaries.md).
-- Everything here follows from the events and can be made again.

-- Sites whose days are summed up. Whoever changes stored events of one of them says so in `summary_changes`.
CREATE TABLE IF NOT EXISTS summary_sites (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  since DateTime64(3, 'UTC') DEFAULT now64(3)
) ENGINE = MergeTree
ORDER BY (workspace_id, site_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- How often stored events of a day (of UTC, counted from 1970) were changed: twice for each change, before and after.
CREATE TABLE IF NOT EXISTS summary_changes (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  day Int32,
  changes SimpleAggregateFunction(sum, UInt64),
  at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) DEFAULT now64(3)
) ENGINE = AggregatingMergeTree
ORDER BY (workspace_id, site_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- A dense number for each person (kind 0, as stored, before merges) and each session (kind 1) of a site, and the day
-- that it was first given for.
CREATE TABLE IF NOT EXISTS summary_numbers (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  kind UInt8,
  key UInt64,
  number UInt32,
  from_ms Int64
) ENGINE = MergeTree
ORDER BY (workspace_id, site_id, kind, key)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- One row a day that is summed up; it is written last. `changes` is the sum of `summary_changes` before the events were
-- read: the row counts only while it is the same. `returning` are sessions that were first seen on another day.
CREATE TABLE IF NOT EXISTS summary_days (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  from_ms Int64,
  to_ms Int64,
  run UInt64,
  changes UInt64,
  people AggregateFunction(groupBitmap, UInt32),
  sessions AggregateFunction(groupBitmap, UInt32),
  returning AggregateFunction(groupBitmap, UInt32),
  events UInt64,
  pageviews UInt64,
  conversions UInt64,
  bot_events UInt64,
  bounced UInt64,
  duration_ms Int64,
  converted UInt64
) ENGINE = MergeTree
ORDER BY (workspace_id, site_id, from_ms, run)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- The same by dimension and value; the dimension `revenue` has currencies.
CREATE TABLE IF NOT EXISTS summary_values (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  from_ms Int64,
  run UInt64,
  dimension LowCardinality(String),
  value String,
  people AggregateFunction(groupBitmap, UInt32),
  sessions AggregateFunction(groupBitmap, UInt32),
  events UInt64,
  amount Decimal(38, 4)
) ENGINE = MergeTree
ORDER BY (workspace_id, site_id, from_ms, run, dimension, value)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- One row a day and session, for sessions of more than one day.
CREATE TABLE IF NOT EXISTS summary_visits (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  from_ms Int64,
  run UInt64,
  number UInt32,
  first_ms Int64,
  last_ms Int64,
  active UInt32,
  goals UInt32
) ENGINE = MergeTree
ORDER BY (workspace_id, site_id, from_ms, run, number)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;
