-- Filters that a person has to fit besides the rules.
ALTER TABLE audiences ADD COLUMN filters json NOT NULL DEFAULT '[]';
