import {
  createDigest,
  deleteDigest,
  getDigest,
  getSubscription,
  listDigests,
  testDigest,
  unsubscribe,
  updateDigest,
} from '@assay/contract'
import { actorIdOf } from '../http/access/principal.ts'
import { isServedOn, type Plane, serve } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import {
  addDigest,
  changeDigest,
  type DigestWorld,
  removeDigest,
  requireDigest,
  toDigest,
} from './digests.ts'
import { sendTest, type TestNeeds } from './sending/test-mail.ts'
import { selectDigests } from './store.ts'
import { selectRecipients } from './subscriptions/recipient-store.ts'
import { readSubscription, type SubscriptionNeeds, setSubscribed } from './subscriptions/subscriptions.ts'
import { unsubscribePage } from './subscriptions/unsubscribe-page.ts'

export function digestRoutes(plane: Plane, deps: DigestWorld & SubscriptionNeeds & TestNeeds): void {
  const { control, requireSite } = deps

  serve(plane, listDigests, async ({ query, caller: { workspaceId } }) => {
    const { siteId = null, cursor = '', limit = pageDefault } = query
    if (siteId !== null) await requireSite(workspaceId, siteId)
    const rows = await selectDigests(control, workspaceId, siteId, cursor, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    const ids = page.map(({ id }) => id)
    const recipients = await selectRecipients(control, workspaceId, ids)
    return { data: page.map((row) => toDigest(row, recipients)), nextCursor: next }
  })

  serve(plane, createDigest, ({ body, caller }) =>
    addDigest(deps, caller.workspaceId, { ...body, owner: actorIdOf(caller) }),
  )

  serve(plane, getDigest, async ({ params, caller: { workspaceId } }) => {
    const row = await requireDigest(control, workspaceId, params.id)
    return toDigest(row, await selectRecipients(control, workspaceId, [row.id]))
  })

  serve(plane, updateDigest, ({ params, body, caller }) =>
    changeDigest(deps, caller.workspaceId, params.id, body),
  )

  serve(plane, deleteDigest, async ({ params, caller }) => {
    await removeDigest(control, caller.workspaceId, params.id)
    return undefined
  })

  serve(plane, testDigest, ({ params, body, caller }) => sendTest(deps, caller, params.id, body.email))

  serve(plane, getSubscription, ({ params, reply }) => {
    reply.header('cache-control', 'no-store')
    return readSubscription(deps, params.token)
  })

  serve(plane, unsubscribe, ({ params }) => setSubscribed(deps, params.token, false))

  if (isServedOn(plane, unsubscribe)) unsubscribePage(plane, deps)
}
