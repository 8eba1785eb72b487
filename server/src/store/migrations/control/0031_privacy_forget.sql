-- How a person is to be forgotten, and how far that is: whoever takes over goes on from there. It names people by
-- keyed hashes only, the same that suppress them for good.
ALTER TABLE subject_requests ADD COLUMN mode text CHECK (mode IN ('erase', 'anonymise'));
ALTER TABLE subject_requests ADD COLUMN state json;
