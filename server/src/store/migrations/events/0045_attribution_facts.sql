-- What a touchpoint carried, as one number: learning reads it of all of them, and the texts of each only once.
ALTER TABLE attribution_touches ADD COLUMN IF NOT EXISTS facts_key UInt64
  MATERIALIZED cityHash64(referrer_host, utm_source, utm_medium, utm_campaign, click_id_type);
