import { batch, createDefinition, createMapping, getBackfill, identify, startBackfill } from '@assay/contract'
import fc from 'fast-check'
import { expect } from 'vitest'
import { eventFits } from './filter-model.ts'
import { type TestWorkspace, untilTrue } from './harness.ts'
import type { Seen } from './shop-event.ts'

export type { Seen } from './shop-event.ts'

/** A shop whose visits are generated, and what a report has to see of them, in plain TypeScript. */

const browsers = {
  desktop:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  mobile:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  bot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
}
const countries = { DE: 'Europe/Berlin', FR: 'Europe/Paris', US: 'America/New_York' }
type Country = keyof typeof countries
const regions = { DE: 'DE-BY', FR: 'FR-IDF', US: 'US-IL' }
type Agent = keyof typeof browsers

type Act = {
  kind: 'view' | 'click' | 'form' | 'signup' | 'order' | 'old-order' | 'error'
  path: string
  target: string
  amount: number
  currency: 'EUR' | 'USD'
  secondsLater: number
  /** Of orders; some have neither. */
  plan: string | null
  items: number | string | null
}
type Visit = {
  visitor: number
  hoursLater: number
  agent: Agent
  country: Country
  /** Unknown to some of the events of the visit: to the second of Springfield, and to the first of Paris. */
  city: 'Springfield' | 'Paris' | ''
  source: string
  campaign: string
  acts: Act[]
}

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom<Act['kind']>(
    'view',
    'view',
    'view',
    'click',
    'form',
    'signup',
    'order',
    'old-order',
    'error',
  ),
  path: fc.constantFrom('/', '/cart', '/product/7', '/product/8'),
  target: fc.constantFrom('buy', 'menu'),
  amount: fc.integer({ min: 1, max: 9_999 }).map((cents) => cents / 100),
  currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  secondsLater: fc.constantFrom(0, 1, 20, 300, 1200),
  plan: fc.constantFrom(null, 'pro', 'free', 'Team Plus'),
  // A text that is a number is one; another text is not.
  items: fc.constantFrom(null, 1, 2, 2.5, 7, '3', 'many'),
})
export const visit: fc.Arbitrary<Visit> = fc.record({
  visitor: fc.integer({ min: 1, max: 6 }),
  hoursLater: fc.constantFrom(0, 1, 11, 24, 49),
  agent: fc.constantFrom<Agent>('desktop', 'desktop', 'mobile', 'bot'),
  country: fc.constantFrom<Country>('DE', 'FR', 'US'),
  city: fc.constantFrom('Springfield', 'Springfield', 'Paris', ''),
  source: fc.constantFrom('', 'letter'),
  campaign: fc.constantFrom('', 'spring', 'autumn sale'),
  acts: fc.array(act, { minLength: 1, maxLength: 8 }),
})

const names = {
  view: '$pageview',
  click: '$click',
  form: '$form_submit',
  signup: '$signup',
  order: '$purchase',
  'old-order': 'shop_order',
  error: 'error',
} as const

const errorNames: Readonly<Record<string, string>> = { buy: 'TypeError', menu: 'RangeError' }

const locales = { DE: 'de-DE', FR: 'fr_FR', US: 'en' }

function propertiesOf(
  { kind, path, target, amount, currency, plan, items }: Act,
  id: string,
): Readonly<Record<string, unknown>> {
  const bought = { ...(plan !== null && { plan }), ...(items !== null && { cart: { items } }) }
  const money = { amount, currency, order_id: `order-${id}`, ...bought }
  return {
    view: { url: `https://shop.example${path}`, title: 'Page' },
    click: { element: target, selector: `#${target}` },
    form: { form_id: target, field_count: 2 },
    signup: { method: 'mail' },
    order: money,
    'old-order': money,
    error: { name: errorNames[target], message: `It broke at the ${target}` },
  }[kind]
}

