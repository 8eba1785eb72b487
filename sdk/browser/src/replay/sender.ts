import type { Budget } from '../delivery/budget.ts'
import { backOffMs, readWaitMs } from '../delivery/network.ts'
import type { Ids } from '../visitor.ts'
import type { World } from '../world.ts'

type SenderSettings = Pick<World, 'now' | 'newId'> & {
  host: string
  key: string
  /** Shared with the page's events: a recording leaves the reserve to them. */
  budget: Budget
}

type Sender = {
  add: (event: string) => void
  /** Sends the recorded events, compressed; when the page is closed, by beacon and uncompressed. */
  flush: (isLeaving: boolean) => void
  /** Starts a replay of a visit; what was recorded before belongs to the previous one and is dropped. */
  begin: (replayId: string, ids: Ids) => void
}

/** A chunk is sent at this size, or after `chunkMs` (replay.ts). */
const chunkCharacters = 200_000
/** The server refuses larger ones (contract, replayLimits). */
const chunkCharactersMax = 1_000_000
/** Browsers accept 64 KB when a page is closed; a character may be three bytes. */
const beaconBytesMax = 60_000
/** Per page: a page with more never stops changing, and its replay would not be watched. */
const pageCharactersMax = 20_000_000
/** With the pauses of `backOffMs` some minutes; recorded events wait in memory meanwhile. */
const attemptsMax = 5
/** A connection that hangs longer is dead, also for a large chunk. */
const timeoutMs = 60_000

/** Whether the page, when it was left, handed it to the browser. */
type Chunk = { text: string; isBeaconed: boolean }

const isLight = (text: string): boolean => new Blob([text]).size < beaconBytesMax

/** `onEnd`: the recording of this page ended, by its size or because a chunk could not be sent. */
export function createSender(settings: SenderSettings, onEnd: () => void): Sender {
  const url = `${settings.host}/v1/replay`
  let events: string[] = []
  let characters = 0
  let pageCharacters = 0
  let envelope: object = {}
  let sending = Promise.resolve()
  /** Those that wait for their turn or their answer. */
  const underWay = new Set<Chunk>()
  let isOver = false
  /** The last attempt failed, and its pause is not over: no beacon may bypass it. */
  let isResting = false

  function take(): string {
    const { key, now, newId } = settings
    const head = JSON.stringify({ write_key: key, ...envelope, chunk_id: newId(), sent_at: now() })
    const text = `${head.slice(0, -1)},"events":[${events}]}`
    events = []
    characters = 0
    return text
  }

  /** A missing chunk makes all later ones useless, so nothing is sent after it. */
  async function deliver(chunk: Chunk): Promise<void> {
    if (isOver) return
    const packed = await pack(chunk.text)
    if (chunk.isBeaconed) return
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const waitMs = settings.budget.take() ? await post(url, packed, settings.budget) : 0
      isResting = waitMs !== stored
      if (!isResting) return
      if (waitMs === refused) break
      const pauseMs = Math.max(waitMs, backOffMs(attempt, settings.newId()))
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    isOver = true
    onEnd()
  }

  const beacon = (text: string): boolean =>
    !isResting && isLight(text) && settings.budget.take() && navigator.sendBeacon(url, text)

  const sender: Sender = {
    add(event) {
      if (event.length > chunkCharactersMax || pageCharacters > pageCharactersMax) return onEnd()
      if (characters + event.length > chunkCharactersMax) sender.flush(false)
      events.push(event)
      characters += event.length
      pageCharacters += event.length
      if (characters > chunkCharacters) sender.flush(false)
    },
    flush(isLeaving) {
      // The page may end before their answer comes. A chunk that arrives twice is stored once.
      if (isLeaving) for (const chunk of underWay) chunk.isBeaconed ||= beacon(chunk.text)
      if (events.length === 0) return
      const chunk = { text: take(), isBeaconed: false }
      if (isLeaving && beacon(chunk.text)) return
      underWay.add(chunk)
      const done = () => underWay.delete(chunk)
      sending = sending.then(() => deliver(chunk).finally(done)).catch(onEnd)
    },
    begin(replayId, ids) {
      underWay.clear()
      events = []
      characters = 0
      envelope = { replay_id: replayId, ...ids }
    },
  }
  return sender
}

/** Or how long the server asks to wait before the next attempt. */
type Outcome = typeof stored | typeof refused | number
const stored = -1
const refused = -2

async function post(url: string, body: string | Blob, budget: Budget): Promise<Outcome> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      credentials: 'omit',
      headers: {
        'content-type': 'text/plain',
        ...(typeof body !== 'string' && { 'content-encoding': 'gzip' }),
      },
      body,
      signal: AbortSignal.timeout?.(timeoutMs) ?? null,
    })
    budget.note(answer.status)
    if (answer.status >= 500 || answer.status === 429 || answer.status === 408) return readWaitMs(answer)
    if (!answer.ok) return refused
    const { stored: isStored, reason } = await answer.json()
    if (isStored) return stored
    // The consent may still be in flight: it is sent with the events.
    return reason === 'consent_denied' ? 0 : refused
  } catch {
    return 0
  }
}

/** A recording is mostly repetition: gzip leaves a tenth. Browsers before 2023 send it uncompressed. */
async function pack(text: string): Promise<string | Blob> {
  if (typeof CompressionStream === 'undefined') return text
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Response(stream).blob()
}
