/** The order of test files: those that start and kill whole products last long however few lines they have. */
import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { type Durations, readDurations } from './durations.ts'

const root = join(import.meta.dirname, '..')

/** Seconds of the longest, for a first run; `npm test` says at its end what they are now. */
const usual: Durations = new Map([
  ['server/src/hostile-attack.test.ts', 355],
  ['dashboard/test/dashboard.test.ts', 217],
  ['cli/src/commands/transfer.test.ts', 174],
  ['bench/src/kills.test.ts', 152],
  ['server/src/privacy/erasure/together.test.ts', 124],
  ['server/src/workspaces-sealed.test.ts', 119],
  ['server/src/ingest/dedup/trust.test.ts', 118],
  ['server/src/embedded-faults.test.ts', 96],
  ['server/src/errors/errors.test.ts', 94],
  ['sdk/browser/test/delivery.test.ts', 90],
  ['server/src/analytics/reads-model.test.ts', 87],
  ['server/src/store/events-home.test.ts', 85],
  ['server/src/transfers/import/hostile-imports.test.ts', 75],
  ['server/src/faults.test.ts', 66],
  ['scripts/packages.test.ts', 60],
  ['server/src/privacy/routes.test.ts', 60],
  ['sdk/browser/test/refusals.test.ts', 59],
  ['server/src/privacy/erasure/erasure.test.ts', 59],
  ['server/src/registry/backfills/backfills.test.ts', 58],
  ['server/src/errors/impact/placebo.test.ts', 57],
  ['dashboard/test/journey.test.ts', 52],
  ['server/src/quarantine/quarantine.test.ts', 50],
  ['server/src/privacy/erasure/person-erasure.test.ts', 50],
  ['server/src/routes.test.ts', 50],
  ['engine-portable/src/engine.test.ts', 48],
  ['server/src/attribution/routes.test.ts', 48],
  ['server/src/start-refusals.test.ts', 46],
  ['server/src/platform/private-directory.test.ts', 44],
  ['server/src/access.test.ts', 42],
  ['server/src/two-nodes.test.ts', 40],
  ['cli/src/mcp/mcp.test.ts', 40],
  ['server/src/quarantine/once.test.ts', 35],
  ['server/src/store/engine/durability.test.ts', 34],
  ['server/src/store/engine/open.test.ts', 34],
  ['server/src/auth/sign-in/sign-in-page.test.ts', 33],
  ['server/src/ingest/wal/kill.test.ts', 31],
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
