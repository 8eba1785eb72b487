-- Workspaces that are being filled from an export. `node_id` is the node that has its files; while it is applied,
-- nothing but the import may look into the workspace or change it.
CREATE TABLE workspace_imports (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text NOT NULL UNIQUE REFERENCES workspaces (id) ON DELETE CASCADE,
  node_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('receiving', 'applying', 'done', 'failed')),
  manifest json NOT NULL,
  rows_done bigint NOT NULL DEFAULT 0,
  error text,
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  -- When the node that puts it into place was last at it; another one takes it over after a while.
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- Files that several nodes share: archives of data-subject requests, exports, and imports that are handed over. A file is
-- its chunks of at most 1 MB, each at its place in the file.
CREATE TABLE stored_files (
  path text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  chunk bytea NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (path, place)
);
CREATE INDEX stored_files_by_workspace ON stored_files (workspace_id);
-- Archives are compressed, and lines of exports are read in pieces.
ALTER TABLE stored_files ALTER COLUMN chunk SET STORAGE EXTERNAL;

-- Exports of workspaces whose files several nodes share. `seen_at` is when the node that makes one was last at it.
CREATE TABLE workspace_exports (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'done', 'failed')),
  rows_done bigint NOT NULL DEFAULT 0,
  error text,
  manifest json,
  expires_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);
