import type { Finding } from '../issues.ts'
import type { RawEvent } from '../raw-event.ts'

/** A smaller gap between sending and arrival is the network, not the clock (decisions, ingest). */
const skewToleranceMs = 2_000
const futureToleranceMs = 5 * 60_000
const dayMs = 86_400_000
/** Maximum age of an event: anyone can read a public key, so it gets less. */
const ageDaysMax = { public: 7, secret: 30 } as const

export type KeyClass = keyof typeof ageDaysMax

type EventTime = { ts: number; correctionMs: number; finding: Finding | undefined }

/** Corrects the event time by the sender's clock error, which follows from `sent_at`. */
export function placeInTime(raw: RawEvent, keyClass: KeyClass, receivedAt: number): EventTime {
  const { tsClient, sentAt } = raw
  if (tsClient === undefined) return { ts: receivedAt, correctionMs: 0, finding: undefined }
  const skewMs = sentAt === undefined ? 0 : receivedAt - sentAt
  const correctionMs = Math.abs(skewMs) > skewToleranceMs ? skewMs : 0
  const ts = tsClient + correctionMs
  if (ts > receivedAt + futureToleranceMs) {
    return { ts: receivedAt, correctionMs: receivedAt - tsClient, finding: inFuture(ts, receivedAt) }
  }
  const ageDays = (receivedAt - ts) / dayMs
  const isTooOld = ageDays > ageDaysMax[keyClass] && !raw.isHistorical
  return { ts, correctionMs, finding: isTooOld ? tooOld(ageDays, keyClass) : undefined }
}

function inFuture(ts: number, receivedAt: number): Finding {
  return {
    code: 'future_time',
    field: 'ts',
    message: 'Check the clock of the sender, or send sent_at; the time of arrival was stored.',
    expected: 'at most 5 minutes after arrival',
    actual: `${Math.round((ts - receivedAt) / 1000)} seconds after arrival`,
  }
}

const historicalBy = { public: 'a secret key and historical: true', secret: 'historical: true' } as const

function tooOld(ageDays: number, keyClass: KeyClass): Finding {
  return {
    code: 'too_old',
    field: 'ts',
    message: `Send past events with ${historicalBy[keyClass]}, or check the clock of the sender.`,
    expected: `at most ${ageDaysMax[keyClass]} days old with a ${keyClass} key`,
    actual: `${Math.floor(ageDays)} days old`,
  }
}
