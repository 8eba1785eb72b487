import type { Failures } from '../failures.ts'
import { AddressRefused, type Deliver } from '../http/outgoing.ts'
import type { Report } from './archive.ts'
import { deleteCallback, postponeCallback, takeCallbacks } from './callback-store.ts'
import { noteCallbacks, type Requests } from './requests.ts'
import { type SigningKey, webhookHeaders } from './signing.ts'
import {
  completeRequest,
  type ForgetState,
  failRequest,
  putBack,
  type RequestRow,
  saveProgress,
  saveState,
  takeRequest,
} from './store.ts'

/** Does what one request asks for. It may be called again after it was cut short anywhere. */
export type Handle = (row: RequestRow, report: Report, keep: KeepState) => Promise<object>

/** Writes down how far it is, for whoever may have to go on; throwing ends the work. */
export type KeepState = (state: ForgetState) => Promise<void>

export type WorkerOptions = {
  requests: Requests
  /** Names this process among all that share the queue. */
  holder: string
  handle: Handle
  deliver: Deliver
  key: SigningKey
  tell: (line: string) => void
  failures: Pick<Failures, 'report'>
}

export type Worker = {
  /** Does all that waits, one after another. */
  work: () => Promise<void>
  /** Tells all status changes that are due. */
  tellChanges: () => Promise<void>
  /** Lets go of what is under way, for others to finish. */
  stop: () => void
}

/** Work that is alive says so with every report; four of these fit into the 60 seconds. */
const leaseMs = 15_000
const renewMs = 5_000
const attemptsMax = 5
const pauseMsFirst = 1_000

/** The process is ending, or somebody else has taken over because we seemed dead. */
class LetGo extends Error {
  override name = 'LetGo'
}

export function createWorker(options: WorkerOptions): Worker {
  let isStopping = false
  return {
    async work() {
      while (!isStopping) {
        const { requests, holder } = options
        const nowMs = requests.now()
        const row = await requests.control.transaction(async (sql) => {
          const taken = await takeRequest(sql, holder, new Date(nowMs), new Date(nowMs + leaseMs))
          if (taken?.isFirst === true) await noteCallbacks(requests, sql, taken.row)
          return taken?.row
        })
        if (row === undefined) return
        await workOn(options, row, () => isStopping)
      }
    },
    tellChanges: () => tellChanges(options),
    stop: () => {
      isStopping = true
    },
  }
}

async function workOn(options: WorkerOptions, row: RequestRow, isStopping: () => boolean): Promise<void> {
  const { requests, holder, handle } = options
  const { control, now } = requests
  const progress = { step: 'beginning', rowsDone: 0 }
  let isLost = false
  const save = async () => {
    const leaseUntil = new Date(now() + leaseMs)
    isLost ||= !(await saveProgress(control, row.id, holder, { ...progress, leaseUntil }))
  }
  // One long statement may take longer than a lease, and reports nothing meanwhile.
  const renewing = setInterval(() => void save().catch(() => {}), renewMs)
  const report: Report = async (step, rowsDone) => {
    Object.assign(progress, { step, rowsDone })
    await save()
    if (isLost || isStopping()) throw new LetGo()
  }
  const keep: KeepState = async (state) => {
    const isKept = await saveState(control, row.id, holder, state, new Date(now() + leaseMs))
    if (!isKept || isStopping()) throw new LetGo()
  }
  try {
    const result = await handle(row, report, keep)
    await control.transaction(async (sql) => {
      const done = await completeRequest(sql, row.id, holder, new Date(now()), result)
      if (done !== null) await noteCallbacks(requests, sql, done)
    })
  } catch (error) {
    await giveUp(options, row, error)
  } finally {
    clearInterval(renewing)
  }
}

/** What failed is tried again after a pause, some times; then a human has to look. */
async function giveUp({ requests, holder, failures }: WorkerOptions, row: RequestRow, error: unknown) {
  const { control, now } = requests
  const nowMs = now()
  if (error instanceof LetGo) return putBack(control, row.id, holder, new Date(nowMs), 'interrupted')
  failures.report('data-subject requests', error, { request: row.id })
  const reason = 'It could not be done yet; the log of the product says why.'
  if (row.attempts < attemptsMax) {
    const pauseMs = pauseMsFirst * 2 ** (row.attempts - 1)
    return putBack(control, row.id, holder, new Date(nowMs + pauseMs), reason)
  }
  await control.transaction(async (sql) => {
    const failed = await failRequest(sql, row.id, holder, new Date(nowMs), reason)
    if (failed !== null) await noteCallbacks(requests, sql, failed)
  })
}

const callbacksAtOnce = 20
/** Longer than a delivery can take. */
const takenMs = 30_000
const tellAgainMsFirst = 5_000
const tellAgainMsMax = 3_600_000
/** Decisions §8: notices are retried for 24 hours. */
const tellingMsMax = 24 * 3_600_000

async function tellChanges({ requests, deliver, key, tell }: WorkerOptions): Promise<void> {
  const { control, now } = requests
  const nowMs = now()
  const due = await takeCallbacks(control, new Date(nowMs), new Date(nowMs + takenMs), callbacksAtOnce)
  await Promise.all(
    due.map(async ({ id, url, body, attempts, created_at }) => {
      const headers = webhookHeaders(key, id, Math.floor(nowMs / 1_000), body)
      const status = await deliver(url, headers, body).catch((error: unknown) => {
        if (error instanceof AddressRefused) tell(`A callback of ${id} was not sent: ${error.message}`)
        return error instanceof AddressRefused ? null : 0
      })
      const isDone = status === null || (status >= 200 && status < 300)
      if (isDone || nowMs - created_at.getTime() > tellingMsMax) return deleteCallback(control, id)
      const pauseMs = Math.min(tellAgainMsMax, tellAgainMsFirst * 2 ** (attempts - 1))
      await postponeCallback(control, id, new Date(nowMs + pauseMs))
    }),
  )
}
