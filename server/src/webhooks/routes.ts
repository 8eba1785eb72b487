import {
  createWebhookConnection,
  deleteWebhookConnection,
  getWebhookDelivery,
  listWebhookConnections,
  listWebhookDeliveries,
  Problem,
  receiveWebhook,
  replayWebhookDelivery,
  rotateWebhookSecrets,
} from '@assay/contract'
import { isProvider } from '@assay/server/webhooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chargeGuess, type Plane, serve, showAllowance } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import type { Platform } from '../platform/platform.ts'
import type { RequireSite } from '../sites/sites.ts'
import { type Connection, toConnection } from './connections.ts'
import { readFilter, requireDelivery, toDelivery } from './deliveries.ts'
import { selectDeliveries } from './delivery-store.ts'
import type { Webhooks } from './webhooks.ts'

type Needs = Pick<Platform, 'control' | 'now' | 'dataUrl'> & { webhooks: Webhooks; requireSite: RequireSite }

/** As long as most vendors retry. */
const keepPreviousHoursDefault = 24

export function webhookRoutes(plane: Plane, deps: Needs): void {
  connectionRoutes(plane, deps)
  deliveryRoutes(plane, deps)
  // In a scope of its own, because here the bytes count and nothing may be parsed before they are verified.
  plane.app.register(async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    receivingRoutes({ ...plane, app }, app, deps)
  })
}

function connectionRoutes(plane: Plane, { webhooks, requireSite, now, dataUrl }: Needs): void {
  const { connections } = webhooks
  const show = (connection: Connection) => toConnection(connection, dataUrl(), now())

  serve(plane, createWebhookConnection, async ({ body, caller }) => {
    await requireSite(caller.workspaceId, body.site_id)
    return show(await connections.create(caller.workspaceId, body))
  })

  serve(plane, listWebhookConnections, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const rows = await connections.list(caller.workspaceId, query.cursor ?? null, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: page.map(show), next_cursor: next }
  })

  serve(plane, rotateWebhookSecrets, async ({ params, body, caller }) => {
    const connection = await connections.own(caller.workspaceId, params.id)
    const hours = body.keep_previous_hours ?? keepPreviousHoursDefault
    return show(await connections.rotate(connection, body.secrets, hours))
  })

  serve(plane, deleteWebhookConnection, async ({ params, caller }) => {
    await connections.remove(await connections.own(caller.workspaceId, params.id))
    return undefined
  })
}

function deliveryRoutes(plane: Plane, { control, webhooks }: Needs): void {
  serve(plane, listWebhookDeliveries, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const filter = readFilter(query)
    const rows = await selectDeliveries(control, caller.workspaceId, filter, query.cursor ?? null, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: page.map(toDelivery), next_cursor: next }
  })

  serve(plane, getWebhookDelivery, async ({ params, caller }) => {
    const row = await requireDelivery(control, caller.workspaceId, params.id)
    return { ...toDelivery(row), payload: row.payload === null ? null : JSON.parse(row.payload) }
  })

  serve(plane, replayWebhookDelivery, async ({ params, caller }) =>
    webhooks.receiving.replay(await requireDelivery(control, caller.workspaceId, params.id)),
  )
}

const noBytes = new Uint8Array()

function receivingRoutes(plane: Plane, app: FastifyInstance, { webhooks }: Needs): void {
  const { connections, receiving } = webhooks

  // Before a byte of the body is read: what is sent to no connection costs no memory.
  app.addHook('onRequest', async (request, reply) => {
    const { provider = '' } = Object(request.params)
    await knownConnection(String(provider), Object(request.query).connection, request, reply)
  })

  serve(plane, receiveWebhook, async ({ params, query, body, request, reply }) => {
    const connection = await knownConnection(params.provider, query.connection, request, reply)
    const bytes = body instanceof Uint8Array ? body : noBytes
    // It is charged once its signature is verified: the vendor is trusted as a secret key is.
    const verified = { keyClass: 'secret', address: request.ip } as const
    try {
      return await receiving.receive(connection, bytes, request.headers, (count) =>
        showAllowance(reply, plane.limits.chargeEvents(verified, [[connection.site_id, count]])),
      )
    } catch (error) {
      // Guessing signatures runs into a limit by source address, as guessing keys does.
      const isGuess = error instanceof Problem && error.slug === 'unauthenticated'
      if (isGuess) chargeGuess(plane, request, reply)
      throw error
    }
  })

  if (!plane.planes.includes('data')) return
  // Intercom asks in this way whether the address is there before it saves it.
  app.head('/v1/webhook/:provider', async (request, reply) => {
    const { provider = '' } = Object(request.params)
    await knownConnection(String(provider), Object(request.query).connection, request, reply)
    return reply.code(200).send()
  })

  async function knownConnection(
    provider: string,
    id: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Connection> {
    const connection = isProvider(provider) && typeof id === 'string' ? await connections.find(id) : null
    const isOpen = connection !== null && !plane.isClosed(connection.workspace_id)
    if (isOpen && connection.provider === provider) return connection
    chargeGuess(plane, request, reply)
    throw new Problem('not-found', {
      detail: 'There is no webhook connection of this provider at this address.',
    })
  }
}
