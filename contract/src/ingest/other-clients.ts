import { Type } from 'typebox'
import { route } from '../route.ts'
import type { OtherClient } from '../vendors/index.ts'

/**
 * Addresses that clients of other tools call, so that a site changes host and key alone. Each request is a batch in
 * other words; the key is where that client puts its own.
 */
const endpoint = {
  method: 'POST',
  plane: 'data',
  access: 'send',
  scope: 'events:send',
  rate: 'ingest',
  tag: 'Other clients',
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
} as const
const posted = {
  ...endpoint,
  body: Type.Unknown({ description: 'As the client of that tool sends it' }),
  rawBody: true,
} as const

/** How many events got which verdict, under a name that no client of another tool reads. */
export const ClientVerdicts = Type.Object({
  accepted: Type.Integer(),
  warned: Type.Integer(),
  quarantined: Type.Integer(),
  rejected: Type.Integer(),
  duplicates: Type.Integer(),
})
const assay = ClientVerdicts

const ofClient = <Client extends OtherClient>(client: Client) => ({ client })

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

/** What RudderStack's clients add; nothing of it changes the answer. */
const rudderParameter = Type.Optional(Type.String({ maxLength: 200, description: 'Ignored' }))

export const rudderSourceConfig = route({
  id: 'rudderSourceConfig',
  method: 'GET',
  path: '/sourceConfig',
  plane: 'data',
  access: 'open',
  rate: 'open',
  tag: 'Other clients',
  summary:
    'Settings for RudderStack’s clients, with this product as `controlPlaneUrl`: a source without destinations',
  query: Type.Object({
    p: rudderParameter,
    v: rudderParameter,
    bv: rudderParameter,
    build: rudderParameter,
    writeKey: rudderParameter,
    lockIntegrationsVersion: rudderParameter,
    lockPluginsVersion: rudderParameter,
  }),
  success: {
    status: 200,
    body: Type.Object({
      source: Type.Object({
        id: Type.String(),
        name: Type.String(),
        workspaceId: Type.String(),
        enabled: Type.Boolean(),
        updatedAt: Type.String(),
        config: Type.Object({
          statsCollection: Type.Object({
            errors: Type.Object({ enabled: Type.Boolean() }),
            metrics: Type.Object({ enabled: Type.Boolean() }),
          }),
        }),
        destinations: Type.Array(Type.Unknown()),
        dataplanes: Type.Object({}),
      }),
      updatedAt: Type.String(),
    }),
  },
  problems: [],
})

export const plausibleEvent = route({
  ...posted,
  ...ofClient('plausible'),
  id: 'plausibleEvent',
  path: '/api/event',
  summary: 'Events of Plausible’s script',
  description: '`data-domain` of its script is a public key of this product.',
  success: { status: 202, body: Type.Object({ assay }) },
})

export const umamiSend = route({
  ...posted,
  ...ofClient('umami'),
  id: 'umamiSend',
  path: '/api/send',
  summary: 'Events of Umami’s script and server client',
  description: 'The website id is a key of this product.',
  success: {
    status: 200,
    body: Type.Object({ cache: Type.String(), sessionId: Type.String(), visitId: Type.String(), assay }),
  },
})

