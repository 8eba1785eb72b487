/** One turn of one side. */
type Turn = { readonly round: number; readonly side: number }

/**
 * All sides take their turn in every round, and the order is turned around from round to round: a machine that grows
 * slower over time, or that is slower after some work, hurts all of them alike.
 */
export function alternate(sides: number, rounds: number): readonly Turn[] {
  const forth = Array.from({ length: sides }, (_, side) => side)
  const back = forth.toReversed()
  return Array.from({ length: rounds }, (_, round) =>
    (round % 2 === 0 ? forth : back).map((side) => ({ round, side })),
  ).flat()
}
