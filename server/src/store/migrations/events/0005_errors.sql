-- When each error was first and last seen, over all time, without reading all time. The loader fills it after a segment
-- that holds errors.
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