export const ga4Collect = route({
  ...posted,
  ...ofClient('ga4'),
  id: 'ga4Collect',
  path: '/mp/collect',
  summary: 'Events of the Measurement Protocol of Google Analytics 4',
  description: 'The query has a key of this product as `api_secret`.',
  query: Type.Object({
    api_secret: Type.Optional(Type.String({ maxLength: 200 })),
    measurement_id: Type.Optional(Type.String({ maxLength: 200 })),
    firebase_app_id: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  success: { status: 200, body: Type.Object({ assay }) },
})

export const amplitudeEvents = route({
  ...posted,
  ...ofClient('amplitude'),
  id: 'amplitudeEvents',
  path: '/2/httpapi',
  summary: 'Events of Amplitude’s clients (HTTP V2)',
  description: 'The API key is a key of this product.',
  success: {
    status: 200,
    body: Type.Object({
      code: Type.Integer(),
      events_ingested: Type.Integer(),
      payload_size_bytes: Type.Integer(),
      server_upload_time: Type.Integer(),
      assay,
    }),
  },
})

const mixpanelAnswer = Type.Object({
  status: Type.Integer(),
  error: Type.Union([Type.String(), Type.Null()]),
  assay,
})

const mixpanelEvents = {
  ...ofClient('mixpanel'),
  path: '/track',
  description: 'The project token is a key of this product. Without `verbose=1` the answer is the text `1`.',
  success: { status: 200, body: mixpanelAnswer },
} as const
const mixpanelProfiles = {
  ...ofClient('mixpanelPeople'),
  path: '/engage',
  description: '`$set` and `$set_once` become traits; other operations are left out.',
  success: { status: 200, body: mixpanelAnswer },
} as const

export const mixpanelTrack = route({
  ...posted,
  ...mixpanelEvents,
  id: 'mixpanelTrack',
  summary: 'Events of Mixpanel’s clients',
})

export const mixpanelTrackOne = route({
  ...endpoint,
  ...mixpanelEvents,
  id: 'mixpanelTrackOne',
  method: 'GET',
  summary: 'Events of Mixpanel’s clients, as base64 in `data` of the query',
})

export const mixpanelEngage = route({
  ...posted,
  ...mixpanelProfiles,
  id: 'mixpanelEngage',
  summary: 'Profiles of Mixpanel’s clients',
})

export const mixpanelEngageOne = route({
  ...endpoint,
  ...mixpanelProfiles,
  id: 'mixpanelEngageOne',
  method: 'GET',
  summary: 'Profiles of Mixpanel’s clients, as base64 in `data` of the query',
})

export const mixpanelImport = route({
  ...posted,
  ...ofClient('mixpanel'),
  id: 'mixpanelImport',
  rate: 'none',
  path: '/import',
  summary: 'Past events of Mixpanel’s clients',
  description:
    'A list or lines of JSON. A secret key of this product is the user name of Basic authentication.',
  success: {
    status: 200,
    body: Type.Object({
      code: Type.Integer(),
      num_records_imported: Type.Integer(),
      status: Type.String(),
      assay,
    }),
  },
})

const matomo = {
  ...endpoint,
  ...ofClient('matomo'),
  description:
    'The id of the site is a key of this product. Actions are in the query, in a form, or in `requests`. Orders have ' +
    'the currency of the site.',
} as const

export const matomoTrack = route({
  ...matomo,
  ...posted,
  id: 'matomoTrack',
  path: '/matomo.php',
  summary: 'Actions of Matomo’s clients',
  success: {
    status: 200,
    body: Type.Object({ status: Type.String(), tracked: Type.Integer(), invalid: Type.Integer(), assay }),
  },
})

/** Its script asks for a picture where it may not send. */
export const matomoPixel = route({
  ...matomo,
  id: 'matomoPixel',
  method: 'GET',
  path: '/matomo.php',
  summary: 'One action of Matomo’s clients, in the query',
  success: { status: 204, body: null },
})

export const otherClientRoutes = [
  posthogCapture,
  clientBatch,
  posthogFlags,
  posthogConfig,
  posthogConfigScript,
  rudderSourceConfig,
  plausibleEvent,
  umamiSend,
  ga4Collect,
  amplitudeEvents,
  mixpanelTrack,
  mixpanelTrackOne,
  mixpanelEngage,
  mixpanelEngageOne,
  mixpanelImport,
  matomoTrack,
  matomoPixel,
] as const

/** Other addresses of the same. */
export const otherClientPaths: ReadonlyMap<string, string> = new Map([
  ...['/e', '/e/', '/i/v0/e', '/i/v0/e/', '/capture/'].map((path) => [path, '/capture'] as const),
  ...['/flags/', '/decide', '/decide/'].map((path) => [path, '/flags'] as const),
  ['/batch/', '/batch'],
  ['/track/', '/track'],
  ['/engage/', '/engage'],
  ['/import/', '/import'],
  ['/piwik.php', '/matomo.php'],
  ['/sourceConfig/', '/sourceConfig'],
])
