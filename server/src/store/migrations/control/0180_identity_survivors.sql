-- Whose id is shown after a merge on purpose: the end of the link whose person survives. Links that events made, and
-- those of before, have none: the id of the earliest identifier is shown then.
ALTER TABLE identity_links ADD COLUMN survivor text COLLATE "C";
