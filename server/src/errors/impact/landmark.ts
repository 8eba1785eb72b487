/**
 * Where a session stands at one of its steps, before it bought anything: the stage that it has reached, whether this
 * step reached it, how many steps it has taken and how long it lasts by then. A step is any event but an error or a
 * purchase: an error must not move the position at which it strikes.
 */

/** Bins end at these counts of steps, each included; the last is open. */
const stepEnds = [1, 2, 3, 5, 8, 12, 20] as const
/** Bins end at so many milliseconds since the session began, each included; the last is open. */
const elapsedEnds = [15_000, 60_000, 240_000] as const

const stepBins = stepEnds.length + 1
const elapsedBins = elapsedEnds.length + 1

/** The first steps of a session that are compared; the last bin of steps begins far below. */
export const stepsMax = 200
/** The first groups that met a session; one that met more would take as much memory as thousands. */
export const groupsOfSessionMax = 50

type Position = {
  /** 0 browse, 1 product, 2 cart, 3 checkout. */
  stage: number
  /** An earlier step had reached the stage already. */
  isLater: boolean
  steps: number
  elapsedMs: number
}

/** One number for all positions that are treated as equal, below `cellsMax`. */
export function cellOf({ stage, isLater, steps, elapsedMs }: Position): number {
  const group = stage * 2 + (isLater ? 1 : 0)
  return (group * stepBins + binOf(steps, stepEnds)) * elapsedBins + binOf(elapsedMs, elapsedEnds)
}

const stages = 4
export const cellsMax = stages * 2 * stepBins * elapsedBins

function binOf(value: number, ends: readonly number[]): number {
  let bin = 0
  while (bin < ends.length && value > (ends[bin] ?? 0)) bin += 1
  return bin
}

/** The stage of a cell and whether its steps reached it, without the position. */
export function marginOf(cell: number): number {
  return Math.floor(cell / (stepBins * elapsedBins))
}

export function stageOfCell(cell: number): number {
  return Math.floor(marginOf(cell) / 2)
}

/** Every session that took a step before it bought has been in exactly one such cell. */
export function isFirstStep(cell: number): boolean {
  return Math.floor(cell / elapsedBins) % stepBins === 0
}

/** The same as SQL, from expressions of a stage, of a flag 0 or 1, of a count of steps and of milliseconds. */
export function cellSql(stage: string, isLater: string, steps: string, elapsedMs: string): string {
  const last = Math.max(...stepEnds) + 1
  const binsOfSteps = Array.from({ length: last }, (_, index) => binOf(index + 1, stepEnds))
  const elapsed = elapsedEnds.map((end) => `(${elapsedMs} > ${end})`).join(' + ')
  return `toUInt16(${stage} * ${2 * stepBins * elapsedBins} + ${isLater} * ${stepBins * elapsedBins}
            + [${binsOfSteps}][least(${steps}, ${last})] * ${elapsedBins} + ${elapsed})`
}
