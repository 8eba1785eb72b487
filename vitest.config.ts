import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.ts'

export default defineConfig({
  test: {
    include: ['{contract,dashboard,engine-portable,server,sdk,cli,examples,bench,scripts}/**/*.test.ts'],
    globalSetup: ['server/src/testing/global-setup.ts'],
    setupFiles: ['scripts/property-seed.ts', 'server/src/testing/file-setup.ts'],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Two cores, and each server process holds an events engine of about 1.5 GB.
    maxWorkers: 2,
    // The control store is WebAssembly. Most files end before code that was compiled a second time, for speed, pays for
    // that: a start and 300 queries take a seventh less of the processor so.
    execArgv: ['--wasm-tiering-budget=600000000'],
    // A failure that cannot be repeated is understood from what it said.
    chaiConfig: { truncateThreshold: 1_000 },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
