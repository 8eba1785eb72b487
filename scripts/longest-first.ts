/** The order of test files: those that start and kill whole products last long however few lines they have. */
import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { type Durations, readDurations } from './durations.ts'

const root = join(import.meta.dirname, '..')

/** Seconds of the longest, for a first run; `npm test` says at its end what they are now. */
const usual: Durations = new Map([
  ['server/src/hostile-attack.test.ts', 294],
  ['server/src/privacy/erasure/together.test.ts', 271],
  ['dashboard/test/dashboard.test.ts', 217],
  ['cli/src/commands/transfer.test.ts', 162],
  ['server/src/errors/errors.test.ts', 106],
  ['bench/src/kills.test.ts', 103],
  ['server/src/transfers/import/hostile-imports.test.ts', 101],
  ['server/src/embedded-faults.test.ts', 101],
  ['server/src/privacy/requests/overlapping.test.ts', 87],
  ['server/src/ingest/dedup/trust.test.ts', 85],
  ['sdk/browser/test/delivery.test.ts', 85],
  ['server/src/store/events-home.test.ts', 81],
  ['server/src/privacy/erasure/erasure.test.ts', 80],
  ['sdk/browser/test/refusals.test.ts', 67],
  ['server/src/attribution/routes.test.ts', 57],
  ['server/src/privacy/routes.test.ts', 54],
  ['dashboard/test/journey.test.ts', 52],
  ['server/src/registry/backfills/backfills.test.ts', 50],
  ['server/src/ingest/one-gate.test.ts', 50],
])

/** Begun last, a long one would keep one core waiting. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const last = readDurations()
    const secondsOf = ({ moduleId }: TestSpecification): number => {
      const name = relative(root, moduleId)
      return last.get(name) ?? usual.get(name) ?? 0
    }
    return (await super.sort(files)).sort((one, other) => secondsOf(other) - secondsOf(one))
  }
}
