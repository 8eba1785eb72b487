import { alertShapes } from './alert-shapes.ts'
import { analysisShapes } from './analysis-shapes.ts'
import { attributionShapes } from './attribution-shapes.ts'
import { backfillShapes } from './backfill-shapes.ts'
import { destinationShapes } from './destination-shapes.ts'
import { driftShapes } from './drift-shapes.ts'
import { healthShapes } from './health-shapes.ts'
import { peopleShapes } from './people-shapes.ts'
import { registryShapes } from './registry-shapes.ts'
import { replayShapes } from './replay-shapes.ts'
import { savedShapes } from './saved-shapes.ts'
import { siteShapes } from './site-shapes.ts'
import type { TableShape } from './table-shape.ts'
import { webhookShapes } from './webhook-shapes.ts'

/** What rows of each table of the control store may be, by its name. */
export const controlShapes: Readonly<Record<string, TableShape>> = {
  ...savedShapes,
  ...alertShapes,
  ...siteShapes,
  ...registryShapes,
  ...backfillShapes,
  ...webhookShapes,
  ...destinationShapes,
  ...analysisShapes,
  ...attributionShapes,
  ...healthShapes,
  ...driftShapes,
  ...replayShapes,
  ...peopleShapes,
}
