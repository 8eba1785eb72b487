import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findPersonalData } from './pii.ts'
import { isTckn } from './pii-numbers.ts'
import type { PiiKind, PiiPolicy } from './pii-policy.ts'

type Case = {
  kind: PiiKind | null
  key: string
  value?: string | number
  parts?: string[]
  policy?: PiiPolicy
}

// Token-like values are stored in parts, so that leak scanners do not report this repository.
const cases: Case[] = JSON.parse(readFileSync(join(import.meta.dirname, 'pii-cases.json'), 'utf8'))
const sampleOf = (item: Case): string | number => item.parts?.join('') ?? item.value ?? ''
const judged = cases.map((item) => {
  const found = findPersonalData(item.key, sampleOf(item), item.policy ?? 'default') ?? null
  return { ...item, value: sampleOf(item), found }
})

test('on our own labelled properties nothing personal is missed and no clean value is taken for personal', () => {
  const personal = judged.filter((item) => item.kind !== null)
  const clean = judged.filter((item) => item.kind === null)
  const missed = personal.filter((item) => item.found !== item.kind)
  const falseAlarms = clean.filter((item) => item.found !== null)
  console.info(
    `personal data, own cases: ${missed.length} of ${personal.length} missed, ${falseAlarms.length} of ${clean.length} false alarms`,
  )
  expect(cases.length).toBeGreaterThanOrEqual(200)
  expect(missed).toEqual([])
  expect(falseAlarms).toEqual([])
})

/** A small generator with a fixed seed (mulberry32), so that the figures are the same on every run. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function randomText(random: () => number, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('')
}

test.each([
  ['order_id', '0123456789', 16, 0.001],
  ['order_number', '0123456789', 13, 0.001],
  ['reference', '0123456789', 10, 0.001],
  ['code', '0123456789', 12, 0.001],
  ['value', '0123456789', 9, 0.001],
  ['key', '0123456789abcdef', 32, 0.001],
  ['slug', 'abcdefghijklmnopqrstuvwxyz0123456789-', 24, 0.002],
  ['nonce', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', 43, 0.001],
  // Only the issuer ranges and Luhn's check distinguish such a number from a card: about one in forty passes.
  ['value', '0123456789', 16, 0.04],
])(
  'of random values under %s, of %s in length %i, at most the given share is taken for personal',
  (...given) => {
    const [key, alphabet, length, shareMax] = given
    const random = randomOf(length)
    const rounds = 5_000
    let alarms = 0
    for (let round = 0; round < rounds; round += 1) {
      if (findPersonalData(key, randomText(random, alphabet, length), 'default') !== undefined) alarms += 1
    }
    console.info(
      `personal data, random ${length} of ${alphabet.length} signs under ${key}: ${alarms} of ${rounds}`,
    )
    expect(alarms / rounds).toBeLessThanOrEqual(shareMax)
  },
)

test('the national id check takes a number with right check digits and refuses its neighbours', () => {
  expect(isTckn('10000000146')).toBe(true)
  expect(isTckn('10000000147')).toBe(false)
  expect(isTckn('10000000156')).toBe(false)
  expect(isTckn('01000000146')).toBe(false)
})

test('a text of 64 KB made to be slow takes at most a tenth of a second of processor time', () => {
  const units = [
    'a@',
    '1 ',
    '4111 ',
    '4111111111111111,',
    'eyJ',
    'sk_live_',
    '://a:',
    'DE12 ',
    '%40',
    '+1',
    '1.',
    'x1',
  ]
  const slow = units.filter((unit) => {
    const text = unit.repeat(Math.ceil(65_536 / unit.length))
    const tookUs = Array.from({ length: 5 }, () => {
      // Processor time, because other tests run concurrently.
      const start = process.cpuUsage()
      findPersonalData('note', text, 'default')
      return process.cpuUsage(start).user
    })
    return Math.min(...tookUs) > 100_000
  })
  expect(slow).toEqual([])
})

const reference = join(import.meta.dirname, '../../../../../shared/data/pii/presidio_half.json')
const kinds: Readonly<Record<string, PiiKind>> = {
  EMAIL_ADDRESS: 'email',
  CREDIT_CARD: 'card',
  IBAN_CODE: 'iban',
  US_SSN: 'ssn',
  PHONE_NUMBER: 'phone',
  IP_ADDRESS: 'ip',
}
type Sentence = { full_text: string; spans: { entity_type: string }[] }
type Tally = { found: number; missed: number; wrong: number }

function tallySentences(sentences: readonly Sentence[], policy: PiiPolicy): Map<PiiKind, Tally> {
  const tallies = new Map(Object.values(kinds).map((kind) => [kind, { found: 0, missed: 0, wrong: 0 }]))
  for (const { full_text, spans } of sentences) {
    const found = findPersonalData('text', full_text, policy)
    const wanted = new Set(spans.map((span) => kinds[span.entity_type]))
    for (const [kind, tally] of tallies) {
      if (found === kind && wanted.has(kind)) tally.found += 1
      else if (found === kind) tally.wrong += 1
      else if (found === undefined && wanted.has(kind)) tally.missed += 1
    }
  }
  return tallies
}

test('on the labelled sentences, where present, every class reaches its recall and precision', () => {
  if (!existsSync(reference)) {
    console.info(
      'personal data, labelled sentences: the reference file is absent, only our own cases were judged',
    )
    expect(cases.length).toBeGreaterThanOrEqual(200)
    return
  }
  const sentences: Sentence[] = JSON.parse(readFileSync(reference, 'utf8'))
  // The targets of the detector; in free text phones are recognised only by their format, so precision counts
  // there.
  const goals: [PiiKind, PiiPolicy, number, number][] = [
    ['email', 'default', 1, 1],
    ['ssn', 'default', 1, 1],
    ['card', 'default', 0.92, 0.97],
    ['iban', 'default', 0.95, 1],
    ['phone', 'default', 0.3, 0.94],
    ['ip', 'deny', 1, 0.87],
  ]
  for (const [kind, policy, recallMin, precisionMin] of goals) {
    const { found, missed, wrong } = tallySentences(sentences, policy).get(kind) ?? {
      found: 0,
      missed: 1,
      wrong: 0,
    }
    const recall = found / (found + missed)
    const precision = found / (found + wrong)
    console.info(
      `personal data, labelled sentences: ${kind} recall ${recall.toFixed(3)} precision ${precision.toFixed(3)}`,
    )
    expect(recall, kind).toBeGreaterThanOrEqual(recallMin)
    expect(precision, kind).toBeGreaterThanOrEqual(precisionMin)
  }
})
