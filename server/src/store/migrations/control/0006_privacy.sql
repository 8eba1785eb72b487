-- What people asked to be done with their data, as a queue. Whoever holds a lease works on a request; when it runs out,
-- because its holder died, another takes over. `subject` is whom it is about, and `result` what came of it. `mode` and
-- `state` are of a forget: how the person is forgotten, and how far that is. `state` names people by keyed hashes only,
-- the same that suppress them for good.
CREATE TABLE subject_requests (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  type text NOT NULL CHECK (type IN ('export', 'forget')),
  mode text CHECK (mode IN ('erase', 'anonymise')),
  status text NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'failed', 'cancelled')),
  regime text NOT NULL,
  subject json NOT NULL,
  subject_request_id text,
  request_digest text NOT NULL,
  callback_urls json NOT NULL,
  requested_by text NOT NULL,
  received_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  started_at timestamptz,
  completed_at timestamptz,
  step text NOT NULL DEFAULT 'waiting',
  rows_done bigint NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  error text,
  state json,
  result json,
  holder text,
  lease_until timestamptz,
  PRIMARY KEY (id)
);
CREATE INDEX subject_requests_by_workspace ON subject_requests (workspace_id, id DESC);
CREATE UNIQUE INDEX subject_requests_once ON subject_requests (workspace_id, type, subject_request_id)
  WHERE subject_request_id IS NOT NULL;
CREATE INDEX subject_requests_to_do ON subject_requests (received_at) WHERE status IN ('pending', 'in_progress');

-- Changes of status that are still to be told, one row an address.
CREATE TABLE subject_request_callbacks (
  id text COLLATE "C" PRIMARY KEY,
  request_id text NOT NULL REFERENCES subject_requests (id) ON DELETE CASCADE,
  url text NOT NULL,
  body text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX subject_request_callbacks_by_time ON subject_request_callbacks (next_at);

-- Up to which moment the removal of old events believes the clock, for all nodes together; and since when, for how long
-- of running, another one is told. It begins with the time of this migration.
CREATE TABLE removal_clock (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  believed_at timestamptz NOT NULL,
  doubted_at timestamptz,
  held_ms bigint NOT NULL DEFAULT 0
);
INSERT INTO removal_clock (believed_at) VALUES (now());
