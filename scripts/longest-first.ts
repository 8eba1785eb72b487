/** The order of test files: those that start and kill whole products last long however few lines they have. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Longest first, by what a whole run says of each; begun last, one of them would keep one core waiting. */
const longest = [
  'cli/src/mcp/mcp.test.ts',
  'server/src/faults.test.ts',
  'sdk/browser/test/delivery.test.ts',
  'server/src/registry/backfills.test.ts',
  'server/src/embedded-faults.test.ts',
  'cli/src/commands/transfer.test.ts',
  'server/src/registry/backfill-model.test.ts',
  'server/src/ingest/quarantine.test.ts',
  'server/src/ingest/quarantine-once.test.ts',
  'server/src/store/engine/durability.test.ts',
  'server/src/accounts/workspace-deletion.test.ts',
  'server/src/start-refusals.test.ts',
  'scripts/tour.test.ts',
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
