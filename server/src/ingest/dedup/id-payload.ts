import { severityRanks } from '@assay/contract'
import type { IdRow } from './id-store.ts'
import { possiblyOlder } from './seen-ids.ts'

/** Stored with each seen id: the rank of its outcome, and whether anyone could have sent it. */
const publicBit = 4

export function payloadOf(outcomeRank: number, isPublicSender: boolean): number {
  return isPublicSender ? outcomeRank | publicBit : outcomeRank
}

export function isPublic(payload: number): boolean {
  return (payload & publicBit) !== 0
}

export function rankIn(payload: number): number {
  return payload & ~publicBit
}

export function isQuarantined(payload: number): boolean {
  return rankIn(payload) === severityRanks.quarantine
}

/** From an older day, or so old that only the store knows it. */
export function mayBeSecret(known: number): boolean {
  return known === possiblyOlder || (known >= 0 && !isPublic(known))
}

export function payloadOfRow({ outcome, is_public }: IdRow): number {
  const rank =
    outcome === 'quarantine' ? severityRanks.quarantine : outcome === 'warn' ? severityRanks.warn : 0
  return payloadOf(rank, Number(is_public) === 1)
}
