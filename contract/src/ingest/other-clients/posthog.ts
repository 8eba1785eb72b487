import { Type } from 'typebox'
import { route } from '../../route.ts'
import { assay, ofClient, posted } from './endpoint.ts'

export const posthogCapture = route({
  ...posted,
  ...ofClient('posthog'),
  id: 'posthogCapture',
  path: '/capture',
  summary: 'Events of PostHog’s clients',
  description: 'Also as `/e` and `/i/v0/e`. The project API key is a key of this product.',
  success: { status: 200, body: Type.Object({ status: Type.Integer(), assay }) },
})

export const clientBatch = route({
  ...posted,
  ...ofClient('batch'),
  id: 'clientBatch',
  path: '/batch',
  summary: 'Batches of PostHog’s and Amplitude’s clients',
  description: 'PostHog’s have `batch`, Amplitude’s have `events`.',
  success: {
    status: 200,
    body: Type.Object({
      status: Type.Optional(Type.Integer()),
      code: Type.Optional(Type.Integer()),
      events_ingested: Type.Optional(Type.Integer()),
      server_upload_time: Type.Optional(Type.Integer()),
      assay,
    }),
  },
})

export const posthogFlags = route({
  ...ofClient('posthog'),
  id: 'posthogFlags',
  method: 'POST',
  path: '/flags',
  plane: 'data',
  access: 'open',
  rate: 'open',
  tag: 'Other clients',
  summary: 'Feature flags for PostHog’s clients: none',
  description: 'Also as `/decide`.',
  body: Type.Unknown({ description: 'Ignored' }),
  rawBody: true,
  success: {
    status: 200,
    body: Type.Object({
      flags: Type.Object({}),
      featureFlags: Type.Object({}),
      featureFlagPayloads: Type.Object({}),
      errorsWhileComputingFlags: Type.Boolean(),
      sessionRecording: Type.Boolean(),
      supportedCompression: Type.Array(Type.String()),
      siteApps: Type.Array(Type.Unknown()),
      isAuthenticated: Type.Boolean(),
    }),
  },
  problems: [],
})

export const posthogConfig = route({
  id: 'posthogConfig',
  method: 'GET',
  path: '/array/:token/config',
  plane: 'data',
  access: 'open',
  rate: 'open',
  tag: 'Other clients',
  summary: 'Settings for PostHog’s browser client: no flags, no recordings, no surveys',
  params: Type.Object({ token: Type.String({ maxLength: 100 }) }),
  success: {
    status: 200,
    body: Type.Object({
      token: Type.String(),
      hasFeatureFlags: Type.Boolean(),
      supportedCompression: Type.Array(Type.String()),
      autocapture_opt_out: Type.Boolean(),
      sessionRecording: Type.Boolean(),
      surveys: Type.Boolean(),
      heatmaps: Type.Boolean(),
      defaultIdentifiedOnly: Type.Boolean(),
      siteApps: Type.Array(Type.Unknown()),
    }),
  },
  problems: ['not-found'],
})

export const posthogConfigScript = route({
  id: 'posthogConfigScript',
  method: 'GET',
  path: '/array/:token/config.js',
  plane: 'data',
  access: 'open',
  rate: 'open',
  tag: 'Other clients',
  summary: 'The same settings as a script, which PostHog’s browser client loads first',
  params: Type.Object({ token: Type.String({ maxLength: 100 }) }),
  success: { status: 200, body: Type.String({ description: 'JavaScript' }) },
  problems: ['not-found'],
})
