-- `secrets` is a sealed JSON list of {secret, until}; see accounts/vault.ts.
CREATE TABLE webhook_connections (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  provider text NOT NULL,
  registered_url text,
  include_test boolean NOT NULL,
  secrets text NOT NULL,
  created_at timestamptz NOT NULL,
  rotated_at timestamptz
);
CREATE INDEX webhook_connections_by_workspace ON webhook_connections (workspace_id, id DESC);

-- One row for each thing that a vendor told; it outlives its connection. `item` is its place in the delivery.
-- `payload` is JSON text and is kept only where no event was made of it.
CREATE TABLE webhook_deliveries (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  connection_id text NOT NULL,
  site_id text NOT NULL,
  provider text NOT NULL,
  vendor_id text,
  body_hash bytea NOT NULL,
  item integer NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  reason text,
  event_ids text[] NOT NULL,
  repeats integer NOT NULL DEFAULT 0,
  occurred_at timestamptz,
  received_at timestamptz NOT NULL,
  -- While it waits: until when, and for the order of which subscription.
  due_at timestamptz,
  waits_for text,
  payload text
);
-- A delivery is known by its workspace too: rows of another one that name the same connection do not collide with it.
CREATE UNIQUE INDEX webhook_deliveries_by_body ON webhook_deliveries (workspace_id, connection_id, body_hash, item);
CREATE UNIQUE INDEX webhook_deliveries_by_vendor_id
  ON webhook_deliveries (workspace_id, connection_id, vendor_id) WHERE vendor_id IS NOT NULL;
CREATE INDEX webhook_deliveries_by_workspace ON webhook_deliveries (workspace_id, id DESC);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (due_at) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (received_at);
-- What nothing was made of is bounded for each connection.
CREATE INDEX webhook_deliveries_kept ON webhook_deliveries (workspace_id, connection_id, id) WHERE payload IS NOT NULL;

-- What has to be remembered between deliveries, such as the plan of a subscription.
CREATE TABLE webhook_memory (
  connection_id text COLLATE "C" NOT NULL REFERENCES webhook_connections (id) ON DELETE CASCADE,
  key text NOT NULL,
  memory json NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (connection_id, key)
);
-- Names of payments are forgotten after a year.
CREATE INDEX webhook_memory_payments ON webhook_memory (updated_at) WHERE key LIKE 'payment:%';
