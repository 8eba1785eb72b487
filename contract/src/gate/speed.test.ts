import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { EventContract, PropertyRule } from '../registry/event-contract.ts'
import type { CompiledContract } from './contracts/compile.ts'
import { compileContract, compileContracts } from './contracts/compile.ts'
import { readTrack } from './envelope/track-envelope.ts'
import type { Known } from './judge.ts'
import { judge } from './judge.ts'
import { defaultRules } from './names/default-rules.ts'
import { compileMapping } from './names/mapping.ts'
import type { RawEvent } from './raw-event.ts'

const samples = ['Blue running shoes', 42.5, true, '/products/blue-shoes?utm_source=news', 'pro'] as const
const properties = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`property_${index}`, samples[index % 5]]),
)

/**
 * A realistic contract: some properties required, one with a choice, one with a pattern, one with a range.
 */
function contractOf(name: string, version: string): EventContract {
  const rules: Record<string, PropertyRule> = {}
  for (const [key, value] of Object.entries(properties)) {
    rules[key] = {
      type: typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string',
    }
  }
  rules.property_0 = { type: 'string', required: true }
  rules.property_1 = { type: 'number', required: true, minimum: 0, maximum: 100 }
  rules.property_4 = { type: 'string', enum: ['free', 'pro', 'team'] }
  rules.property_9 = { type: 'string', pattern: '^[a-z]+$' }
  return {
    key: name,
    name,
    version,
    status: 'published',
    description: '',
    properties: rules,
    additional: 'accept',
    surfaces: ['web'],
    purpose: 'analytics_storage',
  }
}

const wire = JSON.stringify({
  event: 'step_done',
  event_id: 'evt_0123456789abcdef',
  anonymous_id: 'a-4417',
  user_id: 'u-42',
  ts: '2026-05-01T11:59:59.000Z',
  sent_at: '2026-05-01T12:00:00.000Z',
  properties,
  context: {
    page: { url: 'https://shop.example/checkout', title: 'Checkout' },
    library: { name: 'web', version: '1.0' },
  },
})

function knownWith(contracts: ReadonlyMap<string, CompiledContract>): Known {
  return {
    contracts,
    mapping: compileMapping(defaultRules),
    keyClass: 'secret',
    receivedAt: Date.UTC(2026, 4, 1, 12),
  }
}

function rawEvent(): RawEvent {
  const reading = readTrack(JSON.parse(wire))
  if (reading.kind !== 'event') throw new Error('the sample is an event')
  return reading.event
}

/**
 * Measures two functions alternately and returns the best of each in microseconds, so that other load on the
 * machine affects both alike.
 */
function timeByTurns(first: () => unknown, second: () => unknown): [firstUs: number, secondUs: number] {
  const batch = 500
  const took: [number[], number[]] = [[], []]
  for (let round = 0; round < 80; round += 1) {
    for (const [index, run] of [first, second].entries()) {
      const start = performance.now()
      for (let count = 0; count < batch; count += 1) run()
      // The first quarter warms up the engine.
      if (round >= 20) took[index === 0 ? 0 : 1].push(((performance.now() - start) / batch) * 1000)
    }
  }
  return [Math.min(...took[0]), Math.min(...took[1])]
}

test('judging an event of 20 properties takes a small multiple of the time that parsing it takes', () => {
  const known = knownWith(compileContracts([contractOf('step_done', '1-0-0')]))
  const raw = rawEvent()
  expect(judge(raw, known)).toMatchObject({ outcome: 'accept', issues: [], contractVersion: '1-0-0' })
  const [parseUs, judgeUs] = timeByTurns(
    () => JSON.parse(wire),
    () => judge(raw, known),
  )
  const [, readUs] = timeByTurns(
    () => JSON.parse(wire),
    () => readTrack(JSON.parse(wire)),
  )
  const ratio = judgeUs / parseUs
  console.info(
    `gate: parse ${parseUs.toFixed(2)} µs, judge ${judgeUs.toFixed(2)} µs (${ratio.toFixed(2)} of a parse), parse and read ${readUs.toFixed(2)} µs`,
  )
  // The bench checks the gate's target of 2; on a busy machine only a large change can be distinguished from
  // noise.
  expect(ratio).toBeLessThan(6)
})

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

function heapMb(): number {
  if (typeof collectGarbage !== 'function') throw new Error('the engine offers no garbage collection')
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

test('ten thousand contracts and a thousand new versions cost neither time nor memory to judge by', () => {
  const raw = rawEvent()
  const alone = knownWith(compileContracts([contractOf('step_done', '1-0-0')]))
  const emptyMb = heapMb()
  const contracts = new Map([['step_done', compileContract(contractOf('step_done', '1-0-0'))]])
  for (let index = 0; index < 10_000; index += 1) {
    contracts.set(`event_${index}`, compileContract(contractOf(`event_${index}`, '1-0-0')))
  }
  const among = knownWith(contracts)
  const filledMb = heapMb()
  for (let index = 0; index < 1_000; index += 1) {
    contracts.set('step_done', compileContract(contractOf('step_done', `1-${index}-0`)))
    expect(judge(raw, among)).toMatchObject({ outcome: 'accept', contractVersion: `1-${index}-0` })
  }
  const swappedMb = heapMb()
  const [aloneUs, amongUs] = timeByTurns(
    () => judge(raw, alone),
    () => judge(raw, among),
  )
  const kbEach = ((filledMb - emptyMb) * 1024) / 10_000
  console.info(
    `gate: ${kbEach.toFixed(1)} KB a contract, ${(swappedMb - filledMb).toFixed(1)} MB more after 1,000 versions, judge ${aloneUs.toFixed(2)} µs alone and ${amongUs.toFixed(2)} µs among 10,000`,
  )
  expect(kbEach).toBeLessThan(40)
  expect(swappedMb - filledMb).toBeLessThan(5)
  expect(amongUs / aloneUs).toBeLessThan(3)
})
