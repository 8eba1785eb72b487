-- One row a version. `body` holds what never changes once it was published; status and replaced_by are its state.
-- json, not jsonb, so that properties keep the order in which they were written.
CREATE TABLE contracts (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  key text COLLATE "C" NOT NULL,
  major integer NOT NULL,
  minor integer NOT NULL,
  patch integer NOT NULL,
  status text NOT NULL CHECK (status IN ('draft', 'published', 'deprecated', 'archived')),
  description text NOT NULL,
  body json NOT NULL,
  replaced_by text,
  created_at timestamptz NOT NULL,
  published_at timestamptz,
  PRIMARY KEY (workspace_id, key, major, minor, patch)
);

-- Where a workspace is stricter or milder than the gate is by itself: issue code to outcome.
CREATE TABLE gate_severities (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  severities json NOT NULL
);
