-- Back-fills lie over the events, which never change. Each table is partitioned by what is let go of as a whole.

-- What one back-fill made of each event that it is about. A job that was cut short may have written a row twice.
CREATE TABLE IF NOT EXISTS event_overlays (
  backfill_id String,
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  ts DateTime64(3, 'UTC'),
  event_id String,
  received_at DateTime64(3, 'UTC'),
  person_id String,
  mapping_rule LowCardinality(String),
  name LowCardinality(String),
  contract_version LowCardinality(String),
  outcome LowCardinality(String),
  issues String CODEC(ZSTD(1)),
  amount Nullable(Decimal(18, 4)),
  currency LowCardinality(String),
  order_id String,
  properties String CODEC(ZSTD(1)),
  set_aside String CODEC(ZSTD(1)),
  stored_name LowCardinality(String),
  stored_order_id String,
  stored_counted UInt8,
  is_public UInt8
) ENGINE = MergeTree
PARTITION BY backfill_id
ORDER BY (workspace_id, site_id, ts, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

-- All back-fills of a site together: rows that stand for stored ones, whole, in the columns of events and in their
-- order behind four of their own. A change makes a new generation, so that reads go from one state to the next at
-- once. `was_name` is the name under which the arrival was counted, `was_held` whether it was held then.
CREATE TABLE IF NOT EXISTS overlaid_events (
  generation String,
  backfill_id LowCardinality(String),
  was_name LowCardinality(String),
  was_held UInt8,
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  ts DateTime64(3, 'UTC'),
  event_id String,
  received_at DateTime64(3, 'UTC'),
  arrival UInt64 DEFAULT toUInt64(toUnixTimestamp64Milli(received_at)) * 1000,
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
  endpoint LowCardinality(String),
  key_id LowCardinality(String),
  is_public UInt8,
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
  -- Where a visitor is, more precisely than the country.
  region LowCardinality(String) DEFAULT '',
  city LowCardinality(String) DEFAULT '',
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
  folded_title LowCardinality(String),
  folded_culprit LowCardinality(String),
  properties String CODEC(ZSTD(1)),
  set_aside String CODEC(ZSTD(1)),
  context String CODEC(ZSTD(1)),
  event_key UInt64 MATERIALIZED cityHash64(event_id),
  target LowCardinality(String) MATERIALIZED
    substring(JSONExtractString(if(name = '$click' OR name = '$form_submit', properties, ''),
                                if(name = '$click', 'element', 'form_id')), 1, 200),
  error_type LowCardinality(String) MATERIALIZED
    if(name = 'error', substringUTF8(JSONExtractString(if(name = 'error', properties, ''), 'name'), 1, 100), ''),
  error_title LowCardinality(String) MATERIALIZED
    if(name = 'error', if(folded_title != '', folded_title,
      replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
        substringUTF8(JSONExtractString(if(name = 'error', properties, ''), 'message'), 1, 1000),
        '(://[^\\s"\'<>()?#]*)[?#][^\\s"\'<>()]*', '\\1'),
        '[^\\s@<>"\'(]+@[^\\s@<>"\'/]+[.][a-zA-Z]{2,}', '<email>'),
        '[0-9a-fA-F]{8,}|[0-9]{6,}', '000')), ''),
  error_culprit LowCardinality(String) MATERIALIZED
    if(name = 'error', if(folded_culprit != '', folded_culprit, arrayStringConcat(
      arrayMap(line -> substringUTF8(line, 1, 300), arraySlice(arrayFilter(line -> match(line, ':[0-9]+[)]?$'),
        splitByChar('\n', replaceRegexpAll(
          substringUTF8(JSONExtractString(if(name = 'error', properties, ''), 'stack'), 1, 4000),
          '[0-9a-fA-F]{8,}|[0-9]{6,}', '000'))), 1, 3)), ' < ')), ''),
  error_key UInt64 MATERIALIZED
    if(name = 'error', cityHash64(error_type, error_title, error_culprit), 0)
) ENGINE = MergeTree
PARTITION BY generation
ORDER BY (workspace_id, site_id, ts, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

-- Which purchase counts for an order that back-fills touch, and whether that one lies in the overlay.
CREATE TABLE IF NOT EXISTS overlay_orders (
  generation String,
  order_id String,
  event_id String,
  is_overlaid UInt8
) ENGINE = MergeTree
PARTITION BY generation
ORDER BY order_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
