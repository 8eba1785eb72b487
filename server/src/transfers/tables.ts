/** A table of the control store that travels. Values are as Postgres writes them, so that none changes on the way. */
export type ControlTable = {
  name: string
  /** Its rows in the order in which they are to be written again; not all of it need be columns of the primary key. */
  order: string
  /** Belongs to a workspace through another table. */
  through?: { table: string; column: string }
  /** Rows that stay, as what must not be done twice. */
  only?: string
  /** Columns that are left at their default: numbers that the store gives, and who holds a piece of work. */
  without?: readonly string[]
  /** Columns that are emptied: secrets. */
  emptied?: readonly string[]
  /**
   * The product creates such rows automatically, so their presence does not mean that a workspace is in use.
   */
  isMade?: true
  /** The workspace that takes an import has rows of its own, which stay. */
  staysFilled?: true
}

/** In an order in which each finds what it refers to. */
export const controlTables: readonly ControlTable[] = [
  { name: 'sites', order: 'id' },
  // Pages hold them, so that they must work at the next server too. Anyone can read them, and they only send events.
  {
    name: 'api_keys',
    order: 'id',
    only: "kind = 'public' AND revoked_at IS NULL",
    without: ['last_used_at', 'revoked_at'],
    staysFilled: true,
  },
  { name: 'exchange_rates', order: 'workspace_id' },
  { name: 'contracts', order: 'key, major, minor, patch' },
  { name: 'gate_severities', order: 'workspace_id' },
  { name: 'event_mappings', order: 'site_id, id' },
  { name: 'element_matches', order: 'key' },
  { name: 'mapping_backfills', order: 'id', without: ['claimed_by', 'claimed_until'] },
  { name: 'site_overlays', order: 'site_id', isMade: true },
  { name: 'webhook_connections', order: 'id', emptied: ['secrets'] },
  { name: 'webhook_deliveries', order: 'id' },
  {
    name: 'webhook_memory',
    order: 'connection_id, key',
    through: { table: 'webhook_connections', column: 'connection_id' },
  },
  { name: 'identifiers', order: 'original_id' },
  { name: 'person_traits', order: 'original_id, key' },
  { name: 'conditional_traits', order: 'original_id, key, told_seq' },
  { name: 'person_notes', order: 'original_id, id' },
  { name: 'identity_suppressions', order: 'original_id' },
  { name: 'identity_ledger_heads', order: 'workspace_id', isMade: true },
  { name: 'identity_ledger', order: 'seq' },
  { name: 'identity_links', order: 'a, b, is_explicit' },
  { name: 'identity_apart', order: 'a, b' },
  { name: 'consents', order: 'seq', without: ['seq'] },
  { name: 'consent_subjects', order: 'original_id' },
  { name: 'subject_requests', order: 'id', without: ['holder', 'lease_until'] },
  { name: 'funnels', order: 'id', isMade: true },
  { name: 'audiences', order: 'id' },
  { name: 'annotations', order: 'id' },
  { name: 'goals', order: 'id' },
  { name: 'reports', order: 'id' },
  { name: 'boards', order: 'id' },
  // Paused where they arrive, so that no one gets a mail from two installations.
  { name: 'digests', order: 'id', without: ['is_paused'] },
  { name: 'digest_recipients', order: 'id' },
  { name: 'alerts', order: 'id', without: ['next_at', 'failures'], emptied: ['slack_url'] },
  { name: 'alert_firings', order: 'id' },
  { name: 'error_states', order: 'site_id, group_id' },
  { name: 'error_rules', order: 'id' },
  { name: 'site_milestones', order: 'site_id', isMade: true },
  { name: 'drift_alerts', order: 'id', isMade: true },
  { name: 'drift_aliases', order: 'site_id, page, alias' },
  { name: 'drift_checks', order: 'site_id', isMade: true },
  { name: 'replays', order: 'id' },
  { name: 'replay_chunks', order: 'replay_id, first_ms, id' },
  { name: 'attribution_policies', order: 'version' },
  // Consents get numbers of the store that they come into, so the next computation looks at all of them.
  { name: 'attribution_states', order: 'workspace_id', without: ['consent_seq'], isMade: true },
  { name: 'attribution_days', order: 'day', isMade: true },
  { name: 'attribution_jobs', order: 'id', without: ['holder', 'lease_until'], isMade: true },
  { name: 'health_settings', order: 'workspace_id' },
  { name: 'health_watches', order: 'workspace_id', isMade: true },
  { name: 'health_anomalies', order: 'id', isMade: true },
  { name: 'health_quarantine_episodes', order: 'site_id, event_name', isMade: true },
  { name: 'destinations', order: 'id', emptied: ['secrets'] },
  // What is still to be sent is sent by the server that it was noted on.
  { name: 'dispatches', order: 'position', without: ['position'], only: "status <> 'pending'" },
]

