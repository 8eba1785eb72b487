import type { Outgoing } from '../destinations/dispatch.ts'
import type { People } from '../identity/people.ts'
import type { Logger } from '../platform/logger.ts'
import type { Platform } from '../platform/platform.ts'
import type { Superseded } from '../registry/backfills/superseded-sites.ts'
import type { SiteCurrencies } from '../sites/currencies.ts'
import { type DeadLetters, openDeadLetters } from './dead-letters/dead-letters.ts'
import { startWriter, type Writer } from './loader/loader.ts'
import { createStoreHealth } from './loader/store-health.ts'
import type { EventLog } from './wal/event-log.ts'
import { openLog, type SegmentLog } from './wal/write-ahead-log.ts'

/** What a load does besides storing the events. */
type LoadSteps = {
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
}

export async function openLogAndLoader(
  platform: Platform,
  logDir: string,
  steps: LoadSteps,
): Promise<LogAndLoader> {
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
    const deadLetters = await openDeadLetters({ ...platform, logDir, onFailure })
    writer = await startLoader(platform, log, deadLetters, steps)
    return { log, writer, deadLetters }
  } catch (error) {
    await log.close()
    throw error
  }
}

function startLoader(
  { config, control, events, nodeId, newId, failures }: Platform,
  log: SegmentLog,
  deadLetters: DeadLetters,
  steps: LoadSteps,
): Promise<Writer> {
  const stores = { events, staging: `staging_${nodeId}`, isShared: config.clickhouseUrl !== undefined }
  return startWriter({
    log,
    ...stores,
    ...steps,
    loadShare: config.loadShare,
    newId,
    health: createStoreHealth({ ...stores, control, nodeId }),
    setAside: async (segment, lines) => {
      await deadLetters.setAside(segment, lines)
      const [first] = lines
      const facts = { segment: segment.name, lines: lines.length, step: first?.step ?? '' }
      if (first !== undefined) failures.report('dead letters', first.error, facts)
    },
    onFailure: (error, segment) => failures.report('loader', error, { segment: segment.name }),
    onLoaded: () => failures.recovered('loader'),
  })
}

/** How long a start waits for what the log still holds. The rest is loaded while the product is up. */
const startLoadMsMax = 5_000

export async function loadRest(writer: Writer, logger: Logger): Promise<void> {
  const loaderLogger = logger.child({ component: 'loader' })
  loaderLogger.info('Loading what the log still holds')
  if (await writer.flush(startLoadMsMax)) return
  loaderLogger.info('The log takes longer; the rest is loaded while the product is up')
}
