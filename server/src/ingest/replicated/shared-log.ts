import { mkdir, rm } from 'node:fs/promises'
import type { ReplicatedLogSettings } from '../../platform/node/replicated-log-settings.ts'
import type { Platform } from '../../platform/platform.ts'
import { type DeadLetters, fileBytesMax, openDeadLetters } from '../dead-letters/dead-letters.ts'
import type { DeadLetterFile } from '../dead-letters/file.ts'
import {
  type LoadSteps,
  type LogAndLoader,
  leaveHome,
  loadOptions,
  newRunId,
  openSegments,
} from '../log-and-loader.ts'
import { type PartitionLoader, startPartitionLoader } from './loader/partition-loader.ts'
import { openLogHome } from './log-home.ts'
import { LogRefused } from './log-refusal.ts'
import { openOverflow } from './overflow.ts'
import { createPartitions, resetPartitions, selectLoaded } from './partition-store.ts'
import { ReplicatedLog } from './replicated-log.ts'
import { openStreams, type Streams } from './streams.ts'

/** How long a start loads what the files of this node hold, before it changes to a replicated log. */
const drainFilesMsMax = 600_000

/** A log that all nodes share, and the loader of the partitions that this node holds. */
export async function openReplicatedLog(
  platform: Platform,
  settings: ReplicatedLogSettings,
  logDir: string,
  steps: LoadSteps,
): Promise<LogAndLoader> {
  const { config, control, nodeId, failures } = platform
  const onError = (error: unknown) => failures.report('log', error)
  const runId = newRunId(nodeId)
  const streams = await openStreams(settings, { bytesMax: config.logBytesMax, nodeId })
  try {
    const overflow = await openOverflow(control, fileBytesMax)
    const opened = await openLogHome({
      control,
      nodeId,
      runId,
      kind: 'nats',
      loads: config.roles.includes('loader'),
      partitions: settings.partitions,
      isAlone: false,
      prepare: async (_home, isNew) => {
        await drainFiles(platform, logDir, steps, overflow)
        await preparePartitions(platform, streams, isNew)
      },
      onError,
    })
    try {
      const onFailure = (error: unknown) => failures.report('dead letters', error)
      const deadLetters = await openDeadLetters({ ...platform, file: overflow, onFailure })
      const parts = await startParts(platform, { streams, runId, logId: opened.home.id, deadLetters, steps })
      const closeLog = async () => {
        await parts.writer.stop()
        await parts.log.close()
        await leaveHome(opened, () => isDrained(platform, streams), onError)
        await streams.close()
      }
      return { ...parts, deadLetters, closeLog }
    } catch (error) {
      await leaveHome(opened, async () => false, onError)
      throw error
    }
  } catch (error) {
    await streams.close()
    throw error
  }
}

type Parts = {
  streams: Streams
  runId: string
  logId: string
  deadLetters: DeadLetters
  steps: LoadSteps
}

async function startParts(
  platform: Platform,
  { streams, runId, logId, deadLetters, steps }: Parts,
): Promise<{ log: ReplicatedLog; writer: PartitionLoader }> {
  const { config, control, now, failures } = platform
  const spoolDir = `${config.dataDir}/spool`
  // What an earlier process left there is in the log as well.
  await rm(spoolDir, { recursive: true, force: true })
  await mkdir(spoolDir, { recursive: true, mode: 0o700 })
  let loader: PartitionLoader | null = null
  const log = new ReplicatedLog({
    streams,
    sql: control,
    now,
    runId,
    totalBytesMax: config.logBytesMax,
    onError: (error) => failures.report('log', error),
    onAppended: () => loader?.wake(),
  })
  loader = await startPartitionLoader({
    ...loadOptions(platform, steps, deadLetters),
    control,
    streams,
    log,
    runId,
    logId,
    spoolDir,
    rangeBytesMax: config.segmentBytesMax,
    ageMsMax: config.segmentAgeMsMax,
    loadShare: config.loadShare,
    loads: config.roles.includes('loader'),
    onFailure: (error, partition) => failures.report('loader', error, { partition }),
    onLoaded: () => failures.recovered('loader'),
  })
  return { log, writer: loader }
}

/** Loads what this node acknowledged while its log was files, so that nothing of it stays behind. */
async function drainFiles(
  platform: Platform,
  logDir: string,
  steps: LoadSteps,
  overflow: DeadLetterFile,
): Promise<void> {
  const { log, writer, deadLetters } = await openSegments(platform, logDir, steps)
  try {
    const hasFiles = log.closed().length > 0
    if (hasFiles) platform.logger.info('Loading what the log in files still holds, before it is replicated')
    if (hasFiles && !(await writer.flush(drainFilesMsMax))) {
      throw new LogRefused(
        'The log in files holds events that could not be loaded, because the events store is behind. Nothing is lost: start again when it is up.',
      )
    }
    const letters = await deadLetters.file.read()
    for (const letter of letters) await overflow.append(letter)
    if (letters.length > 0) await deadLetters.file.keep(() => false)
  } finally {
    await writer.stop()
    await log.close()
  }
}

async function preparePartitions(
  { control, config }: Platform,
  streams: Streams,
  isNew: boolean,
): Promise<void> {
  const each = Array.from({ length: streams.partitions }, (_, partition) => streams.state(partition))
  const states = await Promise.all(each)
  const fromFirst = () =>
    resetPartitions(
      control,
      states.map(({ firstSeq }) => Math.max(0, firstSeq - 1)),
    )
  const hasMessages = states.some(({ firstSeq, lastSeq }) => lastSeq > 0 && firstSeq <= lastSeq)
  if (config.logTakeOver) return fromFirst()
  if (isNew && hasMessages) throw new LogRefused(foreignAdvice)
  if (isNew) return fromFirst()
  await createPartitions(control, streams.partitions)
  const loaded = await selectLoaded(control)
  const isWhole = states.every(({ firstSeq, lastSeq }, partition) => {
    const seq = loaded[partition] ?? 0
    return lastSeq >= seq && firstSeq <= seq + 1
  })
  if (!isWhole) throw new LogRefused(lostAdvice)
}

const foreignAdvice =
  'The streams of ASSAY_LOG_URL hold messages that this installation did not write. ' +
  'Set ASSAY_LOG_NAME to another name. If they are its own, as after a restored control store, ' +
  'start once with ASSAY_LOG_TAKE_OVER=true: events that are stored already count once.'
const lostAdvice =
  'The streams of ASSAY_LOG_URL do not hold what is not loaded yet: ' +
  'they were made again, or an older state was restored. Restore them if you can. If it is lost,' +
  ' start once with ASSAY_LOG_TAKE_OVER=true, which loads what they hold now.'

async function isDrained({ control }: Platform, streams: Streams): Promise<boolean> {
  const loaded = await selectLoaded(control)
  const each = Array.from({ length: streams.partitions }, (_, partition) => streams.state(partition))
  return (await Promise.all(each)).every(({ lastSeq }, partition) => lastSeq <= (loaded[partition] ?? 0))
}
