-- What is loaded leaves the log, so a part is on disk before its insert is answered, and so is what merges make of it.

-- One row an event that passed the gate. A row never changes after it was written, save by forget. The columns are
-- declared in server/src/store/event-columns.ts.
CREATE TABLE IF NOT EXISTS events (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  ts DateTime64(3, 'UTC'),
  event_id String,
  received_at DateTime64(3, 'UTC'),
  -- Events of one moment come in the order in which they arrived: a number that each node counts upwards, from the time
  -- of arrival in microseconds, so that the numbers of several nodes fit together.
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
  -- Anyone can read a public key, so what it brings never keeps out what a secret sender brings: of an id there may be
  -- one event of each.
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
  -- An id as a number, which is quick to compare: reads leave out stored rows that another row stands for.
  event_key UInt64 MATERIALIZED cityHash64(event_id),
  -- What a click or a submit was about: reads of the way through a site need it of every event, and the properties are
  -- the widest column there is. The text is emptied for all other events, or every row would be parsed.
  target LowCardinality(String) MATERIALIZED
    substring(JSONExtractString(if(name = '$click' OR name = '$form_submit', properties, ''),
                                if(name = '$click', 'element', 'form_id')), 1, 200),
  -- What errors are grouped by (docs/decisions/0013-error-groups-in-columns.md). What an error says and where it comes
  -- from is folded where the event is taken in (server/src/registry/folded-error.ts), in `folded_title` and
  -- `folded_culprit`. An event that came without them, by an import or since a back-fill calls it an error, is stored
  -- as it is but for queries, mail addresses and what is surely an id, and folded whenever it is read. To fold all of
  -- it here takes sixteen expressions, compiled for each insert.
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
    if(name = 'error', cityHash64(error_type, error_title, error_culprit), 0),
  -- Events are in the order of their time; this finds those of one person without reading everybody's. It holds just
  -- enough to find a page of a timeline and to count.
  PROJECTION by_person (
    SELECT workspace_id, site_id, ts, name, person_key ORDER BY person_key, ts
  )
) ENGINE = MergeTree
PARTITION BY toYYYYMM(ts)
ORDER BY (workspace_id, site_id, ts, event_id)
-- A part of up to 32 MB is one file, which takes half the processor time to write: there are a hundred columns, and
-- each would be a file of its own, synced on its own. A segment of the log is smaller than this; what merges make of
-- several is not, and has a file for each column, as reads like it.
SETTINGS min_bytes_for_wide_part = 33554432,
  non_replicated_deduplication_window = 10000, lightweight_mutation_projection_mode = 'rebuild',
  fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, old_parts_lifetime = 480;

-- Quarantined events, as they came, until somebody releases or discards them.
CREATE TABLE IF NOT EXISTS quarantine (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  received_at DateTime64(3, 'UTC'),
  event_id String,
  name LowCardinality(String),
  sent_name LowCardinality(String),
  code LowCardinality(String),
  person_id String,
  is_public UInt8,
  held String CODEC(ZSTD(1)),
  -- When it happened: events are last seen by their own time, quarantined or not.
  ts DateTime64(3, 'UTC') MATERIALIZED fromUnixTimestamp64Milli(JSONExtractInt(held, 'verdict', 'ts'), 'UTC'),
  -- One event is asked for by its id, and the table is in the order of arrival.
  INDEX by_event_id event_id TYPE bloom_filter GRANULARITY 1
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
  outcome LowCardinality(String),
  is_public UInt8
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

-- What became of quarantined events, a row a decision. `received_at` is the arrival of the event: with the event id it
-- says which one is meant, since an id may be quarantined again once it was forgotten. The state `held` is a judgement
-- that the event did not pass again; its name, code and issues then stand for those of the arrival.
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

-- Stored events that stopped counting since a secret sender brought the same id or order; events themselves never
-- change. A load that is repeated says the same again.
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
