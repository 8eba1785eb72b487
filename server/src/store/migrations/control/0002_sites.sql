CREATE TABLE sites (
  id text PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name text NOT NULL,
  domain text NOT NULL,
  timezone text NOT NULL,
  -- A site takes the currency of the first amount that arrives; until then it has none.
  currency text,
  ingest_token text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  -- By which law the events of a site are judged, and what becomes of one whose purpose is denied.
  consent_regime text CHECK (consent_regime IN ('gdpr', 'kvkk', 'ccpa')),
  on_denied text NOT NULL DEFAULT 'reject' CHECK (on_denied IN ('reject', 'anonymous')),
  -- After how many days the events of a site are removed (null: never), and until when they were, once any were.
  event_retention_days integer CHECK (event_retention_days BETWEEN 30 AND 3650),
  events_removed_before timestamptz,
  UNIQUE (workspace_id, domain)
);
CREATE INDEX sites_with_event_retention ON sites (workspace_id, id) WHERE event_retention_days IS NOT NULL;

-- What a workspace says other currencies are worth. One unit of each is worth `rate` units of the base.
CREATE TABLE exchange_rates (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  base text NOT NULL,
  rates json NOT NULL,
  updated_at timestamptz NOT NULL
);
