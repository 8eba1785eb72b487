import { Type } from 'typebox'
import { route } from '../../route.ts'
import { assay, endpoint, ofClient, posted } from './endpoint.ts'

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
