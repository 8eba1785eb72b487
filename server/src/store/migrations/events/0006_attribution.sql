-- Touchpoints taken out of the events of each day once: the first event of a session that carries a channel. `run`
-- names the reading that made them; which run counts for a day stands in the control store.
CREATE TABLE IF NOT EXISTS attribution_touches (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  day Date,
  run LowCardinality(String),
  person_id String,
  person_key UInt64,
  session_key UInt64,
  ts DateTime64(3, 'UTC'),
  event_id String,
  referrer_host LowCardinality(String),
  utm_source LowCardinality(String),
  utm_medium LowCardinality(String),
  utm_campaign LowCardinality(String),
  click_id_type LowCardinality(String),
  is_bot UInt8,
  arrival UInt64,
  -- What it carried, as one number: learning reads it of all of them, and the texts of each only once.
  facts_key UInt64 MATERIALIZED cityHash64(referrer_host, utm_source, utm_medium, utm_campaign, click_id_type)
) ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (workspace_id, person_key, ts, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- One row an outcome with the touchpoints that may share it, in the order of time. `people` is everybody whose events
-- took part, by their original ids, and whom they belonged to when this was made.
CREATE TABLE IF NOT EXISTS attribution_outcomes (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  day Date,
  run LowCardinality(String),
  outcome_id String,
  ts DateTime64(3, 'UTC'),
  name LowCardinality(String),
  person_id String,
  people Array(String),
  amount Nullable(Decimal(18, 4)),
  currency LowCardinality(String),
  touch_ids Array(String),
  channels Array(LowCardinality(String)),
  sources Array(LowCardinality(String)),
  campaigns Array(LowCardinality(String)),
  decay_units Array(UInt64),
  policy_version UInt32
) ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (workspace_id, day, outcome_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;
