import { dayMs, hourMs } from '../../platform/units.ts'
import { redesign } from './elements.ts'
import type { SiteKey } from './events/wire.ts'

type Window = { readonly site: SiteKey; readonly fromMs: number; readonly toMs: number }

/** An event nearly stops while everything else continues. */
export type VolumeFault = Window & {
  readonly kind: 'volume'
  readonly event: string
  readonly keepShare: number
}

/** A new release sends a property in another type. */
export type SchemaFault = Window & {
  readonly kind: 'schema'
  readonly event: string
  readonly property: string
  readonly release: string
  readonly share: number
}

/** Events arrive late. */
export type LatencyFault = Window & { readonly kind: 'latency'; readonly medianMs: number }

/** A redesign of a page renames, moves, re-texts and removes a button. It stays. */
type DriftFault = Window & { readonly kind: 'drift'; readonly changes: typeof redesign }

export type Fault = VolumeFault | SchemaFault | LatencyFault | DriftFault

/**
 * The injected faults stand at fixed distances from the end: a month of data leaves the three weeks of
 * quiet before the first one that a weekly baseline needs. None fits into less.
 */
const quietDaysMin = 21

export function planFaults(fromMs: number, toMs: number): readonly Fault[] {
  const day = Math.floor(toMs / dayMs) * dayMs
  const moment = (daysBefore: number, hour: number) => day - daysBefore * dayMs + hour * hourMs
  const faults: readonly Fault[] = [
    {
      kind: 'volume',
      site: 'shop',
      event: '$search',
      keepShare: 0.1,
      fromMs: moment(7, 9),
      toMs: moment(7, 19),
    },
    { kind: 'drift', site: 'shop', changes: redesign, fromMs: moment(6, 4), toMs },
    {
      kind: 'schema',
      site: 'media',
      event: '$pageview',
      property: 'duration_ms',
      release: '9.0.0-rc.1',
      share: 0.4,
      fromMs: moment(4, 6),
      toMs: moment(3, 6),
    },
    { kind: 'latency', site: 'saas', medianMs: 75_000, fromMs: moment(2, 13), toMs: moment(2, 17) },
  ]
  return faults.filter((fault) => fault.fromMs >= fromMs + quietDaysMin * dayMs && fault.toMs <= toMs)
}
