-- Nodes that append to the log now. One whose time is over is gone.
CREATE TABLE log_nodes (
  node_id text COLLATE "C" PRIMARY KEY,
  -- Of one process: a copied data directory has the same node id.
  run_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('files', 'nats')),
  seen_until timestamptz NOT NULL
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
