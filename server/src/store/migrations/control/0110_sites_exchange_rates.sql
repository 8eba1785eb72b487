-- What a workspace says other currencies are worth. One unit of each is worth `rate` units of the base.
CREATE TABLE exchange_rates (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  base text NOT NULL,
  rates json NOT NULL,
  updated_at timestamptz NOT NULL
);
