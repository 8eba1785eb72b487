import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { locks } from '../../store/locks.ts'
import { LogRefused } from './log-refusal.ts'
import {
  deleteGoneNodes,
  type HomeStore,
  type LogHome,
  type LogNode,
  leaveNode,
  readHome,
  seeNode,
  selectNodes,
  writeHome,
} from './partition-store.ts'

type HomeOptions = {
  control: HomeStore
  nodeId: string
  runId: string
  kind: LogHome['kind']
  /** Whether this node loads the log. */
  loads: boolean
  partitions: number
  /** The operator says that every other node is stopped. */
  isAlone: boolean
  /** Called while no other node can start or stop, before anything is decided for good. */
  prepare: (home: LogHome, isNew: boolean) => Promise<void>
  onError: (error: unknown) => void
}

export type OpenHome = {
  home: LogHome
  /** Says that this node is gone and, if it was the last one, whether its log holds nothing any more. */
  leave: (isDrained: () => Promise<boolean>) => Promise<void>
}

const seenMs = 15_000
const seeAgainMs = 4_000

/**
 * All nodes of an installation use one log: the files of one node, or one replicated log. Two nodes with files would
 * each hold acknowledged events that the other knows nothing of.
 */
export async function openLogHome(options: HomeOptions): Promise<OpenHome> {
  const { control, nodeId, runId, kind, loads, onError } = options
  const node = { nodeId, runId, kind, loads }
  await requireOwnName(options)
  const enter = async () => {
    const seen = (await selectNodes(control)).filter((one) => one.isSeen && one.runId !== runId)
    const others = options.isAlone ? [] : seen
    const before = await readHome(control)
    const chosen = homeFor(options, before, others)
    await options.prepare(chosen, before?.id !== chosen.id)
    await seeNode(control, node, seenMs)
    await deleteGoneNodes(control)
    await writeHome(control, { ...chosen, isDrained: false })
    return chosen
  }
  // Another node may load what its files hold.
  const home = await control.unhurried(() => control.exclusively(locks.logHome, enter))
  const timer = setInterval(() => {
    seeNode(control, node, seenMs).then(
      (isOurs) => isOurs || onError(new Error(`another process uses the node id ${nodeId}`)),
      onError,
    )
  }, seeAgainMs).unref()
  return {
    home,
    leave: async (isDrained) => {
      clearInterval(timer)
      await control.exclusively(locks.logHome, async () => {
        await leaveNode(control, node)
        const others = (await selectNodes(control)).filter(({ isSeen }) => isSeen)
        if (others.length > 0 || !(await isDrained())) return
        await writeHome(control, { ...home, isDrained: true })
      })
    },
  }
}

/**
 * A process with our id that is still seen was killed a moment ago, or runs on a copy of our data directory. Only one
 * that runs is seen again.
 */
async function requireOwnName({ control, nodeId }: HomeOptions): Promise<void> {
  const seenUntil = async () => {
    const found = (await selectNodes(control)).find((one) => one.nodeId === nodeId && one.isSeen)
    return found?.seenUntil.getTime()
  }
  const before = await seenUntil()
  if (before === undefined) return
  await wait(seeAgainMs + seeAgainMs / 4)
  const after = await seenUntil()
  if (after !== undefined && after !== before) {
    throw new LogRefused(
      `Another process runs with the id of this node, ${nodeId}: the data directory was copied. Delete the file node-id in ASSAY_DATA_DIR and start again.`,
    )
  }
  await leaveNode(control, { nodeId, runId: await runOf(control, nodeId) })
}

async function runOf(control: HomeStore, nodeId: string): Promise<string> {
  return (await selectNodes(control)).find((one) => one.nodeId === nodeId)?.runId ?? ''
}

function homeFor(
  { nodeId, kind, partitions }: HomeOptions,
  before: LogHome | null,
  others: readonly LogNode[],
): LogHome {
  const fresh = (): LogHome => ({ kind, id: randomUUID(), nodeId, partitions, isDrained: false })
  const otherKind = others.find((one) => one.kind !== kind)
  if (otherKind !== undefined) throw new LogRefused(apartAdvice(kind, otherKind.nodeId))
  if (kind === 'files' && others.length > 0) throw new LogRefused(secondAdvice(others[0]?.nodeId ?? ''))
  if (before === null) return fresh()
  if (before.kind !== kind) {
    // The files of this very node are loaded before it appends to the other log.
    const isOurs = before.kind === 'files' && before.nodeId === nodeId
    if (before.isDrained || isOurs) return fresh()
    throw new LogRefused(drainAdvice(before))
  }
  if (kind === 'files') return { ...before, nodeId }
  if (before.partitions === partitions) return before
  if (before.isDrained) return fresh()
  throw new LogRefused(
    `The log has ${before.partitions} partitions, and ASSAY_LOG_PARTITIONS is ${partitions}. Set it to ${before.partitions}; or stop all nodes once everything is loaded, and start with the new number.`,
  )
}

const secondAdvice = (other: string) =>
  `Another node (${other}) runs on this Postgres with its log in files. ` +
  'Each would know only what it acknowledged itself. ' +
  'For several nodes, set ASSAY_LOG_URL on all of them. If the other node is gone, wait 15 seconds and start again.'

const apartAdvice = (kind: LogHome['kind'], other: string) =>
  kind === 'nats'
    ? `Another node (${other}) runs on this Postgres with its log in files. ` +
      'Stop it before this one starts with ASSAY_LOG_URL.'
    : `Another node (${other}) runs on this Postgres with a replicated log. Set ASSAY_LOG_URL on this one too.`

const drainAdvice = ({ kind, nodeId }: LogHome) =>
  kind === 'files'
    ? `The log of this installation is in files of the node ${nodeId}, and may hold events that are not loaded. ` +
      'Start that node once with ASSAY_LOG_URL: it loads them first.'
    : 'The replicated log of this installation may hold events that are not loaded. Start once with ASSAY_LOG_URL, ' +
      'wait until assay_log_pending_events is 0 on every node, stop all nodes, and start without it.'
