-- What a click or a submit was about, beside the event: reads of the way through a site need it of every event, and the
-- properties are the widest column there is. Rows from before have it made for them when they are read. The text is
-- emptied for all other events, since else every row would be parsed.
ALTER TABLE events ADD COLUMN IF NOT EXISTS target LowCardinality(String) MATERIALIZED
  substring(JSONExtractString(if(name = '$click' OR name = '$form_submit', properties, ''),
                              if(name = '$click', 'element', 'form_id')), 1, 200);
ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS target LowCardinality(String) MATERIALIZED
  substring(JSONExtractString(if(name = '$click' OR name = '$form_submit', properties, ''),
                              if(name = '$click', 'element', 'form_id')), 1, 200);