/** Tables of the control store with rows of a workspace that stay where they are, and why. */
export const stayingTables: Readonly<Record<string, string>> = {
  memberships: 'people of an installation',
  command_grants: 'a secret of two minutes',
  invitations: 'people of an installation, and a secret',
  audit_log: 'who did what on this installation; an import leaves an entry of its own',
  audit_pending: 'the same',
  person_keys: 'in the manifest',
  workspace_imports: 'about this installation',
  workspace_exports: 'about this installation',
  stored_files: 'files of exports and imports of this installation, and archives with links of it',
  replay_days: 'how much was recorded here in a day',
  dead_letters: 'lines of the log of this installation, loaded or discarded here',
  log_erasures: 'about the log of this installation',
  shares: 'a secret, even as a hash: an address of this installation',
  digest_deliveries: 'what this installation sent, or is about to send',
  alert_messages: 'sent, or still to be sent, by the server that they were noted on',
  demos: 'the demo of a person of an installation; what it was filled with travels as anything else',
}

/** A table of the events store that travels, with the columns by which its rows are read page by page. */
export type EventsTable = {
  name: string
  key: readonly (readonly [column: string, type: string])[]
  /** Its rows belong to generations of overlaid events, and only through them to a workspace. */
  byGeneration?: true
  /** Rows that belong to an object of the control store, without which they are never read. */
  refersTo?: { column: string; to: 'generations' | 'backfills' | 'audiences' }
}

const time = "DateTime64(3, 'UTC')"

export const eventsTables: readonly EventsTable[] = [
  {
    name: 'events',
    key: [
      ['site_id', 'String'],
      ['ts', time],
      ['event_id', 'String'],
    ],
  },
  {
    name: 'quarantine',
    key: [
      ['received_at', time],
      ['event_id', 'String'],
    ],
  },
  {
    name: 'quarantine_states',
    key: [
      ['received_at', time],
      ['event_id', 'String'],
    ],
  },
  {
    name: 'event_ids',
    key: [
      ['id_hi', 'UInt32'],
      ['id_lo', 'UInt32'],
    ],
  },
  {
    name: 'verdicts',
    key: [
      ['site_id', 'String'],
      ['hour', "DateTime('UTC')"],
      ['name', 'String'],
      ['outcome', 'String'],
      ['code', 'String'],
    ],
  },
  // Follows from the events, save of those that are gone.
  {
    name: 'error_sightings',
    key: [
      ['site_id', 'String'],
      ['error_key', 'UInt64'],
    ],
  },
  { name: 'person_mapping', key: [['original_key', 'UInt64']] },
  {
    name: 'event_overlays',
    refersTo: { column: 'backfill_id', to: 'backfills' },
    key: [
      ['site_id', 'String'],
      ['ts', time],
      ['event_id', 'String'],
    ],
  },
  {
    name: 'overlaid_events',
    refersTo: { column: 'generation', to: 'generations' },
    key: [
      ['site_id', 'String'],
      ['ts', time],
      ['event_id', 'String'],
    ],
  },
  {
    name: 'superseded_events',
    key: [
      ['site_id', 'String'],
      ['ts', time],
      ['event_id', 'String'],
    ],
  },
  {
    name: 'overlay_orders',
    key: [['order_id', 'String']],
    byGeneration: true,
    refersTo: { column: 'generation', to: 'generations' },
  },
  {
    name: 'audience_members',
    refersTo: { column: 'audience_id', to: 'audiences' },
    key: [
      ['audience_id', 'String'],
      ['person_key', 'UInt64'],
    ],
  },
  {
    name: 'attribution_touches',
    key: [
      ['person_key', 'UInt64'],
      ['ts', time],
      ['event_id', 'String'],
    ],
  },
  {
    name: 'attribution_outcomes',
    key: [
      ['day', 'Date'],
      ['outcome_id', 'String'],
    ],
  },
]

/** Sets of people that live for one statement. */
export const passingEventsTables: readonly string[] = ['audience_sets']

/** Names of generations, which are unique over all workspaces of an installation. */
export const generationColumns: Readonly<Record<string, readonly string[]>> = {
  site_overlays: ['generation', 'previous', 'next'],
  overlaid_events: ['generation'],
  overlay_orders: ['generation'],
}

export const partNames: readonly string[] = [...controlTables, ...eventsTables].map(({ name }) => name)
