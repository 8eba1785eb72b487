import { setImmediate as nextTurn } from 'node:timers/promises'
import { AddressRefused, type Deliver } from '../../http/outbound-address.ts'
import type { Failures } from '../../platform/logging/failures.ts'
import type { Logger } from '../../platform/logging/logger.ts'
import { deleteCallback, postponeCallback, takeCallbacks } from './callback-store.ts'
import { noteCallbacks, type Requests } from './requests.ts'
import { type SigningKey, webhookHeaders } from './signature.ts'
import {
  completeRequest,
  type ForgetState,
  failRequest,
  hasFreeRequest,
  putBack,
  type RequestRow,
  saveProgress,
  saveStates,
  takeRequests,
} from './store.ts'

/**
 * Does what requests ask for: one export, or forgets of the same workspace and mode, all or none of them. Answers the
 * result of each by its id. It may be called again after it was cut short anywhere.
 */
export type Handle = (
  rows: readonly RequestRow[],
  report: ReportSteps,
  keep: KeepStates,
) => Promise<ReadonlyMap<string, object>>

/** Called now and then, with the finished rows of each; throwing stops the work. */
export type ReportSteps = (step: string, rowsDone: ReadonlyMap<string, number>) => Promise<void>

/** How far each request is, by its id. */
export type States = ReadonlyMap<string, ForgetState>

/** Stores the progress for a possible successor; throwing stops the work. */
export type KeepStates = (states: States) => Promise<void>

type WorkerOptions = {
  requests: Requests
  /** Names this process among all that share the queue. */
  holder: string
  handle: Handle
  deliver: Deliver
  key: SigningKey
  logger: Logger
  failures: Pick<Failures, 'report'>
}

export type Worker = {
  /** Does all that waits, one group of requests after another; several calls share what waits. */
  work: () => Promise<void>
  /** Sends all due status callbacks. */
  publishChanges: () => Promise<void>
  /** Lets go of what is under way, for others to finish. */
  stop: () => void
}

/** Work that is alive says so with every report; four of these fit into the 60 seconds. */
const leaseMs = 15_000
const renewMs = 5_000
const attemptsMax = 5
const pauseMsFirst = 1_000

/**
 * So many forgets are done together, by how often they were tried: what is searched and rewritten costs the same for
 * one person as for many. A group that failed is tried again, since the store may have been busy; then its requests are
 * tried in smaller groups and at last alone, so that one which cannot be done holds up no other.
 */
const groupSizes = [50, 50, 10, 1] as const

/** The process is ending, or another worker has taken over because we seemed dead. */
class LetGo extends Error {
  override name = 'LetGo'
}

export function createWorker(options: WorkerOptions): Worker {
  const { requests } = options
  let isStopping = false
  let turns = 0
  let looking: Promise<boolean> | null = null
  /**
   * Mostly there is nothing to do: lanes that begin together share one plain question. Who comes after it was asked
   * asks again, so that a request which was there before is never missed.
   */
  const isAnyFree = () => {
    looking ??= nextTurn().then(() => {
      looking = null
      return hasFreeRequest(requests.control, new Date(requests.now()))
    })
    return looking
  }
  return {
    async work() {
      while (!isStopping && (await isAnyFree())) {
        // Several lanes run in one process, and each may lose its lease while another keeps it.
        turns += 1
        const holder = `${options.holder}_${turns}`
        const nowMs = requests.now()
        const rows = await requests.control.transaction(async (sql) => {
          const lease = { holder, at: new Date(nowMs), until: new Date(nowMs + leaseMs) }
          const taken = await takeRequests(sql, lease, groupSizes)
          for (const row of taken) if (row.attempts === 1) await noteCallbacks(requests, sql, row)
          return taken
        })
        if (rows.length === 0) return
        await workOn({ ...options, holder }, rows, () => isStopping)
      }
    },
    publishChanges: () => publishChanges(options),
    stop: () => {
      isStopping = true
    },
  }
}

async function workOn(
  options: WorkerOptions,
  rows: readonly RequestRow[],
  isStopping: () => boolean,
): Promise<void> {
  const { requests, holder, handle } = options
  const { control, now } = requests
  const ids = rows.map(({ id }) => id)
  const progress = { step: 'beginning', rowsDone: new Map<string, number>() }
  let isLost = false
  const save = async () => {
    const leaseUntil = new Date(now() + leaseMs)
    isLost ||= !(await saveProgress(control, ids, holder, { ...progress, leaseUntil }))
  }
  // One long statement may take longer than a lease, and reports nothing meanwhile.
  const renewing = setInterval(() => void save().catch(() => {}), renewMs)
  const report: ReportSteps = async (step, rowsDone) => {
    Object.assign(progress, { step, rowsDone })
    await save()
    if (isLost || isStopping()) throw new LetGo()
  }
  const keep: KeepStates = async (states) => {
    const isKept = await saveStates(control, states, holder, new Date(now() + leaseMs))
    if (!isKept || isStopping()) throw new LetGo()
  }
  try {
    const results = await handle(rows, report, keep)
    for (const { id } of rows) await complete(options, id, results.get(id))
  } catch (error) {
    if (!(error instanceof LetGo)) {
      options.failures.report('data-subject requests', error, { request: ids.join(' ') })
    }
    for (const row of rows) await giveUp(options, row, error)
  } finally {
    clearInterval(renewing)
  }
}

async function complete({ requests, holder }: WorkerOptions, id: string, result = {}): Promise<void> {
  await requests.control.transaction(async (sql) => {
    const done = await completeRequest(sql, id, holder, new Date(requests.now()), result)
    if (done !== null) await noteCallbacks(requests, sql, done)
  })
}

/** What failed is tried again after a pause, some times; then a human has to look. */
async function giveUp({ requests, holder }: WorkerOptions, row: RequestRow, error: unknown) {
  const { control, now } = requests
  const nowMs = now()
  if (error instanceof LetGo) return putBack(control, row.id, holder, new Date(nowMs), 'interrupted')
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

async function publishChanges({ requests, deliver, key, logger }: WorkerOptions): Promise<void> {
  const { control, now } = requests
  const nowMs = now()
  const due = await takeCallbacks(control, new Date(nowMs), new Date(nowMs + takenMs), callbacksAtOnce)
  await Promise.all(
    due.map(async ({ id, url, body, attempts, created_at }) => {
      const headers = webhookHeaders(key, id, Math.floor(nowMs / 1_000), body)
      const status = await deliver(url, headers, body).catch((error: unknown) => {
        if (error instanceof AddressRefused)
          logger.warn({ callback: id }, `A callback was not sent: ${error.message}`)
        return error instanceof AddressRefused ? null : 0
      })
      const isDone = status === null || (status >= 200 && status < 300)
      if (isDone || nowMs - created_at.getTime() > tellingMsMax) return deleteCallback(control, id)
      const pauseMs = Math.min(tellAgainMsMax, tellAgainMsFirst * 2 ** (attempts - 1))
      await postponeCallback(control, id, new Date(nowMs + pauseMs))
    }),
  )
}
