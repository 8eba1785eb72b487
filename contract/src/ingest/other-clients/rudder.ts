import { Type } from 'typebox'
import { route } from '../../route.ts'

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
