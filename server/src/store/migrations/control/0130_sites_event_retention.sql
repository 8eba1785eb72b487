-- After how many days the events of a site are removed (null: never), and until when they were, once any were.
ALTER TABLE sites ADD COLUMN event_retention_days integer CHECK (event_retention_days BETWEEN 30 AND 3650);
ALTER TABLE sites ADD COLUMN events_removed_before timestamptz;
CREATE INDEX sites_with_event_retention ON sites (workspace_id, id) WHERE event_retention_days IS NOT NULL;
