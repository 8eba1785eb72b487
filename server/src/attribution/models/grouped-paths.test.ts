import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attributionModels } from '@assay/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyStored } from '../../ingest/enrich/source/channel.ts'
import { dayMs } from '../../platform/units.ts'
import { type ArrivalFacts, consider, type Touch } from '../paths/touch.ts'
import { defaultPolicy } from '../policy.ts'
import { creditOf } from './credit.ts'
import { creditUnits, type Fit, fitPaths } from './credits.ts'
import type { PathCount } from './paths.ts'

const outcomeMs = Date.UTC(2026, 4, 1)
const settings = { halfLifeMs: 7 * dayMs, position: { first: 0.4, last: 0.4 } }

const from = (referrerHost: string): Partial<ArrivalFacts> => ({ referrerHost })
const tagged = (utmSource: string, utmMedium: string): Partial<ArrivalFacts> => ({ utmSource, utmMedium })

/** Arrivals as browsers bring them, labelled by hand: each host means what its list says, and nothing below it. */
const arrivals = {
  'Organic Search': [from('www.google.com'), from('www.google.co.uk'), from('de.search.yahoo.com')],
  'Paid Search': [
    tagged('google', 'cpc'),
    from('syndicatedsearch.goog'),
    { clickIdType: 'msclkid', ...from('www.bing.com') },
  ],
  'Organic Social': [from('www.facebook.com'), from('t.co'), from('www.linkedin.com')],
  'Paid Social': [tagged('facebook', 'paid_social'), { clickIdType: 'ttclid' }],
  'Organic Video': [from('www.youtube.com'), tagged('partner', 'video')],
  Email: [from('mail.google.com'), from('outlook.live.com'), tagged('may', 'email')],
  Referral: [
    from('support.google.com'),
    from('groups.google.com'),
    from('finance.yahoo.com'),
    from('blog.example'),
  ],
  Display: [tagged('partner', 'display')],
  Affiliates: [tagged('partner', 'affiliate')],
  'AI Assistants': [from('chatgpt.com'), from('www.perplexity.ai')],
  'Organic Shopping': [from('www.amazon.de')],
  SMS: [tagged('sms', '')],
} as const satisfies Record<string, readonly Partial<ArrivalFacts>[]>
type Channel = keyof typeof arrivals
const isChannel = (name: string): name is Channel => name in arrivals
const channels = Object.keys(arrivals).filter(isChannel)

/** The channels that get credit if a person arrived by each of these, hours apart. */
function channelsOf(ways: readonly Partial<ArrivalFacts>[]): string[] {
  const touches = ways.map(
    (facts, index): Touch => ({
      id: `t${index}`,
      ms: outcomeMs - ((ways.length - index) * 29 * dayMs) / ways.length,
      arrival: index,
      siteId: 'site_a',
      sessionKey: `s${index}`,
      originalId: 'per_a',
      isBot: false,
      referrerHost: '',
      utmSource: '',
      utmMedium: '',
      utmCampaign: '',
      clickIdType: '',
      ...facts,
    }),
  )
  const policy = { ...defaultPolicy, dedupe_window_min: 0 }
  return consider(outcomeMs, touches, policy, classifyStored, () => true).considered.map(
    ({ channel }) => channel,
  )
}

test('every arrival is credited to the channel that it is labelled with', () => {
  const wrong = channels.flatMap((channel) =>
    arrivals[channel]
      .map((facts) => ({ channel, facts, found: channelsOf([facts]) }))
      .filter(({ found }) => found.join() !== channel),
  )
  expect(wrong).toEqual([])
})

function totals(rows: readonly PathCount[], model: (typeof attributionModels)[number], fit: Fit) {
  const sums = new Map<string, number>()
  for (const { channels: path, conversions } of rows) {
    const touchMs = path.map((_, index) => outcomeMs + (index + 1 - path.length) * dayMs)
    const units = creditUnits(model, { channels: path, touchMs, outcomeMs }, settings, fit)
    path.forEach((channel, index) => {
      sums.set(channel, (sums.get(channel) ?? 0) + creditOf(units[index] ?? 0) * conversions)
    })
  }
  return sums
}

const row = fc.record({
  path: fc.array(
    fc
      .constantFrom(...channels)
      .chain((channel) =>
        fc.constantFrom<Partial<ArrivalFacts>>(...arrivals[channel]).map((facts) => ({ channel, facts })),
      ),
    { minLength: 1, maxLength: 6 },
  ),
  conversions: fc.integer({ min: 100, max: 900 }),
  nulls: fc.integer({ min: 0, max: 900 }),
})

test('the default grouping gives every channel the credit of its labels, under every model', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), (rows) => {
      const labelled = rows.map(({ path, ...counts }) => ({
        ...counts,
        channels: path.map((one) => one.channel),
      }))
      const grouped = rows.map(({ path, ...counts }) => ({
        ...counts,
        channels: channelsOf(path.map((one) => one.facts)),
      }))
      for (const model of attributionModels) {
        const fit = (given: readonly PathCount[]) => fitPaths('counterfactual', given)
        expect(totals(grouped, model, fit(grouped))).toEqual(totals(labelled, model, fit(labelled)))
      }
    }),
    { numRuns: 50 },
  )
})

const reference = join(import.meta.dirname, '../../../../../shared/data/attribution')
if (existsSync(reference)) {
  const read = (file: string) => readFileSync(join(reference, file), 'utf8')
  const outputs = JSON.parse(read('PathData_reference_outputs.json'))
  const names = [
    'alpha',
    'beta',
    'gamma',
    'delta',
    'epsilon',
    'zeta',
    'eta',
    'theta',
    'iota',
    'kappa',
    'lambda',
    'mi',
  ]

  test('10,000 paths of ChannelAttribution, as arrivals under the default grouping, to 10^-3', () => {
    const standIn = new Map(names.map((name, index) => [name, channels[index] ?? 'SMS']))
    let serial = 0
    const wayOf = (name: string) => {
      const ways = arrivals[standIn.get(name) ?? 'SMS']
      return ways[serial++ % ways.length] ?? {}
    }
    const rows = read('channelattribution_PathData.csv')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => {
        const [path = '', conversions, , nulls] = line.split(';')
        return {
          channels: channelsOf(path.split(' > ').map(wayOf)),
          conversions: Number(conversions),
          nulls: Number(nulls),
        }
      })
    const fit = fitPaths('counterfactual', rows)
    for (const model of ['first', 'last', 'linear'] as const) {
      const found = totals(rows, model, fit)
      for (const name of names) {
        const expected = outputs.channelattribution_heuristics[name][`${model}_conv`]
        expect(found.get(standIn.get(name) ?? '') ?? 0, `${model} ${name}`).toBeCloseTo(expected, 3)
      }
    }
    const shapley = totals(rows, 'data_driven', fitPaths('shapley', rows))
    for (const name of names) {
      const expected = Object.values<number>(outputs.zhao_simplified_shapley[name])[0] ?? 0
      expect(shapley.get(standIn.get(name) ?? '') ?? 0, `shapley ${name}`).toBeCloseTo(expected, 3)
    }
  })
} else console.info('The reference paths are not at hand; only our own arrivals are tested.')
