import { record } from '@rrweb/record'
import { requestsReserved } from '../budget.ts'
import type { Client } from '../client.ts'
import { now } from '../clock.ts'
import { isUnseen } from '../core.ts'
import type { Ids } from '../visitor.ts'
import { newId } from '../world.ts'
import { maskEvent, maskText, type RecordedEvent } from './masking.ts'
import { createSender } from './sender.ts'

export type ReplayOptions = {
  key: string
  host: string
  /** Share of visits that are recorded, from 0 to 1; the same for all pages of a visit. */
  sample: number
}

/** How often it is asked whether a visit may be recorded. */
const lookMs = 1_000
/** How often what was recorded is sent. */
const chunkMs = 5_000
/** Where a tab remembers which replay it is in, from page to page. Written only while a visit may be recorded. */
const tabKey = 'assay.replay'

/**
 * Records the page for as long as the visitor agrees: `client.ids()` tells who is there, and nothing where nothing may
 * be kept. Everything is masked unless the page says otherwise.
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

  /** Begins, goes on, changes over to a new visit, or ends, as the moment wants it. */
  function look(isLeaving = false): void {
    const ids = isOver || isUnseen() ? undefined : client.ids()
    const isSameVisit = ids && visit && ids.session_id === visit.session_id
    if (isSameVisit && ids.user_id === visit?.user_id) return
    // What belongs to the moments before; of somebody who does not agree any more nothing is sent.
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
      // boundary: of the recorder's events only these members are looked at.
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
    // The way of the mouse in steps of 100 ms is enough to follow it.
    sampling: { mousemove: 100, scroll: 150, input: 'last' },
  })
}

/** A recording that fails must not be noticed by the visitor; it simply has an end. */
const guard =
  <Arguments extends unknown[]>(act: (...args: Arguments) => void) =>
  (...args: Arguments): void => {
    try {
      act(...args)
    } catch {
      // There is nobody to tell: what is lost is a recording, not an event.
    }
  }

/** By the id of the visit, so that every page and tab of it comes to the same answer. */
function isSampled(sessionId: string | undefined, sample: number): boolean {
  return Number.parseInt((sessionId ?? '').slice(0, 8), 16) / 2 ** 32 < sample
}

/** One replay is one visit in one tab: two tabs at a time are two films. */
function replayIdOf({ session_id }: Ids): string {
  const made = `${session_id}.${newId().slice(0, 8)}`
  try {
    const before = sessionStorage.getItem(tabKey)
    if (before?.startsWith(`${session_id}.`)) return before
    sessionStorage.setItem(tabKey, made)
  } catch {
    // Blocked: then each page is a replay of its own.
  }
  return made
}

function install(script: HTMLOrSVGScriptElement | null): void {
  if (!(script instanceof HTMLScriptElement)) return
  const { key, sample = '1' } = script.dataset
  if (!key) return
  // boundary: the snippet stands under a name of ours on a type that does not know it; it may come later than we do.
  const globals = window as unknown as { assay?: Partial<Client> }
  const client = {
    ids: () => globals.assay?.ids?.(),
    budget: {
      // Without the SDK, or beside one that is older than this file, nothing may be sent.
      take: () => globals.assay?.budget?.take(requestsReserved) ?? false,
      note: (status: number) => globals.assay?.budget?.note(status),
    },
  }
  startReplay(client, { key, host: new URL(script.src).origin, sample: Number(sample) })
}

guard(() => install(document.currentScript))()
