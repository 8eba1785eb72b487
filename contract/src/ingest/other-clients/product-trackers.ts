import { Type } from 'typebox'
import { route } from '../../route.ts'
import { assay, endpoint, ofClient, posted } from './endpoint.ts'

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
