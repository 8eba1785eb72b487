import type { Output, posthogConfig, posthogFlags } from '@assay/contract'

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
