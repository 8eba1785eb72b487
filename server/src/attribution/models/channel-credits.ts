import { type AttributionModel, type AttributionPolicy, unattributed } from '@assay/contract'
import { dayMs } from '../../platform/units.ts'
import type { NamedTouch } from '../paths/touch.ts'
import { unitsPerCredit } from './credit.ts'
import { creditUnits, type Fit, type ModelSettings } from './credits.ts'

export function settingsOf(policy: AttributionPolicy): ModelSettings {
  return { halfLifeMs: policy.half_life_days * dayMs, position: policy.position }
}

/** Credit of each considered touchpoint, in units. */
export function unitsOfTouches(
  model: AttributionModel,
  policy: AttributionPolicy,
  outcomeMs: number,
  considered: readonly NamedTouch[],
  fit: Fit,
): number[] {
  const path = {
    channels: considered.map(({ channel }) => channel),
    touchMs: considered.map(({ ms }) => ms),
    outcomeMs,
  }
  return creditUnits(model, path, settingsOf(policy), fit)
}

/** The same by channel. Credit without a touchpoint is unattributed, and still one credit. */
export function unitsByChannel(
  model: AttributionModel,
  policy: AttributionPolicy,
  outcomeMs: number,
  considered: readonly NamedTouch[],
  fit: Fit,
): Map<string, number> {
  if (considered.length === 0) return new Map([[unattributed, unitsPerCredit]])
  const sums = new Map<string, number>()
  unitsOfTouches(model, policy, outcomeMs, considered, fit).forEach((units, index) => {
    const channel = considered[index]?.channel ?? unattributed
    sums.set(channel, (sums.get(channel) ?? 0) + units)
  })
  return sums
}