/** Two visitors each are one person once both have signed in. */
const personOf = (visitor: number, isMerged: boolean) =>
  isMerged ? `u${Math.ceil(visitor / 2)}` : `v${visitor}`

function nodeOf(name: string, { path, target }: Act): string {
  if (name === '$pageview') return `page:${path.replace(/\d+/, ':id')}`
  if (name === '$click') return `action:${target}`
  if (name === '$form_submit') return `form:${target}`
  return `event:${name}`
}

type Sent = { wire: object; seen: Seen }

/** What is sent, and what a report has to see of it when everything lies over it that will. */
export function tell(
  visits: readonly Visit[],
  startMs: number,
  readOverlays: { isMerged: boolean; isBackfilled: boolean },
): Sent[] {
  let startsMs = startMs
  return visits.flatMap(({ visitor, hoursLater, agent, country, city, source, campaign, acts }, number) => {
    startsMs += hoursLater * 3_600_000 + number * 60_000
    let ms = startsMs
    return acts.map((one, place): Sent => {
      ms += one.secondsLater * 1000
      const id = `event-${String(number).padStart(2, '0')}-${place}`
      const sentName = names[one.kind]
      const name = sentName === 'shop_order' && readOverlays.isBackfilled ? '$purchase' : sentName
      // Only the first URL contains the source of a visit.
      const cameFrom = place === 0 ? source : ''
      const tagged = campaign === '' ? '' : `&utm_campaign=${encodeURIComponent(campaign)}`
      const search = cameFrom === '' ? '' : `?utm_source=${cameFrom}&utm_medium=email${tagged}`
      const properties = propertiesOf(one, id)
      const isPlaced = city === 'Springfield' ? place !== 1 : city === 'Paris' && place > 0
      const region = isPlaced ? regions[country] : ''
      const page = { url: `https://shop.example${one.path}${search}`, path: one.path }
      return {
        wire: {
          event: sentName,
          event_id: id,
          anonymous_id: `visitor-${visitor}`,
          session_id: `visit-${number}`,
          ts: new Date(ms).toISOString(),
          historical: true,
          properties,
          context: {
            userAgent: browsers[agent],
            timezone: countries[country],
            ...(isPlaced && { location: { country, region, city } }),
            page,
            ...(place === 0 && { locale: locales[country] }),
          },
        },
        seen: {
          id,
          ms,
          session: `visit-${number}`,
          person: personOf(visitor, readOverlays.isMerged),
          name,
          path: one.path,
          target: ['click', 'form', 'error'].includes(one.kind) ? one.target : '',
          node: nodeOf(name, one),
          country,
          region,
          city: isPlaced ? `${city} (${region})` : '',
          source: cameFrom === '' ? 'Direct' : cameFrom,
          device: agent,
          isBot: agent === 'bot',
          amount: name === '$purchase' ? one.amount : 0,
          currency: one.currency,
          host: 'shop.example',
          title: one.kind === 'view' ? 'Page' : '',
          channel: cameFrom === '' ? 'Direct' : 'Email',
          campaign: cameFrom === '' ? '' : campaign,
          language: place === 0 ? locales[country].slice(0, 2) : '',
          properties,
        },
      }
    })
  })
}

export async function send(
  shop: TestWorkspace,
  sent: readonly Sent[],
  readOverlays: { isMerged: boolean; isBackfilled: boolean },
) {
  await shop.call(createDefinition, { body: { name: 'shop_order' } })
  const answer = await shop.call(batch, { body: { batch: sent.map(({ wire }) => wire) } })
  expect(answer.body.summary).toMatchObject({ accept: sent.length })
  if (readOverlays.isMerged) {
    for (let visitor = 1; visitor <= 6; visitor += 1) {
      const body = { anonymous_id: `visitor-${visitor}`, user_id: `user-${Math.ceil(visitor / 2)}` }
      expect((await shop.call(identify, { body })).status).toBe(200)
    }
  }
  await shop.settle()
  if (!readOverlays.isBackfilled) return
  const mapping = await shop.call(createMapping, {
    body: { siteId: shop.siteId, source: 'shop_order', target: '$purchase' },
  })
  const { body: job } = await shop.call(startBackfill, {
    params: { id: mapping.body.id },
    body: { from: '2026-10-01T00:00:00Z', to: '2026-11-25T00:00:00Z' },
  })
  if ('dryRun' in job) throw new Error('not asked for a dry run')
  const status = async () => (await shop.call(getBackfill, { params: { id: job.id } })).body.status
  await untilTrue('the back-fill', async () => (await status()) === 'done')
}

