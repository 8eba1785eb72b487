-- How much was recorded on a site on a day of UTC, so that nobody with a public key can fill the disk.
CREATE TABLE replay_days (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  site_id text NOT NULL,
  day date NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (workspace_id, site_id, day)
);
