import { availableParallelism, totalmem } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.ts'

/**
 * One worker more than cores, since a worker often waits: for its engine, a browser, a timer. And no more than fit into
 * memory: a worker has a process of about 1 GB, an events engine of up to 2 GB, and at times a product of its own.
 */
const workerBytes = 4 * 1024 ** 3

export default defineConfig({
  test: {
    include: [
      '{contract,dashboard,docs-site,engine-portable,server,sdk,cli,examples,bench,scripts}/**/*.test.ts',
    ],
    globalSetup: ['server/src/testing/global-setup.ts'],
    setupFiles: ['scripts/property-seed.ts', 'server/src/testing/file-setup.ts'],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // The files of a worker share one process: to load the server and to compile the control store takes 4 s of a core,
    // which each of a hundred files would take again. So a file leaves nothing behind: it closes what it opens, and
    // gives back timers and globals that it replaced.
    isolate: false,
    maxWorkers: Math.min(availableParallelism() + 1, Math.max(2, Math.floor(totalmem() / workerBytes))),
    // Our sources run in Node as they are. Its own loader keeps what it compiled for the next process, and nothing is
    // transformed in between: ten seconds of a core, and a second in each worker.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A failure that cannot be repeated is understood from what it said.
    chaiConfig: { truncateThreshold: 1_000 },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
