import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyStored } from '../../ingest/enrich/source/channel.ts'
import { dayMs, minuteMs } from '../../platform/units.ts'
import { defaultPolicy } from '../policy.ts'
import { type ConsiderationRules, consider, type Touch } from './touch.ts'

const outcomeMs = Date.UTC(2026, 4, 1)

function touch(id: string, ms: number, facts: Partial<Touch> = {}): Touch {
  return {
    id,
    ms,
    arrival: 0,
    siteId: 'site_a',
    sessionKey: id,
    originalId: 'per_a',
    isBot: false,
    referrerHost: '',
    utmSource: '',
    utmMedium: '',
    utmCampaign: '',
    clickIdType: '',
    ...facts,
  }
}

function decide(touches: readonly Touch[], rules: Partial<ConsiderationRules> = {}, denied: string[] = []) {
  const isConsented = ({ id }: Touch) => !denied.includes(id)
  const found = consider(outcomeMs, touches, { ...defaultPolicy, ...rules }, classifyStored, isConsented)
  return {
    considered: found.considered.map(({ id, channel }) => `${id} ${channel}`),
    excluded: found.excluded.map(({ touch: { id }, reason }) => `${id} ${reason}`),
  }
}

const ad = { utmSource: 'google', utmMedium: 'cpc', utmCampaign: 'spring' }

test('every touchpoint that does not count says why', () => {
  const touches = [
    touch('old', outcomeMs - 31 * dayMs, ad),
    touch('edge', outcomeMs - 30 * dayMs, ad),
    touch('crawler', outcomeMs - 9 * dayMs, { isBot: true }),
    touch('refused', outcomeMs - 8 * dayMs, ad),
    touch('letter', outcomeMs - 7 * dayMs, { utmSource: 'may', utmMedium: 'email' }),
    touch('banner', outcomeMs - 6 * dayMs, { utmSource: 'partner', utmMedium: 'display' }),
    touch('again', outcomeMs - 7 * dayMs + 29 * minuteMs, { utmSource: 'may', utmMedium: 'email' }),
    touch('typed', outcomeMs - 5 * dayMs),
    touch('at', outcomeMs, { referrerHost: 'www.google.com' }),
    touch('after', outcomeMs + 1, ad),
  ]
  expect(decide(touches, { exclude_channels: ['Display'], ignore_direct: true }, ['refused'])).toEqual({
    considered: ['edge Paid Search', 'letter Email', 'at Organic Search'],
    excluded: [
      'old outside_window',
      'crawler bot',
      'refused consent_denied',
      'again duplicate_of',
      'banner channel_excluded',
      'typed direct_ignored',
      'after after_outcome',
    ],
  })
})

test('direct visits count when there is nothing else, also where they are to be ignored', () => {
  const touches = [touch('typed', outcomeMs - dayMs), touch('crawler', outcomeMs - dayMs, { isBot: true })]
  expect(decide(touches, { ignore_direct: true }).considered).toEqual(['typed Direct'])
})

test('the same arrival is a new one when the window is over, or when it is another campaign', () => {
  const touches = [
    touch('a', outcomeMs - dayMs, ad),
    touch('b', outcomeMs - dayMs + 30 * minuteMs, ad),
    touch('c', outcomeMs - dayMs + 31 * minuteMs, { ...ad, utmCampaign: 'summer' }),
  ]
  expect(decide(touches).considered).toHaveLength(3)
  expect(decide(touches.slice(0, 2), { dedupe_window_min: 0 }).considered).toHaveLength(2)
})

test('a session that goes over midnight is one touchpoint, and where it came from stands for it', () => {
  const touches = [
    touch('bare', outcomeMs - dayMs, { sessionKey: 's' }),
    touch('tagged', outcomeMs - dayMs + minuteMs, { sessionKey: 's', ...ad }),
    touch('later', outcomeMs - dayMs + 2 * minuteMs, { sessionKey: 's', utmSource: 'x' }),
  ]
  expect(decide(touches).considered).toEqual(['tagged Paid Search'])
})

test('rules of a customer name the channels, and AI assistants are one by default', () => {
  const chat = touch('chat', outcomeMs - dayMs, { referrerHost: 'chatgpt.com' })
  expect(decide([chat]).considered).toEqual(['chat AI Assistants'])
  const rules = [{ channel: 'Machines', anyOf: [{ source: ['chat*'] }] }]
  expect(decide([chat], { touchpoint_rules: rules }).considered).toEqual(['chat Machines'])
})

test('considered and excluded together are all touchpoints, each once, whatever the order they come in', () => {
  const anyTouch = fc.record({
    minutes: fc.integer({ min: -60 * 24 * 40, max: 600 }),
    kind: fc.constantFrom<Partial<Touch>>({}, ad, { referrerHost: 't.co' }, { isBot: true }),
  })
  const property = fc.property(
    fc.array(anyTouch, { maxLength: 25 }),
    fc.boolean(),
    fc.integer({ min: 0, max: 120 }),
    fc.nat(1_000),
    (drawn, ignoreDirect, windowMin, seed) => {
      const touches = drawn.map(({ minutes, kind }, index) =>
        touch(`t${index}`, outcomeMs + minutes * minuteMs, kind),
      )
      const rules = { ignore_direct: ignoreDirect, dedupe_window_min: windowMin }
      const found = decide(touches, rules)
      const ids = [...found.considered, ...found.excluded].map((line) => line.split(' ')[0] ?? '')
      expect(ids.toSorted()).toEqual(touches.map(({ id }) => id).toSorted())
      const places = new Map(touches.map(({ id }, at) => [id, (at * 7_919 + seed) % 1_009]))
      const shuffled = touches.toSorted(
        (one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0),
      )
      expect(decide(shuffled, rules)).toEqual(found)
    },
  )
  fc.assert(property, { numRuns: 200 })
})
