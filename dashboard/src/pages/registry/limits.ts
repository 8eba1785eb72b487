import type { PropertyRule } from '@assay/contract'
import { readNumber } from '../../format.ts'
import { eventText } from '../../text/events.ts'

/** The limits of a value as they are typed. */
type Limits = { allowed: string; pattern: string; least: string; most: string }

export function limitsOf(rule: PropertyRule): Limits {
  return {
    allowed: rule.enum?.join(', ') ?? '',
    pattern: rule.pattern ?? '',
    least: rule.minimum === undefined ? '' : String(rule.minimum),
    most: rule.maximum === undefined ? '' : String(rule.maximum),
  }
}

const partsOf = (allowed: string) =>
  allowed
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Whether something in a list of numbers is none. */
export const hasStray = (allowed: string) => partsOf(allowed).some((part) => readNumber(part) === null)

/** What is empty, or no number yet, limits nothing. */
export function withLimits(rule: PropertyRule, { allowed, pattern, least, most }: Limits): PropertyRule {
  const { enum: _allowed, pattern: _pattern, minimum: _least, maximum: _most, ...rest } = rule
  const values = partsOf(allowed)
  const [minimum, maximum] = [readNumber(least), readNumber(most)]
  if (rule.type === 'number') {
    const numbers = values.flatMap((value) => readNumber(value) ?? [])
    return {
      ...rest,
      ...(numbers.length > 0 && { enum: numbers }),
      ...(minimum !== null && { minimum }),
      ...(maximum !== null && { maximum }),
    }
  }
  return { ...rest, ...(values.length > 0 && { enum: values }), ...(pattern !== '' && { pattern }) }
}

/** The limits of a rule in words; empty where there are none. */
export function limitsText(rule: PropertyRule): string {
  const words = eventText.registry
  const parts = [
    rule.enum === undefined ? '' : words.oneOf(rule.enum.join(', ')),
    rule.pattern === undefined ? '' : words.matches(rule.pattern),
    rule.minimum === undefined ? '' : words.atLeast(String(rule.minimum)),
    rule.maximum === undefined ? '' : words.atMost(String(rule.maximum)),
    rule.format ?? '',
  ]
  return parts.filter((part) => part !== '').join('; ')
}
