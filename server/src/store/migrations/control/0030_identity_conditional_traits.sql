-- What an identify said of a person that would have been refused, had nobody been merged on purpose: it holds as long
-- as the links do that it rests on. `told_with` are the identifiers, as born, that came with it, and `told_seq` how far
-- the ledger was. It lies beside what was said anyway, so that this is there again when it goes.
CREATE TABLE conditional_traits (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  born_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  told_seq bigint NOT NULL,
  told_with text[] NOT NULL,
  value json NOT NULL,
  set_at timestamptz NOT NULL,
  source text NOT NULL,
  PRIMARY KEY (workspace_id, born_id, key, told_seq)
);

CREATE VIEW known_traits AS
  SELECT workspace_id, born_id, key, value, set_at, source FROM person_traits
  UNION ALL
  SELECT workspace_id, born_id, key, value, set_at, source FROM conditional_traits;
