import {
  type GatePolicy,
  type GatePreset,
  isIssueCode,
  issueRules,
  type Outcome,
  outcomes,
  Problem,
  presetSeverity,
  type Severities,
  type SeverityChanges,
  severityErrors,
} from '@assay/contract'
import type { Control } from '../store/control.ts'
import { lockRegistry, selectGatePolicy, upsertGatePolicy } from './contracts/store.ts'

const issueCodes = Object.keys(issueRules).filter(isIssueCode)

type EffectiveSeverity = { code: string; severity: Outcome; default: Outcome; floor: Outcome }

export async function readSeverities(
  control: Control,
  workspaceId: string,
): Promise<{ preset: GatePreset; data: EffectiveSeverity[] }> {
  const { preset, severities } = await selectGatePolicy(control, workspaceId)
  const data = issueCodes.map((code) => {
    const usual = presetSeverity(preset, code)
    return { code, severity: severities[code] ?? usual, default: usual, floor: issueRules[code].floor }
  })
  return { preset, data }
}

/** Sets what is given and leaves the rest; null takes a severity back, so that the preset decides. */
export async function changeSeverities(
  control: Control,
  workspaceId: string,
  { preset, ...codes }: SeverityChanges,
): Promise<{ preset: GatePreset; severities: Record<string, Outcome> }> {
  const changes = Object.fromEntries(Object.entries(codes).flatMap(toChange))
  const errors = severityErrors(changes)
  if (errors.length > 0) {
    const detail = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
    throw new Problem('invalid-parameter', { detail: `Correct the severities: ${detail}.`, errors })
  }
  return control.transaction(async (sql) => {
    await lockRegistry(sql, workspaceId)
    const before = await selectGatePolicy(sql, workspaceId)
    const policy = {
      preset: preset ?? before.preset,
      severities: merge(before.severities, changes),
    } satisfies GatePolicy
    await upsertGatePolicy(sql, workspaceId, policy)
    return policy
  })
}

/** The shape of the request lets nothing else through. */
function toChange([code, wished]: [string, unknown]): [string, Outcome | null][] {
  const outcome = outcomes.find((each) => each === wished) ?? null
  return wished === undefined ? [] : [[code, outcome]]
}

function merge(
  before: Severities,
  changes: Readonly<Record<string, Outcome | null>>,
): Record<string, Outcome> {
  const merged: Record<string, Outcome> = {}
  for (const code of issueCodes) {
    const outcome = Object.hasOwn(changes, code) ? changes[code] : before[code]
    if (outcome !== undefined && outcome !== null) merged[code] = outcome
  }
  return merged
}
