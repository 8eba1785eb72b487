import { describe, expect, test } from 'vitest'
import { type ConsentCategory, consentCategories } from '../registry/event-contract.ts'
import {
  type ConsentChoice,
  type ConsentInForce,
  type ConsentRegime,
  type ConsentStatement,
  consentFor,
  consentInContext,
  consentOfAll,
  nothingStated,
} from './consent.ts'

const allOf = (choice: ConsentChoice): ConsentStatement =>
  Object.fromEntries(consentCategories.map((category) => [category, choice]))

const record = (stated: ConsentStatement, gpc = false): ConsentInForce => ({ recordId: 'con_1', stated, gpc })

/** Regimes and records, by their names in the table below. */
const regimes: readonly (ConsentRegime | null)[] = ['gdpr', 'kvkk', 'ccpa', null]
const recordsOf: Readonly<Record<string, readonly ConsentInForce[]>> = {
  none: [],
  silent: [record({})],
  granted: [record(allOf('granted'))],
  denied: [record(allOf('denied'))],
  'recorded with the signal': [record({}, true)],
  'granted in spite of the signal': [record(allOf('granted'), true)],
}

/**
 * The granted categories, by regime, record and signal. Written by hand from the law, not derived from the
 * code.
 */
const ads: readonly ConsentCategory[] = ['ad_storage', 'ad_user_data', 'ad_personalization']
const others: readonly ConsentCategory[] = [
  'analytics_storage',
  'functionality_storage',
  'personalization_storage',
  'security_storage',
]
const everything = [...ads, ...others]
const security: readonly ConsentCategory[] = ['security_storage']
const nothing: readonly ConsentCategory[] = []

type Row = { without: readonly ConsentCategory[]; withSignal: readonly ConsentCategory[] }
const optIn: Readonly<Record<string, Row>> = {
  none: { without: security, withSignal: security },
  silent: { without: security, withSignal: security },
  granted: { without: everything, withSignal: others },
  denied: { without: nothing, withSignal: nothing },
  'recorded with the signal': { without: security, withSignal: security },
  'granted in spite of the signal': { without: others, withSignal: others },
}
const table: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  gdpr: optIn,
  kvkk: optIn,
  ccpa: {
    none: { without: everything, withSignal: others },
    silent: { without: everything, withSignal: others },
    granted: { without: everything, withSignal: everything },
    denied: { without: nothing, withSignal: nothing },
    'recorded with the signal': { without: others, withSignal: others },
    'granted in spite of the signal': { without: everything, withSignal: everything },
  },
  null: {
    none: { without: everything, withSignal: everything },
    silent: { without: everything, withSignal: everything },
    granted: { without: everything, withSignal: everything },
    denied: { without: nothing, withSignal: nothing },
    'recorded with the signal': { without: everything, withSignal: everything },
    'granted in spite of the signal': { without: everything, withSignal: everything },
  },
}

const cells = regimes.flatMap((regime) =>
  Object.entries(recordsOf).flatMap(([name, records]) =>
    [false, true].map((gpc) => ({ regime, name, records, gpc })),
  ),
)

describe('the matrix of consent', () => {
  test.each(cells)('under $regime with record $name and signal $gpc', ({ regime, name, records, gpc }) => {
    const row = table[String(regime)]?.[name]
    const granted = gpc ? row?.withSignal : row?.without
    const facts = { regime, records, ofEvent: nothingStated, gpc }
    for (const category of consentCategories) {
      const expected = granted?.includes(category) ? 'granted' : 'denied'
      expect(consentFor(category, facts), category).toBe(expected)
    }
    expect(consentOfAll(facts)).toEqual(
      Object.fromEntries(consentCategories.map((category) => [category, consentFor(category, facts)])),
    )
  })
})

describe('what comes with the event itself', () => {
  const facts = { regime: 'gdpr', records: [], ofEvent: allOf('granted'), gpc: false } as const

  test('grants categories without a record', () => {
    expect(consentFor('analytics_storage', facts)).toBe('granted')
  })
  test('does not grant what the record denies', () => {
    const records = [record({ analytics_storage: 'denied' })]
    expect(consentFor('analytics_storage', { ...facts, records })).toBe('denied')
  })
  test('denies what the record grants', () => {
    const records = [record(allOf('granted'))]
    const ofEvent = { analytics_storage: 'denied' } as const
    expect(consentFor('analytics_storage', { ...facts, records, ofEvent })).toBe('denied')
    expect(consentFor('ad_storage', { ...facts, records, ofEvent })).toBe('granted')
  })
  test('does not speak against the signal of the browser', () => {
    expect(consentFor('ad_storage', { ...facts, regime: 'ccpa', gpc: true })).toBe('denied')
  })

  test.each([
    { consent: undefined, expected: null },
    { consent: 'granted', expected: null },
    { consent: { analytics_storage: 'granted' }, expected: { analytics_storage: 'granted' } },
    {
      consent: { analytics_storage: false, ad_storage: true },
      expected: { analytics_storage: 'denied', ad_storage: 'granted' },
    },
    { consent: { categoryPreferences: { ad_storage: false } }, expected: { ad_storage: 'denied' } },
    { consent: { analytics_storage: 'perhaps', marketing: 'granted' }, expected: {} },
  ])('is read from $consent', ({ consent, expected }) => {
    expect(consentInContext({ consent })?.stated ?? null).toEqual(expected)
  })
})

test('of two people in one event the one who spoke last decides, and the other where they said nothing', () => {
  const records = [record({ analytics_storage: 'denied' }), record(allOf('granted'))]
  const facts = { regime: 'gdpr', records, ofEvent: nothingStated, gpc: false } as const
  expect(consentFor('analytics_storage', facts)).toBe('denied')
  expect(consentFor('ad_storage', facts)).toBe('granted')
})
