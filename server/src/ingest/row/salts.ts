import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import type { Control } from '../../store/control.ts'
import { dropSaltsBefore, saltOfDay } from './salt-store.ts'

export type VisitorSalts = {
  /** The salt of today or of an adjacent day, which may be needed around midnight. */
  saltFor: (day: string) => Uint8Array
  dayOf: (ms: number) => string
  close: () => void
}

const renewMs = 3_600_000

/**
 * Random salts, one per day, shared by all nodes and deleted when the day is over: nothing links two days.
 */
export async function createVisitorSalts(control: Control, now: Clock): Promise<VisitorSalts> {
  // bounded: by three days; others go within the hour.
  const salts = new Map<string, Uint8Array>()

  async function renew(): Promise<void> {
    const days = [-dayMs, 0, dayMs].map((offset) => utcDay(now() + offset))
    for (const day of days) {
      if (!salts.has(day))
        salts.set(day, Buffer.from(await saltOfDay(control, day, randomBytes(32).toString('hex')), 'hex'))
    }
    for (const day of salts.keys()) if (!days.includes(day)) salts.delete(day)
    await dropSaltsBefore(control, days[0] ?? '')
  }

  await renew()
  const timer = setInterval(() => void renew().catch(() => {}), renewMs).unref()
  return {
    // A day outside the three (a clock that jumped) gets a salt that only this node knows: ids, but no links.
    saltFor(day) {
      const known = salts.get(day) ?? randomBytes(32)
      salts.set(day, known)
      return known
    },
    dayOf: utcDay,
    close: () => clearInterval(timer),
  }
}

function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
