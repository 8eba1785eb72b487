import { severityRanks } from '@assay/contract'

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
