import { parentPort } from 'node:worker_threads'
import { BlockFiles } from './block-file.ts'
import type { Staged } from './staged-store.ts'

export type BlockRequest = { source: string; target: string }
/** What the blocks hold; null where there are none. */
export type BlockAnswer = { staged: Staged | null }

const files = new BlockFiles()

function tell({ source, target }: BlockRequest): BlockAnswer {
  try {
    return { staged: files.write(source, target) }
  } catch {
    // Whatever it is, the segment itself is there and can be loaded as it is.
    return { staged: null }
  }
}

parentPort?.on('message', (ask: BlockRequest) => parentPort?.postMessage(tell(ask)))
