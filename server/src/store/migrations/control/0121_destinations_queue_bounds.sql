-- The oldest of a queue, for keeping it within its bounds.
CREATE INDEX dispatches_by_age ON dispatches (destination_id, status, position);
-- When it took its place in the queue: as it was made, or as somebody replayed it.
ALTER TABLE dispatches ADD COLUMN queued_at timestamptz;
UPDATE dispatches SET queued_at = created_at;
ALTER TABLE dispatches ALTER COLUMN queued_at SET NOT NULL;
