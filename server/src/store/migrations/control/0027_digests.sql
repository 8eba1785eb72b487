-- Mails of a board or of the overview, every week or month. `timezone` is the one that `next_at` was computed in. What
-- an import brings is paused: the installation that it comes from may still send it.
CREATE TABLE digests (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  type text NOT NULL,
  target_id text,
  narrowing json NOT NULL,
  frequency text NOT NULL,
  weekday smallint NOT NULL,
  hour smallint NOT NULL,
  is_paused boolean NOT NULL DEFAULT true,
  timezone text NOT NULL,
  next_at timestamptz NOT NULL,
  owner text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX digests_by_site ON digests (workspace_id, site_id, id);
CREATE INDEX digests_due ON digests (next_at) WHERE NOT is_paused;

-- Who unsubscribed stays, so that no one is subscribed again by mistake.
CREATE TABLE digest_recipients (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  digest_id text COLLATE "C" NOT NULL,
  email text NOT NULL,
  is_active boolean NOT NULL,
  last_sent_at timestamptz,
  last_error text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, digest_id, email),
  FOREIGN KEY (workspace_id, digest_id) REFERENCES digests (workspace_id, id) ON DELETE CASCADE
);
-- A link in a mail names the recipient alone.
CREATE INDEX digest_recipients_by_id ON digest_recipients (id);

-- One mail: to a recipient, about a period. `next_at` of one that a node took is the end of its lease.
CREATE TABLE digest_deliveries (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  digest_id text COLLATE "C" NOT NULL,
  recipient_id text COLLATE "C" NOT NULL,
  period_from text NOT NULL,
  period_to text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL,
  next_at timestamptz NOT NULL,
  retry_until timestamptz NOT NULL,
  error text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, recipient_id, period_from, period_to),
  FOREIGN KEY (workspace_id, digest_id) REFERENCES digests (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, recipient_id) REFERENCES digest_recipients (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX digest_deliveries_due ON digest_deliveries (next_at) WHERE status = 'pending';
CREATE INDEX digest_deliveries_by_digest ON digest_deliveries (workspace_id, digest_id);
