-- What members wrote about a person, by the original person id under which they found them: so merging two people
-- joins their notes, and a reversal parts them again. `author` is the member or the key.
CREATE TABLE person_notes (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  original_id text COLLATE "C" NOT NULL,
  text text NOT NULL,
  author text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX person_notes_by_person ON person_notes (workspace_id, original_id, id);
CREATE INDEX person_notes_by_age ON person_notes (workspace_id, created_at);
