-- What is known of each person of a set, where a statement compares or groups by it: a text, and whether it was one.
ALTER TABLE audience_sets ADD COLUMN IF NOT EXISTS value String DEFAULT '', ADD COLUMN IF NOT EXISTS is_text UInt8 DEFAULT 0;
