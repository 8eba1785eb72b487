import { createDefinition, type DriftAlert, listDrift, sdkConfig, updateDrift } from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import { noticesOf, subscribeToNotices } from '../testing/notices.ts'
import { findDrift, type Seen, watchedDays } from './watch.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

type Button = {
  selector: string
  text: string
  id?: string
  classes: string[]
  ancestors: string[]
  y: number
}

function clickOf(button: Button): object {
  return {
    element: button.text,
    selector: button.selector,
    text: button.text,
    fingerprint: {
      tag: 'button',
      role: 'button',
      id: button.id ?? '',
      classes: button.classes,
      attributes: { type: 'button', 'aria-label': button.text },
      ancestors: button.ancestors,
      position: { x: 40, y: button.y, width: 120, height: 32 },
    },
  }
}

const main = ['body', 'main', 'form#checkout']
const buttons = {
  renamed: { selector: 'button.buy', text: 'Buy it now', classes: ['buy', 'large'], ancestors: main, y: 100 },
  moved: {
    selector: 'form#checkout > button.help',
    text: 'Ask for help',
    classes: ['help'],
    ancestors: main,
    y: 300,
  },
  retexted: {
    selector: 'button#save',
    text: 'Save',
    id: 'save',
    classes: ['plain'],
    ancestors: main,
    y: 500,
  },
  removed: { selector: 'a.coupon', text: 'Redeem a coupon', classes: ['coupon'], ancestors: main, y: 700 },
  stable: { selector: 'button#pay', text: 'Pay', id: 'pay', classes: ['pay'], ancestors: main, y: 900 },
} satisfies Record<string, Button>

const after: Partial<Record<keyof typeof buttons, Button>> = {
  renamed: { ...buttons.renamed, selector: 'button.purchase', classes: ['purchase', 'large'] },
  moved: { ...buttons.moved, selector: 'aside > button.help', ancestors: ['body', 'aside'], y: 40 },
  retexted: { ...buttons.retexted, text: 'Keep it' },
  stable: buttons.stable,
}

let serial = 0

/** Two weeks of clicks on everything, then a release. */
async function release(shop: TestWorkspace): Promise<void> {
  const events: object[] = []
  const add = (event: string, ms: number, properties: object) =>
    events.push({
      event,
      event_id: `drift-${serial++}`,
      anonymous_id: `v${serial % 40}`,
      ts: new Date(ms).toISOString(),
      historical: true,
      properties: { url: 'https://shop.example/orders/4711', ...properties },
      context: { userAgent: browser },
    })
  for (let day = 14; day >= 0; day--) {
    const startMs = clock.ms - (day + 1) * dayMs + 60_000
    for (let view = 0; view < 40; view++) add('$pageview', startMs + view * 60_000, { title: 'Order' })
    for (const name of ['renamed', 'moved', 'retexted', 'removed', 'stable'] as const) {
      const button = day === 0 ? after[name] : buttons[name]
      if (button === undefined) continue
      for (let click = 0; click < 18; click++) add('$click', startMs + click * 61_000, clickOf(button))
    }
  }
  await shop.send(events, { outcomes: ['accept', 'warn'] })
}

const changedSelectors = [buttons.renamed, buttons.moved, buttons.retexted, buttons.removed]
  .map(({ selector }) => selector)
  .sort()

/** How many alerts stood open in a period. */
async function openWithin(shop: TestWorkspace, fromMs: number, toMs: number): Promise<number> {
  const period = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
  const { body } = await shop.call(listDrift, { query: { siteId: shop.siteId, ...period } })
  expect(body.period).toMatchObject(period)
  return body.alerts.length
}

