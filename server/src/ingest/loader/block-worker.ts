import { rm } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { blockSuffix } from '../wal/closed-segments.ts'
import type { Segment } from '../wal/segment.ts'
import { BlockFiles } from './block-file.ts'
import type { BlockAnswer, BlockRequest } from './block-thread.ts'
import type { Staged } from './staged-store.ts'

/** A segment as blocks, and what they hold. */
type WrittenBlocks = { path: string; staged: Staged }

export type BlockWorker = {
  /**
   * Runs the work with the segment's blocks; with null where it has to be loaded as it is. One at a time.
   */
  withBlocks: <T>(segment: Segment, work: (blocks: WrittenBlocks | null) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

/** About two milliseconds of work, less than a thread takes to start. */
const bytesHereMax = 262_144
/** An idle thread is stopped to free its memory: a segment and its blocks. */
const idleMs = 30_000

/** Segments of a busy time are encoded in a thread of their own, so that requests do not wait for it. */
export function createBlockWorker(): BlockWorker {
  let here: BlockFiles | undefined
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let settle: (staged: Staged | null) => void = () => {}

  function start(): Worker {
    const started = new Worker(new URL('./block-thread.ts', import.meta.url), { argv: [], execArgv: [] })
    started.unref()
    const fail = () => {
      if (worker !== started) return
      worker = null
      settle(null)
    }
    started.on('message', ({ staged }: BlockAnswer) => settle(staged))
    started.on('error', fail)
    started.on('exit', fail)
    return started
  }
  async function stop(): Promise<void> {
    clearTimeout(idle)
    const ended = worker
    worker = null
    await ended?.terminate()
  }
  function writeElsewhere(request: BlockRequest): Promise<Staged | null> {
    clearTimeout(idle)
    worker ??= start()
    worker.postMessage(request)
    return new Promise<Staged | null>((resolve) => {
      settle = resolve
    }).finally(() => {
      idle = setTimeout(() => void stop(), idleMs).unref()
    })
  }
  function writeHere({ source, target }: BlockRequest): Staged | null {
    here ??= new BlockFiles()
    try {
      return here.write(source, target)
    } catch {
      // As in the thread: the segment itself is there.
      return null
    }
  }

  return {
    async withBlocks(segment, work) {
      const request = { source: segment.path, target: segment.path + blockSuffix }
      try {
        const staged = segment.bytes <= bytesHereMax ? writeHere(request) : await writeElsewhere(request)
        return await work(staged === null ? null : { path: request.target, staged })
      } finally {
        await rm(request.target, { force: true })
      }
    },
    close: async () => {
      settle(null)
      await stop()
    },
  }
}
