import { workerData } from 'node:worker_threads'
import { helpForEver } from './sync-queue.ts'

// Boundary: the starter passes exactly this.
helpForEver(workerData as Int32Array<SharedArrayBuffer>)
