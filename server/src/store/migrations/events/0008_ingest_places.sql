-- Where a visitor is, more precisely than the country. Events that were stored before have neither.
ALTER TABLE events ADD COLUMN IF NOT EXISTS region LowCardinality(String) DEFAULT '' AFTER country;
ALTER TABLE events ADD COLUMN IF NOT EXISTS city LowCardinality(String) DEFAULT '' AFTER region;
ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS region LowCardinality(String) DEFAULT '' AFTER country;
ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS city LowCardinality(String) DEFAULT '' AFTER region;
