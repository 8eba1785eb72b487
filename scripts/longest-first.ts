/** The order of test files: those that start and kill whole products last long however few lines they have. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Longest first, by what a whole run says of each; begun last, one of them would keep one core waiting. */
const longest = [
  'dashboard/test/dashboard.test.ts',
  'server/src/hostile-attack.test.ts',
  'sdk/browser/test/delivery.test.ts',
  'cli/src/commands/transfer.test.ts',
  'server/src/ingest/trust.test.ts',
  'server/src/embedded-faults.test.ts',
  'server/src/privacy/erasure.test.ts',
  'server/src/transfers/hostile-imports.test.ts',
  'sdk/browser/test/refusals.test.ts',
  'bench/src/kills.test.ts',
  'server/src/store/events-home.test.ts',
  'server/src/registry/backfills.test.ts',
  'cli/src/mcp/mcp.test.ts',
  'dashboard/test/journey.test.ts',
  'server/src/faults.test.ts',
  'server/src/privacy/forgetting.test.ts',
  'server/src/accounts/workspace-deletion.test.ts',
  'server/src/ingest/quarantine.test.ts',
  'server/src/ingest/quarantine-once.test.ts',
  'server/src/registry/backfill-model.test.ts',
  'server/src/routes.test.ts',
  'server/src/workspaces-sealed.test.ts',
  'server/src/store/engine/open.test.ts',
  'server/src/store/engine/durability.test.ts',
  'sdk/browser/test/replay.test.ts',
  'server/src/store/engine/portable-engine.test.ts',
  'server/src/access.test.ts',
  'server/src/attribution/routes.test.ts',
  'server/src/audiences/audiences.test.ts',
  'sdk/server/test/existing-sdks.test.ts',
  'scripts/tour.test.ts',
  'server/src/start-refusals.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((name) => moduleId.endsWith(name))
      return place < 0 ? longest.length : place
    }
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other))
  }
}
