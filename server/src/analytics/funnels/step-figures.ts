import { shareOf } from '../statistics.ts'
import type { LevelRow } from './funnel-store.ts'

/** Reaching a step means having reached all before it. */
export function enteredOf(rows: readonly Pick<LevelRow, 'level' | 'subjects'>[], steps: number): number[] {
  return Array.from({ length: steps }, (_, index) =>
    rows
      .filter(({ level }) => Number(level) > index)
      .reduce((sum, { subjects }) => sum + Number(subjects), 0),
  )
}

export function stepFigures(entered: readonly number[], index: number) {
  const here = entered[index] ?? 0
  return {
    entered: here,
    dropOff: here - (entered[index + 1] ?? here),
    conversionRate: shareOf(here, entered[0] ?? 0),
  }
}
