import { type FieldError, Problem } from '../../problems.ts'

export type Refuse = (field: string, message: string) => void

/** Says the first in words, and all of them by their place. */
export function wrongMembers(errors: readonly FieldError[]): Problem {
  const [first] = errors
  return new Problem('invalid-parameter', { detail: `${first?.field} ${first?.message}.`, errors })
}

/** A text that every store accepts, which no NUL and no half of a character is. */
export function isName(value: unknown, charactersMax: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= charactersMax && isStorable(value)
}

export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

export function requireMembers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  at: string,
  refuse: Refuse,
): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue
    const field = at === '' ? name : `${at}.${name}`
    refuse(field, `is not known here: ${known.join(', ')}`)
  }
}
