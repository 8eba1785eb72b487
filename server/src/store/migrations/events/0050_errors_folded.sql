-- What an error says and where it comes from is folded where the event is taken in (server/src/registry/folded-error.ts),
-- and stored beside it. What came otherwise is stored as it is but for queries, mail addresses and what is surely an id,
-- and folded whenever it is read: lines of an older log, events that are brought from an older release, and those that a
-- back-fill calls errors. To fold all of it here took sixteen expressions, compiled for each insert. Rows that are stored
-- keep what they have (docs/decisions/0013-error-groups-in-columns.md).

ALTER TABLE events ADD COLUMN IF NOT EXISTS folded_title LowCardinality(String);

ALTER TABLE events ADD COLUMN IF NOT EXISTS folded_culprit LowCardinality(String);

ALTER TABLE events MODIFY COLUMN error_title LowCardinality(String) MATERIALIZED
  if(name = 'error', if(folded_title != '', folded_title,
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
      substringUTF8(JSONExtractString(if(name = 'error', properties, ''), 'message'), 1, 1000),
      '(://[^\\s"\'<>()?#]*)[?#][^\\s"\'<>()]*', '\\1'),
      '[^\\s@<>"\'(]+@[^\\s@<>"\'/]+[.][a-zA-Z]{2,}', '<email>'),
      '[0-9a-fA-F]{8,}|[0-9]{6,}', '000')), '');

ALTER TABLE events MODIFY COLUMN error_culprit LowCardinality(String) MATERIALIZED
  if(name = 'error', if(folded_culprit != '', folded_culprit, arrayStringConcat(
    arrayMap(line -> substringUTF8(line, 1, 300), arraySlice(arrayFilter(line -> match(line, ':[0-9]+[)]?$'),
      splitByChar('\n', replaceRegexpAll(
        substringUTF8(JSONExtractString(if(name = 'error', properties, ''), 'stack'), 1, 4000),
        '[0-9a-fA-F]{8,}|[0-9]{6,}', '000'))), 1, 3)), ' < ')), '');

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS folded_title LowCardinality(String);

ALTER TABLE overlaid_events ADD COLUMN IF NOT EXISTS folded_culprit LowCardinality(String);

ALTER TABLE overlaid_events MODIFY COLUMN error_title LowCardinality(String) MATERIALIZED
  if(name = 'error', if(folded_title != '', folded_title,
    replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(
      substringUTF8(JSONExtractString(if(name = 'error', properties, ''), 'message'), 1, 1000),
      '(://[^\\s"\'<>()?#]*)[?#][^\\s"\'<>()]*', '\\1'),
      '[^\\s@<>"\'(]+@[^\\s@<>"\'/]+[.][a-zA-Z]{2,}', '<email>'),
      '[0-9a-fA-F]{8,}|[0-9]{6,}', '000')), '');

ALTER TABLE overlaid_events MODIFY COLUMN error_culprit LowCardinality(String) MATERIALIZED
  if(name = 'error', if(folded_culprit != '', folded_culprit, arrayStringConcat(
    arrayMap(line -> substringUTF8(line, 1, 300), arraySlice(arrayFilter(line -> match(line, ':[0-9]+[)]?$'),
      splitByChar('\n', replaceRegexpAll(
        substringUTF8(JSONExtractString(if(name = 'error', properties, ''), 'stack'), 1, 4000),
        '[0-9a-fA-F]{8,}|[0-9]{6,}', '000'))), 1, 3)), ' < ')), '');
