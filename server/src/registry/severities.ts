import {
  isIssueCode,
  issueRules,
  type Outcome,
  Problem,
  type Severities,
  severityErrors,
} from '@assay/contract'
import type { Control } from '../store/control.ts'
import { lockRegistry, selectSeverities, upsertSeverities } from './store.ts'

const issueCodes = Object.keys(issueRules).filter(isIssueCode)

export type EffectiveSeverity = { code: string; severity: Outcome; default: Outcome; floor: Outcome }

export async function readSeverities(control: Control, workspaceId: string): Promise<EffectiveSeverity[]> {
  const own = await selectSeverities(control, workspaceId)
  return issueCodes.map((code) => {
    const { severity, floor } = issueRules[code]
    return { code, severity: own[code] ?? severity, default: severity, floor }
  })
}

/** Sets the given codes and leaves the others; null takes a setting back. Answers all settings. */
export async function changeSeverities(
  control: Control,
  workspaceId: string,
  changes: Readonly<Record<string, Outcome | null>>,
): Promise<Record<string, Outcome>> {
  const errors = severityErrors(changes)
  if (errors.length > 0) {
    const detail = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
    throw new Problem('invalid-parameter', { detail: `Correct the severities: ${detail}.`, errors })
  }
  return control.transaction(async (sql) => {
    await lockRegistry(sql, workspaceId)
    const severities = merge(await selectSeverities(sql, workspaceId), changes)
    await upsertSeverities(sql, workspaceId, severities)
    return severities
  })
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
