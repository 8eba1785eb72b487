import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedEngines } from '../../../store/engine/open.ts'
import { type Events, openEvents } from '../../../store/events.ts'
import { anyCharacter } from '../../../testing/any-character.ts'
import { sharedStores } from '../../../testing/harness.ts'
import { tallyLine } from '../../row/row.ts'
import { lineColumns } from '../line-columns.ts'
import { kindColumns, kindsOf } from '../line-kinds.ts'
import { clearStaging, countStaged, createStaging, stageSegment } from '../staged-store.ts'
import { LineBlocks } from './line-block.ts'

const blocks = new LineBlocks(lineColumns)

/** Null where the store's own reader has to judge the lines. */
function encoded(text: string): Buffer | null {
  const bytes = blocks.encode(Buffer.from(text))
  return bytes === null ? null : Buffer.from(bytes)
}

/** Texts of every kind: plain, escaped, any unit of UTF-16, long. */
const anyText = fc.oneof(
  fc.constantFrom(
    '',
    'accept',
    '$pageview',
    'é',
    '\u0000',
    '\ud800',
    '\udc00x',
    '💥',
    '"\\/\b\f\n\r\t',
    '\u2028',
    'null',
  ),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: anyCharacter }),
  fc.array(fc.nat(0xffff), { maxLength: 12 }).map((units) => String.fromCharCode(...units)),
  fc.string({ minLength: 100, maxLength: 400 }),
)
const anyNumber = fc.oneof(
  fc.maxSafeInteger(),
  fc.nat(300),
  fc.nat(2 ** 32),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, -1, 255, 256, 2 ** 32, 2 ** 53, -(2 ** 53), 2 ** 63, 2 ** 64, 1e300),
)
/** Numbers as no JSON.stringify writes them. */
const oddNumber = fc.constantFrom(
  '01',
  '-0',
  '1.0',
  '1e3',
  '12.3400',
  '-0.0000',
  '99999999999999.9999',
  '+1',
  '1.',
)
const anyValue = fc.oneof(
  { weight: 4, arbitrary: anyText.map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: anyNumber.map((number) => JSON.stringify(number)) },
  oddNumber,
  fc.double({ min: -1e12, max: 1e12, noNaN: true }).map((amount) => amount.toFixed(4)),
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    'null',
    'true',
    '{}',
    '[]',
    '{ }',
    '""',
    '"\\ud800"',
    '"\\u0000"',
    '"\\/"',
    '{"a":"}"}',
    '{"a":"\\""}',
  ),
)
const texts = new Set(lineColumns.filter(([, type]) => type.includes('String')).map(([name]) => name))
const anyMember = fc.constantFrom(...lineColumns.map(([name]) => name), 'unknown').chain((name) =>
  fc.tuple(
    fc.constant(name),
    fc.oneof(
      // Mostly a value that the column takes.
      {
        weight: 5,
        arbitrary: texts.has(name) ? anyText.map((text) => JSON.stringify(text)) : fc.nat(255).map(String),
      },
      { weight: 1, arbitrary: anyValue },
    ),
  ),
)
const anyLine = fc
  .tuple(fc.array(anyMember, { maxLength: 12 }), fc.constantFrom(',', ',', ',', ', '))
  .map(([members, between]) => `{${members.map(([name, value]) => `"${name}":${value}`).join(between)}}\n`)

/** As the log writes lines of each kind. */
const likelyLine = fc
  .record(
    {
      site_id: fc.constantFrom('s1', 's2'),
      name: fc.constantFrom('error', '$identify', 'click'),
      outcome: fc.constantFrom('accept', 'quarantine'),
      resolved_by: fc.constantFrom('user_id', 'person_id', 'anonymous_id'),
      user_id: fc.constant('u'),
      anonymous_id: fc.constant('a'),
      currency: fc.constant('EUR'),
      is_contested: fc.constantFrom(0, 1),
      state: fc.constant('released'),
      letter: fc.constant('erl_1'),
      is_bot: fc.constantFrom(0, 1),
    },
    { requiredKeys: ['site_id', 'name', 'outcome', 'resolved_by'] },
  )
  .chain((line) =>
    fc.constantFrom('', ',"amount":12.5000').map((rest) => `${JSON.stringify(line).slice(0, -1)}${rest}}\n`),
  )

