-- Rules that select people of a site. `ledger_seq` is how far the ledger of who is who was when members were last
-- counted, `data_until` up to when their events reach, and `refresh_after` when they are due again.
CREATE TABLE audiences (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  site_id text NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL,
  rules json NOT NULL,
  status text NOT NULL CHECK (status IN ('active', 'paused')),
  size bigint NOT NULL DEFAULT 0,
  size_at timestamptz NOT NULL,
  data_until timestamptz,
  ledger_seq bigint NOT NULL DEFAULT 0,
  refresh_after timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- What a person has to fit besides the rules.
  filters json NOT NULL DEFAULT '[]',
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, site_id, name)
);
CREATE INDEX audiences_due ON audiences (refresh_after) WHERE status = 'active';
