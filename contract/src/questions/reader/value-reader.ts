import { printedText } from '../../printed-text.ts'
import { isName, type Refuse } from '../filters/member-checks.ts'

export function readFlag(value: unknown, at: string, refuse: Refuse): boolean {
  if (value !== undefined && typeof value !== 'boolean') refuse(at, 'must be true or false')
  return value === true
}

export function readWhole(value: unknown, at: string, most: number, refuse: Refuse): number | null {
  if (value === undefined) return null
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
  if (!isWhole) refuse(at, `must be a whole number from 1 to ${most}`)
  return isWhole ? value : null
}

export function readOptionalText(
  value: unknown,
  at: string,
  charactersMax: number,
  refuse: Refuse,
): string | undefined {
  if (value === undefined) return undefined
  if (!isName(value, charactersMax)) refuse(at, `must be a text of up to ${charactersMax} characters`)
  return printedText(value)
}
