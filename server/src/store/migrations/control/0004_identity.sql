-- What the ids of people are made with where a workspace was imported: theirs were made elsewhere, by another key.
CREATE TABLE person_keys (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  key text NOT NULL
);

-- One row an identifier that took part in anything: a link, a trait, a resolve. Visitors who only send events have
-- none. `original_id` is the original person id of the identifier, a keyed hash; `person_id` is who that is now.
-- `value` goes when the person is forgotten. `changed_seq` is the ledger entry that last moved it, so that what the
-- events store knows can follow.
CREATE TABLE identifiers (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  original_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  value text,
  first_seen_at timestamptz NOT NULL,
  source text NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  changed_seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, original_id)
);
CREATE INDEX identifiers_by_person ON identifiers (workspace_id, person_id);
CREATE INDEX identifiers_by_change ON identifiers (workspace_id, changed_seq) WHERE changed_seq > 0;

-- What is known of a person, by the identifier that it was said of: so parting two people parts their traits.
CREATE TABLE person_traits (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  original_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value json NOT NULL,
  set_at timestamptz NOT NULL,
  source text NOT NULL,
  PRIMARY KEY (workspace_id, original_id, key)
);
-- Reads that ask for one trait take it of everyone who has it.
CREATE INDEX person_traits_by_key ON person_traits (workspace_id, key);

-- People who asked to be forgotten, by the keyed hash of each identifier: they must not come back.
CREATE TABLE identity_suppressions (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  original_id text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, original_id)
);

-- What an identify said of a person that would have been refused, had nobody been merged on purpose: it holds as
-- long as the links do that it rests on. `told_with` are the identifiers, by original id, that came with it, and
-- `told_seq` how far the ledger was. It lies beside what was said anyway, so that this is there again when it goes.
CREATE TABLE conditional_traits (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  original_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  told_seq bigint NOT NULL,
  told_with text[] NOT NULL,
  value json NOT NULL,
  set_at timestamptz NOT NULL,
  source text NOT NULL,
  PRIMARY KEY (workspace_id, original_id, key, told_seq)
);

CREATE VIEW known_traits AS
  SELECT workspace_id, original_id, key, value, set_at, source FROM person_traits
  UNION ALL
  SELECT workspace_id, original_id, key, value, set_at, source FROM conditional_traits;

-- The end of each workspace's chain. Its row is also the lock: who changes links holds it, so entries come one by one.
-- `mapped_seq` is how far the events store has followed. `begun_in` is set in an imported workspace: the hashes go over
-- the id of the workspace in which the ledger was begun.
CREATE TABLE identity_ledger_heads (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  seq bigint NOT NULL,
  hash text NOT NULL,
  mapped_seq bigint NOT NULL DEFAULT 0,
  begun_in text
);

-- Append-only. Only `reversed_by` is set later, and what says whom an entry is about is taken out when that person is
-- forgotten: the chain goes over its salted digest.
CREATE TABLE identity_ledger (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  seq bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text NOT NULL CHECK (type IN ('link', 'merge', 'reverse', 'keep_apart')),
  is_explicit boolean NOT NULL,
  step smallint,
  confidence text,
  actor text NOT NULL,
  created_at timestamptz NOT NULL,
  reverses text,
  reversed_by text,
  survivor_id text COLLATE "C",
  absorbed_id text COLLATE "C",
  a text COLLATE "C",
  b text COLLATE "C",
  reason text,
  triggering_event_id text,
  moved json,
  salt text,
  subject_digest text NOT NULL,
  previous_hash text NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (workspace_id, seq)
);
CREATE UNIQUE INDEX identity_ledger_by_id ON identity_ledger (workspace_id, id);
CREATE INDEX identity_ledger_by_a ON identity_ledger (workspace_id, a);
CREATE INDEX identity_ledger_by_b ON identity_ledger (workspace_id, b);

-- The links of the ledger that are in force, to be found from either end. `survivor` is the end of the link whose
-- person's id is shown, where somebody chose it; without one the id of the earliest identifier is shown.
CREATE TABLE identity_links (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  entry_id text NOT NULL,
  seq bigint NOT NULL,
  a text COLLATE "C" NOT NULL,
  b text COLLATE "C" NOT NULL,
  entry_type text NOT NULL,
  is_explicit boolean NOT NULL,
  confidence text NOT NULL,
  source text NOT NULL,
  survivor text COLLATE "C",
  PRIMARY KEY (workspace_id, a, b, is_explicit)
);
CREATE INDEX identity_links_by_b ON identity_links (workspace_id, b);
CREATE INDEX identity_links_by_entry ON identity_links (workspace_id, entry_id);

-- Pairs that must not be joined by what they send.
CREATE TABLE identity_apart (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  entry_id text NOT NULL,
  a text COLLATE "C" NOT NULL,
  b text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace_id, a, b)
);
CREATE INDEX identity_apart_by_b ON identity_apart (workspace_id, b);

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
