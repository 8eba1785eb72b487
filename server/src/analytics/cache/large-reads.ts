import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FreshRead } from '../../http/fresh-read.ts'
import type { Control } from '../../store/control.ts'
import type { Reading } from '../report-query.ts'
import type { Kept } from './report-cache.ts'

/** A second of the portable engine, some tens of milliseconds of another; below it nobody gains by an older answer. */
export const largeEventsMin = 200_000
/** Where visits are counted and not events: with the five events that one has on a common site. */
export const largeVisitsMin = largeEventsMin / 5

/** What was asked: which read, with what. Asking the same again gives the same. */
export type Question = {
  name: string
  asked: object
  read: FreshRead
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * A read over many events is kept for a while and made anew behind the caller's back; `Age` says how old it is, as
 * with any cache, and `Cache-Control: no-cache` or `Prefer: wait` asks for a new one. Whoever changes anything in the
 * workspace sees it at once; only events that went on arriving may be missing.
 */
export async function readLarge<Value>(
  kept: Kept,
  { name, asked, read, request, reply }: Question,
  { filter, money, period }: Pick<Reading, 'filter' | 'money' | 'period'>,
  make: () => Promise<{ value: Value; isLarge: boolean }>,
): Promise<Value> {
  const { timezone } = period
  const key = `${filter.workspaceId} ${name} ${JSON.stringify({ asked, filter, money, timezone })}`
  const isNew = read.isAwaited || /\bno-cache\b/i.test(request.headers['cache-control'] ?? '')
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
  if (ageMs !== null) reply.header('age', Math.max(0, Math.floor(ageMs / 1000)).toString())
  return value
}

const channel = 'assay_kept_answers'

/** Drops what is kept of a workspace, here at once and on every other node a moment later. */
export async function createKeptForgetting(
  control: Control,
  kept: Kept,
): Promise<(workspaceId: string) => Promise<void>> {
  const forget = (workspaceId: string) => kept.forget(`${workspaceId} `)
  await control.listen(channel, forget, () => kept.forget(''))
  return async (workspaceId) => {
    forget(workspaceId)
    await control.notify(channel, workspaceId)
  }
}
