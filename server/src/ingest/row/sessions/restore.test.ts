import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sessionOfRow } from './event-session.ts'
import { restoreSessions } from './restore.ts'
import type { OpenSessionRow } from './session-store.ts'
import type { SessionRow } from './sessions.ts'

const ms = fc.integer({ min: 0, max: 12 })
const row: fc.Arbitrary<OpenSessionRow> = fc.record({
  site_id: fc.constant('site_1'),
  person_id: fc.constantFrom('ada', 'bob'),
  anonymous_id: fc.constantFrom('', 'phone'),
  session_id: fc.constantFrom('a', 'b', 'c'),
  resolved_by: fc.constantFrom('user_id', 'anonymous_id'),
  is_public: fc.constantFrom(0, 1),
  first_ms: ms,
  last_ms: ms,
})
const byEnd = (one: OpenSessionRow, other: OpenSessionRow) => one.last_ms - other.last_ms

/** What `restore` was given, each time in the order in which it takes it. */
function restoredBy() {
  const taken: SessionRow[] = []
  const restore = (rows: readonly SessionRow[]) => {
    taken.push(...rows.toSorted((one, other) => one.lastTs - other.lastTs))
  }
  return { taken, restore }
}

test('sessions that are restored some at a time come in the order of all at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row),
      fc.array(row),
      fc.integer({ min: 1, max: 5 }),
      async (some, pending, atATime) => {
        const stored = some.toSorted(byEnd)
        async function* slices() {
          for (let from = 0; from < stored.length; from += atATime) yield stored.slice(from, from + atATime)
        }
        const { taken, restore } = restoredBy()
        await restoreSessions({ restore }, slices(), pending)
        const once = restoredBy()
        once.restore([...stored, ...pending].map(sessionOfRow))
        // Of sessions that ended at the same time, those of the log may come between those of the store.
        const ends = (rows: SessionRow[]) => rows.map(({ lastTs }) => lastTs)
        expect(ends(taken)).toEqual(ends(once.taken))
        const told = (rows: SessionRow[]) => rows.map((each) => JSON.stringify(each)).toSorted()
        expect(told(taken)).toEqual(told(once.taken))
      },
    ),
  )
})
