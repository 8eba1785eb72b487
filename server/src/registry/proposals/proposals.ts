import {
  type CompiledContract,
  type Input,
  type listProposals,
  type Output,
  type Proposal,
  proposalSampleMax,
  standardByKey,
  toSnakeCase,
} from '@assay/contract'
import { dayMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import type { GateKnowledge } from '../registry.ts'
import { inferProperties } from './inference.ts'
import {
  findQuarantinedSamples,
  findStoredSamples,
  type SeenProposal,
  selectQuarantinedSample,
  selectStoredSample,
  selectUnknownNames,
} from './store.ts'

type ProposalQuery = Input<typeof listProposals>['query']

/** `^[a-z0-9_]+$`, as the key of a contract has to be. */
const keyPattern = /^[a-z0-9_]{1,100}$/

/** What came unregistered and still is, each with the contract that its events suggest. */
export async function readProposals(
  events: Events,
  known: GateKnowledge,
  workspaceId: string,
  { site_id = '', key, days = 7, limit = 20 }: ProposalQuery,
  nowMs: number,
): Promise<Output<typeof listProposals>> {
  const scope = { workspaceId, siteId: site_id, sinceMs: nowMs - days * dayMs }
  const seen = await selectUnknownNames(events, scope)
  const byKey = Map.groupBy(seen, ({ sent_name }) => toSnakeCase(sent_name))
  const wanted = key === undefined ? null : toSnakeCase(key)
  const chosen = [...byKey]
    .filter(([name]) => (wanted === null || name === wanted) && isOpen(name, known))
    .map(([name, spellings]) => ({ name, spellings, events: sum(spellings, 'events') }))
    .toSorted((left, right) => right.events - left.events || (left.name < right.name ? -1 : 1))
    .slice(0, limit)
  const sent = chosen.flatMap(({ name, spellings }) =>
    spellings.map(({ sent_name }) => [sent_name, name] as const),
  )
  const asSent = { sentNames: sent.map(([sentName]) => sentName), keys: sent.map(([, name]) => name) }
  const stored = await findStoredSamples(events, scope, asSent, proposalSampleMax)
  const quarantined = await findQuarantinedSamples(events, scope, asSent, proposalSampleMax)
  const data: Proposal[] = []
  for (const { name, spellings } of chosen) {
    const sample = [
      ...(await selectStoredSample(events, scope, stored.get(name))),
      ...(await selectQuarantinedSample(events, scope, quarantined.get(name))),
    ]
    data.push(propose(name, spellings, sample, known.contracts.get(name)))
  }
  return { days, data }
}

/** A name that can be registered, and that nothing knows by now. */
function isOpen(name: string, { contracts, mapping }: GateKnowledge): boolean {
  if (!keyPattern.test(name) || standardByKey.has(name)) return false
  const isMapped = mapping.custom.has(name) || mapping.standard.has(name)
  return !isMapped && contracts.get(name)?.isInForce !== true
}

function propose(
  key: string,
  spellings: readonly SeenProposal[],
  sample: readonly Readonly<Record<string, unknown>>[],
  drafted: CompiledContract | undefined,
): Proposal {
  const { properties, leftOut } = inferProperties(sample)
  const isDraft = drafted?.contract.status === 'draft'
  return {
    key,
    sent_names: spellings.map(({ sent_name }) => sent_name).slice(0, 20),
    events: sum(spellings, 'events'),
    quarantined: sum(spellings, 'quarantined'),
    last_seen_at: new Date(Math.max(...spellings.map(({ last_ms }) => Number(last_ms)))).toISOString(),
    sampled: sample.length,
    draft_version: isDraft ? (drafted?.contract.version ?? null) : null,
    contract: { key, properties: { ...properties }, additional: 'accept' },
    left_out: leftOut,
  }
}

function sum(rows: readonly SeenProposal[], member: 'events' | 'quarantined'): number {
  return rows.reduce((total, row) => total + Number(row[member]), 0)
}
