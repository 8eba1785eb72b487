-- What is loaded leaves the log, so a part is on disk before its insert is answered, and so is what merges make of it.
-- One row an event that passed the gate. A row never changes after it was written, save by forget.
CREATE TABLE IF NOT EXISTS events (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  ts DateTime64(3, 'UTC'),
  event_id String,
  received_at DateTime64(3, 'UTC'),
  name LowCardinality(String),
  sent_name LowCardinality(String),
  mapping_rule LowCardinality(String),
  contract_version LowCardinality(String),
  outcome LowCardinality(String),
  issues String,
  ts_sent Nullable(DateTime64(3, 'UTC')),
  correction_ms Int64,
  person_id String,
  person_key UInt64,
  resolved_by LowCardinality(String),
  user_id String,
  anonymous_id String,
  session_id String,
  session_key UInt64,
  door LowCardinality(String),
  key_id LowCardinality(String),
  surface LowCardinality(String),
  sdk LowCardinality(String),
  release LowCardinality(String),
  url String,
  host LowCardinality(String),
  path String,
  title String,
  referrer String,
  referrer_host LowCardinality(String),
  utm_source LowCardinality(String),
  utm_medium LowCardinality(String),
  utm_campaign LowCardinality(String),
  utm_term String,
  utm_content String,
  click_id_type LowCardinality(String),
  click_id String,
  channel LowCardinality(String),
  source LowCardinality(String),
  country LowCardinality(String),
  device LowCardinality(String),
  browser LowCardinality(String),
  os LowCardinality(String),
  is_bot UInt8,
  bot_reason LowCardinality(String),
  amount Nullable(Decimal(18, 4)),
  currency LowCardinality(String),
  order_id String,
  duplicate_of String,
  counted UInt8,
  consent_record_id String,
  properties String CODEC(ZSTD(1)),
  set_aside String CODEC(ZSTD(1)),
  context String CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toYYYYMM(ts)
ORDER BY (workspace_id, site_id, ts, event_id)
SETTINGS non_replicated_deduplication_window = 10000,
  fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- Held events, as they came, until somebody releases or discards them.
CREATE TABLE IF NOT EXISTS quarantine (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  received_at DateTime64(3, 'UTC'),
  event_id String,
  name LowCardinality(String),
  sent_name LowCardinality(String),
  code LowCardinality(String),
  person_id String,
  held String CODEC(ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (workspace_id, received_at, event_id)
SETTINGS non_replicated_deduplication_window = 10000,
  fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- Every id that was acknowledged, in an order that makes one of them cheap to find. It is what the dedup index is
-- rebuilt from, and where an id that may be older than the index is looked up.
CREATE TABLE IF NOT EXISTS event_ids (
  id_hi UInt32,
  id_lo UInt32,
  kind UInt8,
  workspace_id LowCardinality(String),
  id String,
  event_id String,
  site_id LowCardinality(String),
  ts DateTime64(3, 'UTC'),
  received_at DateTime64(3, 'UTC'),
  outcome LowCardinality(String)
) ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (id_hi, id_lo)
SETTINGS index_granularity = 512, non_replicated_deduplication_window = 10000,
  fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- How many events got which verdict, by hour; rejected events leave nothing else behind.
CREATE TABLE IF NOT EXISTS verdicts (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  hour DateTime('UTC'),
  name LowCardinality(String),
  outcome LowCardinality(String),
  code LowCardinality(String),
  events UInt64,
  duplicates UInt64
) ENGINE = SummingMergeTree((events, duplicates))
PARTITION BY toYYYYMM(hour)
ORDER BY (workspace_id, site_id, hour, name, outcome, code)
SETTINGS non_replicated_deduplication_window = 10000,
  fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;
