import { alternate } from './alternation.ts'
import type { Figure } from './report.ts'
import type { Side } from './side.ts'

/** One side of a measurement, made ready. */
export type Subject = {
  readonly round: (index: number) => Promise<void>
  readonly figures: () => Promise<readonly Figure[]>
  readonly close: () => Promise<void>
}

export type Measurement = {
  readonly rounds: number
  readonly open: (side: Side) => Promise<Subject>
}

/** The figures of each side, in its order. Everything is made ready before the first round. */
export async function measure(
  sides: readonly Side[],
  { rounds, open }: Measurement,
): Promise<readonly (readonly Figure[])[]> {
  const subjects: Subject[] = []
  try {
    for (const side of sides) subjects.push(await open(side))
    for (const { round, side } of alternate(subjects.length, rounds)) await subjects[side]?.round(round)
    const figures: (readonly Figure[])[] = []
    for (const subject of subjects) figures.push(await subject.figures())
    return figures
  } finally {
    for (const subject of subjects) await subject.close()
  }
}
