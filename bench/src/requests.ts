import { makeEncoder } from '../../server/src/demo/traffic/events/encode.ts'
import type { WireEvent } from '../../server/src/demo/traffic/events/wire.ts'
import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { dayMs } from '../../server/src/platform/units.ts'
import { httpRequest } from './load.ts'

/** A prepared request and where in it the ids stand that must be new each time it is sent. */
type Template = { readonly bytes: Buffer; readonly idOffsets: readonly number[] }

export type RequestPlan = {
  readonly path: '/v1/track' | '/v1/batch'
  readonly key: string
  readonly connections: number
  readonly eventsPerRequest: number
  readonly templatesPerConnection: number
  readonly nowMs: number
  readonly seed: number
  /** New ones are seen for the first time with every event, and each begins a visit. */
  readonly visitors: 'returning' | 'new'
}

export type RequestSource = {
  readonly next: (connection: number) => Buffer
  readonly bytesPerEvent: number
}

/** Sixteen characters that no generated text holds; ids made of them are replaced before each sending. */
const placeholder = 'zzzzzzzzzzzzzzzz'
const digits = Buffer.from('0123456789abcdef')

/**
 * Realistic requests without making any while measuring: they are made before, and only the ids in them are
 * counted up. A connection has its own templates, so no bytes change while they are being sent.
 */
export function makeRequests(plan: RequestPlan): RequestSource {
  const events = goodEvents(plan)
  const pools = Array.from({ length: plan.connections }, () =>
    Array.from({ length: plan.templatesPerConnection }, () => makeTemplate(plan, events)),
  )
  const turns = new Uint32Array(plan.connections)
  let unique = 0
  const next = (connection: number): Buffer => {
    const pool = pools[connection] ?? []
    const turn = turns[connection] ?? 0
    turns[connection] = turn + 1
    const template = pool[turn % pool.length]
    if (template === undefined) throw new RangeError(`no requests for connection ${connection}`)
    for (const offset of template.idOffsets) {
      unique += 1
      writeUnique(template.bytes, offset, unique)
    }
    return template.bytes
  }
  const all = pools.flat()
  const bytes = all.reduce((sum, template) => sum + template.bytes.length, 0)
  return { next, bytesPerEvent: bytes / (all.length * plan.eventsPerRequest) }
}

/** Events of the last day that the gate accepts; what it thinks of bad ones is not the question here. */
function* goodEvents({ seed, nowMs }: RequestPlan): Generator<WireEvent> {
  for (let round = 0; ; round += 1) {
    const traffic = makeTraffic({
      seed: seed + round,
      events: 50_000,
      fromMs: nowMs - dayMs,
      toMs: nowMs,
      sites: ['shop'],
      badShare: 0,
      hasFaults: false,
    })
    for (const { wire, expected } of traffic.events) if (expected.outcome === 'accept') yield wire
  }
}

function makeTemplate(plan: RequestPlan, events: Generator<WireEvent>): Template {
  const encode = makeEncoder()
  const run = `load-${plan.nowMs.toString(36)}-${plan.seed}`
  const texts: string[] = []
  while (texts.length < plan.eventsPerRequest) {
    // Not by a loop over the generator, which would end it.
    const { value: wire, done } = events.next()
    if (done === true) break
    const own = `${run}-${placeholder}`
    // An order counts once regardless of its sender, so a repeated template must bring a new order too.
    const { order_id: orderId, ...rest } = wire.properties
    const properties = orderId === undefined ? wire.properties : { ...rest, order_id: own }
    // Someone who signs in is known already, whatever the device.
    const visitor = { anonymous_id: own, session_id: own, user_id: undefined }
    texts.push(encode({ ...wire, ...(plan.visitors === 'new' && visitor), event_id: own, properties }))
  }
  const body = plan.path === '/v1/track' ? (texts[0] ?? '') : `{"batch":[${texts.join(',')}]}`
  const bytes = httpRequest(plan.path, { authorization: `Bearer ${plan.key}` }, Buffer.from(body))
  return { bytes, idOffsets: findAll(bytes, Buffer.from(placeholder)) }
}

function findAll(bytes: Buffer, wanted: Buffer): number[] {
  const offsets: number[] = []
  for (
    let offset = bytes.indexOf(wanted);
    offset >= 0;
    offset = bytes.indexOf(wanted, offset + wanted.length)
  ) {
    offsets.push(offset)
  }
  return offsets
}

/** Twelve digits hold any number of events that a run can send; the first four keep their filler. */
function writeUnique(bytes: Buffer, offset: number, value: number): void {
  let rest = value
  for (let index = offset + placeholder.length - 1; index >= offset + 4; index -= 1) {
    bytes[index] = digits[rest % 16] ?? 0
    rest = Math.floor(rest / 16)
  }
}
