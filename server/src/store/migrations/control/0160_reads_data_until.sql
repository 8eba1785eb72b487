-- What is counted or looked at once in a while says up to when its events reach.
ALTER TABLE site_milestones ADD COLUMN data_until timestamptz;
ALTER TABLE audiences ADD COLUMN data_until timestamptz;
ALTER TABLE drift_checks ADD COLUMN data_until timestamptz;
-- When an alert was resolved or accepted: a period in the past shows what stood open in it.
ALTER TABLE drift_alerts ADD COLUMN closed_at timestamptz;
