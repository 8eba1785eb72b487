import { randomBytes } from 'node:crypto'
import type { Outgoing } from '../destinations/dispatch.ts'
import type { People } from '../identity/people.ts'
import type { Logger } from '../platform/logging/logger.ts'
import type { Platform } from '../platform/platform.ts'
import type { Superseded } from '../registry/backfills/superseded-sites.ts'
import type { SiteCurrencies } from '../sites/currencies.ts'
import { type DeadLetters, fileBytesMax, openDeadLetters } from './dead-letters/dead-letters.ts'
import { openDeadLetterFile } from './dead-letters/file.ts'
import { startWriter, type Writer } from './loader/loader.ts'
import type { SegmentLoadsOptions } from './loader/segment-loads.ts'
import { createStoreHealth } from './loader/store-health.ts'
import { type OpenHome, openLogHome } from './replicated/log-home.ts'
import type { EventLog } from './wal/event-log.ts'
import type { SegmentLog } from './wal/segment-log.ts'
import { openLog } from './wal/write-ahead-log.ts'

/** What a load does besides storing the events. */
export type LoadSteps = {
  observer: People['observing']
  forward: Outgoing['forward']
  superseded: Superseded
  currencies: SiteCurrencies
}

export type LogAndLoader = {
  log: EventLog
  writer: Writer
  /** Lines of the log that no store took. */
  deadLetters: DeadLetters
  closeLog: () => Promise<void>
}

/** The log as files of this node, and what loads them. */
export async function openFileLog(
  platform: Platform,
  logDir: string,
  steps: LoadSteps,
): Promise<LogAndLoader> {
  const { control, nodeId, failures } = platform
  const runId = newRunId(nodeId)
  const onError = (error: unknown) => failures.report('log', error)
  const home = control.shared
    ? await openLogHome({
        control,
        nodeId,
        runId,
        kind: 'files',
        loads: true,
        partitions: 1,
        isAlone: platform.config.eventsTakeOver,
        prepare: async () => {},
        onError,
      })
    : null
  try {
    const { log, writer, deadLetters } = await openSegments(platform, logDir, steps)
    const closeLog = async () => {
      await writer.stop()
      await log.close()
      await leaveHome(home, async () => log.pendingEvents === 0 && deadLetters.file.letters === 0, onError)
    }
    return { log, writer, deadLetters, closeLog }
  } catch (error) {
    await leaveHome(home, async () => false, onError)
    throw error
  }
}

/** Of one process, also where its node was started before. */
export function newRunId(nodeId: string): string {
  return `${nodeId}_${randomBytes(4).toString('hex')}`
}

/** A control store that is away learns of it when the time of the node is over. */
export async function leaveHome(
  home: OpenHome | null,
  isDrained: () => Promise<boolean>,
  onError: (error: unknown) => void,
): Promise<void> {
  await home?.leave(isDrained).catch(onError)
}

type OpenSegments = { log: SegmentLog; writer: Writer; deadLetters: DeadLetters }

export async function openSegments(
  platform: Platform,
  logDir: string,
  steps: LoadSteps,
): Promise<OpenSegments> {
  const { config, now, nodeId, failures } = platform
  let writer: Writer | null = null
  const log = await openLog({
    dir: logDir,
    segmentBytesMax: config.segmentBytesMax,
    segmentAgeMsMax: config.segmentAgeMsMax,
    totalBytesMax: config.logBytesMax,
    now,
    nodeId,
    holdMs: () => writer?.holdMs ?? 0,
    onError: (error) => failures.report('log', error),
  })
  try {
    const onFailure = (error: unknown) => failures.report('dead letters', error)
    const file = await openDeadLetterFile(logDir, fileBytesMax)
    const deadLetters = await openDeadLetters({ ...platform, file, onFailure })
    writer = await startWriter({
      log,
      ...loadOptions(platform, steps, deadLetters),
      loadShare: config.loadShare,
      onFailure: (error, segment) => failures.report('loader', error, { segment: segment.name }),
      onLoaded: () => failures.recovered('loader'),
    })
    return { log, writer, deadLetters }
  } catch (error) {
    await log.close()
    throw error
  }
}

/** How lines are loaded, from whichever log. */
export function loadOptions(
  { config, control, events, nodeId, newId, failures, tracer }: Platform,
  steps: LoadSteps,
  deadLetters: DeadLetters,
): SegmentLoadsOptions {
  const stores = { events, staging: `staging_${nodeId}`, isShared: config.clickhouseUrl !== undefined }
  return {
    ...stores,
    ...steps,
    newId,
    tracer,
    health: createStoreHealth({ ...stores, control, nodeId }),
    setAside: async (segment, lines) => {
      await deadLetters.setAside(segment, lines)
      const [first] = lines
      const facts = { segment: segment.name, lines: lines.length, step: first?.step ?? '' }
      if (first !== undefined) failures.report('dead letters', first.error, facts)
    },
  }
}

/** How long a start waits for what the log still holds. The rest is loaded while the product is up. */
const startLoadMsMax = 5_000

export async function loadRest(writer: Writer, logger: Logger): Promise<void> {
  const loaderLogger = logger.child({ component: 'loader' })
  loaderLogger.info('Loading what the log still holds')
  if (await writer.flush(startLoadMsMax)) return
  loaderLogger.info('The log takes longer; the rest is loaded while the product is up')
}
