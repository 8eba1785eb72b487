import { recordReplay } from '@assay/contract'
import { expect } from 'vitest'
import { insertAnomaly, takeHour } from '../../../server/src/event-health/watch/anomaly-store.ts'
import type { TestWorkspace, World } from '../../../server/src/testing/harness.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36'

const brokenVisit = 'visit-with-an-error'
export const brokenVisitor = 'visitor-with-an-error'
export const errorMessage = 'The cart could not be read'
export const recordedHeading = 'Catalogue of garden chairs'
/** In every address that a recording tries to reach: the browser notes that it was not let. */
export const trapPath = 'recorded-trap'

/** Data for the monitoring pages: a changed element, an error, an anomaly, and a hostile recording. */
export async function fillWatch(world: World, shop: TestWorkspace, trapUrl: string): Promise<void> {
  const events = [...changedElement(), ...errors()]
  const numbered = events.map((event, index) => ({ ...event, event_id: `watched-event-${index}` }))
  await shop.send(numbered, { key: shop.keys.secret, outcomes: ['accept', 'warn'] })
  await tellAnomaly(world, shop)
  await recordVisit(shop, trapUrl)
}

type Moment = { event: string; visit: string; visitor: string; ms: number; path: string; properties?: object }

const eventOf = ({ event, visit, visitor, ms, path, properties = {} }: Moment) => ({
  event,
  anonymous_id: visitor,
  session_id: visit,
  ts: new Date(ms).toISOString(),
  historical: true,
  properties: { url: `https://shop.example${path}`, title: path, ...properties },
  context: { userAgent: chrome },
})

/** Four days of clicks on a button, which has another name since a day. */
function changedElement(): object[] {
  const path = '/basket'
  const click = (name: string) => ({
    element: 'Buy it now',
    selector: `button.${name}`,
    text: 'Buy it now',
    fingerprint: {
      tag: 'button',
      role: 'button',
      id: '',
      classes: [name, 'large'],
      attributes: { type: 'button', 'aria-label': 'Buy it now' },
      ancestors: ['body', 'main', 'form#checkout'],
      position: { x: 40, y: 100, width: 120, height: 32 },
    },
  })
  return [0, 1, 2, 3, 4].flatMap((day) => {
    // Well within the day, however long the tests before this took.
    const startMs = Date.now() - day * dayMs - 12 * hourMs
    return Array.from({ length: 20 }, (_, index) => {
      const moment = {
        visit: `checkout-${day}-${index}`,
        visitor: `buyer-${index}`,
        ms: startMs + index * 60_000,
        path,
      }
      const properties = click(day === 0 ? 'purchase' : 'buy')
      return [
        eventOf({ ...moment, event: '$pageview' }),
        eventOf({ ...moment, event: '$click', ms: moment.ms + 1_000, properties }),
      ]
    }).flat()
  })
}

function errors(): object[] {
  const stack = `TypeError: ${errorMessage}\n    at readCart (https://shop.example/app.js:3:14)`
  const properties = { name: 'TypeError', message: errorMessage, stack, handled: false }
  const moment = { visit: brokenVisit, visitor: brokenVisitor, path: '/cart' }
  const ms = Date.now() - 60_000
  return [
    eventOf({ ...moment, event: '$pageview', ms: ms - 1_000 }),
    eventOf({ ...moment, event: 'error', ms, properties }),
  ]
}

/** As the watch writes it, once it has learned for weeks what is usual. */
async function tellAnomaly({ product }: World, shop: TestWorkspace): Promise<void> {
  const startedAt = new Date(Math.floor(Date.now() / hourMs) * hourMs - 20 * hourMs)
  // The watch itself would find that all is well again, and close it in the middle of a test.
  await takeHour(product.deps.control, shop.workspaceId, new Date(Date.now() + dayMs))
  await insertAnomaly(product.deps.control, shop.workspaceId, {
    id: `anomaly-of-${shop.siteId}`,
    type: 'volume',
    site_id: shop.siteId,
    event_name: '$pageview',
    issue: '',
    started_at: startedAt,
    ended_at: null,
    observed: 4,
    expected: 210,
    score: 12,
    severity: 'critical',
    cause: { app_version: '7.4.1', sdk: null, source: null, contract_version: null },
    cause_group: 'release 7.4.1',
    is_alert: true,
    status: 'open',
    muted_until: null,
    note: null,
    created_at: startedAt,
    updated_at: startedAt,
  })
}

type Node = { type: number; id: number; [name: string]: unknown }

/** A page that tries whatever a recording could try: scripts, handlers, pictures, frames and links elsewhere. */
async function recordVisit(shop: TestWorkspace, trapUrl: string): Promise<void> {
  let lastId = 0
  const node = (type: number, rest: object): Node => ({ type, id: ++lastId, ...rest })
  const element = (tagName: string, attributes: object, ...childNodes: Node[]) =>
    node(2, { tagName, attributes, childNodes })
  const words = (textContent: string) => node(3, { textContent })
  const trap = (name: string) => `${trapUrl}/${trapPath}/${name}`
  const script = 'top.wasTaken = true'
  const tree = node(0, {
    childNodes: [
      node(1, { name: 'html', publicId: '', systemId: '' }),
      element(
        'html',
        {},
        element(
          'head',
          {},
          element('style', {}, words(`h1 { color: red; background: url(${trap('style')}) }`)),
          element('link', { rel: 'stylesheet', href: trap('sheet.css') }),
          element('meta', { 'http-equiv': 'refresh', content: `0; url=${trap('refresh')}` }),
        ),
        element(
          'body',
          { onpageshow: script },
          element('h1', {}, words(recordedHeading)),
          element('img', { src: trap('picture'), onerror: script, alt: '' }),
          element('script', {}, words(script)),
          element('iframe', { src: trap('frame') }),
          element('svg', { onload: script }),
        ),
      ),
    ],
  })
  const startMs = Date.now() - 61_000
  const event = (type: number, afterMs: number, data: object) => ({
    type,
    timestamp: startMs + afterMs,
    data,
  })
  const events = [
    event(4, 0, { href: 'https://shop.example/cart', width: 800, height: 600 }),
    event(2, 10, { node: tree, initialOffset: { left: 0, top: 0 } }),
    ...[400, 800, 1_200].map((ms) =>
      event(3, ms, { source: 1, positions: [{ x: ms / 10, y: 50, id: 1, timeOffset: 0 }] }),
    ),
  ]
  const body = {
    replay_id: `replay-of-${shop.siteId}`,
    chunk_id: 'chunk-one',
    session_id: brokenVisit,
    anonymous_id: brokenVisitor,
    sent_at: Date.now(),
    events,
  }
  const answer = await shop.call(recordReplay, { body }, { key: shop.keys.public })
  expect(answer.body).toEqual({ stored: true, reason: null })
}
