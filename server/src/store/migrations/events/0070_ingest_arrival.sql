-- Events of one moment come in the order in which they arrived: a number that each node counts upwards, from the time of
-- arrival in microseconds, so that the numbers of several nodes fit together. Rows from before go by their arrival alone.
ALTER TABLE events ADD COLUMN IF NOT EXISTS arrival UInt64
  DEFAULT toUInt64(toUnixTimestamp64Milli(received_at)) * 1000;

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS arrival UInt64
  DEFAULT toUInt64(toUnixTimestamp64Milli(received_at)) * 1000;

ALTER TABLE attribution_touches ADD COLUMN IF NOT EXISTS arrival UInt64;
