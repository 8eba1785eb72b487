import type { Client } from '@assay/contract'
import {
  discardQuarantined,
  getReceipt,
  listQuarantined,
  type Receipt,
  readKeyKind,
  track,
} from '@assay/contract'
import type { World } from '../world.ts'
import { type Check, fail, ok, unknown, warn } from './check.ts'
import { attempt } from './server-checks.ts'

const eventName = 'assay_doctor_check'
/** Too old for any key, so that it is quarantined and counted in no report, in either gate mode. */
const ageMs = 45 * 86_400_000
/** If a workspace accepts old events, events from bots are still left out of reports. */
const userAgent = 'assay-doctor-bot/1.0'
/** An event shows up after half a second, or some seconds on a busy store. */
const receiptMsMax = 20_000
const receiptEveryMs = 500

/** Sends an event and follows it to its receipt; then discards it from quarantine, if the key may. */
export async function checkEvent(
  world: World,
  { control, data }: { control: Client; data: Client },
  key: string,
  siteId: string | undefined,
): Promise<Check[]> {
  if (readKeyKind(key) === 'test')
    return [unknown('test event', 'A test key stores nothing, so there is no receipt.')]
  const eventId = `doctor-${world.newId()}`
  const body = {
    event: eventName,
    event_id: eventId,
    anonymous_id: eventId,
    ts: new Date(world.now() - ageMs).toISOString(),
    context: { userAgent },
    properties: {},
    ...(siteId !== undefined && { site_id: siteId }),
  }
  const sent = await attempt(() => data.call(track, { body }))
  if (sent.problem?.status === 403)
    return [unknown('test event', 'This key may not send events (events:send).')]
  if (sent.problem !== undefined)
    return [fail('test event', `It was refused: ${sent.problem.detail}`, refusedHint)]
  const receipt = await awaitReceipt(world, control, eventId)
  if (receipt === 'forbidden') {
    return [
      warn(
        'test event',
        'It was accepted, but this key may not read receipts.',
        'Give it the scope events:read.',
      ),
    ]
  }
  if (receipt === null) {
    const hint = 'The loader may be behind, or the data plane writes to another store. Check /metrics.'
    return [
      fail('test event', `It was accepted, but there is no receipt after ${receiptMsMax / 1000} s.`, hint),
    ]
  }
  const wasCleared = receipt.state === 'held' && (await clear(control, eventId))
  const after = wasCleared ? '; it was discarded' : ''
  return [ok('test event', `It was sent, validated (${receipt.outcome}) and is ${receipt.state}${after}.`)]
}

const refusedHint =
  'A test event is old and unknown to the registry, and usually quarantined. Was the gate configured to reject such events?'

async function awaitReceipt(
  world: World,
  control: Client,
  eventId: string,
): Promise<Receipt | 'forbidden' | null> {
  for (let waitedMs = 0; waitedMs <= receiptMsMax; waitedMs += receiptEveryMs) {
    const { value, problem } = await attempt(() =>
      control.call(getReceipt, { params: { event_id: eventId } }),
    )
    if (value !== undefined) return value
    if (problem?.status === 403) return 'forbidden'
    await world.wait(receiptEveryMs)
  }
  return null
}

async function clear(control: Client, eventId: string): Promise<boolean> {
  const { value } = await attempt(() =>
    control.call(listQuarantined, { query: { event: eventName, limit: 200 } }),
  )
  const held = value?.data.find(({ event_id }) => event_id === eventId)
  if (held === undefined) return false
  const { value: done } = await attempt(() => control.call(discardQuarantined, { body: { ids: [held.id] } }))
  return done?.discarded === 1
}
