-- Days as text, so that a day is the same everywhere; rows are deleted when their day is over.
CREATE TABLE visitor_salts (
  day text PRIMARY KEY,
  salt text NOT NULL
);

-- Lines of the log that the stores refused, each with its reason, until somebody loads or discards it. The line is
-- bytes: it may be what no text column takes. The identifiers of its person are beside it, as far as it can be read.
CREATE TABLE dead_letters (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL,
  event_id text NOT NULL,
  name text NOT NULL,
  person_id text NOT NULL,
  user_id text NOT NULL,
  anonymous_id text NOT NULL,
  node_id text NOT NULL,
  segment text NOT NULL,
  line bytea NOT NULL,
  line_bytes int NOT NULL,
  step text NOT NULL,
  reason text NOT NULL,
  -- The event itself is stored; what is missing is what follows from it.
  is_stored boolean NOT NULL,
  received_at timestamptz,
  failed_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'loaded', 'discarded')),
  decided_at timestamptz,
  decided_by text
);
CREATE INDEX dead_letters_listed ON dead_letters (workspace_id, failed_at DESC, id DESC);
CREATE INDEX dead_letters_waiting ON dead_letters (workspace_id) INCLUDE (line_bytes) WHERE state = 'waiting';
CREATE INDEX dead_letters_of_events ON dead_letters (workspace_id, event_id);
CREATE INDEX dead_letters_of_people ON dead_letters (workspace_id, person_id);
CREATE INDEX dead_letters_of_segments ON dead_letters (segment);

-- Written to and nothing else: whether the store takes rows at all.
CREATE TABLE load_probes (
  node_id text PRIMARY KEY,
  at timestamptz NOT NULL
);

-- Nodes that append to the log now. One whose time is over is gone.
CREATE TABLE log_nodes (
  node_id text COLLATE "C" PRIMARY KEY,
  -- Of one process: a copied data directory has the same node id.
  run_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('files', 'nats')),
  seen_until timestamptz NOT NULL,
  -- Whether it loads the log, and so shares its partitions.
  loads boolean NOT NULL DEFAULT true
);

-- How far each partition of a replicated log is loaded, and by which node. The fence counts its owners: an update
-- with an older one changes nothing.
CREATE TABLE log_partitions (
  partition int PRIMARY KEY,
  holder text NOT NULL DEFAULT '',
  fence bigint NOT NULL DEFAULT 0,
  lease_until timestamptz NOT NULL DEFAULT now(),
  loaded_seq bigint NOT NULL DEFAULT 0,
  -- The last message of the load under way, and which of its lines are repeats. Written before the load, so that one
  -- that was cut off is repeated with the same lines and the same token.
  load_seq bigint,
  repeats text
);

-- Orders whose first event is being loaded: events of one order are in different partitions. A row is deleted when the
-- events store has the order.
CREATE TABLE log_orders (
  order_hi bigint NOT NULL,
  order_lo bigint NOT NULL,
  is_public boolean NOT NULL,
  event_id text NOT NULL,
  claimed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (order_hi, order_lo, is_public)
);
CREATE INDEX log_orders_old ON log_orders (claimed_at);

-- People who were forgotten while lines of theirs may wait in a replicated log: the load leaves these lines out.
CREATE TABLE log_erasures (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  person_ids text[] NOT NULL,
  mode text NOT NULL CHECK (mode IN ('erase', 'anonymise')),
  -- The last message of each partition at that time, as a list.
  until_seqs bigint[] NOT NULL
);

-- Dead letters that their table did not take, where no node may hold anything on its disk.
CREATE TABLE dead_letter_overflow (
  id text COLLATE "C" PRIMARY KEY,
  letter bytea NOT NULL
);
