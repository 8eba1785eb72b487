/** The order of test files: those that start and kill whole products last long however few lines they have. */
import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { type Durations, readDurations } from './durations.ts'

const root = join(import.meta.dirname, '..')

/** Seconds of the longest, for a first run; `npm test` says at its end what they are now. */
const usual: Durations = new Map([
  ['server/src/hostile-attack.test.ts', 430],
  ['dashboard/test/dashboard.test.ts', 372],
  ['cli/src/commands/transfer.test.ts', 295],
  ['server/src/transfers/import/hostile-imports.test.ts', 148],
  ['server/src/privacy/erasure/together.test.ts', 132],
  ['dashboard/test/boards.test.ts', 130],
  ['server/src/ingest/dedup/trust.test.ts', 126],
  ['bench/src/kills.test.ts', 123],
  ['server/src/store/events-home.test.ts', 98],
  ['scripts/fresh-projects.test.ts', 93],
  ['sdk/browser/test/delivery.test.ts', 97],
  ['server/src/embedded-faults.test.ts', 75],
  ['server/src/several-nodes.test.ts', 94],
  ['server/src/privacy/erasure/erasure.test.ts', 89],
  ['dashboard/test/explore.test.ts', 89],
  ['server/src/bound-keys.test.ts', 85],
  ['server/src/workspaces-sealed.test.ts', 83],
  ['server/src/errors/errors.test.ts', 81],
  ['server/src/analytics/reads-model.test.ts', 79],
  ['server/src/analytics/questions/question-model.test.ts', 73],
  ['server/src/faults.test.ts', 61],
  ['server/src/start-refusals.test.ts', 59],
  ['server/src/clustered-store.test.ts', 59],
  ['engine-portable/src/engine.test.ts', 59],
  ['server/src/ingest/replicated/log-home.test.ts', 58],
  ['server/src/registry/backfills/backfills.test.ts', 57],
  ['server/src/access.test.ts', 57],
  ['server/src/privacy/erasure/person-erasure.test.ts', 56],
  ['server/src/routes.test.ts', 55],
  ['server/src/tracing.test.ts', 55],
  ['dashboard/test/journey.test.ts', 53],
  ['server/src/ingest/wal/kill.test.ts', 53],
  ['server/src/store/engine/durability.test.ts', 52],
  ['server/src/quarantine/quarantine.test.ts', 52],
  ['server/src/store/engine/open.test.ts', 50],
  ['cli/src/commands/mixed-backup.test.ts', 50],
  ['scripts/packages.test.ts', 49],
  ['server/src/attribution/routes.test.ts', 49],
  ['server/src/identity/routes.test.ts', 49],
  ['sdk/browser/test/other-clients.test.ts', 46],
  ['server/src/errors/impact/placebo.test.ts', 46],
  ['cli/src/mcp/mcp.test.ts', 46],
  ['server/src/identity/people-list/people-list.test.ts', 45],
  ['sdk/browser/test/refusals.test.ts', 45],
  ['sdk/java/java.test.ts', 44],
  ['server/src/privacy/routes.test.ts', 43],
  ['server/src/ingest/replicated/replicated.test.ts', 43],
  ['bench/src/demo-anomalies.test.ts', 40],
  ['docs-site/test/site.test.ts', 40],
  ['server/src/auth/sign-in/sign-in-page.test.ts', 38],
  ['server/src/two-nodes.test.ts', 38],
  ['server/src/alerts/delivery.test.ts', 37],
  ['server/src/platform/files/private-directory.test.ts', 37],
  ['server/src/rate-limits.test.ts', 35],
  ['server/src/quarantine/once.test.ts', 35],
  ['server/src/paused-node.test.ts', 33],
  ['server/src/analytics/tally/figures.test.ts', 33],
  ['server/src/ingest/one-gate.test.ts', 33],
  ['server/src/webhooks/routes.test.ts', 33],
  ['sdk/browser/test/replay.test.ts', 32],
  ['scripts/tour.test.ts', 30],
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
