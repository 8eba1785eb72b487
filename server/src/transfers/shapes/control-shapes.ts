import { alertShapes } from './alert-shapes.ts'
import { peopleShapes } from './people-shapes.ts'
import { savedShapes } from './saved-shapes.ts'
import { settingShapes } from './setting-shapes.ts'
import type { TableShape } from './table-shape.ts'
import { workShapes } from './work-shapes.ts'

/** What rows of each table of the control store may be, by its name. */
export const controlShapes: Readonly<Record<string, TableShape>> = {
  ...savedShapes,
  ...alertShapes,
  ...settingShapes,
  ...peopleShapes,
  ...workShapes,
}
