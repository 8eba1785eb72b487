-- When a site was last tried, whether or not it could be looked at: one that fails goes to the end of the queue.
ALTER TABLE drift_checks ADD COLUMN tried_at timestamptz;
ALTER TABLE drift_checks ALTER COLUMN checked_at DROP NOT NULL;
