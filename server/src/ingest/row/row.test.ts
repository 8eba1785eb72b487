import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventColumnList, isInLine, lineMembers } from '../../store/event-columns.ts'
import { anyCharacter } from '../../testing/any-character.ts'
import { readPending } from '../dedup/pending-ids.ts'
import { LineBlocks } from '../loader/blocks/line-block.ts'
import { lineColumns } from '../loader/line-columns.ts'
import { lineHead } from './line-head.ts'
import { eventLine, jsonText, judgementLine, type LineFacts, tallyLine } from './row.ts'

const none = { url: '', host: '', path: '', title: '', referrer: '', referrerHost: '', utmSource: '' }
const campaign = { utmMedium: '', utmCampaign: '', utmTerm: '', utmContent: '', clickIdType: '', clickId: '' }
const place = {
  channel: '',
  source: '',
  country: '',
  countryIsApproximate: false,
  region: '',
  city: '',
  device: 'desktop',
  browser: '',
} as const
const rest = { browserVersion: '', os: '', isBot: false, botReason: '', locale: '', release: '' }
const enriched = {
  ...{ ...none, ...campaign, ...place, ...rest },
  ...({ sdkName: '', sdkVersion: '', surface: 'server' } as const),
}

const facts = (texts: Record<string, string>): LineFacts => ({
  ...{ workspaceId: 'ws_1', siteId: 'site_1', eventId: 'e', name: 'n', sentName: '', mappingRule: '' },
  ...{ contractVersion: '', outcome: 'accept', code: '', personId: '', resolvedBy: '', userId: '' },
  ...{ anonymousId: '', sessionId: '', endpoint: '', keyId: '', currency: '', orderId: '', duplicateOf: '' },
  ...{ consentRecordId: '', foldedTitle: '', foldedCulprit: '' },
  ...{
    idHash: { hi: 1, lo: 2 },
    orderHash: null,
    tsMs: 1,
    arrival: 7,
    receivedMs: 2,
    sentMs: null,
    correctionMs: 0,
  },
  ...{ amount: null, issues: '', properties: jsonText({ a: '"\n' }), setAside: '', context: '', held: '' },
  decision: null,
  isBound: false,
  isPublic: false,
  isContested: false,
  ...texts,
})

const textNames = [
  ...[
    'workspaceId',
    'siteId',
    'eventId',
    'name',
    'sentName',
    'mappingRule',
    'contractVersion',
    'outcome',
    'code',
  ],
  ...[
    'personId',
    'resolvedBy',
    'userId',
    'anonymousId',
    'sessionId',
    'endpoint',
    'keyId',
    'currency',
    'orderId',
  ],
]
const blocks = new LineBlocks(lineColumns)

const pieces = ['"', '\n', '\\', '}', '{', ',', '"site_id":"x"', '\u0000', '\ud800', 'é', '\u2028', 'a']
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(fc.constantFrom(...pieces)).map((all) => all.join('')),
)

test('whatever the texts of an event say, its line is one line of JSON that says just that', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...textNames), hostile), (texts) => {
      const line = eventLine(facts(texts), enriched)
      expect(line.indexOf('\n')).toBe(line.length - 1)
      // The loader need not leave it to the store's reader.
      expect(blocks.encode(Buffer.from(line))).not.toBeNull()
      const read = JSON.parse(line)
      const given = facts(texts)
      expect(read.workspace_id).toBe(given.workspaceId.toWellFormed())
      expect(read.site_id).toBe(given.siteId.toWellFormed())
      expect(read.event_id).toBe(given.eventId.toWellFormed())
      expect(read.outcome).toBe(given.outcome.toWellFormed())
    }),
  )
})

/** The same members the other way round: no line of ours begins like that, so all of it is read. */
const reversed = (line: string) =>
  JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).toReversed()))

async function pendingOf(line: string) {
  async function* unloaded() {
    yield line
  }
  async function* none(): AsyncGenerator<string> {}
  return readPending({ unloaded }, none())
}

