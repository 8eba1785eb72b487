import { type AttributionPolicy, type PolicySettings, Problem } from '@assay/contract'
import type { Clock } from '../platform/clock.ts'
import type { Control, Sql } from '../store/control.ts'
import { insertPolicy, type PolicyRow, selectPolicy } from './policy-store.ts'

/** Decisions §8; for the rest see docs/attribution.md. */
export const defaultPolicy: PolicySettings = {
  model: 'position',
  data_driven: 'counterfactual',
  lookback_days: 30,
  half_life_days: 7,
  position: { first: 0.4, last: 0.4 },
  touchpoint_rules: null,
  ignore_direct: false,
  outcome_events: ['$purchase', '$subscribe', '$signup'],
  outcome_source: 'any',
  exclude_channels: [],
  dedupe_window_min: 30,
  consent_required: 'analytics_storage',
}

export async function readPolicy(
  sql: Sql,
  workspaceId: string,
  version?: number,
): Promise<AttributionPolicy> {
  const row = version === 0 ? null : await selectPolicy(sql, workspaceId, version ?? null)
  if (row !== null) return toPolicy(row)
  if (version !== undefined && version !== 0) {
    throw new Problem('not-found', { detail: 'There is no such version of the policy.' })
  }
  return { version: 0, ...defaultPolicy, created_at: null }
}

/** The live policy with the change applied. Throws if the result is inconsistent. */
export function changedPolicy(
  current: AttributionPolicy,
  change: Partial<PolicySettings>,
): AttributionPolicy {
  const { position, outcome_events, ...next } = { ...current, ...change }
  if (position.first + position.last > 1 + Number.EPSILON) {
    throw new Problem('invalid-parameter', {
      detail: 'position.first and position.last are parts of one credit and may not add up to more than 1.',
      errors: [{ field: 'position', message: 'may not add up to more than 1' }],
    })
  }
  return { ...next, position, outcome_events: [...new Set(outcome_events)].sort() }
}

export async function savePolicy(
  control: Control,
  workspaceId: string,
  change: Partial<PolicySettings>,
  now: Clock,
): Promise<AttributionPolicy> {
  return control.transaction(async (sql) => {
    const current = await readPolicy(sql, workspaceId)
    const { version: _, created_at: __, ...settings } = changedPolicy(current, change)
    const row = { version: current.version + 1, settings, created_at: new Date(now()) }
    if (await insertPolicy(sql, workspaceId, row)) return toPolicy(row)
    throw new Problem('conflict', {
      detail: 'Someone else changed the policy a moment ago. Review their change first.',
    })
  })
}

function toPolicy({ version, settings, created_at }: PolicyRow): AttributionPolicy {
  return { version, ...defaultPolicy, ...settings, created_at: created_at.toISOString() }
}
