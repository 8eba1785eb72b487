import type { Output, posthogConfig, posthogFlags, rudderSourceConfig } from '@assay/contract'

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

/** A key is letters, digits and underscores, so it can be part of a script. */
export const configScriptFor = (token: string): string =>
  `(function(w){(w._POSTHOG_REMOTE_CONFIG=w._POSTHOG_REMOTE_CONFIG||{})[${JSON.stringify(token)}]=` +
  `{config:${JSON.stringify(configFor(token))},siteApps:[]}})(window);`

/** Clients compare it with what they have; the source never changes. */
const updatedAt = '2026-01-01T00:00:00.000Z'

export const sourceConfig: Output<typeof rudderSourceConfig> = {
  source: {
    id: 'assay',
    name: 'Assay',
    workspaceId: 'assay',
    enabled: true,
    updatedAt,
    config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
    destinations: [],
    dataplanes: {},
  },
  updatedAt,
}