const home = mkdtempSync(join(tmpdir(), 'assay-blocks-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const ways = [...(await installedEngines()), 'server'] as const

describe.each(ways)('lines as blocks, in the %s store', (way) => {
  const dir = join(home, way)
  let events: Events
  beforeAll(async () => {
    mkdirSync(join(dir, 'log'), { recursive: true })
    const where = { dataDir: dir, logDir: join(dir, 'log') }
    events = await openEvents(
      way === 'server' ? { ...where, url: (await sharedStores()).clickhouseUrl } : { ...where, engine: way },
    )
    await createStaging(events, 'staging_blocks')
  })
  afterAll(() => events.close())

  /** Everything in staging, sorted: several blocks may be inserted, and handed over, in any order. */
  async function staged(content: string | Buffer, format: 'JSONEachRow' | 'Native'): Promise<Buffer> {
    const path = join(dir, 'log', 'lines')
    writeFileSync(path, content)
    await clearStaging(events, 'staging_blocks')
    await stageSegment(events, 'staging_blocks', path, format)
    return events.bytes('SELECT * FROM staging_blocks ORDER BY ALL FORMAT RowBinary')
  }

  test('are the rows that the store reads from the lines, whatever is in them', async () => {
    let encodedLines = 0
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine, { minLength: 30, maxLength: 60 }), async (lines) => {
        const taken = lines.filter((line) => encoded(line) !== null)
        encodedLines += taken.length
        const bytes = encoded(taken.join(''))
        if (taken.length === 0 || bytes === null) return
        expect(await staged(bytes, 'Native')).toEqual(await staged(taken.join(''), 'JSONEachRow'))
      }),
      { numRuns: 40 },
    )
    expect(encodedLines).toBeGreaterThan(200)
  })

  test('show which kinds of lines there are, and never leave out one that the store finds', async () => {
    const counting = new LineBlocks(lineColumns, 20, kindColumns)
    const found = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(anyLine, likelyLine), { minLength: 1, maxLength: 60 }),
        async (lines) => {
          const taken = lines.filter((line) => encoded(line) !== null)
          const bytes = counting.encode(Buffer.from(taken.join('')))
          if (bytes === null) return
          const { lines: told, pricedSites, ...kinds } = kindsOf(counting.held)
          await staged(Buffer.from(bytes), 'Native')
          const {
            lines: stored,
            pricedSites: stillPriced,
            ...counts
          } = await countStaged(events, 'staging_blocks')
          expect(told).toBe(stored)
          expect(pricedSites).toEqual(expect.arrayContaining(stillPriced.filter((site) => site !== '')))
          for (const [kind, count] of Object.entries(counts)) {
            if (count > 0) found.add(kind)
            expect(Object.entries(kinds).find(([name]) => name === kind)?.[1]).toBeGreaterThanOrEqual(count)
          }
          if (stillPriced.length > 0) found.add('priced')
        },
      ),
      { numRuns: 40 },
    )
    const every = ['contested', 'decisions', 'errors', 'held', 'identifies', 'letters', 'priced', 'ties']
    expect([...found].sort()).toEqual(every)
  })

  test('show no kind that they do not hold', () => {
    const counting = new LineBlocks(lineColumns, undefined, kindColumns)
    const plain =
      '{"site_id":"s1","name":"click","outcome":"accept","resolved_by":"anonymous_id","anonymous_id":"a"}\n'
    const order = plain.replace('}', ',"amount":1.0000,"currency":"EUR","state":"released"}')
    counting.encode(Buffer.from(order))
    expect(kindsOf(counting.held)).toMatchObject({ lines: 1, decisions: 1, pricedSites: ['s1'] })
    counting.encode(Buffer.from(plain + plain))
    const nothing = { decisions: 0, held: 0, ties: 0, identifies: 0, errors: 0, letters: 0, contested: 0 }
    expect(kindsOf(counting.held)).toEqual({ lines: 2, ...nothing, pricedSites: [] })
  })

  test('are the same rows where there are several blocks, and more texts than one byte can number', async () => {
    const line = (n: number) => {
      const tally = { workspaceId: 'ws', siteId: 's', tsMs: n, outcome: 'reject', repeats: 0 }
      return tallyLine({ ...tally, name: `n${n}`, code: `c${n % 3}` })
    }
    const lines = Array.from({ length: 1_000 }, (_, n) => line(n)).join('')
    const bytes = new LineBlocks(lineColumns, 300).encode(Buffer.from(lines))
    if (bytes === null) throw new Error('these lines are plain')
    expect(await staged(Buffer.from(bytes), 'Native')).toEqual(await staged(lines, 'JSONEachRow'))
  })
})

describe('what is left to the store', () => {
  test.each([
    ['no lines', ''],
    ['no object', '[]\n'],
    ['an empty object', '{}\n'],
    ['a line without its end', '{"name":"a"}'],
    ['a torn line', '{"name":"a\n{"name":"b"}\n'],
    ['a torn escape', '{"name":"a\\\n"}\n'],
    ['a torn object', '{"properties":{"a":1\n'],
    ['brackets that do not match', '{"properties":{"a":[}]}\n'],
    ['a name twice', '{"name":"a","name":"b"}\n'],
    ['an unknown name', '{"nobody":"a"}\n'],
    ['a lone surrogate', '{"name":"\\ud800"}\n'],
    ['a zero byte', '{"name":"a\u0000"}\n'],
    ['a number too large', '{"is_bot":256}\n'],
    ['more behind a line', '{"name":"a"} \n'],
    ['nesting without end', `{"properties":${'['.repeat(300)}${']'.repeat(300)}}\n`],
  ])('%s', (_, text) => {
    expect(encoded(text)).toBeNull()
  })

  test('a text that is not UTF-8 and has escapes', () => {
    const line = Buffer.concat([Buffer.from('{"name":"\\n'), Buffer.from([0xff]), Buffer.from('"}\n')])
    expect(blocks.encode(line)).toBeNull()
  })
})
