-- What every node of an installation must share: hash seeds, signing secrets.
CREATE TABLE installation (
  name text PRIMARY KEY,
  value text NOT NULL
);

-- Processes that run on this store now, with their version, so that one that does not fit them is refused at its start.
-- One whose time is over is gone.
CREATE TABLE nodes (
  node_id text COLLATE "C" PRIMARY KEY,
  -- Of one process: a copied data directory has the same node id.
  run_id text NOT NULL,
  version text NOT NULL,
  -- The oldest version that may run at the same time.
  works_with text NOT NULL,
  -- The last migrations that it knows, of the control and of the events store.
  schema text NOT NULL,
  roles text[] NOT NULL,
  seen_until timestamptz NOT NULL
);
