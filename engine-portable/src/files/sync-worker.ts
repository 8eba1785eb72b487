import { workerData } from 'node:worker_threads'
import { serveQueue } from './sync-queue.ts'

// Boundary: the starter passes exactly this.
serveQueue(workerData as Int32Array<SharedArrayBuffer>)
