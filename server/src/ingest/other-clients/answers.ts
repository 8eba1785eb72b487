import type { Output, posthogConfig, posthogFlags } from '@assay/contract'
import type { ItemResult } from '../item-result.ts'

export type Verdicts = {
  accepted: number
  warned: number
  quarantined: number
  rejected: number
  duplicates: number
}

export function verdictsOf(results: readonly ItemResult[]): Verdicts {
  const count = (outcome: ItemResult['outcome']) =>
    results.filter((result) => result.outcome === outcome && !result.duplicate).length
  return {
    accepted: count('accept'),
    warned: count('warn'),
    quarantined: count('quarantine'),
    rejected: count('reject'),
    duplicates: results.filter((result) => result.duplicate).length,
  }
}

/** What may be sent compressed, as PostHog's clients name it. */
const supportedCompression = ['gzip', 'gzip-js', 'base64']

export const noFlags: Output<typeof posthogFlags> = {
  flags: {},
  featureFlags: {},
  featureFlagPayloads: {},
  errorsWhileComputingFlags: false,
  sessionRecording: false,
  supportedCompression,
  siteApps: [],
  isAuthenticated: false,
}

export const configFor = (token: string): Output<typeof posthogConfig> => ({
  token,
  hasFeatureFlags: false,
  supportedCompression,
  autocapture_opt_out: false,
  sessionRecording: false,
  surveys: false,
  heatmaps: false,
  defaultIdentifiedOnly: true,
  siteApps: [],
})
