import { digestLimits, Problem } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import { RecentMap } from '../../platform/recent-map.ts'
import { hourMs } from '../../platform/units.ts'

/** Charges a test to the address that it goes to; refuses one too many. */
export type ChargeTest = (workspaceId: string, email: string) => void

/** Addresses that got a test recently; one that is forgotten starts again. */
const addressesMax = 10_000

/** So that no one fills the inbox of another: a test arrives whenever someone asks for it. */
export function createTestAllowance(now: Clock): ChargeTest {
  const { testsPerHour } = digestLimits
  const charged = new RecentMap<{ hour: number; tests: number }>(addressesMax)
  return (workspaceId, email) => {
    const hour = Math.floor(now() / hourMs)
    const key = `${workspaceId} ${email}`
    const known = charged.get(key)
    const tests = known?.hour === hour ? known.tests : 0
    if (tests >= testsPerHour) throw tooMany(testsPerHour, (hour + 1) * hourMs - now())
    charged.set(key, { hour, tests: tests + 1 })
  }
}

function tooMany(most: number, waitMs: number): Problem {
  return new Problem('rate-limited', {
    detail: `An address gets ${most} tests an hour at most. Try again later.`,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) },
  })
}
