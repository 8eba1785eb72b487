-- What errors are grouped by, worked out once as they are stored, and of nothing else: what each release, visitor and
-- server writes anew into message and stack is taken out. Hosts and queries of addresses, mail addresses, ids, build
-- hashes, numbers, positions in files and names that a minifier gave. Of the stack three frames count. Why here:
-- docs/decisions/0013-error-groups-in-columns.md.
ALTER TABLE events ADD COLUMN IF NOT EXISTS error_type LowCardinality(String) MATERIALIZED
  if(name = 'error', substringUTF8(JSONExtractString(if(name = 'error', properties, ''), 'name'), 1, 100), '');

ALTER TABLE events ADD COLUMN IF NOT EXISTS error_title LowCardinality(String) MATERIALIZED
  if(name = 'error', substringUTF8(trimBoth(
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
      substring(JSONExtractString(if(name = 'error', properties, ''), 'message'), 1, 1000),
    '^(Uncaught )?([A-Za-z.]+(Error|Exception): )?', ''),
    'https?://[^/\\s"\'<>()?#]+([^\\s"\'<>()?#]*)([?#][^\\s"\'<>()]*)?', '\\1'),
    '[^\\s@<>]+@[^\\s@<>]+[.][a-zA-Z]{2,}', '<email>'),
    '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}', '<id>'),
    '\\b[A-Za-z_-]*[0-9][A-Za-z0-9_-]{15,}\\b', '<id>'),
    '\\b[0-9a-fA-F]{8,}\\b', '<id>'),
    '[0-9]+([.,:][0-9]+)*', '<n>'),
    '\\s+', ' ')), 1, 200), '');

ALTER TABLE events ADD COLUMN IF NOT EXISTS error_culprit LowCardinality(String) MATERIALIZED
  if(name = 'error', substringUTF8(arrayStringConcat(arrayMap(line -> 
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
      line,
      '^\\s*(at )?', ''),
      'https?://[^/\\s"\'<>()?#]+([^\\s"\'<>()?#]*)([?#][^\\s"\'<>()]*)?', '\\1'),
      '^[A-Za-z0-9_$.]{1,3}( [(]|@)', ''),
      '(:[0-9]+)+[)]?$', ''),
      '[.-][A-Za-z0-9_-]*[0-9A-Z][A-Za-z0-9_-]*[.](m?jsx?|tsx?|css)', '.\\1'),
      '\\b[0-9a-fA-F]{8,}\\b', '<id>'),
      '[0-9]+', '<n>'),
      '[(@]', ' '),
    arraySlice(arrayFilter(line -> match(line, ':[0-9]+[)]?$'),
      splitByChar('\n', substring(JSONExtractString(if(name = 'error', properties, ''), 'stack'), 1, 4000))), 1, 3)),
    ' < '), 1, 300), '');

ALTER TABLE events ADD COLUMN IF NOT EXISTS error_key UInt64 MATERIALIZED
  if(name = 'error', cityHash64(error_type, error_title, error_culprit), 0);

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS error_type LowCardinality(String) MATERIALIZED
  if(name = 'error', substringUTF8(JSONExtractString(if(name = 'error', properties, ''), 'name'), 1, 100), '');

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS error_title LowCardinality(String) MATERIALIZED
  if(name = 'error', substringUTF8(trimBoth(
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
      substring(JSONExtractString(if(name = 'error', properties, ''), 'message'), 1, 1000),
    '^(Uncaught )?([A-Za-z.]+(Error|Exception): )?', ''),
    'https?://[^/\\s"\'<>()?#]+([^\\s"\'<>()?#]*)([?#][^\\s"\'<>()]*)?', '\\1'),
    '[^\\s@<>]+@[^\\s@<>]+[.][a-zA-Z]{2,}', '<email>'),
    '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}', '<id>'),
    '\\b[A-Za-z_-]*[0-9][A-Za-z0-9_-]{15,}\\b', '<id>'),
    '\\b[0-9a-fA-F]{8,}\\b', '<id>'),
    '[0-9]+([.,:][0-9]+)*', '<n>'),
    '\\s+', ' ')), 1, 200), '');

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS error_culprit LowCardinality(String) MATERIALIZED
  if(name = 'error', substringUTF8(arrayStringConcat(arrayMap(line -> 
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
      line,
      '^\\s*(at )?', ''),
      'https?://[^/\\s"\'<>()?#]+([^\\s"\'<>()?#]*)([?#][^\\s"\'<>()]*)?', '\\1'),
      '^[A-Za-z0-9_$.]{1,3}( [(]|@)', ''),
      '(:[0-9]+)+[)]?$', ''),
      '[.-][A-Za-z0-9_-]*[0-9A-Z][A-Za-z0-9_-]*[.](m?jsx?|tsx?|css)', '.\\1'),
      '\\b[0-9a-fA-F]{8,}\\b', '<id>'),
      '[0-9]+', '<n>'),
      '[(@]', ' '),
    arraySlice(arrayFilter(line -> match(line, ':[0-9]+[)]?$'),
      splitByChar('\n', substring(JSONExtractString(if(name = 'error', properties, ''), 'stack'), 1, 4000))), 1, 3)),
    ' < '), 1, 300), '');

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS error_key UInt64 MATERIALIZED
  if(name = 'error', cityHash64(error_type, error_title, error_culprit), 0);

-- When each was first and last seen, over all time, without reading all time.
CREATE TABLE IF NOT EXISTS error_sightings (
  workspace_id LowCardinality(String),
  site_id LowCardinality(String),
  error_key UInt64,
  error_type SimpleAggregateFunction(any, String),
  error_title SimpleAggregateFunction(any, String),
  error_culprit SimpleAggregateFunction(any, String),
  first_ts SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
  last_ts SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
) ENGINE = AggregatingMergeTree
ORDER BY (workspace_id, site_id, error_key);

CREATE MATERIALIZED VIEW IF NOT EXISTS error_sightings_of_events TO error_sightings AS
  SELECT workspace_id, site_id, error_key, any(error_type) AS error_type, any(error_title) AS error_title,
         any(error_culprit) AS error_culprit, min(ts) AS first_ts, max(ts) AS last_ts
  FROM events WHERE name = 'error' AND is_bot = 0 GROUP BY workspace_id, site_id, error_key;

-- Errors that were stored before; doing it twice changes nothing.
INSERT INTO error_sightings
  SELECT workspace_id, site_id, error_key, any(error_type), any(error_title), any(error_culprit), min(ts), max(ts)
  FROM events WHERE name = 'error' AND is_bot = 0 GROUP BY workspace_id, site_id, error_key;
