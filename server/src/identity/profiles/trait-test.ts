import type { AudienceOperator } from '@assay/contract'

type Scalar = string | number | boolean

/** Whether the value of a trait fits; of the operators that are not negations. */
export function traitFits(value: unknown, op: AudienceOperator, wanted: readonly Scalar[]): boolean {
  const [first] = wanted
  switch (op) {
    case 'exists':
      return true
    case 'contains':
      return contains(value, first)
    case 'eq':
    case 'in':
      return wanted.some((one) => isSame(value, one))
    default: {
      const order = compare(value, first)
      return order !== null && fitsOrder(op, order)
    }
  }
}

/** Senders write numbers and flags as text now and then. */
function isSame(value: unknown, wanted: Scalar): boolean {
  return typeof value !== 'object' && String(value) === String(wanted)
}

function contains(value: unknown, wanted: Scalar | undefined): boolean {
  if (wanted === undefined) return false
  if (Array.isArray(value)) return value.some((one) => isSame(one, wanted))
  return typeof value === 'string' && value.toLowerCase().includes(String(wanted).toLowerCase())
}

/** Numbers by size; other texts, such as dates, by their characters. */
function compare(value: unknown, wanted: Scalar | undefined): number | null {
  if (typeof wanted === 'number') {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return typeof number === 'number' && !Number.isNaN(number) ? number - wanted : null
  }
  if (typeof value !== 'string' || typeof wanted !== 'string') return null
  return value === wanted ? 0 : value < wanted ? -1 : 1
}

function fitsOrder(op: AudienceOperator, order: number): boolean {
  if (op === 'gt') return order > 0
  if (op === 'gte') return order >= 0
  return op === 'lt' ? order < 0 : order <= 0
}
