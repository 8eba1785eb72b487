import { record } from '@rrweb/record'
import type { Client } from '../client.ts'
import { now } from '../clock.ts'
import { requestsReserved } from '../delivery/budget.ts'
import { isUnseen } from '../page/page.ts'
import type { Ids } from '../visitor.ts'
import { newId } from '../world.ts'
import { maskEvent, maskText, type RecordedEvent } from './mask.ts'
import { createSender } from './sender.ts'

export type ReplayOptions = {
  key: string
  host: string
  /** Share of visits to record, from 0 to 1; the same for all pages of a visit. */
  sample: number
}

/** Interval between checks whether a visit may be recorded. */
const lookMs = 1_000
/** Interval between chunks. */
const chunkMs = 5_000
/** Where a tab stores its replay id between pages. Written only while a visit may be recorded. */
const tabKey = 'assay.replay'

/**
 * Records the page while the visitor consents: `client.ids()` returns ids only as long as it may. Everything
 * is masked unless the page marks it.
 */
export function startReplay(client: Pick<Client, 'ids' | 'budget'>, options: ReplayOptions): void {
  const { key, host, sample } = options
  let stop: (() => void) | undefined
  let isOver = false
  let visit: Ids | undefined

  const end = (): void => {
    stop?.()
    stop = undefined
    visit = undefined
    sender.begin('', {})
  }
  const sender = createSender({ key, host, now, newId, budget: client.budget }, () => {
    isOver = true
    end()
  })

  /** Starts, continues, switches to a new visit, or stops, depending on consent and session. */
  function look(isLeaving = false): void {
    const ids = isOver || isUnseen() ? undefined : client.ids()
    const isSameVisit = ids && visit && ids.session_id === visit.session_id
    if (isSameVisit && ids.user_id === visit?.user_id) return
    // Sends what was recorded before the change; without consent nothing is sent.
    if (ids) sender.flush(isLeaving)
    if (!isSameVisit) end()
    if (!ids?.anonymous_id || !isSampled(ids.session_id, sample)) return
    visit = ids
    sender.begin(replayIdOf(ids), ids)
    stop ??= startRecording(sender.add)
  }

  const send = (isLeaving: boolean) =>
    guard(() => {
      look(isLeaving)
      sender.flush(isLeaving)
    })
  setInterval(
    guard(() => look()),
    lookMs,
  )
  setInterval(send(false), chunkMs)
  addEventListener('pagehide', send(true))
  document.addEventListener('visibilitychange', () => document.hidden && send(true)())
  guard(() => look())()
}

function startRecording(add: (event: string) => void): (() => void) | undefined {
  return record({
    emit: guard((event) => {
      // boundary: only these members of the recorder's events are read.
      const recorded = event as unknown as RecordedEvent
      maskEvent(recorded, (id) => record.mirror.getNode(id))
      add(JSON.stringify(recorded))
    }),
    errorHandler: () => true,
    blockSelector: '[data-private]',
    maskAllInputs: true,
    maskTextSelector: '*',
    maskTextFn: maskText,
    slimDOMOptions: 'all',
    inlineImages: false,
    // Mouse positions every 100 ms are enough to follow it.
    sampling: { mousemove: 100, scroll: 150, input: 'last' },
  })
}

/** A failing recording must not affect the visitor; it just ends. */
const guard =
  <Arguments extends unknown[]>(act: (...args: Arguments) => void) =>
  (...args: Arguments): void => {
    try {
      act(...args)
    } catch {
      // Not reported: what is lost is a recording, not an event.
    }
  }

/** Hashes the session id, so that every page and tab of a visit gets the same answer. */
function isSampled(sessionId: string | undefined, sample: number): boolean {
  return Number.parseInt((sessionId ?? '').slice(0, 8), 16) / 2 ** 32 < sample
}

/** One replay is one visit in one tab: two tabs are two replays. */
function replayIdOf({ session_id }: Ids): string {
  const made = `${session_id}.${newId().slice(0, 8)}`
  try {
    const before = sessionStorage.getItem(tabKey)
    if (before?.startsWith(`${session_id}.`)) return before
    sessionStorage.setItem(tabKey, made)
  } catch {
    // Blocked: then each page is a separate replay.
  }
  return made
}

function install(script: HTMLOrSVGScriptElement | null): void {
  if (!(script instanceof HTMLScriptElement)) return
  const { key, sample = '1' } = script.dataset
  if (!key) return
  // boundary: the snippet has a name of ours on a type that does not know it; it may load later than we do.
  const globals = window as unknown as { assay?: Partial<Client> }
  const client = {
    ids: () => globals.assay?.ids?.(),
    budget: {
      // Without the SDK, or with one older than this file, nothing may be sent.
      take: () => globals.assay?.budget?.take(requestsReserved) ?? false,
      note: (status: number) => globals.assay?.budget?.note(status),
    },
  }
  startReplay(client, { key, host: new URL(script.src).origin, sample: Number(sample) })
}

guard(() => install(document.currentScript))()
