import { Type } from 'typebox'
import { readJson } from '../import/json-check.ts'
import { named, whole } from '../import/value-checks.ts'
import type { Flaw } from './table-shape.ts'

export const site = named('sites')
export const count = whole()
export const int4Max = 2_147_483_647
export const int4 = whole(0, int4Max)
/** Jobs and orders of one workspace that wait: those of all workspaces are taken up in one line. */
export const openMax = 1_000
export const Finite = Type.Number({ minimum: -1e15, maximum: 1e15 })

export const flawOf = (column: string, reason: string | null): Flaw | null =>
  reason === null ? null : { column, reason }

/** Parsed again where columns are checked together; the column itself was valid. */
export function parsed<Value>(value: string | null | undefined): Value {
  const read = readJson(value ?? 'null', undefined, true)
  if ('problem' in read) throw new Error(read.problem)
  // boundary: the shape of the column was checked before the row is looked at as a whole.
  return read.parsed as Value
}