test('the head of a line says what a start must know of it, whatever its texts say', async () => {
  const object = hostile.map((text) => jsonText({ [text]: { issues: text } }))
  const some = fc.record({
    texts: fc.dictionary(fc.constantFrom(...textNames), hostile),
    others: fc.record({
      outcome: fc.constantFrom('accept', 'warn', 'quarantine'),
      orderHash: fc.constantFrom(null, { hi: 3, lo: 4 }),
      isPublic: fc.boolean(),
      isBound: fc.boolean(),
      issues: object,
      properties: object,
      held: fc.oneof(fc.constant('' as const), object),
    }),
    page: fc.record({ url: hostile, title: hostile, isBot: fc.boolean(), botReason: hostile }),
  })
  let headed = 0
  await fc.assert(
    fc.asyncProperty(some, async ({ texts, others, page }) => {
      const line = eventLine({ ...facts(texts), ...others }, { ...enriched, ...page }).trimEnd()
      const head = lineHead(line)
      if (head !== null) {
        headed += 1
        expect(JSON.parse(line)).toMatchObject(JSON.parse(head))
        expect(head).not.toContain('"properties":{')
      }
      expect(await pendingOf(line)).toEqual(await pendingOf(reversed(line)))
    }),
  )
  expect(headed).toBeGreaterThan(0)
})

test('a line has declared members only, and all of them but those that are added to a dead letter', () => {
  const hash = { hi: 1, lo: 2 }
  const object = jsonText({ a: 1 })
  const decision = { id: 'dec_1', atMs: 3, by: 'key_1', patch: object }
  const allFacts: LineFacts = {
    ...facts({}),
    ...{ sentName: 'x', mappingRule: 'x', contractVersion: 'x', code: 'x', personId: 'x', resolvedBy: 'x' },
    ...{
      userId: 'x',
      anonymousId: 'x',
      sessionId: 'x',
      endpoint: 'x',
      keyId: 'x',
      currency: 'x',
      orderId: 'x',
    },
    ...{ duplicateOf: 'x', consentRecordId: 'x', foldedTitle: 'x', foldedCulprit: 'x' },
    ...{ orderHash: hash, sentMs: 1, correctionMs: 1, amount: 1 },
    ...{ isBound: true, isPublic: true, isContested: true },
    ...{ issues: object, setAside: object, context: object, held: object, decision },
  }
  const texts = Object.entries(enriched).map(([fact, value]) => [fact, value === '' ? 'x' : value])
  const whole = eventLine(allFacts, { ...enriched, ...Object.fromEntries(texts), isBot: true })
  const judgement = judgementLine({ ...allFacts, decision })
  const tally = tallyLine({ ...allFacts, repeats: 1 })
  const written = [whole, judgement, tally].flatMap((line) => Object.keys(JSON.parse(line)))
  const declared = [
    ...eventColumnList.filter(([, column]) => isInLine(column)).map(([column]) => column),
    ...Object.keys(lineMembers),
  ]
  const ofLetters = ['letter', 'is_stored']
  expect([...new Set([...written, ...ofLetters])].sort()).toEqual(declared.sort())
})

test('counts and judgements quote the workspace and the site as well', () => {
  const siteId = 'site_1","workspace_id":"ws_other'
  const common = { workspaceId: 'ws_1\n', siteId, tsMs: 1, name: 'n', code: '' }
  const tally = tallyLine({ ...common, outcome: 'reject"', repeats: 1 })
  expect(JSON.parse(tally)).toMatchObject({ workspace_id: 'ws_1\n', site_id: siteId, outcome: 'reject"' })
  const decision = { id: 'dec_1', atMs: 3, by: 'key_1', patch: '' } as const
  const held = { ...common, eventId: 'e', receivedMs: 2, personId: '', issues: '', decision } as const
  expect(JSON.parse(judgementLine(held))).toMatchObject({ workspace_id: 'ws_1\n', site_id: siteId })
})

test('what claims to be a number and is none makes no line', () => {
  // boundary: what a stored row of another origin would bring where the type says number.
  const receivedMs = '1,"workspace_id":"ws_other"' as unknown as number
  expect(() => eventLine({ ...facts({}), receivedMs }, enriched)).toThrow('whole numbers only')
  expect(() => eventLine({ ...facts({}), tsMs: Number.NaN }, enriched)).toThrow('whole numbers only')
})
