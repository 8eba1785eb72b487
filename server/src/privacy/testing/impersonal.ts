/**
 * What the product makes and what holds nothing of the people whom events are about, each with the reason. All else is
 * declared by the module that owns it, in its `personal-data.ts`; `places.test.ts` walks the migrated stores and the
 * data directory, and fails on what is in neither list.
 */
type Reasons = Readonly<Record<string, string>>

const members = 'about members of workspaces, who sign in here, and not about people whom events are about'
const settings = 'written by members: how the workspace is set up'
const counts = 'counts and times of a whole site'
const shown = 'what many visits have in common: it is made of at least 30 sessions'
const jobs = 'how far a piece of work is'

export const impersonalControlTables: Reasons = {
  migrations: 'which migrations have run',
  load_probes: 'when a node last wrote a probe',
  log_nodes: 'which nodes run',
  nodes: 'which nodes run, and their versions',
  log_partitions: jobs,
  log_orders: 'hashes of orders whose first event is being loaded',
  log_erasures:
    'ids of people who are being forgotten, until what the log holds of them is left out of its load',
  workspaces: settings,
  api_keys: settings,
  installation: 'secrets of the installation',
  sites: settings,
  visitor_salts: 'random daily salts of visitor ids, which cannot be reversed',
  contracts: settings,
  gate_severities: settings,
  event_mappings: settings,
  element_matches: settings,
  mapping_backfills: jobs,
  site_overlays: 'which rows of back-fills count',
  users: members,
  memberships: members,
  auth_sessions: members,
  refresh_tokens: members,
  sign_in_links: members,
  oauth_states: members,
  oauth_codes: members,
  oauth_identities: members,
  signing_keys: 'keys of the installation',
  invitations: members,
  command_grants: members,
  deleted_workspaces: 'ids of workspaces that are gone',
  webhook_connections: settings,
  identity_suppressions: 'keyed hashes that keep forgotten people from coming back; it stays for that',
  identity_ledger_heads: 'the end of the chain of the ledger, as a hash',
  person_keys: 'the key that person ids are derived with; it names no one',
  alert_firings: 'values of a whole site, and when they left their limits',
  funnels: shown,
  audiences: settings,
  error_states: 'what members said of a kind of error, by a hash',
  error_rules: settings,
  site_milestones: counts,
  drift_alerts: shown,
  drift_aliases: shown,
  drift_checks: jobs,
  attribution_policies: settings,
  attribution_states: 'weights of channels, learned from all outcomes together',
  attribution_days: jobs,
  attribution_jobs: jobs,
  health_settings: settings,
  health_watches: jobs,
  health_anomalies: counts,
  health_quarantine_episodes: counts,
  destinations: settings,
  digest_deliveries: 'when which digest was sent; it names a recipient by an id, and is deleted with them',
  workspace_imports: jobs,
  replay_days: counts,
  exchange_rates: settings,
  demos: members,
  removal_clock: 'the time of the installation',
}

export const impersonalEventsTables: Reasons = {
  migrations: 'which migrations have run',
  verdicts: 'how many events of which name got which verdict in which hour',
}

export const impersonalFiles: Reasons = {
  control: 'the control store, whose tables are listed one by one',
  events: 'the events store, whose tables are listed one by one',
  'node-id': 'the name of this node',
  'vault.key': 'what secrets are sealed with',
  'first-run.json': 'keys of the first start',
  'demo.json': 'the key of the demo',
  sdk: 'the browser SDK',
  dashboard: 'the dashboard',
  backups: 'backups requested by the operator, who stores them and is advised how long to keep them',
}
