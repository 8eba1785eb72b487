import { compileContracts } from '../../../contract/src/gate/contracts/compile.ts'
import { readTrack } from '../../../contract/src/gate/envelope/track-envelope.ts'
import { judgeReading, type Known, type Verdict } from '../../../contract/src/gate/judge.ts'
import { defaultRules } from '../../../contract/src/gate/names/default-rules.ts'
import { compileMapping, type MappingRule } from '../../../contract/src/gate/names/mapping.ts'
import type { EventContract } from '../../../contract/src/registry/event-contract.ts'
import { type AnyEvents, type Client, type ClientOptions, createClient, type Properties } from './client.ts'
import { systemClock } from './clock.ts'
import type { Fetch } from './http.ts'

export type { EventContract, MappingRule }

/** One event that your code sent, and its verdict. */
export type Captured = {
  /** As it would be stored: `Order Completed` is `$purchase`. */
  name: string
  sentName: string
  outcome: Verdict['outcome']
  issues: Verdict['issues']
  properties: Properties
  eventId: string
  userId: string | undefined
  anonymousId: string | undefined
  /** As it went over the wire. */
  wire: Properties
}

export type TestClientOptions = Partial<Omit<ClientOptions, 'fetch'>> & {
  /** Your contracts, as `GET /v1/registry/events` lists them. The 18 standard events are always known. */
  contracts?: readonly EventContract[]
  /** Mapping rules of your site; the default rules always apply unless one of yours has the same source. */
  mappings?: readonly MappingRule[]
}

export type TestClient<Events extends AnyEvents> = {
  client: Client<Events>
  /** Everything that was sent, in order, with verdicts. */
  captured: () => Promise<readonly Captured[]>
  /** Throws, with every issue, unless every event is accepted without a change. */
  expectAllAccepted: () => Promise<void>
  clear: () => void
}

/** The real client and the real gate, without any network. */
export function createTestClient<Events extends AnyEvents = AnyEvents>(
  options: TestClientOptions = {},
): TestClient<Events> {
  const { contracts = [], mappings = [], ...settings } = options
  const now = settings.now ?? systemClock
  const captured: Captured[] = []
  const known = (): Known => ({
    contracts: compileContracts(contracts),
    mapping: compileMapping([...mappings, ...defaultRules]),
    keyClass: 'secret',
    receivedAt: now(),
  })
  const fetch: Fetch = async (_url, { body }) => {
    const { batch = [] }: { batch?: Properties[] } = JSON.parse(body ?? '{}')
    const judged = batch.map((wire) => capture(wire, known()))
    captured.push(...judged)
    const results = judged.map(({ eventId, outcome, issues }) => ({ event_id: eventId, outcome, issues }))
    return answer({ results })
  }
  const client = createClient<Events>({
    key: 'sk_test',
    url: 'http://assay.test',
    ...settings,
    flushIntervalMs: 0,
    fetch,
  })
  const all = async () => {
    await client.flush()
    return captured
  }
  return {
    client,
    captured: all,
    clear: () => void captured.splice(0),
    async expectAllAccepted() {
      const bad = (await all()).filter(({ outcome }) => outcome !== 'accept')
      if (bad.length > 0)
        throw new Error(`${bad.length} of ${captured.length} events:\n${bad.map(describe).join('\n')}`)
    },
  }
}

function capture(wire: Properties, known: Known): Captured {
  const reading = readTrack(wire)
  const eventId = typeof wire.event_id === 'string' ? wire.event_id : ''
  if (reading.kind === 'alias') {
    const base = { name: '$alias', sentName: 'alias', outcome: 'accept', issues: [], properties: {} } as const
    return { ...base, eventId, userId: reading.alias.userId, anonymousId: reading.alias.previousId, wire }
  }
  const verdict = judgeReading(reading, known)
  const event = reading.kind === 'event' ? reading.event : undefined
  return {
    name: verdict.name,
    sentName: verdict.originalName,
    outcome: verdict.outcome,
    issues: verdict.issues,
    properties: verdict.properties,
    eventId,
    userId: event?.userId,
    anonymousId: event?.anonymousId,
    wire,
  }
}

function describe({ sentName, outcome, issues }: Captured): string {
  const said = issues.map(({ code, field, message }) => `    ${code} ${field}: ${message}`)
  return [`  ${sentName || '(no name)'} → ${outcome}`, ...said].join('\n')
}

function answer(body: object): Awaited<ReturnType<Fetch>> {
  return { status: 200, ok: true, headers: { get: () => null }, text: async () => JSON.stringify(body) }
}
