-- One row an identifier that took part in anything: a link, a trait, a resolve. Visitors who only send events have none.
-- `born_id` is the id of the person born with it, a keyed hash; `person_id` is who that is now. `value` goes when the
-- person is forgotten. `changed_seq` is the ledger entry that last moved it, so that what the events store knows can
-- follow.
CREATE TABLE identifiers (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  born_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  value text,
  first_seen_at timestamptz NOT NULL,
  source text NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  changed_seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, born_id)
);
CREATE INDEX identifiers_by_person ON identifiers (workspace_id, person_id);
CREATE INDEX identifiers_by_change ON identifiers (workspace_id, changed_seq) WHERE changed_seq > 0;

-- What is known of a person, by the identifier that it was said of: so parting two people parts their traits.
CREATE TABLE person_traits (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  born_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value json NOT NULL,
  set_at timestamptz NOT NULL,
  source text NOT NULL,
  PRIMARY KEY (workspace_id, born_id, key)
);

-- People who asked to be forgotten, by the keyed hash of each identifier: they must not come back.
CREATE TABLE identity_suppressions (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  born_id text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, born_id)
);
