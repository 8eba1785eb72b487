import { wilsonLower } from './statistics.ts'

/** Events of one name in a time, and those among them that had an issue. */
type IssueCounts = { events: number; issues: Readonly<Record<string, number>> }

type SchemaFinding = { code: string; observed: number; expected: number; score: number }

/** Algorithms §3.3: fewer on either side prove nothing. */
const eventsLeast = 100
/** A rate must rise by at least five points, and be sure of it. */
const riseLeast = 0.05
/** An issue that was never there before shows at one event in a hundred. */
const newIssueLeast = 0.01

/** Issues of the last day that are more frequent than in the two weeks before, or new. */
export function judgeSchema(now: IssueCounts, before: IssueCounts): SchemaFinding[] {
  if (now.events < eventsLeast || before.events < eventsLeast) return []
  return Object.entries(now.issues).flatMap(([code, hits]) => {
    const observed = hits / now.events
    const expected = (before.issues[code] ?? 0) / before.events
    const sure = wilsonLower(hits, now.events)
    const isNew = expected === 0 && observed >= newIssueLeast
    if (sure <= expected + riseLeast && !isNew) return []
    const deviation = Math.sqrt(Math.max(expected * (1 - expected), 1 / before.events) / now.events)
    return [{ code, observed, expected, score: (observed - expected) / deviation }]
  })
}
