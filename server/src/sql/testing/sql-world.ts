import { batch, createSite, type Input, identify, runSql } from '@assay/contract'
import { expect } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

const nowMs = Date.parse('2026-11-15T12:00:00Z')

/** In everything that another site or workspace sends: it must never be in an answer. */
export const mark = 'FOREIGN'

export type SqlWorld = {
  world: World
  shop: TestWorkspace
  otherSiteId: string
  ask: (query: string, members?: Partial<Input<typeof runSql>['body']>) => Promise<Asked>
}
type Asked = { status: number; body: Record<string, unknown>; text: string }

const agent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

/** Three days of a shop: six visitors, one of whom is known by two names; and a bot. */
function shopEvents(): object[] {
  return Array.from({ length: 6 }, (_, visitor) => {
    const day = `2026-11-1${1 + (visitor % 3)}`
    const own = {
      session_id: `s${visitor}`,
      anonymous_id: `a${visitor}`,
      historical: true,
      context: {
        userAgent: agent,
        locale: 'de-DE',
        page: { url: `https://shop.example/p${visitor % 2}?utm_source=news&utm_campaign=autumn` },
      },
    }
    const view = (minute: number, path: string) => ({
      ...own,
      event: '$pageview',
      ts: `${day}T10:0${minute}:00Z`,
      properties: { url: `https://shop.example${path}`, title: String(visitor) },
      context: {
        ...own.context,
        page: { url: `https://shop.example${path}?utm_source=news&utm_campaign=autumn` },
      },
    })
    const bought = {
      ...own,
      event: '$purchase',
      ts: `${day}T10:09:00Z`,
      properties: {
        amount: 10 + visitor,
        currency: 'EUR',
        order_id: `o${visitor}`,
        plan: 'pro',
        cart: { items: visitor },
      },
    }
    return [
      view(0, '/'),
      ...(visitor < 4 ? [view(1, `/p${visitor % 2}`)] : []),
      ...(visitor < 3 ? [bought] : []),
    ]
  }).flat()
}

/** The same in the same days, but marked wherever a text can be. */
function foreignEvents(place: string): object[] {
  return Array.from({ length: 40 }, (_, index) => ({
    event: index % 2 === 0 ? '$pageview' : '$purchase',
    event_id: `${mark}-${place}-${index}`,
    session_id: `${mark}-s${index}`,
    anonymous_id: `${mark}-a${index}`,
    user_id: `${mark}-u${index}`,
    ts: `2026-11-1${1 + (index % 3)}T10:0${index % 10}:30Z`,
    historical: true,
    properties:
      index % 2 === 0
        ? { url: `https://${mark.toLowerCase()}.example/${mark}`, title: mark }
        : { amount: 1, currency: 'EUR', order_id: `${mark}-${place}-${index}`, plan: mark },
    context: {
      userAgent: agent,
      page: { url: `https://${mark.toLowerCase()}.example/${mark}?utm_source=${mark}&utm_campaign=${mark}` },
    },
  }))
}

const bot = {
  event: '$pageview',
  session_id: 'bot',
  anonymous_id: 'bot',
  ts: '2026-11-12T11:00:00Z',
  historical: true,
  properties: { url: 'https://shop.example/', title: 'Bot' },
  context: { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' },
}

async function send(workspace: TestWorkspace, siteId: string, events: readonly object[]): Promise<void> {
  const { status } = await workspace.call(batch, {
    body: { batch: events.map((event) => ({ ...event, site_id: siteId })) },
  })
  expect(status).toBe(200)
}

export async function startSqlWorld(): Promise<SqlWorld> {
  const world = await startWorld({ now: () => nowMs })
  const shop = await world.newWorkspace({ timezone: 'Europe/Berlin' })
  const other = await world.newWorkspace({ timezone: 'UTC' })
  const second = await shop.call(createSite, { body: { name: 'Second', domain: 'second.example' } })
  const otherSiteId = second.body.id
  await send(shop, shop.siteId, [...shopEvents(), bot])
  await send(shop, otherSiteId, foreignEvents('site'))
  await send(other, other.siteId, foreignEvents('workspace'))
  // Visitors 0 and 1 turn out to be one person.
  for (const anonymous_id of ['a0', 'a1']) {
    await shop.call(identify, { body: { anonymous_id, user_id: 'ada', site_id: shop.siteId, traits: {} } })
  }
  await shop.settle()
  await other.settle()
  const ask: SqlWorld['ask'] = async (query, members = {}) => {
    const { status, body } = await shop.call(runSql, {
      body: { siteId: shop.siteId, from: '2026-11-10', to: '2026-11-14', query, ...members },
    })
    return { status, body: { ...body }, text: JSON.stringify(body) }
  }
  return { world, shop, otherSiteId, ask }
}
