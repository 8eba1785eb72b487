-- What an error says and where it comes from is folded where the event is taken in (server/src/registry/folded-error.ts),
-- and stored beside it. Only what came otherwise is still worked out here as before: events of earlier releases that lie
-- in the log or are brought from elsewhere, and those that a back-fill calls errors. Rows that are stored keep what they
-- have; reads fold it again (docs/decisions/0013-error-groups-in-columns.md).

ALTER TABLE events ADD COLUMN IF NOT EXISTS folded_title LowCardinality(String);

ALTER TABLE events ADD COLUMN IF NOT EXISTS folded_culprit LowCardinality(String);

ALTER TABLE events MODIFY COLUMN error_title LowCardinality(String) MATERIALIZED
  if(name = 'error', if(folded_title != '', folded_title, substringUTF8(trimBoth(
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
    '\\s+', ' ')), 1, 200)), '');

ALTER TABLE events MODIFY COLUMN error_culprit LowCardinality(String) MATERIALIZED
  if(name = 'error', if(folded_culprit != '', folded_culprit, substringUTF8(arrayStringConcat(arrayMap(line -> 
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
    ' < '), 1, 300)), '');

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS folded_title LowCardinality(String);

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS folded_culprit LowCardinality(String);

ALTER TABLE overlaid_events MODIFY COLUMN error_title LowCardinality(String) MATERIALIZED
  if(name = 'error', if(folded_title != '', folded_title, substringUTF8(trimBoth(
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
    '\\s+', ' ')), 1, 200)), '');

ALTER TABLE overlaid_events MODIFY COLUMN error_culprit LowCardinality(String) MATERIALIZED
  if(name = 'error', if(folded_culprit != '', folded_culprit, substringUTF8(arrayStringConcat(arrayMap(line -> 
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
    ' < '), 1, 300)), '');
