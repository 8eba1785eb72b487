-- Reads that ask for one trait take it of everyone who has it.
CREATE INDEX person_traits_by_key ON person_traits (workspace_id, key);
