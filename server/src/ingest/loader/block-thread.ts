import { parentPort } from 'node:worker_threads'
import { BlockFiles } from './block-file.ts'

export type BlockRequest = { source: string; target: string }
export type BlockAnswer = { isWritten: boolean }

const files = new BlockFiles()

function tell({ source, target }: BlockRequest): BlockAnswer {
  try {
    return { isWritten: files.write(source, target) }
  } catch {
    // Whatever it is, the segment itself is there and can be loaded as it is.
    return { isWritten: false }
  }
}

parentPort?.on('message', (ask: BlockRequest) => parentPort?.postMessage(tell(ask)))
