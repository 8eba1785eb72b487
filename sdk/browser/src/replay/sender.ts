import type { Ids } from '../visitor.ts'
import type { World } from '../world.ts'

export type SenderSettings = World & { host: string; key: string }

export type Sender = {
  add: (event: string) => void
  /** Sends what is there, compressed; when the page goes, by beacon and as it is. */
  flush: (isLeaving: boolean) => void
  /** From now on for this replay of this visit; what is there belongs to the one before and is dropped. */
  begin: (replayId: string, ids: Ids) => void
}

/** A chunk is sent when it is this large, or when the clock says so (replay.ts). */
const chunkCharacters = 200_000
/** The server refuses larger ones (contract, replayLimits). */
const chunkCharactersMax = 1_000_000
/** Browsers take 64 KB along when a page goes; a character may be three bytes. */
const beaconBytesMax = 60_000
/** Of one page: more is a page that never stops changing, and nobody would watch it. */
const pageCharactersMax = 20_000_000
const attemptsMax = 4
const retryMs = 2_000

/** `onGap`: something could not be sent, so what follows needs a new beginning. `onEnd`: it was enough. */
export function createSender(settings: SenderSettings, onGap: () => void, onEnd: () => void): Sender {
  const url = `${settings.host}/v1/replay`
  let events: string[] = []
  let characters = 0
  let pageCharacters = 0
  let envelope: object = {}
  let sending = Promise.resolve()

  function take(): string {
    const { key, now, newId } = settings
    const head = JSON.stringify({ write_key: key, ...envelope, chunk_id: newId(), sent_at: now() })
    const text = `${head.slice(0, -1)},"events":[${events}]}`
    events = []
    characters = 0
    return text
  }

  async function deliver(text: string): Promise<void> {
    const packed = await pack(text)
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const outcome = await post(url, packed)
      if (outcome === 'stored') return
      if (outcome === 'refused') return onEnd()
      await new Promise((resolve) => setTimeout(resolve, retryMs * attempt))
    }
    onGap()
  }

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
      if (events.length === 0) return
      const text = take()
      const isLight = isLeaving && new Blob([text]).size < beaconBytesMax
      if (isLight && navigator.sendBeacon(url, text)) return
      sending = sending.then(() => deliver(text)).catch(onGap)
    },
    begin(replayId, ids) {
      events = []
      characters = 0
      envelope = { replay_id: replayId, ...ids }
    },
  }
  return sender
}

type Outcome = 'stored' | 'refused' | 'later'

async function post(url: string, body: string | Blob): Promise<Outcome> {
  const answer = await fetch(url, {
    method: 'POST',
    credentials: 'omit',
    headers: {
      'content-type': 'text/plain',
      ...(typeof body !== 'string' && { 'content-encoding': 'gzip' }),
    },
    body,
  }).catch(() => null)
  if (!answer || answer.status >= 500 || answer.status === 429) return 'later'
  if (!answer.ok) return 'refused'
  const { stored, reason } = await answer.json()
  if (stored) return 'stored'
  // The consent itself may still be on its way: it travels with the events.
  return reason === 'consent_denied' ? 'later' : 'refused'
}

/** A recording is mostly repetition: gzip leaves a tenth. Browsers before 2023 send it as it is. */
async function pack(text: string): Promise<string | Blob> {
  if (typeof CompressionStream === 'undefined') return text
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Response(stream).blob()
}
