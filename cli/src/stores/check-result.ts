/** Something that a store must be, what was found, and what to do where it is not so. */
export type Finding = {
  store: 'Postgres' | 'ClickHouse'
  what: string
  outcome: 'fine' | 'warn' | 'fail'
  found: string
  advice: string | null
}

/** Runs one statement of ClickHouse and answers its text. */
export type Run = (sql: string, settings?: Readonly<Record<string, string>>) => Promise<string>

/** `fetch` says why only in its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || error.name
}

/** Runs one check; what it throws is what is wrong. */
export async function checked(
  expected: Pick<Finding, 'store' | 'what'> & { advice: string; isWarning?: boolean },
  work: () => Promise<string>,
): Promise<Finding> {
  const { store, what, advice, isWarning = false } = expected
  try {
    return { store, what, outcome: 'fine', found: await work(), advice: null }
  } catch (error) {
    return { store, what, outcome: isWarning ? 'warn' : 'fail', found: reasonOf(error), advice }
  }
}

/** Events are dated by the nodes, and leases by the store: their clocks must agree. */
const clockMsMax = 5_000

export function clockFinding(
  store: Finding['store'],
  now: () => number,
  read: () => Promise<string>,
): Promise<Finding> {
  return checked({ store, what: 'clock', advice: 'Set the clocks of both machines by NTP.' }, async () => {
    const beforeMs = now()
    const offMs = Number(await read()) - (beforeMs + now()) / 2
    const found = `${(offMs / 1000).toFixed(1)} s from the clock of this machine`
    // Also where the store answered no number.
    if (!(Math.abs(offMs) <= clockMsMax)) throw new Error(found)
    return found
  })
}
