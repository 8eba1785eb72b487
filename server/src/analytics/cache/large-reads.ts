import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FreshRead } from '../../http/fresh-read.ts'
import type { Control } from '../../store/control.ts'
import type { Reading } from '../report-query.ts'
import type { ReportCache } from './report-cache.ts'

/**
 * A second on the portable engine, some tens of milliseconds on another; caching smaller reads gains nothing.
 */
export const largeEventsMin = 200_000
/** Where visits are counted and not events: an average visit has five events. */
export const largeVisitsMin = largeEventsMin / 5

/** The read and its parameters. Equal queries get the same cached answer. */
export type Question = Asking & { name: string; asked: object }

/** Who asks, and how fresh the answer is to be. A job has neither request nor reply. */
export type Asking = {
  read: FreshRead
  request?: FastifyRequest | undefined
  reply?: FastifyReply | undefined
}

/**
 * A read over many events is cached for a while and refreshed in the background; `Age` says how old it is, as
 * with any cache, and `Cache-Control: no-cache` or `Prefer: wait` asks for a new one. Changes in the
 * workspace are visible at once; only newly arrived events may be missing.
 */
export async function readLarge<Value>(
  kept: ReportCache,
  { name, asked, read, request, reply }: Question,
  { filter, money, period }: Pick<Reading, 'filter' | 'money' | 'period'>,
  make: () => Promise<{ value: Value; isLarge: boolean }>,
): Promise<Value> {
  const { timezone } = period
  const key = `${filter.workspaceId} ${name} ${JSON.stringify({ asked, filter, money, timezone })}`
  const isNew = read.isAwaited || /\bno-cache\b/i.test(request?.headers['cache-control'] ?? '')
  const makeDated = async () => {
    const dataUntilMs = read.dataUntilMs()
    return { ...(await make()), dataUntilMs }
  }
  const { value, dataUntilMs } = await kept.ofLarge(
    key,
    makeDated,
    ({ isLarge }) => isLarge,
    isNew ? 'new' : 'any',
  )
  read.reachesUntil(dataUntilMs)
  const ageMs = kept.ageMs(key)
  if (ageMs !== null) reply?.header('age', Math.max(0, Math.floor(ageMs / 1000)).toString())
  return value
}

const channel = 'assay_kept_answers'

/** Drops cached reports of a workspace, here at once and on every other node a moment later. */
export async function createReportEviction(
  control: Control,
  kept: ReportCache,
): Promise<(workspaceId: string) => Promise<void>> {
  const forget = (workspaceId: string) => kept.forget(`${workspaceId} `)
  await control.listen(channel, forget, () => kept.forget(''))
  return async (workspaceId) => {
    forget(workspaceId)
    await control.notify(channel, workspaceId)
  }
}
