-- The end of each workspace's chain. Its row is also the lock: who changes links holds it, so entries come one by one.
-- `mapped_seq` is how far the events store has followed.
CREATE TABLE identity_ledger_heads (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  seq bigint NOT NULL,
  hash text NOT NULL,
  mapped_seq bigint NOT NULL DEFAULT 0
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

-- The links of the ledger that are in force, to be found from either end.
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