describe('an element that people used', () => {
  test('gives the right alert when it is renamed, moved, re-texted or removed, and its candidate can be accepted', async () => {
    const shop = await world.newWorkspace()
    const { siteId } = shop
    const match = { page: '/orders/*', selector: 'button.buy', on: 'click' as const }
    await shop.call(createDefinition, { body: { name: 'order_wanted', match } })
    await subscribeToNotices(shop, ['drift.opened'])
    await release(shop)
    const look = () => shop.call(listDrift, { query: { siteId } })
    // Two at a time, as when a user checks while the schedule does.
    const [{ body }] = await Promise.all([look(), look()])
    const bySelector = new Map(body.alerts.map((alert) => [alert.selector, alert]))
    expect(body.alerts).toHaveLength(4)
    const found = (button: Button): DriftAlert | undefined => bySelector.get(button.selector)
    expect(found(buttons.renamed)).toMatchObject({
      kind: 'renamed',
      page: '/orders/:id',
      status: 'open',
      severity: 'high',
      affectedEvents: ['order_wanted'],
      observed: 0,
      expectedPerDay: 18,
      candidate: { selector: 'button.purchase', text: 'Buy it now' },
    })
    expect(found(buttons.moved)).toMatchObject({
      kind: 'moved',
      candidate: { selector: 'aside > button.help' },
    })
    expect(found(buttons.retexted)).toMatchObject({
      kind: 'retexted',
      severity: 'low',
      candidate: { selector: 'button#save', text: 'Keep it' },
    })
    expect(found(buttons.removed)).toMatchObject({ kind: 'missing', candidate: null })

    const set = (alert: DriftAlert | undefined, status: DriftAlert['status']) =>
      shop.call(updateDrift, { params: { id: alert?.id ?? '' }, body: { status } })
    expect((await set(found(buttons.removed), 'accepted')).status).toBe(409)
    expect((await set(found(buttons.removed), 'muted')).body.status).toBe('muted')
    expect((await set(found(buttons.renamed), 'accepted')).body.status).toBe('accepted')
    expect((await set(found(buttons.moved), 'resolved')).body.status).toBe('resolved')
    const { body: config } = await shop.call(sdkConfig, { query: {} }, { key: shop.keys.public })
    expect(config.definitions[0]?.match.selector).toBe('button.purchase')

    // Checked again: an accepted element continues as one, and settled alerts stay settled.
    clock.ms += 10 * 60_000
    const later = await shop.call(listDrift, { query: { siteId } })
    expect(later.body.checkedAt).not.toBe(body.checkedAt)
    expect(new Map(later.body.alerts.map(({ selector, status }) => [selector, status]))).toEqual(
      new Map([
        [buttons.renamed.selector, 'accepted'],
        [buttons.moved.selector, 'resolved'],
        [buttons.retexted.selector, 'open'],
        [buttons.removed.selector, 'muted'],
      ]),
    )
    const told = await noticesOf(world, shop, 'drift.opened')
    expect(told.map(({ selector }) => selector).sort()).toEqual(changedSelectors)
    expect(told).toContainEqual(
      expect.objectContaining({ kind: 'renamed', candidate_selector: 'button.purchase', severity: 'high' }),
    )
    const open = await shop.call(listDrift, { query: { siteId, status: 'open' } })
    expect(open.body.alerts).toHaveLength(1)
    const within = (fromMs: number, toMs: number) => openWithin(shop, fromMs, toMs)
    const openedMs = Date.parse(body.checkedAt)
    expect(await within(openedMs - 7 * 86_400_000, openedMs)).toBe(0)
    expect(await within(openedMs, openedMs + 1)).toBe(4)
    // What was accepted and resolved since stood open then, and does not any more.
    expect(await within(clock.ms, clock.ms + 1_000)).toBe(2)
  }, 120_000)

  test('gives none on a quiet weekend, nor when its page is visited no more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 60, max: 2_000 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
          minLength: watchedDays,
          maxLength: watchedDays,
        }),
        (busy, traffic) => {
          const views = traffic.map((share, day) =>
            Math.round(busy * (day >= watchedDays - 2 ? share * 0.1 : 0.5 + share)),
          )
          const clicks = views.map((count) => Math.round(count * 0.3))
          expect(findDrift([element('button', clicks)], new Map([['/', views]]))).toEqual([])
        },
      ),
      { numRuns: 200 },
    )
  })

  test('with several similar candidates is reported as such, and one whose text changes each time is left alone', () => {
    const views = new Map([['/', days(100, 100)]])
    const twins = [element('a', days(0, 20)), element('b', days(0, 20))]
    const lost = findDrift([element('old', days(30, 0)), ...twins], views)
    expect(lost).toMatchObject([{ selector: 'old', kind: 'ambiguous' }])
    const cart = element('cart', days(30, 30))
    const counting = { ...cart, now: { ...look, text: 'Cart (4)', texts: 5 } }
    expect(findDrift([counting], views)).toEqual([])
    expect(findDrift([{ ...cart, now: { ...look, text: 'Basket' } }], views)).toMatchObject([
      { kind: 'retexted' },
    ])
  })
})

const look = {
  text: 'Cart',
  texts: 1,
  facts: { tag: 'button', visibleText: 'Cart', className: 'cart' },
  ancestors: 'body',
}
const days = (before: number, last: number) =>
  Array.from({ length: watchedDays }, (_, day) => (day === watchedDays - 1 ? last : before))
const element = (selector: string, clicks: number[]): Seen => ({
  page: '/',
  selector,
  clicks,
  before: clicks.slice(0, -1).some((count) => count > 0) ? look : null,
  now: (clicks.at(-1) ?? 0) > 0 ? look : null,
  lastMs: 0,
})
