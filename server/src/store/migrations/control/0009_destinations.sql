-- `secrets` is a sealed JSON list of {secret, untilMs}; see accounts/vault.ts.
CREATE TABLE destinations (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text REFERENCES sites (id) ON DELETE CASCADE,
  name text NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  purposes text[] NOT NULL,
  notices text[] NOT NULL,
  status text NOT NULL,
  secrets text NOT NULL,
  failing_since timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX destinations_by_workspace ON destinations (workspace_id, id);

-- What goes out, once for each thing that happened. `position` keeps the order in which things happened.
CREATE TABLE dispatches (
  id text COLLATE "C" PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  destination_id text NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
  subject text NOT NULL,
  kind text NOT NULL,
  type text NOT NULL,
  person_id text NOT NULL,
  body text NOT NULL,
  status text NOT NULL,
  attempts int NOT NULL,
  response_status int,
  error text,
  created_at timestamptz NOT NULL,
  -- When it took its place in the queue: as it was made, or as somebody replayed it.
  queued_at timestamptz NOT NULL,
  retry_until timestamptz NOT NULL,
  next_at timestamptz,
  delivered_at timestamptz
);
CREATE UNIQUE INDEX dispatches_once ON dispatches (destination_id, subject);
CREATE INDEX dispatches_due ON dispatches (next_at) WHERE status = 'pending';
CREATE INDEX dispatches_in_order ON dispatches (destination_id, person_id, position) WHERE status = 'pending';
CREATE INDEX dispatches_listed ON dispatches (destination_id, id DESC);
CREATE INDEX dispatches_of_people ON dispatches (workspace_id, person_id) WHERE person_id <> '';
-- The oldest of a queue, for keeping it within its bounds.
CREATE INDEX dispatches_by_age ON dispatches (destination_id, status, position);