export type Filter = {
  path?: string
  country?: string
  device?: string
  event?: string
  source?: string
  /** JSON of the filter language, about single events. */
  filters?: string
}
const usual: fc.Arbitrary<Filter> = fc.constantFrom<Filter>(
  {},
  {},
  { path: '/product/:id' },
  { path: '/cart', device: 'desktop' },
  { country: 'de' },
  { event: '$purchase' },
  { device: 'mobile' },
  { source: 'letter' },
  { filters: '[["or",[["is","device",["mobile"]],["startsWith","page",["/CART"]]]],["isSet","country"]]' },
  { filters: '[["not",["contains","page",["product"]]],["isNot","utm.campaign",["spring"]]]' },
  { filters: '[["gt","property:amount",40]]', device: 'desktop' },
  { filters: '[["matches","page",["^/(?:cart|product/7)$"]],["not",["is","event",["error"]]]]' },
)

const chance = <Value>(values: readonly Value[]) => fc.constantFrom(undefined, undefined, ...values)

/** Those that people use, and any combination. */
export const filters: fc.Arbitrary<Filter> = fc.oneof(
  usual,
  fc
    .record({
      path: chance(['/product/:id', '/cart', '/']),
      country: chance(['de', 'FR']),
      device: chance(['desktop', 'mobile']),
      event: chance(['$pageview', '$purchase', '$click', 'error']),
      source: chance(['letter']),
    })
    .map(
      (record): Filter =>
        Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
    ),
)

export const matches = (event: Seen, { path, country, device, source, event: name, filters: more }: Filter) =>
  (more === undefined || eventFits(event, more)) &&
  (path === undefined ||
    (path === '/product/:id' ? /^\/product\/\d$/.test(event.path) : event.path === path)) &&
  (country === undefined || event.country === country.toUpperCase()) &&
  (device === undefined || event.device === device) &&
  (source === undefined || event.source === source) &&
  (name === undefined || event.name === name)

/** All events of the visits of which at least one event matches. */
export function visitsOf(events: readonly Seen[], filter: Filter): Seen[] {
  const chosen = new Set(events.filter((event) => matches(event, filter)).map(({ session }) => session))
  return events.filter(({ session }) => chosen.has(session))
}

/** The same by session or person, each in the order of time, and at one time as they were sent. */
export function sequences(events: readonly Seen[], filter: Filter, by: 'session' | 'person'): Seen[][] {
  const groups = [...Map.groupBy(visitsOf(events, filter), (event) => event[by]).values()]
  return groups.map((group) => group.toSorted((a, b) => a.ms - b.ms || (a.id < b.id ? -1 : 1)))
}

export const distinct = (values: readonly string[]) => new Set(values).size
export const cents = (events: readonly Seen[], currency: string) =>
  events
    .filter((event) => event.currency === currency && event.name === '$purchase')
    .reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100

/** Later than anything that is sent, so that nothing comes from the future. */
export const shopNowMs = Date.parse('2026-11-25T12:00:00Z')
/** Clocks change on the 25th of October in Berlin, on the 1st of November in New York. */
export const shopStartMs = Date.parse('2026-10-23T20:10:00Z')
export const range = { from: '2026-10-15', to: '2026-11-24' }
