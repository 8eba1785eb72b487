-- When a quarantined event happened, which until now only its JSON said: events are last seen by their own time,
-- quarantined or not.
ALTER TABLE quarantine ADD COLUMN IF NOT EXISTS ts DateTime64(3, 'UTC')
  MATERIALIZED fromUnixTimestamp64Milli(JSONExtractInt(held, 'verdict', 'ts'), 'UTC');
