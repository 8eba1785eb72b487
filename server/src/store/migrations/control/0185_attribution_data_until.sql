-- Touchpoints and outcomes of a day are made by jobs: each says up to when what was acknowledged is in them.
ALTER TABLE attribution_days ADD COLUMN touches_until timestamptz;
ALTER TABLE attribution_days ADD COLUMN outcomes_until timestamptz;
