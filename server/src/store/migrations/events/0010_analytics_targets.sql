-- What a click or a submit was about, beside the event: reads of the way through a site need it of every event, and the
-- properties are the widest column there is. Rows from before have it made for them when they are read.
ALTER TABLE events ADD COLUMN IF NOT EXISTS target LowCardinality(String) MATERIALIZED
  multiIf(name = '$click', substring(JSONExtractString(properties, 'element'), 1, 200),
          name = '$form_submit', substring(JSONExtractString(properties, 'form_id'), 1, 200), '');
ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS target LowCardinality(String) MATERIALIZED
  multiIf(name = '$click', substring(JSONExtractString(properties, 'element'), 1, 200),
          name = '$form_submit', substring(JSONExtractString(properties, 'form_id'), 1, 200), '');
